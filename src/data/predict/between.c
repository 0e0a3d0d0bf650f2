/* SPDX-License-Identifier: MIT */
#include "data/predict/between.h"

#include <errno.h>
#include <stdlib.h>

#include "base/interrupt.h"
#include "data/predict/decision.h"
#include "data/predict/row_file.h"

#define ROWS_PER_CHECK 4096u /* of an interruption */

struct betweening {
	const char *directory;
	struct predict_texts *texts;
	struct between *between;
	struct decision_finder finder;
	struct learner *learners;              /* by scheduler */
	uint64_t rows[BETWEEN_SCHEDULERS_MAX]; /* that each has learnt */
};

static enum status no_memory(const struct betweening *betweening, struct error *err)
{
	return error_system(err, ENOMEM, betweening->directory, "cannot predict");
}

static struct score *score_of(const struct between *between, uint32_t workload, struct between_pair pair,
			      enum predictor predictor)
{
	size_t place = (workload * between->schedulers + pair.learnt) * (size_t)between->schedulers + pair.predicted;

	return &between->scores[place * PREDICTORS + predictor];
}

static bool learn_row(struct betweening *betweening, const struct predict_row *row)
{
	betweening->rows[row->scheduler]++;
	return learner_learn(&betweening->learners[row->scheduler], row);
}

/* What the roles say of the row; then it belongs to them. */
static bool follow(struct sequence *roles, const struct predict_row *row, struct decision_place *place)
{
	const struct sequence_row of_roles = learner_row(LEARNER_ROLES, row);

	return sequence_succeed(roles, &of_roles, &place->successor) &&
	       sequence_follow_machine(roles, &of_roles, &place->machine.step) &&
	       sequence_follow_cpu(roles, &of_roles, &place->cpu.step);
}

static bool predict_with(struct betweening *betweening, uint32_t learnt, const struct predict_row *row,
			 struct decision_place *place)
{
	const struct between_pair pair = {learnt, row->scheduler};
	const struct learner *learner = &betweening->learners[learnt];
	const struct sequence *roles = &learner->sequences[LEARNER_ROLES];
	struct prediction prediction;

	if (!decision_look_up(&betweening->finder, &roles->machine, row, &place->machine) ||
	    !decision_look_up(&betweening->finder, &roles->cpu, row, &place->cpu))
		return false;
	for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++) {
		decision_predict(learner, (enum predictor)predictor, row, place, &prediction);
		score_add(score_of(betweening->between, row->workload, pair, (enum predictor)predictor), &prediction,
			  1);
	}
	return true;
}

static bool predict_row(struct betweening *betweening, const struct predict_row *row)
{
	struct decision_place place;

	if (row->workload >= betweening->between->workloads)
		return true;
	for (uint32_t i = 0; i < betweening->between->schedulers; i++) {
		if (!betweening->rows[i])
			continue;
		if (!follow(&betweening->learners[i].sequences[LEARNER_ROLES], row, &place))
			return false;
		if (row->waiting > 1 && !predict_with(betweening, i, row, &place))
			return false;
	}
	return true;
}

static enum status read_file(struct betweening *betweening, const char *name,
			     bool (*take)(struct betweening *betweening, const struct predict_row *row),
			     struct error *err)
{
	struct predict_file file;
	struct predict_row row;
	enum status status = predict_file_open(&file, betweening->directory, name, betweening->texts, err);

	if (status != STATUS_OK)
		return status;
	while (status == STATUS_OK) {
		status = predict_file_next(&file, &row, err);
		if (status == STATUS_OK && row.scheduler < betweening->between->schedulers && !take(betweening, &row))
			status = no_memory(betweening, err);
		if (status == STATUS_OK && file.reader.line % ROWS_PER_CHECK == 0)
			status = interrupt_check(err);
	}
	predict_file_close(&file);
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_files(struct betweening *betweening, struct error *err)
{
	enum status status = read_file(betweening, predict_train_file, learn_row, err);

	for (uint32_t i = 0; i < betweening->between->schedulers && status == STATUS_OK; i++)
		if (!learner_finish(&betweening->learners[i]))
			status = no_memory(betweening, err);
	for (size_t i = 0; i < 2 && status == STATUS_OK; i++)
		status = read_file(betweening, predict_test_files[i], predict_row, err);
	return status;
}

enum status between_read(const char *directory, struct predict_texts *texts, uint32_t workloads,
			 struct between *between, struct error *err)
{
	struct betweening betweening = {.directory = directory, .texts = texts, .between = between};
	uint32_t found = texts->schedulers.count;
	uint32_t count = found < BETWEEN_SCHEDULERS_MAX ? found : BETWEEN_SCHEDULERS_MAX;

	*between = (struct between){count, workloads,
				    calloc((size_t)count * count * PREDICTORS * workloads, sizeof(*between->scores))};
	betweening.learners = calloc(count, sizeof(*betweening.learners));
	for (uint32_t i = 0; i < count && betweening.learners; i++)
		betweening.learners[i].learns[LEARNER_ROLES] = true;
	enum status status =
	    between->scores && betweening.learners ? read_files(&betweening, err) : no_memory(&betweening, err);
	for (uint32_t i = 0; i < count && betweening.learners; i++)
		learner_free(&betweening.learners[i]);
	free(betweening.learners);
	decision_finder_free(&betweening.finder);
	return status;
}

struct score_values between_total(const struct between *between, struct between_pair pair, enum predictor predictor)
{
	struct score total = {.rows = 0};

	for (uint32_t i = 0; i < between->workloads; i++)
		score_merge(&total, score_of(between, i, pair, predictor));
	return score_values(&total);
}

struct score_values between_macro(const struct between *between, struct between_pair pair, enum predictor predictor)
{
	struct score_mean mean = {.groups = 0};

	for (uint32_t i = 0; i < between->workloads; i++)
		score_mean_add(&mean, score_of(between, i, pair, predictor));
	return score_mean_values(&mean);
}

void between_free(struct between *between)
{
	free(between->scores);
	*between = (struct between){0};
}
