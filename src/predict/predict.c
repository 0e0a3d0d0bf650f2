/* SPDX-License-Identifier: MIT */
#include "predict/predict.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "predict/policies.h"
#include "predict/sequence.h"

#define BLOCK_ROWS 256

const char *const predictor_names[PREDICTORS] = {
    "constant",        "majority",      "last_successor",   "markov1",     "markov2",    "markov3",
    "ppm_c",           "markov1_cpu",   "markov2_cpu",      "markov3_cpu", "ppm_c_cpu",  "uniform",
    "longest_waiting", "least_runtime", "highest_priority", "cfs_rule",    "eevdf_rule",
};
const char *const predict_target_names[PREDICT_TARGETS] = {"next_name", "next_role", "decision"};
const char *const predict_part_names[PREDICT_PARTS] = {"test_seen", "test_unseen"};

enum { NAMES, ROLES, SEQUENCES };

/* Rows that are read, then predicted by one predictor after the other, so that the time of each is known. */
struct block {
	struct predict_row rows[BLOCK_ROWS];
	struct sequence_place places[BLOCK_ROWS][SEQUENCES];
	struct prediction predictions[BLOCK_ROWS];
	size_t count;
};

struct predicting {
	const struct predict_request *request;
	struct predict_result *result;
	struct sequence sequences[SEQUENCES];
	uint64_t chosen_counts[DECISION_CANDIDATES_MAX]; /* in train.csv, by index */
	uint32_t chosen_constant;
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
	bool has_roles = reader->kind == PREDICT_DECISIONS;

	for (block->count = 0; block->count < BLOCK_ROWS; block->count++) {
		struct predict_row *row = &block->rows[block->count];
		struct sequence_place *places = block->places[block->count];
		enum status status = predict_reader_next(reader, row, err);
		if (status != STATUS_OK)
			return status;
		if (!sequence_step(&predicting->sequences[NAMES], row, row->prev_name, row->name, &places[NAMES]) ||
		    (has_roles &&
		     !sequence_step(&predicting->sequences[ROLES], row, row->prev_role, row->role, &places[ROLES])))
			return no_memory(predicting, err);
	}
	return interrupt_check(err);
}

static enum status learn_block(struct predicting *predicting, bool has_roles, struct error *err)
{
	const struct block *block = predicting->block;

	for (size_t i = 0; i < block->count; i++) {
		if (!sequence_learn(&predicting->sequences[NAMES], &block->places[i][NAMES]) ||
		    (has_roles && !sequence_learn(&predicting->sequences[ROLES], &block->places[i][ROLES])))
			return no_memory(predicting, err);
		if (block->rows[i].chosen != UINT32_MAX)
			predicting->chosen_counts[block->rows[i].chosen]++;
	}
	predicting->result->train_rows += block->count;
	return STATUS_OK;
}

static enum status finish_learning(struct predicting *predicting, struct error *err)
{
	for (size_t i = 0; i < SEQUENCES; i++)
		if (!sequence_finish(&predicting->sequences[i]))
			return no_memory(predicting, err);
	for (uint32_t i = 1; i < DECISION_CANDIDATES_MAX; i++)
		if (predicting->chosen_counts[i] > predicting->chosen_counts[predicting->chosen_constant])
			predicting->chosen_constant = i;
	return STATUS_OK;
}

/* --- The next name or role --- */

static struct prediction judge(const struct context_answer *answer, uint32_t target)
{
	struct prediction prediction = {.of_best = answer->count ? answer->probabilities[0] : 0};

	for (unsigned int i = 0; i < answer->count; i++)
		if (answer->symbols[i] == target)
			prediction.right_in_5 = 1;
	prediction.right = answer->count && answer->symbols[0] == target;
	return prediction;
}

static struct prediction predict_constant(const struct predicting *predicting, const struct sequence *sequence,
					  const struct sequence_place *place)
{
	double right = sequence->frequent.count && sequence->frequent.symbols[0] == place->next;

	/* In this coding class 0 is every PID that train.csv lacks. */
	if (predicting->request->as_kerneloracle)
		right = !sequence_has_seen(sequence, place->next);
	return (struct prediction){.right = right, .right_in_5 = right};
}

static struct prediction predict_symbol(const struct predicting *predicting, const struct sequence *sequence,
					enum predictor predictor, const struct sequence_place *place)
{
	struct context_answer answer = {.symbols = {place->successor}, .count = place->successor != TEXT_NONE};
	struct prediction prediction;

	if (predictor == PREDICTOR_CONSTANT) {
		prediction = predict_constant(predicting, sequence, place);
	} else if (predictor == PREDICTOR_LAST_SUCCESSOR) {
		prediction = judge(&answer, place->next);
	} else {
		sequence_best(sequence, predictor, place, &answer);
		prediction = judge(&answer, place->next);
		prediction.has_probability = true;
		prediction.of_target = sequence_probability(sequence, predictor, place, place->next);
	}
	prediction.unseen = !sequence_has_seen(sequence, place->next);
	return prediction;
}

/* --- The next decision --- */

static struct prediction judge_order(const struct predict_row *row, const uint32_t *order, uint32_t count)
{
	struct prediction prediction = {.right = count && order[0] == row->chosen};

	for (uint32_t i = 0; i < count && i < CONTEXT_TOP; i++)
		if (order[i] == row->chosen)
			prediction.right_in_5 = 1;
	return prediction;
}

/* The candidates by what the predictor of roles thinks of each. */
static struct prediction predict_by_roles(const struct predicting *predicting, enum predictor predictor,
					  const struct predict_row *row, const struct sequence_place *place)
{
	double probabilities[DECISION_CANDIDATES_MAX], sum = 0, of_target = 0;
	uint32_t order[DECISION_CANDIDATES_MAX];

	for (uint32_t i = 0; i < row->candidates.count; i++) {
		double it =
		    sequence_probability(&predicting->sequences[ROLES], predictor, place, row->candidates.roles[i]);
		uint32_t at = i;
		for (; at > 0 && it > probabilities[at - 1] * (1 + 1e-12); at--) {
			probabilities[at] = probabilities[at - 1];
			order[at] = order[at - 1];
		}
		probabilities[at] = it;
		order[at] = i;
		sum += it;
		of_target = i == row->chosen ? it : of_target;
	}
	struct prediction prediction = judge_order(row, order, row->candidates.count);
	prediction.has_probability = true;
	prediction.of_target = sum > 0 ? of_target / sum : 0;
	prediction.of_best = sum > 0 ? probabilities[0] / sum : 0;
	return prediction;
}

/* The candidate that followed the previous task last, else that which has waited longest. */
static struct prediction predict_by_successor(const struct predict_row *row, const struct sequence_place *place)
{
	uint32_t order[DECISION_CANDIDATES_MAX], first = 0;

	while (first < row->candidates.count && row->candidates.roles[first] != place->successor)
		first++;
	first = first < row->candidates.count ? first : 0;
	for (uint32_t i = 0; i < row->candidates.count; i++)
		order[i] = i == 0 ? first : i <= first ? i - 1 : i;
	return judge_order(row, order, row->candidates.count);
}

static struct prediction predict_uniform(const struct predict_row *row)
{
	double waiting = row->waiting;

	return (struct prediction){
	    .right = 1 / waiting,
	    .right_in_5 = waiting < CONTEXT_TOP ? 1 : CONTEXT_TOP / waiting,
	    .has_probability = true,
	    .of_target = 1 / waiting,
	    .of_best = 1 / waiting,
	};
}

static struct prediction predict_decision(const struct predicting *predicting, enum predictor predictor,
					  const struct predict_row *row, const struct sequence_place *place)
{
	uint32_t order[DECISION_CANDIDATES_MAX];

	if (predictor == PREDICTOR_CONSTANT)
		return judge_order(row, &predicting->chosen_constant, 1);
	if (predictor == PREDICTOR_LAST_SUCCESSOR)
		return predict_by_successor(row, place);
	if (predictor < PREDICTOR_UNIFORM)
		return predict_by_roles(predicting, predictor, row, place);
	if (predictor == PREDICTOR_UNIFORM)
		return predict_uniform(row);
	policy_rank((enum policy)(predictor - PREDICTOR_LONGEST_WAITING), row, order);
	return judge_order(row, order, row->candidates.count);
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

static struct prediction predict_row(const struct predicting *predicting, enum predict_target target,
				     enum predictor predictor, size_t i)
{
	const struct block *block = predicting->block;
	const struct sequence_place *places = block->places[i];

	if (target == TARGET_DECISION) {
		struct prediction prediction = predict_decision(predicting, predictor, &block->rows[i], &places[ROLES]);
		prediction.unseen = !sequence_has_seen(&predicting->sequences[ROLES], block->rows[i].role);
		return prediction;
	}
	size_t which = target == TARGET_NAME ? NAMES : ROLES;
	return predict_symbol(predicting, &predicting->sequences[which], predictor, &places[which]);
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

static bool skips(const struct predicting *predicting, enum predict_kind kind, enum predict_target target,
		  enum predictor predictor)
{
	if (kind == PREDICT_SWITCHES && target != TARGET_NAME)
		return true;
	if (predicting->request->baselines_only && predictor > PREDICTOR_LAST_SUCCESSOR)
		return true;
	return target != TARGET_DECISION && predictor >= PREDICTOR_UNIFORM;
}

static enum status predict_block(struct predicting *predicting, enum predict_kind kind, enum predict_part part,
				 struct error *err)
{
	struct block *block = predicting->block;

	if (!reserve_scores(predicting->result, part))
		return no_memory(predicting, err);
	for (unsigned int target = 0; target < PREDICT_TARGETS; target++)
		for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++) {
			if (!block->count ||
			    skips(predicting, kind, (enum predict_target)target, (enum predictor)predictor))
				continue;
			uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
			for (size_t i = 0; i < block->count; i++)
				block->predictions[i] =
				    predict_row(predicting, (enum predict_target)target, (enum predictor)predictor, i);
			double row_ns = (double)(clock_ns(CLOCK_MONOTONIC) - start_ns) / (double)block->count;
			add_scores(predicting, part, (enum predict_target)target, (enum predictor)predictor, row_ns);
		}
	predicting->result->rows += block->count;
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
		if (part == PREDICT_PARTS)
			status = learn_block(predicting, reader->kind == PREDICT_DECISIONS, err);
		else
			status = predict_block(predicting, reader->kind, (enum predict_part)part, err);
		if (status == STATUS_OK)
			status = read;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_file(struct predicting *predicting, const char *name, unsigned int part, struct error *err)
{
	struct predict_reader reader;
	struct mapping file;
	char path[PATH_MAX];

	enum status status = file_join(path, sizeof(path), predicting->request->directory, name, err);
	if (status == STATUS_OK)
		status = file_map(path, &file, err);
	if (status != STATUS_OK)
		return status;
	status = predict_reader_open(&reader, file.bytes, file.length, path, &predicting->result->texts, err);
	if (status == STATUS_OK && part != PREDICT_PARTS && reader.kind != predicting->result->kind)
		status = error_set(err, STATUS_UNSUPPORTED, path, "has other columns than train.csv");
	if (status == STATUS_OK && predicting->request->as_kerneloracle && reader.kind == PREDICT_DECISIONS)
		status = error_set(err, STATUS_USAGE, "--as-kerneloracle",
				   "needs a dataset of switches: %s has no PIDs", path);
	predicting->result->kind = reader.kind;
	if (status == STATUS_OK)
		status = read_rows(predicting, &reader, part, err);
	file_unmap(&file);
	return status;
}

static enum status read_files(struct predicting *predicting, struct error *err)
{
	enum status status = read_file(predicting, "train.csv", PREDICT_PARTS, err);

	if (status == STATUS_OK && !predicting->result->train_rows)
		status = error_set(err, STATUS_UNSUPPORTED, predicting->request->directory,
				   "train.csv has no rows to learn from");
	if (status == STATUS_OK)
		status = finish_learning(predicting, err);
	if (status == STATUS_OK)
		status = read_file(predicting, "test_seen.csv", PART_SEEN, err);
	if (status == STATUS_OK)
		status = read_file(predicting, "test_unseen.csv", PART_UNSEEN, err);
	return status;
}

enum status predict_run(const struct predict_request *request, struct predict_result *result, struct error *err)
{
	struct predicting predicting = {.request = request, .result = result};
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	*result = (struct predict_result){.texts = {.by_pid = request->as_kerneloracle}};
	predicting.block = calloc(1, sizeof(*predicting.block));
	for (size_t i = 0; i < SEQUENCES; i++)
		predicting.sequences[i].baselines_only = request->baselines_only;
	enum status status = predicting.block ? read_files(&predicting, err) : no_memory(&predicting, err);
	for (size_t i = 0; i < SEQUENCES; i++)
		sequence_free(&predicting.sequences[i]);
	free(predicting.block);
	result->elapsed_s = (double)(clock_ns(CLOCK_MONOTONIC) - start_ns) / 1e9;
	return status;
}

void predict_result_free(struct predict_result *result)
{
	for (size_t i = 0; i < PREDICT_PARTS; i++)
		free(result->scores[i]);
	predict_texts_free(&result->texts);
	*result = (struct predict_result){0};
}

/* --- Results --- */

static const struct score *score_of(const struct predict_scores *scores, bool choice, enum predict_target target,
				    enum predictor predictor)
{
	return choice ? &scores->choice[target][predictor] : &scores->all[target][predictor];
}

struct score predict_total(const struct predict_result *result, enum predict_part part, bool choice,
			   enum predict_target target, enum predictor predictor)
{
	struct score total = {.rows = 0};

	for (uint32_t i = 0; i < result->workloads[part]; i++)
		score_merge(&total, score_of(&result->scores[part][i], choice, target, predictor));
	return total;
}

struct score_values predict_macro(const struct predict_result *result, enum predict_part part, bool choice,
				  enum predict_target target, enum predictor predictor)
{
	struct score_values mean = {.rows = 0};
	double workloads = 0;

	for (uint32_t i = 0; i < result->workloads[part]; i++) {
		const struct score_values it =
		    score_values(score_of(&result->scores[part][i], choice, target, predictor));
		if (!it.rows)
			continue;
		workloads++;
		mean.rows += it.rows;
		mean.top1 += it.top1;
		mean.top5 += it.top5;
		mean.log_loss += it.log_loss;
		mean.calibration += it.calibration;
		mean.unseen += it.unseen;
		mean.prediction_ns += it.prediction_ns;
	}
	mean.top1 /= workloads;
	mean.top5 /= workloads;
	mean.log_loss /= workloads;
	mean.calibration /= workloads;
	mean.unseen /= workloads;
	mean.prediction_ns /= workloads;
	return mean;
}
