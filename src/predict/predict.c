/* SPDX-License-Identifier: MIT */
#include "predict/predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "predict/between.h"
#include "predict/learner.h"
#include "predict/row_file.h"

#define BLOCK_ROWS 256

/* Rows that are read, then predicted by one predictor after the other, so that the time of each is known. */
struct block {
	struct predict_row rows[BLOCK_ROWS];
	struct learner_place places[BLOCK_ROWS];
	struct prediction predictions[BLOCK_ROWS];
	size_t count;
};

struct predicting {
	const struct predict_request *request;
	struct predict_result *result;
	struct learner learner;
	struct block *block;
};

static enum status no_memory(const struct predicting *predicting, struct error *err)
{
	return error_system(err, ENOMEM, predicting->request->directory, "cannot predict");
}

/* --- Reading --- */

static enum status read_block(struct predicting *predicting, struct predict_reader *reader, struct error *err)
{
	struct block *block = predicting->block;

	for (block->count = 0; block->count < BLOCK_ROWS; block->count++) {
		struct predict_row *row = &block->rows[block->count];
		enum status status = predict_reader_next(reader, row, err);
		if (status != STATUS_OK)
			return status;
		if (!learner_step(&predicting->learner, row, &block->places[block->count]))
			return no_memory(predicting, err);
	}
	return interrupt_check(err);
}

static enum status learn_block(struct predicting *predicting, struct error *err)
{
	const struct block *block = predicting->block;

	for (size_t i = 0; i < block->count; i++)
		if (!learner_learn(&predicting->learner, &block->rows[i], &block->places[i]))
			return no_memory(predicting, err);
	predicting->result->train_rows += block->count;
	return STATUS_OK;
}

/* --- A part of the dataset --- */

static bool reserve_scores(struct predict_result *result, enum predict_part part)
{
	uint32_t needed = result->texts.workloads.count;
	uint32_t count = result->workloads[part];

	if (needed <= count)
		return true;
	struct predict_scores *scores = realloc(result->scores[part], needed * sizeof(*scores));
	if (!scores)
		return false;
	memset(scores + count, 0, (needed - count) * sizeof(*scores));
	result->scores[part] = scores;
	result->workloads[part] = needed;
	return true;
}

static void add_scores(struct predicting *predicting, enum predict_part part, enum predict_target target,
		       enum predictor predictor, double row_ns)
{
	const struct block *block = predicting->block;

	for (size_t i = 0; i < block->count; i++) {
		const struct predict_row *row = &block->rows[i];
		struct predict_scores *scores = &predicting->result->scores[part][row->workload];
		score_add(&scores->all[target][predictor], &block->predictions[i]);
		scores->all[target][predictor].time_ns += row_ns;
		if (row->waiting < 2)
			continue;
		score_add(&scores->choice[target][predictor], &block->predictions[i]);
		scores->choice[target][predictor].time_ns += row_ns;
	}
}

static bool skips(const struct predicting *predicting, enum predict_target target, enum predictor predictor)
{
	if (predicting->result->kind == PREDICT_SWITCHES && target != TARGET_NAME)
		return true;
	if (predicting->request->baselines_only && predictor > PREDICTOR_LAST_SUCCESSOR)
		return true;
	return target != TARGET_DECISION && predictor >= PREDICTOR_UNIFORM;
}

static double ns_a_row(const struct block *block, uint64_t start_ns)
{
	return (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / (double)block->count;
}

/* Returns the time that it took. */
static double look_up(struct predicting *predicting, enum predict_target target)
{
	struct block *block = predicting->block;
	uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (size_t i = 0; i < block->count; i++)
		learner_look_up(&predicting->learner, target, &block->places[i]);
	return ns_a_row(block, start_ns);
}

/* look_up_ns: what a row's contexts took, which belongs to each predictor that uses them. */
static void predict_with(struct predicting *predicting, enum predict_part part, enum predict_target target,
			 enum predictor predictor, double look_up_ns)
{
	struct block *block = predicting->block;
	uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (size_t i = 0; i < block->count; i++)
		block->predictions[i] =
		    learner_predict(&predicting->learner, target, predictor, &block->rows[i], &block->places[i]);
	double row_ns = ns_a_row(block, start_ns);
	if (predictor >= PREDICTOR_MARKOV1 && predictor < PREDICTOR_UNIFORM)
		row_ns += look_up_ns;
	add_scores(predicting, part, target, predictor, row_ns);
}

static enum status predict_block(struct predicting *predicting, enum predict_part part, struct error *err)
{
	if (!reserve_scores(predicting->result, part))
		return no_memory(predicting, err);
	for (unsigned int target = 0; target < PREDICT_TARGETS && predicting->block->count; target++) {
		bool has_contexts = !skips(predicting, (enum predict_target)target, PREDICTOR_MARKOV1);
		double look_up_ns = has_contexts ? look_up(predicting, (enum predict_target)target) : 0;
		for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++)
			if (!skips(predicting, (enum predict_target)target, (enum predictor)predictor))
				predict_with(predicting, part, (enum predict_target)target, (enum predictor)predictor,
					     look_up_ns);
	}
	predicting->result->rows += predicting->block->count;
	return STATUS_OK;
}

/* part PREDICT_PARTS: train.csv. */
static enum status read_rows(struct predicting *predicting, struct predict_reader *reader, unsigned int part,
			     struct error *err)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK) {
		enum status read = read_block(predicting, reader, err);
		if (read != STATUS_OK && read != STATUS_END)
			return read;
		status = part == PREDICT_PARTS ? learn_block(predicting, err)
					       : predict_block(predicting, (enum predict_part)part, err);
		if (status == STATUS_OK)
			status = read;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_file(struct predicting *predicting, const char *name, unsigned int part, struct error *err)
{
	struct predict_file file;
	enum status status =
	    predict_file_open(&file, predicting->request->directory, name, &predicting->result->texts, err);

	if (status != STATUS_OK)
		return status;
	if (part != PREDICT_PARTS && file.reader.kind != predicting->result->kind)
		status = error_set(err, STATUS_UNSUPPORTED, file.path, "has other columns than train.csv");
	if (predicting->request->as_kerneloracle && file.reader.kind == PREDICT_DECISIONS)
		status = error_set(err, STATUS_USAGE, "--as-kerneloracle",
				   "needs a dataset of switches: %s has no PIDs", file.path);
	predicting->result->kind = file.reader.kind;
	predicting->learner.has_roles = file.reader.kind == PREDICT_DECISIONS;
	if (status == STATUS_OK)
		status = read_rows(predicting, &file.reader, part, err);
	predict_file_close(&file);
	return status;
}

static enum status read_files(struct predicting *predicting, struct error *err)
{
	enum status status = read_file(predicting, predict_train_file, PREDICT_PARTS, err);

	if (status == STATUS_OK && !predicting->result->train_rows)
		status = error_set(err, STATUS_UNSUPPORTED, predicting->request->directory,
				   "train.csv has no rows to learn from");
	predicting->result->train_workloads = predicting->result->texts.workloads.count;
	if (status == STATUS_OK && !learner_finish(&predicting->learner))
		status = no_memory(predicting, err);
	for (unsigned int part = 0; part < PREDICT_PARTS && status == STATUS_OK; part++)
		status = read_file(predicting, predict_test_files[part], part, err);
	return status;
}

enum status predict_run(const struct predict_request *request, struct predict_result *result, struct error *err)
{
	struct predicting predicting = {.request = request, .result = result};
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	*result = (struct predict_result){.texts = {.by_pid = request->as_kerneloracle}};
	predicting.learner.has_names = true;
	predicting.learner.as_kerneloracle = request->as_kerneloracle;
	for (size_t i = 0; i < LEARNER_SEQUENCES; i++)
		predicting.learner.sequences[i].baselines_only = request->baselines_only;
	predicting.block = calloc(1, sizeof(*predicting.block));
	enum status status = predicting.block ? read_files(&predicting, err) : no_memory(&predicting, err);
	learner_free(&predicting.learner);
	free(predicting.block);
	if (status == STATUS_OK && result->texts.schedulers.count > 1 && !request->baselines_only)
		status =
		    between_read(request->directory, &result->texts, result->train_workloads, &result->between, err);
	result->elapsed_s = (double)(clock_ns(CLOCK_MONOTONIC) - start_ns) / 1e9;
	return status;
}

void predict_result_free(struct predict_result *result)
{
	for (size_t i = 0; i < PREDICT_PARTS; i++)
		free(result->scores[i]);
	between_free(&result->between);
	predict_texts_free(&result->texts);
	*result = (struct predict_result){0};
}
