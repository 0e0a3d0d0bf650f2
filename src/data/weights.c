/* SPDX-License-Identifier: MIT */
#include "data/weights.h"

#include <math.h>
#include <string.h>

static bool has_rows(const struct decision_trace *trace, enum split_part part)
{
	return !trace->left_out && trace->part == part && trace->counts.decisions;
}

static bool same_workload(const struct decision_trace *a, const struct decision_trace *b)
{
	return strcmp(a->run.workload, b->run.workload) == 0;
}

/* Rows of a workload in its file. */
static uint64_t workload_rows(const struct decision_traces *traces, const struct decision_trace *of)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < traces->count; i++)
		if (has_rows(&traces->items[i], of->part) && same_workload(&traces->items[i], of))
			rows += traces->items[i].counts.decisions;
	return rows;
}

static bool is_first(const struct decision_traces *traces, size_t trace)
{
	const struct decision_trace *it = &traces->items[trace];

	for (size_t i = 0; i < trace; i++)
		if (has_rows(&traces->items[i], it->part) && same_workload(&traces->items[i], it))
			return false;
	return true;
}

void weights_set(struct decision_traces *traces)
{
	uint64_t rows[SPLIT_PARTS] = {0}, workloads[SPLIT_PARTS] = {0};

	for (size_t i = 0; i < traces->count; i++) {
		const struct decision_trace *trace = &traces->items[i];
		if (!has_rows(trace, trace->part))
			continue;
		rows[trace->part] += trace->counts.decisions;
		workloads[trace->part] += is_first(traces, i);
	}
	for (size_t i = 0; i < traces->count; i++) {
		struct decision_trace *trace = &traces->items[i];
		if (has_rows(trace, trace->part))
			trace->weight = (double)rows[trace->part] / (double)workloads[trace->part] /
					(double)workload_rows(traces, trace);
	}
}

void weights_range(const struct decision_traces *traces, double *min, double *max)
{
	*min = INFINITY;
	*max = 0;
	for (size_t i = 0; i < traces->count; i++) {
		const struct decision_trace *trace = &traces->items[i];
		if (!has_rows(trace, trace->part))
			continue;
		*min = fmin(*min, trace->weight);
		*max = fmax(*max, trace->weight);
	}
}
