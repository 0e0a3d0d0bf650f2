/* SPDX-License-Identifier: MIT
 *
 * The metrics of sets for tools that judge them on their own: every run for benchstat (Go's benchmark format), one row
 * a set for tools that find change points. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/json.h"
#include "compare/run_facts.h"
#include "compare/run_set.h"
#include "print/forms.h"

#define DECIMALS 9

/* Whatever has a meaning in the format is replaced. */
static void put_word(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		bool is_plain = strchr("_.-+", *text) || (*text >= '0' && *text <= '9') ||
				((*text | 32) >= 'a' && (*text | 32) <= 'z');
		buffer_add(out, is_plain ? text : "_", 1);
	}
}

static void put_units(const struct comparison_rows *rows, struct buffer *out)
{
	static const char *const better[] = {" better=lower", "", " better=higher"};
	bool is_named[METRIC_COUNT] = {false};

	for (size_t i = 0; i < rows->row_count; i++) {
		const struct metric *metric = &metric_table[rows->rows[i].metric];
		if (!is_named[rows->rows[i].metric] && !rows->rows[i].needs_real_time)
			buffer_printf(out, "Unit %s%s assume=nothing\n", metric->name, better[metric->direction + 1]);
		is_named[rows->rows[i].metric] = true;
	}
}

static void put_run(const struct comparison_rows *rows, const struct comparison_workload *workload,
		    const struct run *run, struct buffer *out)
{
	const double *values = run_metrics_of(run)->values;
	const size_t end = workload->first_row + workload->row_count;
	struct buffer line = {0};

	for (size_t i = workload->first_row; i < end; i++) {
		const enum run_metric metric = rows->rows[i].metric;
		if (!rows->rows[i].needs_real_time && isfinite(values[metric]))
			buffer_printf(&line, " %.*f %s", DECIMALS, values[metric], metric_table[metric].name);
	}
	if (line.length) {
		buffer_text(out, "BenchmarkPicknext/");
		put_word(out, workload->name);
		buffer_text(out, " 1");
		buffer_add(out, line.data, line.length);
		buffer_text(out, "\n");
	}
	out->failed = out->failed || line.failed;
	buffer_free(&line);
}

void compare_write_benchfmt(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	char kernel[128];

	put_units(rows, out);
	for (size_t set = 0; set < rows->sets->count; set++) {
		const struct run_set *of = &rows->sets->items[set];
		run_set_fact(of, NULL, FACT_KERNEL, kernel, sizeof(kernel));
		buffer_text(out, "\nset: ");
		put_word(out, of->label);
		buffer_text(out, "\nkernel: ");
		put_word(out, kernel);
		buffer_text(out, "\n");
		for (size_t i = 0; i < rows->workload_count; i++)
			for (size_t run = 0; run < of->count; run++)
				if (strcmp(of->runs[run].workload, rows->workloads[i].name) == 0)
					put_run(rows, &rows->workloads[i], &of->runs[run], out);
	}
}

static bool is_shown(const struct comparison_rows *rows, const struct comparison_row *row)
{
	bool has_value = false;

	for (size_t set = 0; set < rows->sets->count; set++)
		has_value = has_value || isfinite(row->cells[set].sample.median);
	return has_value && !row->needs_real_time;
}

static void put_field(struct buffer *out, const char *text)
{
	csv_field_add(out, text, strlen(text));
}

void compare_write_series(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	char column[512];

	buffer_text(out, "time,commit");
	for (size_t i = 0; i < rows->row_count; i++) {
		const struct comparison_row *row = &rows->rows[i];
		if (!is_shown(rows, row))
			continue;
		snprintf(column, sizeof(column), "%.400s.%s", rows->workloads[row->workload].name,
			 metric_table[row->metric].name);
		buffer_text(out, ",");
		put_field(out, column);
	}
	buffer_text(out, "\n");
	for (size_t set = 0; set < rows->sets->count; set++) {
		const struct run_set *of = &rows->sets->items[set];
		put_field(out, json_member_text(of->launch, "started_at", ""));
		buffer_text(out, ",");
		put_field(out, of->label);
		for (size_t i = 0; i < rows->row_count; i++) {
			const double median = rows->rows[i].cells[set].sample.median;
			if (!is_shown(rows, &rows->rows[i]))
				continue;
			buffer_text(out, ",");
			if (isfinite(median))
				buffer_printf(out, "%.*f", DECIMALS, median);
		}
		buffer_text(out, "\n");
	}
}
