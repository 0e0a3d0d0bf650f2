/* SPDX-License-Identifier: MIT
 *
 * Rows for predictors: lists of candidates have one length, the chosen one is in them, and the models and policies keep
 * their promises on whatever the rows say. */
#include <stdlib.h>

#include "predict/learner.h"
#include "predict/policies.h"

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
		const struct context_view view = context_view(model, i, step->node);
		context_best(&view, &answer);
		double probability = context_probability(&view, step->entry);
		if (!(probability >= 0 && probability <= 1 + 1e-9) || answer.count > CONTEXT_TOP)
			abort();
	}
}

/* After they are learnt, rows are followed. */
static void check_sequence(struct sequence *sequence, struct predict_reader *reader)
{
	static struct predict_row row;
	struct lanes_step machine, cpu;
	struct error err;

	while (predict_reader_next(reader, &row, &err) == STATUS_OK) {
		const struct sequence_row of_names = learner_row(LEARNER_NAMES, &row);
		uint32_t successor;
		if (!sequence_succeed(sequence, &of_names, &successor) ||
		    !sequence_follow_machine(sequence, &of_names, &machine) ||
		    !sequence_follow_cpu(sequence, &of_names, &cpu))
			abort();
		check_answers(&sequence->machine.model, &machine);
		check_answers(&sequence->cpu.model, &cpu);
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
		while (predict_reader_next(&reader, &row, &err) == STATUS_OK) {
			check_row(&row, reader.kind == PREDICT_DECISIONS);
			if (!learner_learn(&learner, &row))
				abort();
		}
		if (reader.at > reader.end || !learner_finish(&learner))
			abort();
		check_sequence(&learner.sequences[LEARNER_NAMES], &again);
	}
	learner_free(&learner);
	predict_texts_free(&texts);
	return 0;
}
