/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "compare/earlier_workloads.h"
#include "compare/run_set.h"
#include "compare/run_set_check.h"
#include "runs/run_list.h"
#include "trace/input.h"

/* --- Metrics --- */

static enum status add_value(struct run_sets *sets, const struct run *run, const char *name, struct error *err)
{
	const size_t count = sets->metric_count - metric_count();

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

	for (size_t i = 0; which && i < sets->metric_count - metric_count(); i++) {
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
	while (sets->metric_count < metric_count()) {
		sets->metrics[sets->metric_count] = &metric_table()[sets->metric_count];
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
	return run_sets_check(sets, options, err);
}
