/* SPDX-License-Identifier: MIT */
#include "predict/testing.h"

#include "base/clock.h"

/* Rows one after the other, of one workload. */
struct range {
	const struct predict_row *rows;
	size_t count;
};

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static double since(uint64_t start_ns)
{
	return (double)(now_ns() - start_ns);
}

static bool has_choice(const struct predict_row *row)
{
	return row->waiting > 1;
}

static enum testing_pass pass_of(enum predictor predictor)
{
	return !predictor_has_contexts(predictor) ? PASS_SYMBOL
	       : predictor_is_of_cpu(predictor)   ? PASS_CPU
						  : PASS_MACHINE;
}

static bool skips(const struct testing *testing, enum predictor predictor)
{
	return testing->learner->baselines_only && predictor > PREDICTOR_LAST_SUCCESSOR;
}

static struct sequence_scores scores_of(const struct testing *testing, enum predict_target target,
					enum predictor predictor)
{
	struct predict_scores *scores = &testing->result->scores[testing->part][testing->workload];

	return (struct sequence_scores){&scores->all[target][predictor], &scores->choice[target][predictor]};
}

/* --- Names and roles --- */

/* Scores what was tallied. */
static void score_tally(struct testing *testing, enum learner_sequence which)
{
	struct sequence_tally *tally = &testing->tallies[which];
	enum predict_target target = which == LEARNER_NAMES ? TARGET_NAME : TARGET_ROLE;

	if (!tally->rows)
		return;
	sequence_tally_end(tally);
	for (enum predictor i = PREDICTOR_CONSTANT; i < PREDICTOR_UNIFORM && !skips(testing, i); i++) {
		const struct sequence_scores scores = scores_of(testing, target, i);
		uint64_t start_ns = now_ns();
		sequence_tally_score(tally, &testing->learner->sequences[which], i, testing->has_unseen_class, &scores);
		double ns = since(start_ns) + testing->pass_ns[which][pass_of(i)];
		scores.all->time_ns += ns;
		scores.choice->time_ns += ns * (double)tally->choice_rows / (double)tally->rows;
	}
	for (size_t i = 0; i < TESTING_PASSES; i++)
		testing->pass_ns[which][i] = 0;
	sequence_tally_clear(tally);
}

void testing_end(struct testing *testing)
{
	for (unsigned int i = 0; i < LEARNER_SEQUENCES; i++)
		score_tally(testing, (enum learner_sequence)i);
}

static bool pass_row(struct testing *testing, enum learner_sequence which, enum testing_pass pass,
		     const struct predict_row *row, struct decision_place *place)
{
	struct sequence *sequence = &testing->learner->sequences[which];
	struct sequence_tally *tally = &testing->tallies[which];
	const struct sequence_row of_sequence = learner_row(which, row);

	switch (pass) {
	case PASS_SYMBOL:
		return sequence_succeed(sequence, &of_sequence, &place->successor) &&
		       sequence_tally_symbol(tally, of_sequence.next, place->successor, has_choice(row));
	case PASS_MACHINE:
		return sequence_follow_machine(sequence, &of_sequence, &place->machine.step) &&
		       sequence_tally_machine(tally, sequence, &place->machine.step, has_choice(row));
	default:
		return sequence_follow_cpu(sequence, &of_sequence, &place->cpu.step) &&
		       sequence_tally_cpu(tally, sequence, &place->cpu.step, has_choice(row));
	}
}

static bool tally_range(struct testing *testing, enum learner_sequence which, const struct range *range)
{
	unsigned int passes = testing->learner->baselines_only ? PASS_MACHINE : TESTING_PASSES;

	for (unsigned int pass = 0; pass < passes; pass++) {
		uint64_t start_ns = now_ns();
		for (size_t i = 0; i < range->count; i++)
			if (!pass_row(testing, which, (enum testing_pass)pass, &range->rows[i], &testing->places[i]))
				return false;
		testing->pass_ns[which][pass] += since(start_ns);
	}
	return true;
}

/* --- Decisions --- */

static bool look_up_range(struct testing *testing, enum testing_pass pass, const struct range *range)
{
	const struct sequence *roles = &testing->learner->sequences[LEARNER_ROLES];

	for (size_t i = 0; i < range->count; i++) {
		struct decision_place *place = &testing->places[i];
		if (!decision_look_up(&testing->finder, pass == PASS_CPU ? &roles->cpu : &roles->machine,
				      &range->rows[i], pass == PASS_CPU ? &place->cpu : &place->machine))
			return false;
	}
	return true;
}

/* pass_ns: what a row took before. */
static void decide_range(struct testing *testing, enum predictor predictor, const struct range *range, double pass_ns)
{
	const struct sequence_scores scores = scores_of(testing, TARGET_DECISION, predictor);
	uint64_t start_ns = now_ns();

	for (size_t i = 0; i < range->count; i++)
		testing->predictions[i] =
		    decision_predict(testing->learner, predictor, &range->rows[i], &testing->places[i]);
	double row_ns = (since(start_ns) + pass_ns) / (double)range->count;
	for (size_t i = 0; i < range->count; i++) {
		score_add(scores.all, &testing->predictions[i], 1);
		scores.all->time_ns += row_ns;
		if (!has_choice(&range->rows[i]))
			continue;
		score_add(scores.choice, &testing->predictions[i], 1);
		scores.choice->time_ns += row_ns;
	}
}

/* After tally_range() of the roles. */
static bool predict_decisions(struct testing *testing, const struct range *range)
{
	double pass_ns[TESTING_PASSES] = {0};

	for (unsigned int pass = PASS_MACHINE; pass < TESTING_PASSES && !testing->learner->baselines_only; pass++) {
		uint64_t start_ns = now_ns();
		if (!look_up_range(testing, (enum testing_pass)pass, range))
			return false;
		pass_ns[pass] = since(start_ns);
	}
	for (enum predictor i = PREDICTOR_CONSTANT; i < PREDICTORS && !skips(testing, i); i++)
		decide_range(testing, i, range, pass_ns[pass_of(i)]);
	return true;
}

/* --- Rows --- */

static bool begin_range(struct testing *testing, enum predict_part part, const struct range *range)
{
	bool has_room = true;

	for (size_t i = 0; i < LEARNER_SEQUENCES; i++)
		has_room = has_room && sequence_tally_has_room(&testing->tallies[i], (uint32_t)range->count);
	if (part != testing->part || range->rows->workload != testing->workload || !has_room)
		testing_end(testing);
	testing->part = part;
	testing->workload = range->rows->workload;
	return predict_result_reserve(testing->result, part);
}

static bool add_range(struct testing *testing, enum predict_part part, const struct range *range)
{
	if (!begin_range(testing, part, range))
		return false;
	for (unsigned int i = 0; i < LEARNER_SEQUENCES; i++)
		if (testing->learner->learns[i] && !tally_range(testing, (enum learner_sequence)i, range))
			return false;
	/* The places are those of the roles, which come last. */
	return testing->result->kind != PREDICT_DECISIONS || predict_decisions(testing, range);
}

bool testing_add(struct testing *testing, enum predict_part part, const struct predict_row *rows, size_t count)
{
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && rows[to].workload == rows[from].workload;)
			to++;
		const struct range range = {rows + from, to - from};
		if (!add_range(testing, part, &range))
			return false;
	}
	return true;
}

void testing_free(struct testing *testing)
{
	for (size_t i = 0; i < LEARNER_SEQUENCES; i++)
		sequence_tally_free(&testing->tallies[i]);
	decision_finder_free(&testing->finder);
}
