/* SPDX-License-Identifier: MIT */
#include "compare/run_set.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "compare/earlier_workloads.h"
#include "compare/run_copies.h"
#include "runs/run_list.h"
#include "trace/input.h"

static void free_set(struct run_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct run_results *results = set->runs[i].results;
		run_metrics_free(&results->whole);
		run_metrics_free(&results->steady);
		free(results->names.items);
		free(results->earlier_workloads);
		free(results);
		run_free(&set->runs[i]);
	}
	free(set->runs);
	recorded_set_free(&set->recorded);
	reach_free(&set->reach);
	free(set->operand);
	free(set->label);
}

void run_sets_free(struct run_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		free_set(&sets->items[i]);
	free(sets->items);
	free(sets->values);
	free(sets->workloads);
	free(sets->pairs);
	*sets = (struct run_sets){0};
}

/* --- Metrics --- */

/* NULL: the run has no such task. */
static const struct run_metrics *metrics_of(const struct run *run, const char *task)
{
	const struct run_names *names = &run->results->names;

	if (!task)
		return run_metrics_of(run);
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i].name, task) == 0)
			return run->results->is_steady ? &names->items[i].steady : &names->items[i].whole;
	return NULL;
}

double run_value(const struct run *run, const char *task, const struct metric *metric)
{
	const struct run_metrics *metrics = metric_is_value(metric) ? NULL : metrics_of(run, task);

	if (metrics)
		return metrics->values[metric_index(metric)];
	for (size_t i = 0; i < run->metadata.value_count && !task; i++)
		if (strcmp(run->metadata.values[i].name, metric->name) == 0)
			return run->metadata.values[i].value;
	return NAN;
}

const struct metric *run_sets_metric(const struct run_sets *sets, const char *name)
{
	const struct metric *const *metric = sets->metrics;

	while (*metric && strcmp((*metric)->name, name) != 0)
		metric++;
	return *metric;
}

static enum status add_value(struct run_sets *sets, const struct run *run, const char *name, struct error *err)
{
	const size_t count = sets->metric_count - metric_count;

	if (run_sets_metric(sets, name) || !run_value_is_name(name, strlen(name)))
		return STATUS_OK;
	if (count == METRIC_VALUES_MAX)
		return error_set(err, STATUS_UNSUPPORTED, run->path, "the runs have more than %d names of --value",
				 METRIC_VALUES_MAX);
	sets->values[count] = (struct metric){
	    .name = name, .heading = name, .unit = "", .help = "a number in the output of the command: vm --value"};
	sets->metrics[sets->metric_count++] = &sets->values[count];
	return STATUS_OK;
}

/* NAME=lower or NAME=higher */
static enum status set_direction(const struct run_sets *sets, const char *text, struct error *err)
{
	const char *which = strchr(text, '=');
	const bool is_lower = which && strcmp(which, "=lower") == 0;

	for (size_t i = 0; which && i < sets->metric_count - metric_count; i++) {
		const char *name = sets->values[i].name;
		if (strlen(name) != (size_t)(which - text) || strncmp(name, text, strlen(name)) != 0 ||
		    (!is_lower && strcmp(which, "=higher") != 0))
			continue;
		sets->values[i].direction = is_lower ? METRIC_LOWER_IS_BETTER : METRIC_HIGHER_IS_BETTER;
		return STATUS_OK;
	}
	return error_set(err, STATUS_USAGE, "--better", "'%s' is not NAME=lower or NAME=higher of a value of the runs",
			 text);
}

static enum status list_metrics(struct run_sets *sets, const struct run_set_options *options, struct error *err)
{
	sets->values = xcalloc(METRIC_VALUES_MAX, sizeof(*sets->values));
	while (sets->metric_count < metric_count) {
		sets->metrics[sets->metric_count] = &metric_table[sets->metric_count];
		sets->metric_count++;
	}
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		for (size_t i = 0; i < run->metadata.value_count; i++)
			if (add_value(sets, run, run->metadata.values[i].name, err) != STATUS_OK)
				return err->status;
	for (size_t i = 0; options && i < options->better.count; i++)
		if (set_direction(sets, options->better.items[i], err) != STATUS_OK)
			return err->status;
	return STATUS_OK;
}

/* --- Runs --- */

/* Moves the run. */
static void add_run(struct run_set *set, struct run *found, const struct run_set_options *options)
{
	struct run *run = &set->runs[set->count++];

	*run = *found;
	*found = (struct run){0};
	run->results = xcalloc(1, sizeof(*run->results));
	run->results->is_lossy = losses_any(&run->losses);
	run->results->choice = &options->tasks;
	run->results->wants_names = options->by;
	run->results->earlier_workloads = earlier_workloads(run);
	for (size_t i = 0; i < options->known_count && !run->known; i++)
		if (run_is_of(run, options->known[i].name))
			run->known = &options->known[i];
}

/* Known workloads are in one array. */
static int compare_runs(const void *left, const void *right)
{
	const struct run *a = left;
	const struct run *b = right;

	if (a->known != b->known)
		return !b->known || (a->known && a->known < b->known) ? -1 : 1;
	int order = strcmp(a->workload, b->workload);
	if (order == 0 && a->number != b->number)
		order = a->number < b->number ? -1 : 1;
	return order ? order : strcmp(a->id, b->id);
}

static enum status refuse_none_wanted(const struct run_list *list, const char *path, struct error *err)
{
	struct buffer names = {0};

	for (size_t i = 0; i < list->count; i++) {
		const char *name = list->items[i].workload;
		if (!i || strcmp(name, list->items[i - 1].workload) != 0)
			buffer_printf(&names, "%s%s", i ? ", " : "", name);
	}
	error_set(err, STATUS_USAGE, path, "has no runs of the workloads of --workload");
	error_remedy(err, "it has %.400s", names.data);
	buffer_free(&names);
	return STATUS_USAGE;
}

static enum status add_runs(struct run_set *set, struct run_list *list, const struct run_set_options *options,
			    struct error *err)
{
	set->runs = xcalloc(list->count, sizeof(*set->runs));
	for (size_t i = 0; i < list->count; i++)
		if (patterns_fit(&options->workloads, list->items[i].workload))
			add_run(set, &list->items[i], options);
	if (set->count == 0)
		return refuse_none_wanted(list, set->operand, err);
	qsort(set->runs, set->count, sizeof(*set->runs), compare_runs);
	return STATUS_OK;
}

static enum status check_kernels(const struct run_list *list, const char *operand, struct error *err)
{
	char text[512];
	const struct run *other = run_list_other_kernel(list, NULL, text, sizeof(text));

	return other ? error_set(err, STATUS_LOST, operand, "run %u %s", (unsigned int)other->number, text) : STATUS_OK;
}

static enum status list_directory(struct run_set *set, const struct run_set_options *options, struct error *err)
{
	char raw[PATH_MAX];
	struct run_list list = {0};
	enum status status = run_directory_of(set->operand, raw, err);

	if (status == STATUS_OK)
		status = run_list_find(raw, NULL, &list, err);
	if (status == STATUS_OK)
		status = run_list_read_metadata(&list, err);
	if (status == STATUS_OK)
		status = check_kernels(&list, set->operand, err);
	if (status == STATUS_OK)
		status = add_runs(set, &list, options, err);
	run_list_free(&list);
	return status;
}

static enum status list_trace(struct run_set *set, const struct run_set_options *options, struct error *err)
{
	struct run run;
	struct run_list list = {.items = &run, .count = 1};
	enum status status = run_open(&run, set->operand, err);

	set->is_lone_trace = true;
	if (status == STATUS_OK && options->as) {
		free(run.workload);
		run.workload = xstrdup(options->as);
	}
	if (status == STATUS_OK)
		status = add_runs(set, &list, options, err);
	run_free(&run);
	return status;
}

/* --- Sets --- */

/* Not that of an earlier kernel in this directory. */
static bool is_same_kernel(const struct run_set *set, const struct reach *reach)
{
	const char *own = set->runs[0].metadata.host.kernel_build_id;
	const char *counted = reach->runs.count ? reach->runs.items[0].metadata.host.kernel_build_id : NULL;

	return !own || !counted || strcmp(own, counted) == 0;
}

static enum status list_set(const char *path, const struct run_set_options *options, struct run_sets *sets,
			    struct error *err)
{
	sets->items = xreallocarray(sets->items, sets->count + 1, sizeof(*sets->items));
	struct run_set *set = &sets->items[sets->count++];
	*set = (struct run_set){.operand = xstrdup(path), .recorded = {.number = UINT64_MAX}};
	if (!file_is_directory(path))
		return list_trace(set, options, err);
	enum status status = list_directory(set, options, err);
	if (status == STATUS_OK)
		status = recorded_set_read_boots(path, &set->recorded, err);
	if (status == STATUS_OK)
		status = reach_read(path, &set->reach, err);
	if (status == STATUS_OK && set->count && !is_same_kernel(set, &set->reach))
		reach_free(&set->reach);
	for (size_t i = 0; i < set->count && status == STATUS_OK; i++)
		recorded_set_describe(&set->recorded, set->runs[i].facts);
	return status;
}

/* Sets of equal number keep their order. */
static void sort_by_number(struct run_set *sets, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct run_set set = sets[i];
		size_t at = i;
		for (; at > 0 && sets[at - 1].recorded.number > set.recorded.number; at--)
			sets[at] = sets[at - 1];
		sets[at] = set;
	}
}

/* The subdirectories with a raw directory of traces are sets; without one the operand is. */
static enum status list_operand(const char *operand, const struct run_set_options *options, struct run_sets *sets,
				struct error *err)
{
	char path[PATH_MAX];
	struct dirent **entries = NULL;
	enum status status = STATUS_OK;
	const size_t before = sets->count;

	if (!file_is_directory(operand) || run_directory_of(operand, path, NULL) != STATUS_OK ||
	    run_directory_has_traces(path))
		return list_set(operand, options, sets, err);
	const int count = scandir(operand, &entries, NULL, versionsort);
	for (int i = 0; i < count; i++) {
		if (status == STATUS_OK && run_directory_has_set(operand, entries[i]->d_name)) {
			status = file_join(path, sizeof(path), operand, entries[i]->d_name, err);
			if (status == STATUS_OK)
				status = list_set(path, options, sets, err);
		}
		free(entries[i]);
	}
	free(entries);
	if (status == STATUS_OK && sets->count == before)
		return list_set(operand, options, sets, err);
	if (status == STATUS_OK)
		sort_by_number(sets->items + before, sets->count - before);
	return status;
}

/* The first set and another have runs of the same workload. */
static bool share_workload(const struct run_sets *sets)
{
	for (size_t set = 1; set < sets->count; set++)
		for (size_t i = 0; i < sets->items[set].count; i++)
			for (size_t first = 0; first < sets->items[0].count; first++)
				if (strcmp(sets->items[0].runs[first].workload, sets->items[set].runs[i].workload) == 0)
					return true;
	return false;
}

/* A file that is no trace is reported as that, before anything that its name says. */
static enum status open_lone_traces(const struct run_sets *sets, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t set = 0; set < sets->count && status == STATUS_OK; set++) {
		struct input input;
		/* Standard input may be a long pipe. */
		if (!sets->items[set].is_lone_trace || strcmp(sets->items[set].operand, "-") == 0)
			continue;
		status = input_open(&input, sets->items[set].operand, err);
		if (status == STATUS_OK)
			input_close(&input);
	}
	return status;
}

static enum status refuse_duplicate(const struct run_sets *sets, size_t first, size_t second, struct error *err)
{
	struct run_set *before, *set;
	const struct run *run_before = run_sets_run(sets, first, &before), *run = run_sets_run(sets, second, &set);

	if (before != set && !before->is_lone_trace && !set->is_lone_trace)
		error_set(err, STATUS_USAGE, set->operand, "is given twice: %s has the same runs", before->operand);
	else
		error_set(err, STATUS_USAGE, run->path, "is the same file as %s", run_before->path);
	/* Two operands are rarely those of a pattern. */
	return error_remedy(err, sets->count > 2 ? "name each run once; a pattern such as 6.1* also matches 6.12"
						 : "name each run once");
}

static enum status check_duplicates(const struct run_sets *sets, struct error *err)
{
	size_t count = 0, first, second;
	const char **paths = xcalloc(run_sets_run_count(sets) + 1, sizeof(*paths));

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		paths[count++] = run->path;
	file_find_same(paths, count, &first, &second);
	free(paths);
	enum status status = second < count ? refuse_duplicate(sets, first, second, err) : STATUS_OK;
	for (size_t i = 0; i < sets->count && status == STATUS_OK; i++)
		status = run_copies_refuse(sets->items[i].runs, sets->items[i].count, err);
	return status;
}

static enum status check_failed(const struct run_sets *sets, struct error *err)
{
	const struct run *first = NULL;
	char failure[RUN_FAILURE_SIZE], other[RUN_FAILURE_SIZE];
	size_t failed = 0;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));) {
		if (!run_failure(&run->metadata, first ? other : failure))
			continue;
		first = first ? first : run;
		failed++;
	}
	return first ? run_refuse_failed(first->path, failure, failed, err) : STATUS_OK;
}

/* The first run of a workload with a command. */
static const struct run *first_command(const struct run_sets *sets, const char *workload)
{
	const struct run *run = NULL;

	while ((run = run_sets_next(sets, run)) && !(run->facts[FACT_COMMAND] && run_is_of(run, workload)))
		;
	return run;
}

static enum status check_commands(const struct run_sets *sets, struct error *err)
{
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));) {
		const char *command = run->facts[FACT_COMMAND];
		const struct run *first = first_command(sets, run->workload);
		if (!command || strcmp(first->facts[FACT_COMMAND], command) == 0)
			continue;
		error_set(err, STATUS_USAGE, run->path, "its command (%.300s) is not that of %s (%.300s)", command,
			  first->path, first->facts[FACT_COMMAND]);
		return error_remedy(err, "--allow other-commands compares them all the same");
	}
	return STATUS_OK;
}

/* "'a'", or "'a', 'b'" */
static char *list_workloads_of(const struct run_set *set)
{
	struct buffer list = {0};

	for (size_t i = 0; i < set->count; i++) {
		size_t earlier = 0;
		while (strcmp(set->runs[earlier].workload, set->runs[i].workload) != 0)
			earlier++;
		if (earlier == i)
			buffer_printf(&list, "%s'%s'", i ? ", " : "", set->runs[i].workload);
	}
	return list.data;
}

/* Lone traces of one workload often have different names, such as before.dat and after.dat. */
static enum status check_shared_workload(const struct run_sets *sets, struct error *err)
{
	const struct run_set *first = &sets->items[0];
	size_t other = 1;

	if (sets->count < 2 || share_workload(sets))
		return STATUS_OK;
	if (open_lone_traces(sets, err) != STATUS_OK)
		return err->status;
	for (size_t i = sets->count - 1; i && !first->is_lone_trace; i--)
		other = sets->items[i].is_lone_trace ? i : other;
	const struct run_set *set = &sets->items[other];
	char *workloads = list_workloads_of(set), *of_first = list_workloads_of(first);
	error_set(err, STATUS_USAGE, set->operand, "no workload is also in %s: here %.150s, there %.150s",
		  first->operand, workloads, of_first);
	free(workloads);
	free(of_first);
	return error_remedy(err,
			    first->is_lone_trace || set->is_lone_trace
				? "--as WORKLOAD compares them as runs of one workload"
				: "compare sets that have a workload in common; without a JSON a trace has that of "
				  "its name, WORKLOAD_run1.dat");
}

/* --- Labels --- */

static const char *last_parts(const char *path, unsigned int count, size_t *length)
{
	*length = strlen(path);
	while (*length > 1 && path[*length - 1] == '/')
		--*length;
	const char *end = path + *length;
	const char *begin = end;
	while (begin > path && (begin[-1] != '/' || (--count && begin != end)))
		begin--;
	*length = (size_t)(end - begin);
	return begin;
}

static char *label_of(const struct run_set *set)
{
	const char *kernel = set->runs[0].facts[FACT_KERNEL];
	size_t length;

	if (set->recorded.label[0])
		return xstrdup(set->recorded.label);
	for (size_t i = 1; i < set->count && kernel; i++)
		if (!set->runs[i].facts[FACT_KERNEL] || strcmp(set->runs[i].facts[FACT_KERNEL], kernel) != 0)
			kernel = NULL;
	if (kernel)
		return xstrdup(kernel);
	const char *part = last_parts(set->operand, 1, &length);
	return xstrndup(part, length);
}

/* Uses the last parts of the operand instead, and in the last attempt also the number of the set. */
static void relabel(struct run_set *set, unsigned int parts, size_t number)
{
	size_t length;
	const char *part = last_parts(set->operand, parts, &length);

	free(set->label);
	set->label = number ? xasprintf("%.*s (%zu)", (int)length, part, number) : xstrndup(part, length);
}

void run_sets_label(struct run_sets *sets)
{
	enum { PARTS_MAX = 8, SETS_MAX = 64 };
	size_t count = sets->count < SETS_MAX ? sets->count : SETS_MAX;

	for (size_t i = 0; i < sets->count; i++)
		sets->items[i].label = label_of(&sets->items[i]);
	for (unsigned int parts = 1; parts <= PARTS_MAX; parts++) {
		bool shared[SETS_MAX] = {false};
		for (size_t i = 0; i < count; i++)
			for (size_t other = 0; other < sets->count; other++)
				shared[i] |= other != i && strcmp(sets->items[other].label, sets->items[i].label) == 0;
		for (size_t i = 0; i < count; i++)
			if (shared[i])
				relabel(&sets->items[i], parts, parts == PARTS_MAX ? i + 1 : 0);
	}
}

static void list_workloads(struct run_sets *sets)
{
	sets->workloads = xcalloc(run_sets_run_count(sets) + 1, sizeof(*sets->workloads));
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));) {
		size_t at = 0;
		while (at < sets->workload_count && strcmp(sets->workloads[at], run->workload) != 0)
			at++;
		sets->workloads[at] = run->workload;
		sets->workload_count += at == sets->workload_count;
	}
}

/* --- Interface --- */

struct run *run_sets_run(const struct run_sets *sets, size_t number, struct run_set **set)
{
	struct run_set *found = sets->items;

	for (; number >= found->count; found++)
		number -= found->count;
	*set = found;
	return &found->runs[number];
}

struct run *run_sets_next(const struct run_sets *sets, const struct run *run)
{
	for (const struct run_set *set = sets->items; set < sets->items + sets->count; set++) {
		struct run *end = set->runs + set->count;
		if (!run && set->count)
			return set->runs;
		if (run < set->runs || run >= end)
			continue;
		if (run + 1 < end)
			return set->runs + (run + 1 - set->runs);
		run = NULL;
	}
	return NULL;
}

size_t run_set_values(const struct run_set *set, const char *workload, const char *task, const struct metric *metric,
		      double seconds, double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct run *run = &set->runs[i];
		if (!run_is_of(run, workload))
			continue;
		values[count] = run_value(run, task, metric);
		if (seconds > 0 && !isnan(values[count])) /* the number is exact: a constant one is the same value */
			values[count] =
			    floor(values[count] * (double)metrics_of(run, task)->duration_ns / 1e9 + 0.5) / seconds;
		count++;
	}
	return count;
}

bool run_sets_are_deterministic(const struct run_sets *sets)
{
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (!run->metadata.is_deterministic)
			return false;
	return true;
}

size_t run_sets_run_count(const struct run_sets *sets)
{
	size_t count = 0;

	for (size_t set = 0; set < sets->count; set++)
		count += sets->items[set].count;
	return count;
}

/* A pattern without a match is an error, even if others match. */
static enum status check_workloads(const struct run_sets *sets, const struct option_list *patterns, struct error *err)
{
	char pattern[PATTERN_SIZE];

	for (size_t i = 0; i < patterns->count; i++)
		for (const char *at = patterns->items[i]; pattern_next(&at, pattern);) {
			const struct run *run = NULL;
			while ((run = run_sets_next(sets, run)) && !pattern_fits(pattern, run->workload))
				;
			if (!run)
				return error_set(err, STATUS_USAGE, "--workload", "no run of the workload '%s'",
						 pattern);
		}
	return STATUS_OK;
}

enum status run_sets_list(char *const *operands, size_t count, const struct run_set_options *options,
			  struct run_sets *sets, struct error *err)
{
	enum status status = STATUS_OK;

	*sets = (struct run_sets){0};
	if (options && options->as && !*options->as)
		return error_set(err, STATUS_USAGE, NULL, "--as needs the name of a workload");
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = list_operand(operands[i], options, sets, err);
	list_workloads(sets);
	if (status == STATUS_OK)
		status = list_metrics(sets, options, err);
	if (status != STATUS_OK || count == 0)
		return status;
	status = check_workloads(sets, &options->workloads, err);
	if (status == STATUS_OK)
		status = check_duplicates(sets, err);
	if (status == STATUS_OK)
		status = check_shared_workload(sets, err);
	if (status == STATUS_OK && !(options->allowed & ALLOW_OTHER_COMMANDS))
		status = check_commands(sets, err);
	return status == STATUS_OK && !(options->allowed & ALLOW_FAILED) ? check_failed(sets, err) : status;
}

enum status run_sets_refuse_overwriting(const struct run_sets *sets, const char *path, struct error *err)
{
	for (const struct run *run = NULL; path && (run = run_sets_next(sets, run));)
		if (input_refuse_overwriting(run->path, path, err) != STATUS_OK)
			return err->status;
	return STATUS_OK;
}
