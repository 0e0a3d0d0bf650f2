/* SPDX-License-Identifier: MIT
 *
 * Rows for predictors: lists of candidates have one length, the chosen one is in them, and the models and policies keep
 * their promises on whatever the rows say. */
#include <stdlib.h>

#include "data/predict/decision.h"
#include "data/predict/policies.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each candidate has its own place. */
static void check_policies(const struct predict_row *row)
{
	static struct predict_row choice;

	choice = *row;
	for (unsigned int policy = 0; policy < POLICIES; policy++) {
		uint64_t places = 0;
		for (choice.chosen = 0; choice.chosen < row->candidates.count; choice.chosen++)
			places |= UINT64_C(1) << policy_rank((enum policy)policy, &choice);
		if ((uint32_t)__builtin_popcountll(places) != row->candidates.count)
			abort();
	}
}

static void check_row(const struct predict_row *row, bool is_decision)
{
	if (row->cpu >= TASK_CPUS_MAX || row->candidates.count > DECISION_CANDIDATES_MAX)
		abort();
	if (!is_decision)
		return;
	if (row->candidates.count > row->waiting || (row->chosen != UINT32_MAX && row->chosen >= row->candidates.count))
		abort();
	check_policies(row);
}

static void check_answers(const struct context_model *model, const struct lanes_step *step)
{
	struct context_answer answer;

	for (enum context_method i = 0; i < CONTEXT_METHODS; i++) {
		struct context_view view;
		context_view_set(&view, model, i, step->node);
		context_best(&view, &answer);
		double probability = context_probability(&view, step->entry);
		if (!(probability >= 0 && probability <= 1 + 1e-9) || answer.count > CONTEXT_TOP)
			abort();
	}
}

static void follow(struct sequence *sequence, const struct sequence_row *row, struct decision_place *place)
{
	if (!sequence_succeed(sequence, row, &place->successor) ||
	    !sequence_follow_machine(sequence, row, &place->machine.step) ||
	    !sequence_follow_cpu(sequence, row, &place->cpu.step))
		abort();
	check_answers(&sequence->machine.model, &place->machine.step);
	check_answers(&sequence->cpu.model, &place->cpu.step);
}

/* Candidates have the entries that each would be found by alone. */
static void check_candidates(const struct lanes *lanes, const struct predict_row *row, struct decision_history *found)
{
	static struct decision_finder finder;

	if (!decision_look_up(&finder, lanes, row, found))
		abort();
	for (uint32_t i = 0; i < row->candidates.count; i++)
		if (found->entries[i] != context_model_find(&lanes->model, found->step.node, row->candidates.roles[i]))
			abort();
}

static void check_decision(const struct learner *learner, const struct predict_row *row, struct decision_place *place)
{
	const struct sequence *roles = &learner->sequences[LEARNER_ROLES];
	struct prediction prediction;

	check_candidates(&roles->machine, row, &place->machine);
	check_candidates(&roles->cpu, row, &place->cpu);
	for (enum predictor i = 0; i < PREDICTORS; i++) {
		decision_predict(learner, i, row, place, &prediction);
		if (!(prediction.right >= 0 && prediction.right <= prediction.right_in_5 &&
		      prediction.right_in_5 <= 1) ||
		    (prediction.has_probability &&
		     !(prediction.of_target >= 0 && prediction.of_target <= prediction.of_best + 1e-9 &&
		       prediction.of_best <= 1 + 1e-9)))
			abort();
	}
}

/* After they are learnt, rows are followed. */
static void check_tests(struct learner *learner, struct predict_reader *reader)
{
	static struct predict_row row;
	static struct decision_place place;
	struct error err;

	while (predict_reader_next(reader, &row, &err) == STATUS_OK) {
		for (enum learner_sequence i = 0; i < LEARNER_SEQUENCES; i++) {
			const struct sequence_row of_sequence = learner_row(i, &row);
			if (learner->learns[i])
				follow(&learner->sequences[i], &of_sequence, &place);
		}
		if (learner->learns[LEARNER_ROLES])
			check_decision(learner, &row, &place);
	}
}

/* The rows are learnt, then the same are predicted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct predict_row row;
	static struct learner learner;
	struct predict_texts texts = {.by_pid = false};
	struct predict_reader reader;
	struct error err;

	learner = (struct learner){.learns = {true, false}};
	if (predict_reader_open(&reader, data, size, "fuzz.csv", &texts, &err) == STATUS_OK) {
		struct predict_reader again = reader;
		learner.learns[LEARNER_ROLES] = reader.kind == PREDICT_DECISIONS;
		while (predict_reader_next(&reader, &row, &err) == STATUS_OK) {
			check_row(&row, reader.kind == PREDICT_DECISIONS);
			if (!learner_learn(&learner, &row))
				abort();
		}
		if (reader.next.at > reader.next.end || !learner_finish(&learner))
			abort();
		check_tests(&learner, &again);
	}
	learner_free(&learner);
	predict_texts_free(&texts);
	return 0;
}
