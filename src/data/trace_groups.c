/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/traces.h"

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

char **traces_distinct(const struct traces *traces, char *(*value_of)(const struct dataset_trace *trace), size_t *count)
{
	char **values = xcalloc(traces->count + 1, sizeof(*values));

	for (size_t i = 0; i < traces->count; i++)
		values[i] = value_of(&traces->items[i]);
	qsort(values, traces->count, sizeof(*values), compare_texts);
	*count = 0;
	for (size_t i = 0; i < traces->count; i++)
		if (i == 0 || strcmp(values[i], values[*count - 1]) != 0)
			values[(*count)++] = values[i];
	return values;
}

/* --- The group that is held out --- */

static char *category_of(const struct dataset_trace *trace)
{
	return trace->run.category;
}

static char *workload_of(const struct dataset_trace *trace)
{
	return trace->run.workload;
}

static char *kernel_of(const struct dataset_trace *trace)
{
	return (char *)(uintptr_t)trace->kernel;
}

static char *scheduler_of(const struct dataset_trace *trace)
{
	return (char *)(uintptr_t)trace->scheduler;
}

static char *cpus_of(const struct dataset_trace *trace)
{
	return (char *)(uintptr_t)trace->cpus;
}

static char *set_label_of(const struct dataset_trace *trace)
{
	return (char *)(uintptr_t)trace->set_label;
}

static const struct {
	const char *name;
	char *(*value_of)(const struct dataset_trace *trace);
} hold_outs[] = {{"category", category_of},   {"workload", workload_of}, {"kernel", kernel_of},
		 {"scheduler", scheduler_of}, {"cpus", cpus_of},         {"label", set_label_of}};
enum { HOLD_OUTS = sizeof(hold_outs) / sizeof(*hold_outs) };

static void make_groups(struct traces *traces, char *(*value_of)(const struct dataset_trace *trace))
{
	traces->groups = traces_distinct(traces, value_of, &traces->group_count);
	for (size_t i = 0; i < traces->count; i++) {
		const char *value = value_of(&traces->items[i]);
		char **found =
		    bsearch(&value, traces->groups, traces->group_count, sizeof(*traces->groups), compare_texts);
		traces->items[i].group = (size_t)(found - traces->groups);
	}
}

static enum status refuse_value(const struct traces *traces, const char *value, struct error *err)
{
	struct buffer names = {0};

	for (size_t i = 0; i < traces->group_count; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "", traces->groups[i]);
	error_set(err, STATUS_USAGE, "--hold-out", "'%s' does not match exactly one of: %s", value,
		  names.data ? names.data : "");
	buffer_free(&names);
	return STATUS_USAGE;
}

static enum status find_value(struct traces *traces, const char *value, struct error *err)
{
	size_t matches = 0;

	for (size_t i = 0; i < traces->group_count; i++) {
		if (strcmp(traces->groups[i], value) == 0) {
			traces->unseen = i;
			return STATUS_OK;
		}
		if (strncmp(traces->groups[i], value, strlen(value)) == 0) {
			traces->unseen = i;
			matches++;
		}
	}
	return matches == 1 ? STATUS_OK : refuse_value(traces, value, err);
}

enum status traces_hold_out(struct traces *traces, const char *text, bool no_unseen_split, struct python_random *random,
			    struct error *err)
{
	const char *name = text ? text : hold_outs[0].name;
	const size_t length = strcspn(name, "=");
	size_t what = 0;

	while (what < HOLD_OUTS &&
	       (strlen(hold_outs[what].name) != length || memcmp(hold_outs[what].name, name, length) != 0))
		what++;
	if (what == HOLD_OUTS)
		return error_set(
		    err, STATUS_USAGE, "--hold-out",
		    "'%s' is none of category, workload, kernel, scheduler, cpus, label, or one of these with =VALUE",
		    text);
	make_groups(traces, hold_outs[what].value_of);
	if (no_unseen_split || (!text && traces->group_count < 3))
		return STATUS_OK;
	if (name[length] && find_value(traces, name + length + 1, err) != STATUS_OK)
		return STATUS_USAGE;
	if (traces->group_count < 2)
		return error_set(err, STATUS_USAGE, "--hold-out", "all traces have the same %s", hold_outs[what].name);
	if (!name[length])
		traces->unseen = python_random_below(random, traces->group_count);
	return STATUS_OK;
}

/* --- Limits and weights --- */

static bool same_workload(const struct dataset_trace *a, const struct dataset_trace *b)
{
	return strcmp(a->run.workload, b->run.workload) == 0;
}

static bool same_release(const struct dataset_trace *a, const struct dataset_trace *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->scheduler, b->scheduler) == 0;
}

static bool same_kernel(const struct dataset_trace *a, const struct dataset_trace *b)
{
	return same_release(a, b) && strcmp(a->set_label, b->set_label) == 0;
}

static bool same_cell(const struct dataset_trace *a, const struct dataset_trace *b)
{
	return same_workload(a, b) && same_kernel(a, b);
}

/* One trace of each kind; is_same() of kind_of() defines a kind. */
struct kinds {
	const struct dataset_trace **items;
	size_t count, capacity;
};

/* The number of the trace's kind; adds a new kind. */
static size_t kind_of(struct kinds *kinds, const struct dataset_trace *trace,
		      bool (*is_same)(const struct dataset_trace *a, const struct dataset_trace *b))
{
	for (size_t i = 0; i < kinds->count; i++)
		if (is_same(kinds->items[i], trace))
			return i;
	kinds->items = array_grow(kinds->items, &kinds->capacity, kinds->count + 1, sizeof(*kinds->items));
	kinds->items[kinds->count] = trace;
	return kinds->count++;
}

/* For each cell, the first cell of the same workload and kernel release, whatever its label. */
static size_t *find_like(const struct kinds *cells)
{
	size_t *like = xcalloc(cells->count + 1, sizeof(*like));

	for (size_t i = 0; i < cells->count; i++)
		while (like[i] < i && !(same_workload(cells->items[like[i]], cells->items[i]) &&
					same_release(cells->items[like[i]], cells->items[i])))
			like[i]++;
	return like;
}

size_t *traces_strata(const struct traces *traces, bool has_roles, size_t **like, size_t *count)
{
	size_t *strata = xcalloc(traces->count, sizeof(*strata));
	struct kinds cells = {0};

	for (size_t i = 0; i < traces->count; i++) {
		const struct dataset_trace *trace = &traces->items[i];
		strata[i] = trace->group == traces->unseen ? SPLIT_UNSEEN
			    : has_roles                    ? kind_of(&cells, trace, same_cell)
							   : trace->group;
	}
	*count = has_roles ? cells.count : traces->group_count;
	*like = has_roles ? find_like(&cells) : NULL;
	free(cells.items);
	return strata;
}

static enum status refuse_missing(const struct dataset_trace *workload, const struct dataset_trace *kernel,
				  struct error *err)
{
	error_set(err, STATUS_USAGE, "the split",
		  "is not balanced: test_seen.csv has the workload '%s', but not under kernel '%s'%s%s with scheduler "
		  "'%s'",
		  workload->run.workload, kernel->kernel, kernel->set_label[0] ? ", label " : "", kernel->set_label,
		  kernel->scheduler);
	return error_remedy(err, "record as many runs of each workload under each kernel (at least 2; 5 for "
				 "--train-ratio 0.8), or allow it with --allow unbalanced");
}

enum status traces_refuse_unbalanced(const struct traces *traces, struct error *err)
{
	struct kinds workloads = {0}, kernels = {0}, tested = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < traces->count; i++) {
		const struct dataset_trace *trace = &traces->items[i];
		if (trace->part == SPLIT_TRAIN)
			kind_of(&kernels, trace, same_kernel);
		if (trace->part != SPLIT_TEST_SEEN)
			continue;
		kind_of(&workloads, trace, same_workload);
		kind_of(&tested, trace, same_cell);
	}
	for (size_t i = 0; i < workloads.count * kernels.count && status == STATUS_OK; i++) {
		const struct dataset_trace *workload = workloads.items[i / kernels.count];
		const struct dataset_trace *kernel = kernels.items[i % kernels.count];
		size_t at = 0;
		while (at < tested.count &&
		       !(same_workload(tested.items[at], workload) && same_kernel(tested.items[at], kernel)))
			at++;
		if (at == tested.count)
			status = refuse_missing(workload, kernel, err);
	}
	free(workloads.items);
	free(kernels.items);
	free(tested.items);
	return status;
}

static uint64_t share_of(uint64_t limit, uint64_t part, uint64_t whole)
{
	return (uint64_t)((double)limit * ((double)part / (double)whole));
}

/* Samples whole decisions with at most rows_max rows. Rows that do not suffice for a decision of many rows are used for
 * decisions with fewer rows. */
static void sample_decisions(struct dataset_trace *trace)
{
	uint64_t before = 0, taken = 0;

	memcpy(trace->decisions_taken, trace->decisions, sizeof(trace->decisions));
	if (trace->rows_max >= trace->rows)
		return;
	for (uint64_t rows = RULE_DEPTH_MAX; rows > 0; rows--) {
		const uint64_t all = trace->decisions[rows - 1];
		before += all * rows;
		const uint64_t fit = (share_of(trace->rows_max, before, trace->rows) - taken) / rows;
		trace->decisions_taken[rows - 1] = fit < all ? fit : all;
		taken += trace->decisions_taken[rows - 1] * rows;
	}
	trace->rows_max = taken;
}

/* The rows of a workload under a kernel and scheduler. */
struct cell_rows {
	uint64_t all, before; /* before: rows of the previous traces */
};

void traces_limit_rows(struct traces *traces, uint64_t workload_rows_max, uint64_t trace_rows_max)
{
	struct cell_rows *rows = xcalloc(traces->count + 1, sizeof(*rows));
	struct kinds cells = {0};

	for (size_t i = 0; i < traces->count; i++)
		rows[kind_of(&cells, &traces->items[i], same_cell)].all += traces->items[i].rows;
	for (size_t i = 0; i < traces->count; i++) {
		struct dataset_trace *trace = &traces->items[i];
		struct cell_rows *cell = &rows[kind_of(&cells, trace, same_cell)];
		const uint64_t before = cell->before;
		cell->before += trace->rows;
		trace->rows_max = UINT64_MAX;
		if (workload_rows_max && cell->all > workload_rows_max)
			trace->rows_max = share_of(workload_rows_max, cell->before, cell->all) -
					  share_of(workload_rows_max, before, cell->all);
		if (trace_rows_max && trace->rows_max > trace_rows_max)
			trace->rows_max = trace_rows_max;
		sample_decisions(trace);
	}
	free(cells.items);
	free(rows);
}

static bool is_in_file(const struct dataset_trace *trace, const struct dataset_trace *other)
{
	return trace->part == other->part && trace_rows_taken(trace);
}

/* The number of rows that the workload of this trace has in the trace's file. */
static uint64_t workload_rows(const struct traces *traces, const struct dataset_trace *other)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < traces->count; i++)
		if (is_in_file(&traces->items[i], other) && same_workload(&traces->items[i], other))
			rows += trace_rows_taken(&traces->items[i]);
	return rows;
}

static bool is_first(const struct traces *traces, size_t trace)
{
	const struct dataset_trace *it = &traces->items[trace];

	for (size_t i = 0; i < trace; i++)
		if (is_in_file(&traces->items[i], it) && same_workload(&traces->items[i], it))
			return false;
	return true;
}

void traces_weigh(struct traces *traces, double *min, double *max)
{
	uint64_t rows[SPLIT_PARTS] = {0}, workloads[SPLIT_PARTS] = {0};

	*min = INFINITY;
	*max = 0;
	for (size_t i = 0; i < traces->count; i++) {
		const struct dataset_trace *trace = &traces->items[i];
		rows[trace->part] += trace_rows_taken(trace);
		workloads[trace->part] += trace_rows_taken(trace) && is_first(traces, i);
	}
	for (size_t i = 0; i < traces->count; i++) {
		struct dataset_trace *trace = &traces->items[i];
		if (!trace_rows_taken(trace))
			continue;
		trace->weight =
		    (double)rows[trace->part] / (double)workloads[trace->part] / (double)workload_rows(traces, trace);
		*min = fmin(*min, trace->weight);
		*max = fmax(*max, trace->weight);
	}
}
