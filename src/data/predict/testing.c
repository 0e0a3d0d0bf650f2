/* SPDX-License-Identifier: MIT */
#include "data/predict/testing.h"

#include "base/clock.h"

/* Some of the rows that were added: all of one workload. */
struct range {
	const struct predict_row *rows;
	const uint32_t *order; /* which of the rows */
	size_t count;
	enum predict_part part;
	uint32_t workload;
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

static unsigned int passes_of(const struct testing *testing)
{
	return testing->learner->baselines_only ? PASS_MACHINE : TESTING_PASSES;
}

static bool skips(const struct testing *testing, enum predictor predictor)
{
	return testing->learner->baselines_only && predictor > PREDICTOR_LAST_SUCCESSOR;
}

/* --- Names and roles --- */

/* Scores what was tallied. */
static void end_tally(struct testing *testing, enum learner_sequence which)
{
	struct testing_tally *tally = &testing->tallies[which];
	enum predict_target target = which == LEARNER_NAMES ? TARGET_NAME : TARGET_ROLE;

	if (!tally->rows.rows)
		return;
	struct predict_scores *found = &testing->result->scores[tally->part][tally->workload];
	sequence_tally_end(&tally->rows);
	for (enum predictor i = PREDICTOR_CONSTANT; i < PREDICTOR_UNIFORM && !skips(testing, i); i++) {
		const struct sequence_scores scores = {&found->all[target][i], &found->choice[target][i]};
		uint64_t start_ns = now_ns();
		sequence_tally_score(&tally->rows, &testing->learner->sequences[which], i, testing->has_unseen_class,
				     &scores);
		double ns = since(start_ns) + tally->pass_ns[pass_of(i)];
		scores.all->time_ns += ns;
		scores.choice->time_ns += ns * (double)tally->rows.choice_rows / (double)tally->rows.rows;
	}
	for (size_t i = 0; i < TESTING_PASSES; i++)
		tally->pass_ns[i] = 0;
	sequence_tally_clear(&tally->rows);
}

void testing_end(struct testing *testing)
{
	for (unsigned int i = 0; i < LEARNER_SEQUENCES; i++)
		end_tally(testing, (enum learner_sequence)i);
}

static bool follow_row(struct sequence *sequence, enum testing_pass pass, const struct sequence_row *row,
		       struct decision_place *place)
{
	switch (pass) {
	case PASS_SYMBOL:
		return sequence_succeed(sequence, row, &place->successor);
	case PASS_MACHINE:
		return sequence_follow_machine(sequence, row, &place->machine.step);
	default:
		return sequence_follow_cpu(sequence, row, &place->cpu.step);
	}
}

/* In their own order. pass_ns: what it takes. */
static bool follow_rows(struct testing *testing, enum learner_sequence which, const struct predict_row *rows,
			size_t count, double pass_ns[TESTING_PASSES])
{
	for (unsigned int pass = 0; pass < passes_of(testing); pass++) {
		uint64_t start_ns = now_ns();
		for (size_t i = 0; i < count; i++) {
			const struct sequence_row row = learner_row(which, &rows[i]);
			if (!follow_row(&testing->learner->sequences[which], (enum testing_pass)pass, &row,
					&testing->places[i]))
				return false;
		}
		pass_ns[pass] = since(start_ns);
	}
	return true;
}

static bool tally_row(struct sequence_tally *tally, const struct sequence *sequence, enum testing_pass pass,
		      const struct sequence_row *row, const struct decision_place *place, bool has_choice)
{
	switch (pass) {
	case PASS_SYMBOL:
		return sequence_tally_symbol(tally, row->next, place->successor, has_choice);
	case PASS_MACHINE:
		return sequence_tally_machine(tally, sequence, &place->machine.step, has_choice);
	default:
		return sequence_tally_cpu(tally, sequence, &place->cpu.step, has_choice);
	}
}

/* row_ns: what following a row took. */
static bool tally_range(struct testing *testing, enum learner_sequence which, const struct range *range,
			const double row_ns[TESTING_PASSES])
{
	struct testing_tally *tally = &testing->tallies[which];

	if (tally->part != range->part || tally->workload != range->workload ||
	    !sequence_tally_has_room(&tally->rows, (uint32_t)range->count))
		end_tally(testing, which);
	tally->part = range->part;
	tally->workload = range->workload;
	for (unsigned int pass = 0; pass < passes_of(testing); pass++) {
		uint64_t start_ns = now_ns();
		for (size_t i = 0; i < range->count; i++) {
			uint32_t at = range->order[i];
			const struct sequence_row row = learner_row(which, &range->rows[at]);
			if (!tally_row(&tally->rows, &testing->learner->sequences[which], (enum testing_pass)pass, &row,
				       &testing->places[at], has_choice(&range->rows[at])))
				return false;
		}
		tally->pass_ns[pass] += since(start_ns) + row_ns[pass] * (double)range->count;
	}
	return true;
}

/* --- Decisions --- */

static bool look_up_range(struct testing *testing, enum testing_pass pass, const struct range *range)
{
	const struct sequence *roles = &testing->learner->sequences[LEARNER_ROLES];

	for (size_t i = 0; i < range->count; i++) {
		struct decision_place *place = &testing->places[range->order[i]];
		if (!decision_look_up(&testing->finder, pass == PASS_CPU ? &roles->cpu : &roles->machine,
				      &range->rows[range->order[i]], pass == PASS_CPU ? &place->cpu : &place->machine))
			return false;
	}
	return true;
}

/* row_ns: what a row took before. */
static void decide_range(struct testing *testing, enum predictor predictor, const struct range *range, double row_ns)
{
	struct predict_scores *scores = &testing->result->scores[range->part][range->workload];
	struct score without_choice = {.rows = 0}, with_choice = {.rows = 0};
	uint64_t start_ns = now_ns();

	for (size_t i = 0; i < range->count; i++) {
		uint32_t at = range->order[i];
		decision_predict(testing->learner, predictor, &range->rows[at], &testing->places[at],
				 &testing->predictions[i]);
	}
	row_ns += since(start_ns) / (double)range->count;
	for (size_t i = 0; i < range->count; i++)
		score_add(has_choice(&range->rows[range->order[i]]) ? &with_choice : &without_choice,
			  &testing->predictions[i], 1);
	without_choice.time_ns = row_ns * (double)without_choice.rows;
	with_choice.time_ns = row_ns * (double)with_choice.rows;
	score_merge(&scores->all[TARGET_DECISION][predictor], &without_choice);
	score_merge(&scores->all[TARGET_DECISION][predictor], &with_choice);
	score_merge(&scores->choice[TARGET_DECISION][predictor], &with_choice);
}

/* follow_ns: what following a row took. */
static bool predict_decisions(struct testing *testing, const struct range *range,
			      const double follow_ns[TESTING_PASSES])
{
	double row_ns[TESTING_PASSES] = {follow_ns[PASS_SYMBOL], follow_ns[PASS_MACHINE], follow_ns[PASS_CPU]};

	for (unsigned int pass = PASS_MACHINE; pass < passes_of(testing); pass++) {
		uint64_t start_ns = now_ns();
		if (!look_up_range(testing, (enum testing_pass)pass, range))
			return false;
		row_ns[pass] += since(start_ns) / (double)range->count;
	}
	for (enum predictor i = PREDICTOR_CONSTANT; i < PREDICTORS && !skips(testing, i); i++)
		decide_range(testing, i, range, i < PREDICTOR_UNIFORM ? row_ns[pass_of(i)] : 0);
	return true;
}

/* --- Rows --- */

/* Those of a workload come together; mostly they all are of one. */
static void order_rows(struct testing *testing, const struct predict_row *rows, size_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i;
		for (; at > 0 && rows[testing->order[at - 1]].workload > rows[i].workload; at--)
			testing->order[at] = testing->order[at - 1];
		testing->order[at] = i;
	}
}

static bool add_range(struct testing *testing, enum learner_sequence which, const struct range *range,
		      const double row_ns[TESTING_PASSES])
{
	return tally_range(testing, which, range, row_ns) &&
	       (which != LEARNER_ROLES || predict_decisions(testing, range, row_ns));
}

static bool add_rows(struct testing *testing, enum learner_sequence which, enum predict_part part,
		     const struct predict_row *rows, size_t count)
{
	double row_ns[TESTING_PASSES] = {0};

	if (!follow_rows(testing, which, rows, count, row_ns))
		return false;
	for (size_t i = 0; i < TESTING_PASSES; i++)
		row_ns[i] /= (double)count;
	for (size_t from = 0, to; from < count; from = to) {
		uint32_t workload = rows[testing->order[from]].workload;
		for (to = from + 1; to < count && rows[testing->order[to]].workload == workload;)
			to++;
		const struct range range = {rows, testing->order + from, to - from, part, workload};
		if (!add_range(testing, which, &range, row_ns))
			return false;
	}
	return true;
}

bool testing_add(struct testing *testing, enum predict_part part, const struct predict_row *rows, size_t count)
{
	bool has_memory = predict_result_reserve(testing->result, part);

	order_rows(testing, rows, count);
	for (unsigned int i = 0; i < LEARNER_SEQUENCES && has_memory; i++)
		if (testing->learner->learns[i])
			has_memory = add_rows(testing, (enum learner_sequence)i, part, rows, count);
	return has_memory;
}

void testing_free(struct testing *testing)
{
	for (size_t i = 0; i < LEARNER_SEQUENCES; i++)
		sequence_tally_free(&testing->tallies[i].rows);
	decision_finder_free(&testing->finder);
}
