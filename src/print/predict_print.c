/* SPDX-License-Identifier: MIT */
#include "print/predict_print.h"

#include <math.h>
#include <string.h>

#include "base/output_stream.h"
#include "print/table.h"

static const struct table_column columns[] = {
    {"part", "part", TABLE_TEXT, TABLE_ALWAYS},
    {"workload", "workload", TABLE_TEXT, TABLE_DATA},
    {"learnt_on", "learnt on", TABLE_TEXT, TABLE_DATA},
    {"scheduler", "predicted", TABLE_TEXT, TABLE_DATA},
    {"target", "target", TABLE_TEXT, TABLE_ALWAYS},
    {"of", "rows with", TABLE_TEXT, TABLE_ALWAYS},
    {"predictor", "predictor", TABLE_TEXT, TABLE_ALWAYS},
    {"rows", "rows", TABLE_NUMBER, TABLE_ALWAYS},
    {"top1", "top-1\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"top5", "top-5\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"log_loss", "log-loss\nnats", TABLE_RATE, TABLE_ALWAYS},
    {"calibration_error", "calibration\nerror %", TABLE_PERCENT, TABLE_WIDE},
    {"unseen", "unseen\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"prediction_ns", "ns", TABLE_NUMBER, TABLE_WIDE},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

/* The same for people, of rows between schedulers. */
static const struct table_column between_columns[] = {
    {"part", "part", TABLE_TEXT, TABLE_DATA},
    {"workload", "workload", TABLE_TEXT, TABLE_DATA},
    {"learnt_on", "learnt on", TABLE_TEXT, TABLE_ALWAYS},
    {"scheduler", "predicted", TABLE_TEXT, TABLE_ALWAYS},
    {"target", "target", TABLE_TEXT, TABLE_ALWAYS},
    {"of", "rows with", TABLE_TEXT, TABLE_ALWAYS},
    {"predictor", "predictor", TABLE_TEXT, TABLE_ALWAYS},
    {"rows", "rows", TABLE_NUMBER, TABLE_ALWAYS},
    {"top1", "top-1\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"top5", "top-5\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"log_loss", "log-loss\nnats", TABLE_RATE, TABLE_ALWAYS},
    {"calibration_error", "calibration\nerror %", TABLE_PERCENT, TABLE_WIDE},
    {"unseen", "unseen\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"prediction_ns", "ns", TABLE_NUMBER, TABLE_DATA},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

static void add_real(struct table *table, double value, double scale)
{
	TABLE_NUMBER_IF(table, !isnan(value), (uint64_t)llround(value * scale));
}

struct place {
	enum predict_part part;
	enum predict_target target;
	bool choice;
	enum predictor predictor;
};

static void add_scheduler(const struct predict_result *result, uint32_t scheduler, struct table *table)
{
	size_t length;

	if (scheduler == TEXT_NONE) {
		table_none(table);
		return;
	}
	const char *name = text_table_text(&result->texts.schedulers, scheduler, &length);
	table_text(table, name, length);
}

static void add_values(struct table *table, const struct place *place, const struct score_values *values)
{
	table_string(table, predict_target_names[place->target]);
	table_string(table, place->choice ? "choice" : "any");
	table_string(table, predictor_names[place->predictor]);
	table_number(table, values->rows);
	add_real(table, values->top1, 1e4);
	add_real(table, values->top5, 1e4);
	add_real(table, values->log_loss, 1e3);
	add_real(table, values->calibration, 1e4);
	add_real(table, values->unseen, 1e4);
}

static void add_row(struct table *table, const struct place *place, const char *workload, size_t length,
		    const struct score_values *values)
{
	if (!values->rows)
		return;
	table_string(table, predict_part_names[place->part]);
	table_text(table, workload, length);
	table_none(table);
	table_none(table);
	add_values(table, place, values);
	add_real(table, values->prediction_ns, 1);
}

static void add_details(const struct predict_result *result, const struct place *place, struct table *table)
{
	const struct score_values macro =
	    predict_macro(result, place->part, place->choice, place->target, place->predictor);

	add_row(table, place, "macro", 5, &macro);
	for (uint32_t i = 0; i < result->workloads[place->part]; i++) {
		const struct score_values values =
		    score_values(predict_score(result, place->part, i, place->choice, place->target, place->predictor));
		size_t length;
		const char *name = text_table_text(&result->texts.workloads, i, &length);
		add_row(table, place, name, length, &values);
	}
}

static void add_place(const struct predict_result *result, const struct place *place, bool details, struct table *table)
{
	const struct score total = predict_total(result, place->part, place->choice, place->target, place->predictor);
	const struct score_values values = score_values(&total);

	add_row(table, place, "all", 3, &values);
	if (details && values.rows)
		add_details(result, place, table);
}

static void fill_table(const struct predict_result *result, bool details, struct table *table)
{
	struct place place;

	table_begin(table, columns);
	for (unsigned int part = 0; part < PREDICT_PARTS; part++)
		for (unsigned int target = 0; target < PREDICT_TARGETS; target++)
			for (unsigned int choice = 0; choice < 2; choice++)
				for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++) {
					place = (struct place){(enum predict_part)part, (enum predict_target)target,
							       choice, (enum predictor)predictor};
					add_place(result, &place, details, table);
				}
}

static void add_pair(const struct predict_result *result, struct between_pair pair, enum predictor predictor,
		     bool is_macro, struct table *table)
{
	const struct place place = {.target = TARGET_DECISION, .choice = true, .predictor = predictor};
	const struct score_values values = is_macro ? between_macro(&result->between, pair, predictor)
						    : between_total(&result->between, pair, predictor);

	if (!values.rows)
		return;
	table_string(table, "tests");
	table_string(table, is_macro ? "macro" : "all");
	add_scheduler(result, pair.learnt, table);
	add_scheduler(result, pair.predicted, table);
	add_values(table, &place, &values);
	table_none(table);
}

static void add_between(const struct predict_result *result, bool is_macro, struct table *table)
{
	for (uint32_t learnt = 0; learnt < result->between.schedulers; learnt++)
		for (uint32_t predicted = 0; predicted < result->between.schedulers; predicted++)
			for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++)
				add_pair(result, (struct between_pair){learnt, predicted}, (enum predictor)predictor,
					 is_macro, table);
}

static void write_text(const struct predict_result *result, const struct table *table, unsigned int width,
		       struct buffer *out)
{
	struct table between;

	table_write_text(table, width, out);
	if (!result->between.schedulers)
		return;
	buffer_text(out, "\nBetween schedulers: learnt from the rows of one in train.csv, used for those of another in "
			 "the tests,\nof workloads that train.csv has; mean over the workloads\n\n");
	table_begin(&between, between_columns);
	add_between(result, true, &between);
	table_write_text(&between, width, out);
	out->failed |= between.failed;
	table_free(&between);
}

static void add_json(const struct predict_result *result, const struct table *table, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	json_text(&json, "rows_are", result->kind == PREDICT_DECISIONS ? "decisions" : "switches");
	json_u64(&json, "train_rows", result->train_rows);
	json_u64(&json, "test_rows", result->rows);
	table_write_json(table, &json, "results");
	json_object_end(&json);
	buffer_text(out, "\n");
}

enum status predict_print(const struct predict_result *result, bool is_json, bool is_csv, const char *path,
			  struct error *err)
{
	struct output_stream sink;
	struct table table;

	enum status status = output_stream_open(&sink, path, err);
	if (status != STATUS_OK)
		return status;
	fill_table(result, is_json || is_csv, &table);
	for (int is_macro = 0; is_macro < 2 && (is_json || is_csv); is_macro++)
		add_between(result, is_macro, &table);
	if (is_json)
		add_json(result, &table, &sink.pending);
	else if (is_csv)
		table_write_csv(&table, &sink.pending);
	else
		write_text(result, &table, sink.is_terminal ? terminal_width() : 0, &sink.pending);
	bool failed = table.failed || sink.pending.failed;
	table_free(&table);
	if (!failed)
		return output_stream_finish(&sink, err);
	output_stream_discard(&sink);
	return error_set(err, STATUS_SYSTEM, path, "out of memory");
}
