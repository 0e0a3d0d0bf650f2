/* SPDX-License-Identifier: MIT */
#include "data/predict/sequence_tally.h"

/* --- Rows --- */

bool sequence_tally_symbol(struct sequence_tally *tally, uint32_t symbol, uint32_t successor, bool has_choice)
{
	tally->rows++;
	tally->choice_rows += has_choice;
	return tally_add(&tally->symbols, symbol, has_choice) &&
	       (symbol != successor || tally_add(&tally->successes, symbol, has_choice));
}

bool sequence_tally_machine(struct sequence_tally *tally, const struct sequence *sequence,
			    const struct lanes_step *step, bool has_choice)
{
	return step_tally_add(&tally->machine, &sequence->machine.model, step, has_choice);
}

bool sequence_tally_cpu(struct sequence_tally *tally, const struct sequence *sequence, const struct lanes_step *step,
			bool has_choice)
{
	return step_tally_add(&tally->cpu, &sequence->cpu.model, step, has_choice);
}

bool sequence_tally_has_room(const struct sequence_tally *tally, uint32_t rows)
{
	return tally->rows + rows <= UINT32_MAX && step_tally_has_room(&tally->machine, rows) &&
	       step_tally_has_room(&tally->cpu, rows);
}

void sequence_tally_end(struct sequence_tally *tally)
{
	tally_sort(&tally->machine.entries);
	tally_sort(&tally->cpu.entries);
}

void sequence_tally_clear(struct sequence_tally *tally)
{
	tally_clear(&tally->symbols);
	tally_clear(&tally->successes);
	step_tally_clear(&tally->machine);
	step_tally_clear(&tally->cpu);
	tally->rows = tally->choice_rows = 0;
}

void sequence_tally_free(struct sequence_tally *tally)
{
	tally_free(&tally->symbols);
	tally_free(&tally->successes);
	step_tally_free(&tally->machine);
	step_tally_free(&tally->cpu);
}

/* --- Scores --- */

static void add(const struct sequence_scores *scores, const struct prediction *prediction, struct tally_count count)
{
	score_add(scores->all, prediction, count.any);
	if (count.choice)
		score_add(scores->choice, prediction, count.choice);
}

static struct prediction predict_constant(const struct sequence *sequence, uint32_t symbol, bool has_unseen_class)
{
	double right = sequence->frequent.count && sequence->frequent.symbols[0] == symbol;

	/* In this coding class 0 is every PID that train.csv lacks. */
	if (has_unseen_class)
		right = !sequence_has_seen(sequence, symbol);
	return (struct prediction){.right = right, .right_in_5 = right};
}

static struct prediction predict_majority(const struct sequence *sequence, uint32_t symbol)
{
	struct prediction prediction = context_judge(&sequence->frequent, symbol);

	prediction.has_probability = true;
	prediction.of_target = sequence_frequency(sequence, symbol);
	return prediction;
}

static void score_symbols(const struct sequence_tally *tally, const struct sequence *sequence, enum predictor predictor,
			  bool has_unseen_class, const struct sequence_scores *scores)
{
	for (uint32_t i = 0; i < tally->symbols.touched_count; i++) {
		uint32_t symbol = tally->symbols.touched[i];
		struct prediction prediction = predictor == PREDICTOR_CONSTANT
						   ? predict_constant(sequence, symbol, has_unseen_class)
						   : predict_majority(sequence, symbol);
		prediction.unseen = !sequence_has_seen(sequence, symbol);
		add(scores, &prediction, tally->symbols.counts[symbol]);
	}
}

static void score_successors(const struct sequence_tally *tally, const struct sequence *sequence,
			     const struct sequence_scores *scores)
{
	for (uint32_t i = 0; i < tally->symbols.touched_count; i++) {
		uint32_t symbol = tally->symbols.touched[i];
		struct tally_count wrong = tally->symbols.counts[symbol], right = {0, 0};
		struct prediction prediction = {.unseen = !sequence_has_seen(sequence, symbol)};
		if (symbol < tally->successes.capacity)
			right = tally->successes.counts[symbol];
		wrong.any -= right.any;
		wrong.choice -= right.choice;
		add(scores, &prediction, wrong);
		prediction.right = prediction.right_in_5 = 1;
		add(scores, &prediction, right);
	}
}

static struct prediction predict_step(const struct context_view *view, const struct context_answer *answer,
				      uint32_t entry)
{
	bool is_seen = entry != CONTEXT_NONE;
	struct prediction prediction = context_judge(answer, is_seen ? view->model->entries[entry].symbol : TEXT_NONE);

	prediction.unseen = !is_seen;
	prediction.has_probability = true;
	prediction.of_target = context_probability(view, entry);
	return prediction;
}

static void score_steps(const struct step_tally *tally, const struct context_model *model, enum context_method method,
			const struct sequence_scores *scores)
{
	struct context_view view;
	struct context_answer answer = {.count = 0};
	uint32_t answered = CONTEXT_NONE;

	for (uint32_t i = 0; i < tally->entries.touched_count + tally->others.touched_count; i++) {
		struct tally_count count;
		const struct lanes_step step = step_tally_at(tally, model, i, &count);
		if (step.node != answered) {
			context_view_set(&view, model, method, step.node);
			context_best(&view, &answer);
			answered = step.node;
		}
		const struct prediction prediction = predict_step(&view, &answer, step.entry);
		add(scores, &prediction, count);
	}
}

void sequence_tally_score(const struct sequence_tally *tally, const struct sequence *sequence, enum predictor predictor,
			  bool has_unseen_class, const struct sequence_scores *scores)
{
	bool is_cpu = predictor_is_of_cpu(predictor);

	if (predictor_has_contexts(predictor))
		score_steps(is_cpu ? &tally->cpu : &tally->machine,
			    is_cpu ? &sequence->cpu.model : &sequence->machine.model, predictor_method(predictor),
			    scores);
	else if (predictor == PREDICTOR_LAST_SUCCESSOR)
		score_successors(tally, sequence, scores);
	else
		score_symbols(tally, sequence, predictor, has_unseen_class, scores);
}
