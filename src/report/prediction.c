/* SPDX-License-Identifier: MIT */
#include "report/prediction.h"

#include <math.h>
#include <stdio.h>

#include "report/html.h"

/* The rows that are shown first: decisions that have a choice, or else names. */
struct shown {
	const struct predict_result *result;
	enum predict_part part;
	enum predict_target target;
	bool choice;
};

static struct shown shown_of(const struct predict_result *result, enum predict_part part)
{
	bool is_decisions = result->kind == PREDICT_DECISIONS;

	return (struct shown){result, part, is_decisions ? TARGET_DECISION : TARGET_NAME, is_decisions};
}

static struct score_values total_of(const struct shown *shown, enum predictor predictor)
{
	const struct score total = predict_total(shown->result, shown->part, shown->choice, shown->target, predictor);

	return score_values(&total);
}

static struct score_values macro_of(const struct shown *shown, enum predictor predictor)
{
	return predict_macro(shown->result, shown->part, shown->choice, shown->target, predictor);
}

static struct score_values workload_of(const struct shown *shown, uint32_t workload, enum predictor predictor)
{
	return score_values(
	    predict_score(shown->result, shown->part, workload, shown->choice, shown->target, predictor));
}

/* --- The chart --- */

bool report_draw_prediction(const struct predict_result *result, enum predict_part part, struct chart *chart,
			    struct report_words *words)
{
	const struct shown shown = shown_of(result, part);
	const struct chart_axis axis = {"mean over the workloads", CHART_SHARE, false};
	const struct chart_text right = {"right", 5};
	const unsigned int colour = (unsigned int)part;
	struct chart_bar bars[PREDICTORS];
	double values[PREDICTORS];
	size_t count = 0;

	for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++) {
		const struct score_values macro = macro_of(&shown, (enum predictor)predictor);
		const char *name = predictor_names[predictor];
		if (!macro.rows)
			continue;
		bars[count] = (struct chart_bar){{name, strlen(name)}, predictor >= PREDICTOR_UNIFORM};
		values[count++] = macro.top1;
	}
	snprintf(words->title, sizeof(words->title), "%s: %s", predict_part_names[part],
		 shown.choice ? "right decisions" : "right names");
	snprintf(words->description, sizeof(words->description),
		 "Share of right predictions of each predictor in %s.csv, the mean over the workloads.",
		 predict_part_names[part]);
	if (count)
		chart_bars(chart, &axis, false, bars, count, &right, &colour, 1, values);
	return count > 0;
}

static void add_charts(const struct predict_result *result, struct buffer *out)
{
	buffer_text(out, "<div class=pair>");
	for (unsigned int part = 0; part < PREDICT_PARTS; part++) {
		struct report_words words = {"", ""};
		struct chart chart = {
		    .out = out, .id = predict_part_names[part], .title = words.title, .description = words.description};
		size_t before = out->length;
		buffer_text(out, "<figure><div class=scroll>");
		if (report_draw_prediction(result, (enum predict_part)part, &chart, &words))
			buffer_text(out, "</div></figure>\n");
		else
			out->length = before;
	}
	buffer_text(out, "</div>\n");
}

/* --- Tables --- */

static void add_percent(struct buffer *out, double share, bool is_best)
{
	if (isnan(share))
		buffer_text(out, "<td class=dim>\xe2\x80\x93");
	else if (is_best)
		buffer_printf(out, "<td class=\"v better\"><b>%.1f</b>", 100 * share);
	else
		buffer_printf(out, "<td>%.1f", 100 * share);
}

/* As it is shown. */
static bool is_best(double share, double best)
{
	return round(1000 * share) >= round(1000 * best);
}

static bool has_rows(const struct shown *shown, uint32_t workload)
{
	return workload_of(shown, workload, PREDICTOR_CONSTANT).rows > 0;
}

/* Column 0 is all rows, 1 the mean over the workloads; the others are workloads. */
static struct score_values values_at(const struct shown *shown, uint32_t column, enum predictor predictor)
{
	return column == 0   ? total_of(shown, predictor)
	       : column == 1 ? macro_of(shown, predictor)
			     : workload_of(shown, column - 2, predictor);
}

static double best_at(const struct shown *shown, uint32_t column)
{
	double best = 0;

	for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++)
		best = fmax(best, values_at(shown, column, (enum predictor)predictor).top1);
	return best;
}

static void add_accuracy_row(const struct shown *shown, enum predictor predictor, const double *best,
			     struct buffer *out)
{
	if (!total_of(shown, predictor).rows)
		return;
	buffer_printf(out, "<tr><th scope=row>%s", predictor_names[predictor]);
	for (uint32_t column = 0; column < shown->result->workloads[shown->part] + 2; column++) {
		if (column > 1 && !has_rows(shown, column - 2))
			continue;
		double share = values_at(shown, column, predictor).top1;
		add_percent(out, share, is_best(share, best[column]));
	}
}

/* A name that may be broken after each _. */
static void add_broken(const char *name, size_t length, struct buffer *out)
{
	for (size_t from = 0, to; from < length; from = to) {
		const char *end = memchr(name + from, '_', length - from);
		to = end ? (size_t)(end - name) + 1 : length;
		chart_escape(out, name + from, to - from);
		buffer_text(out, to < length ? "<wbr>" : "");
	}
}

static void add_accuracy_heading(const struct shown *shown, struct buffer *out)
{
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>predictor<th scope=col class=h>all rows<th scope=col class=h>mean");
	for (uint32_t i = 0; i < shown->result->workloads[shown->part]; i++) {
		size_t length;
		const char *name = text_table_text(&shown->result->texts.workloads, i, &length);
		if (!has_rows(shown, i))
			continue;
		buffer_text(out, "<th scope=col class=h>");
		add_broken(name, length, out);
	}
	buffer_text(out, "</thead><tbody><tr><th scope=row class=dim>rows");
	for (uint32_t column = 0; column < shown->result->workloads[shown->part] + 2; column++)
		if (column < 2 || has_rows(shown, column - 2))
			report_cell_count(out, values_at(shown, column, PREDICTOR_CONSTANT).rows);
}

/* Of hostile data: a dataset may have any number of workloads. */
#define COLUMNS_MAX 66u

static void add_accuracies(struct shown *shown, struct buffer *out)
{
	double best[COLUMNS_MAX];

	if (shown->result->workloads[shown->part] + 2 > COLUMNS_MAX) {
		buffer_text(out, "<p class=dim>Too many workloads for a table: see picknext predict --csv.\n");
		return;
	}
	for (uint32_t column = 0; column < shown->result->workloads[shown->part] + 2; column++)
		best[column] = best_at(shown, column);
	add_accuracy_heading(shown, out);
	for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++)
		add_accuracy_row(shown, (enum predictor)predictor, best, out);
	report_table_end(out);
}

static void add_real(struct buffer *out, double value, double scale, int decimals)
{
	if (isnan(value))
		buffer_text(out, "<td class=dim>\xe2\x80\x93");
	else
		buffer_printf(out, "<td>%.*f", decimals, value * scale);
}

static void add_value_row(const struct shown *shown, enum predictor predictor, struct buffer *out)
{
	const struct score_values values = total_of(shown, predictor);

	if (!values.rows)
		return;
	buffer_printf(out, "<tr><th scope=row>%s<td class=t>%s<td class=t>%s", predict_target_names[shown->target],
		      shown->choice ? "choice" : "any", predictor_names[predictor]);
	report_cell_count(out, values.rows);
	add_real(out, values.top1, 100, 1);
	add_real(out, values.top5, 100, 1);
	add_real(out, values.log_loss, 1, 3);
	add_real(out, values.calibration, 100, 1);
	add_real(out, values.unseen, 100, 1);
}

static void add_all_values(const struct predict_result *result, enum predict_part part, struct buffer *out)
{
	buffer_text(out, "<details class=f><summary>All values</summary>");
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>target<th scope=col class=t>rows with<th scope=col class=t>predictor"
			 "<th scope=col>rows<th scope=col>top-1, %<th scope=col>top-5, %<th scope=col>log-loss, nats"
			 "<th scope=col>calibration error, %<th scope=col>unseen, %</thead><tbody>");
	for (unsigned int at = 0; at < PREDICT_TARGETS * 2 * PREDICTORS; at++) {
		const struct shown shown = {result, part, (enum predict_target)(at / PREDICTORS / 2),
					    at / PREDICTORS % 2};
		add_value_row(&shown, (enum predictor)(at % PREDICTORS), out);
	}
	report_table_end(out);
	buffer_text(out, "</details>\n");
}

static void add_part(const struct predict_result *result, enum predict_part part, struct buffer *out)
{
	struct shown shown = shown_of(result, part);
	const struct score_values constant = total_of(&shown, PREDICTOR_CONSTANT);

	if (!constant.rows)
		return;
	buffer_printf(out,
		      "<h3>%s.csv</h3>\n<p class=\"dim small\">Right %s in percent; the best of each column is "
		      "marked. %.1f %% of these rows have a %s that train.csv lacks.\n",
		      predict_part_names[part], shown.choice ? "decisions among those with a choice" : "names",
		      100 * constant.unseen, shown.choice ? "role" : "name");
	add_accuracies(&shown, out);
	add_all_values(result, part, out);
}

/* --- Between schedulers --- */

static void add_scheduler(const struct predict_result *result, uint32_t scheduler, struct buffer *out)
{
	size_t length;
	const char *name = text_table_text(&result->texts.schedulers, scheduler, &length);

	chart_escape(out, name, length);
}

/* Those of the same predicted rows are adjacent. */
static size_t list_pairs(const struct between *between,
			 struct between_pair pairs[BETWEEN_SCHEDULERS_MAX * BETWEEN_SCHEDULERS_MAX])
{
	size_t found = 0;

	for (uint32_t at = 0; at < between->schedulers * between->schedulers; at++) {
		pairs[found] = (struct between_pair){at % between->schedulers, at / between->schedulers};
		found += between_total(between, pairs[found], PREDICTOR_CONSTANT).rows > 0;
	}
	return found;
}

static void add_between_row(const struct between *between, const struct between_pair *pairs, size_t count,
			    enum predictor predictor, struct buffer *out)
{
	buffer_printf(out, "<tr><th scope=row>%s", predictor_names[predictor]);
	for (size_t i = 0; i < count; i++) {
		double best = 0;
		for (unsigned int other = 0; other < PREDICTORS; other++)
			best = fmax(best, between_macro(between, pairs[i], (enum predictor)other).top1);
		double share = between_macro(between, pairs[i], predictor).top1;
		add_percent(out, share, is_best(share, best));
		buffer_printf(out, " <span class=dim>(%.1f)</span>",
			      100 * between_total(between, pairs[i], predictor).top1);
	}
}

static void add_between_heading(const struct predict_result *result, const struct between_pair *pairs, size_t count,
				struct buffer *out)
{
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>predictor");
	for (size_t i = 0; i < count; i++) {
		buffer_text(out, "<th scope=col class=h>");
		add_scheduler(result, pairs[i].predicted, out);
		buffer_text(out, ", learnt on ");
		add_scheduler(result, pairs[i].learnt, out);
	}
	buffer_text(out, "</thead><tbody><tr><th scope=row class=dim>rows");
	for (size_t i = 0; i < count; i++)
		report_cell_count(out, between_total(&result->between, pairs[i], PREDICTOR_CONSTANT).rows);
}

static void add_between(const struct predict_result *result, struct buffer *out)
{
	struct between_pair pairs[BETWEEN_SCHEDULERS_MAX * BETWEEN_SCHEDULERS_MAX];
	size_t count = list_pairs(&result->between, pairs);

	if (!count)
		return;
	buffer_text(out, "<h3>Between schedulers</h3>\n<p class=\"dim small\">What was learnt from the rows of one "
			 "scheduler in train.csv, used for the decisions of another in the tests, of workloads that "
			 "train.csv has: right decisions in percent, mean over the workloads (and over all rows). "
			 "uniform and the rules below it learn nothing.\n");
	add_between_heading(result, pairs, count, out);
	for (unsigned int predictor = 0; predictor < PREDICTORS; predictor++)
		add_between_row(&result->between, pairs, count, (enum predictor)predictor, out);
	report_table_end(out);
}

void report_prediction(const struct predict_result *result, const char *directory, struct buffer *out)
{
	bool is_decisions = result->kind == PREDICT_DECISIONS;

	buffer_text(out, "<section id=prediction><h2>Prediction of the next task</h2>\n<p>Dataset <code>");
	report_string(out, directory);
	buffer_text(out, "</code>: ");
	report_count(out, result->train_rows);
	buffer_printf(out, " rows of train.csv to learn from, ");
	report_count(out, result->rows);
	buffer_printf(out,
		      " rows of the tests. A model is worth something if it beats the best of these predictors, "
		      "which <code>picknext help predict</code> describes%s.\n",
		      is_decisions ? "; of decisions with one candidate nothing is to be predicted" : "");
	add_charts(result, out);
	for (unsigned int part = 0; part < PREDICT_PARTS; part++)
		add_part(result, (enum predict_part)part, out);
	if (is_decisions)
		add_between(result, out);
	buffer_text(out, "</section>\n");
}
