/* SPDX-License-Identifier: MIT
 *
 * Rows for predictors: lists of candidates have one length, the chosen one is in them, and the models and policies keep
 * their promises on whatever the rows say. */
#include <stdlib.h>

#include "predict/policies.h"
#include "predict/rows.h"
#include "predict/sequence.h"

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

static void check_answers(const struct sequence *sequence, struct sequence_place *place)
{
	struct context_answer answer;

	sequence_look_up(sequence, place);
	for (unsigned int i = PREDICTOR_MAJORITY; i < PREDICTOR_UNIFORM; i++) {
		if (i == PREDICTOR_LAST_SUCCESSOR)
			continue;
		const struct sequence_view view = sequence_view(sequence, (enum predictor)i, place);
		sequence_best(&view, &answer);
		double probability = sequence_probability(&view, place->next);
		if (!(probability >= 0 && probability <= 1 + 1e-9) || answer.count > CONTEXT_TOP)
			abort();
	}
}

/* The rows are learnt, then the last one is predicted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct predict_row row;
	struct predict_texts texts = {.by_pid = false};
	struct predict_reader reader;
	struct sequence sequence = {.baselines_only = false};
	struct sequence_place place;
	struct error err;
	size_t rows = 0;

	if (predict_reader_open(&reader, data, size, "fuzz.csv", &texts, &err) == STATUS_OK) {
		while (predict_reader_next(&reader, &row, &err) == STATUS_OK) {
			check_row(&row, reader.kind == PREDICT_DECISIONS);
			if (!sequence_step(&sequence, &row, row.prev_name, row.name, &place) ||
			    !sequence_learn(&sequence, &place))
				abort();
			rows++;
		}
		if (reader.at > reader.end || (rows && !sequence_finish(&sequence)))
			abort();
		if (rows)
			check_answers(&sequence, &place);
	}
	sequence_free(&sequence);
	predict_texts_free(&texts);
	return 0;
}
