/* SPDX-License-Identifier: MIT */
#include "data/predict/predict.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "data/predict/between.h"
#include "data/predict/learner.h"
#include "data/predict/row_file.h"
#include "data/predict/testing.h"

/* Rows that are read, then learnt or predicted together. */
struct block {
	struct predict_row rows[TESTING_ROWS_MAX];
	size_t count;
};

struct predicting {
	const struct predict_request *request;
	struct predict_result *result;
	struct learner learner;
	struct testing testing;
	struct block block;
};

static enum status no_memory(const struct predicting *predicting, struct error *err)
{
	return error_system(err, ENOMEM, predicting->request->directory, "cannot predict");
}

static enum status read_block(struct block *block, struct predict_file *file, struct error *err)
{
	for (block->count = 0; block->count < TESTING_ROWS_MAX; block->count++) {
		enum status status = predict_file_next(file, &block->rows[block->count], err);
		if (status != STATUS_OK)
			return status;
	}
	return interrupt_check(err);
}

static bool learn_block(struct predicting *predicting)
{
	const struct block *block = &predicting->block;

	for (size_t i = 0; i < block->count; i++)
		if (!learner_learn(&predicting->learner, &block->rows[i]))
			return false;
	predicting->result->train_rows += block->count;
	return true;
}

static bool predict_block(struct predicting *predicting, enum predict_part part)
{
	const struct block *block = &predicting->block;

	predicting->result->rows += block->count;
	return testing_add(&predicting->testing, part, block->rows, block->count);
}

/* part PREDICT_PARTS: train.csv. */
static enum status read_rows(struct predicting *predicting, struct predict_file *file, unsigned int part,
			     struct error *err)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK) {
		status = read_block(&predicting->block, file, err);
		if (status != STATUS_OK && status != STATUS_END)
			return status;
		if (!(part == PREDICT_PARTS ? learn_block(predicting)
					    : predict_block(predicting, (enum predict_part)part)))
			return no_memory(predicting, err);
	}
	return STATUS_OK;
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
	predicting->learner.learns[LEARNER_ROLES] = file.reader.kind == PREDICT_DECISIONS;
	if (status == STATUS_OK)
		status = read_rows(predicting, &file, part, err);
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
	testing_end(&predicting->testing);
	return status;
}

static struct predicting *begin(const struct predict_request *request, struct predict_result *result)
{
	struct predicting *predicting = calloc(1, sizeof(*predicting));

	if (!predicting)
		return NULL;
	predicting->request = request;
	predicting->result = result;
	predicting->learner.learns[LEARNER_NAMES] = true;
	predicting->learner.baselines_only = request->baselines_only;
	predicting->testing.result = result;
	predicting->testing.learner = &predicting->learner;
	predicting->testing.has_unseen_class = request->as_kerneloracle;
	return predicting;
}

enum status predict_run(const struct predict_request *request, struct predict_result *result, struct error *err)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	*result = (struct predict_result){.texts = {.by_pid = request->as_kerneloracle}};
	struct predicting *predicting = begin(request, result);
	if (!predicting)
		return error_system(err, ENOMEM, request->directory, "cannot predict");
	enum status status = read_files(predicting, err);
	testing_free(&predicting->testing);
	learner_free(&predicting->learner);
	free(predicting);
	if (status == STATUS_OK && result->texts.schedulers.count > 1 && !request->baselines_only)
		status =
		    between_read(request->directory, &result->texts, result->train_workloads, &result->between, err);
	result->elapsed_s = (double)(clock_ns(CLOCK_MONOTONIC) - start_ns) / 1e9;
	return status;
}
