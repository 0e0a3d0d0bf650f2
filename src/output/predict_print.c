/* SPDX-License-Identifier: MIT */
#include "output/predict_print.h"

#include <math.h>
#include <string.h>

#include "base/sink.h"
#include "chart/chart.h"
#include "term/table.h"

static const struct table_column columns[] = {
    {"part", "part", TABLE_TEXT, TABLE_ALWAYS},
    {"workload", "workload", TABLE_TEXT, TABLE_DATA},
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

static void add_row(struct table *table, const struct place *place, const char *workload, size_t length,
		    const struct score_values *values)
{
	if (!values->rows)
		return;
	table_string(table, predict_part_names[place->part]);
	table_text(table, workload, length);
	table_string(table, predict_target_names[place->target]);
	table_string(table, place->choice ? "choice" : "any");
	table_string(table, predictor_names[place->predictor]);
	table_number(table, values->rows);
	add_real(table, values->top1, 1e4);
	add_real(table, values->top5, 1e4);
	add_real(table, values->log_loss, 1e3);
	add_real(table, values->calibration, 1e4);
	add_real(table, values->unseen, 1e4);
	add_real(table, values->prediction_ns, 1);
}

static void add_details(const struct predict_result *result, const struct place *place, struct table *table)
{
	const struct score_values macro =
	    predict_macro(result, place->part, place->choice, place->target, place->predictor);

	add_row(table, place, "macro", 5, &macro);
	for (uint32_t i = 0; i < result->workloads[place->part]; i++) {
		const struct predict_scores *scores = &result->scores[place->part][i];
		const struct score *score = place->choice ? &scores->choice[place->target][place->predictor]
							  : &scores->all[place->target][place->predictor];
		const struct score_values values = score_values(score);
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

static void draw(const struct predict_result *result, struct buffer *out)
{
	bool is_decisions = result->kind == PREDICT_DECISIONS;
	enum predict_target target = is_decisions ? TARGET_DECISION : TARGET_NAME;
	const struct chart chart = {.out = out,
				    .id = "predict",
				    .title = is_decisions ? "Right decisions where there was a choice"
							  : "Next names that were right",
				    .description = "Share of right predictions of each predictor, for each part of the "
						   "test.",
				    .alone = true};
	const struct chart_axis axis = {"share of rows", CHART_SHARE, false};
	const struct chart_text parts[PREDICT_PARTS] = {{"test_seen", 9}, {"test_unseen", 11}};
	const unsigned int colours[PREDICT_PARTS] = {0, 1};
	struct chart_bar bars[PREDICT_PARTS * PREDICTORS];
	double values[PREDICT_PARTS * PREDICTORS][PREDICT_PARTS] = {{0}};
	size_t count = 0;

	for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++)
		for (unsigned int i = 0; i < PREDICT_PARTS; i++) {
			const struct score total = predict_total(result, (enum predict_part)i, is_decisions, target,
								 (enum predictor)predictor);
			if (!total.rows)
				continue;
			const char *name = predictor_names[predictor];
			bars[count] = (struct chart_bar){{name, strlen(name)}, predictor};
			values[count++][i] = score_values(&total).top1;
		}
	chart_bars(&chart, &axis, false, bars, count, parts, colours, PREDICT_PARTS, &values[0][0]);
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
	struct sink sink;
	struct table table;

	enum status status = sink_open(&sink, path, OUTPUT_RESULT, err);
	if (status != STATUS_OK)
		return status;
	fill_table(result, is_json || is_csv, &table);
	if (is_json)
		add_json(result, &table, &sink.pending);
	else if (is_csv)
		table_write_csv(&table, &sink.pending);
	else
		table_write_text(&table, sink.is_terminal ? terminal_width() : 0, &sink.pending);
	bool failed = table.failed || sink.pending.failed;
	table_free(&table);
	if (!failed)
		return sink_finish(&sink, err);
	sink_discard(&sink);
	return error_set(err, STATUS_SYSTEM, path, "out of memory");
}

enum status predict_write_chart(const struct predict_result *result, const char *path, struct error *err)
{
	struct buffer chart = {0};

	draw(result, &chart);
	enum status status = chart.failed ? error_set(err, STATUS_SYSTEM, path, "out of memory")
					  : output_write(path, OUTPUT_CHART, chart.data, chart.length, err);
	buffer_free(&chart);
	return status;
}
