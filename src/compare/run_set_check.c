/* SPDX-License-Identifier: MIT */
#include "compare/run_set_check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pattern.h"

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

/* A run whose trace has this size. */
struct sized_run {
	const struct run *run;
	off_t size;
};

/* Runs that can be copies are beside each other. */
static int compare_sized(const void *left, const void *right)
{
	const struct sized_run *a = left, *b = right;
	const int order = strcmp(a->run->workload, b->run->workload);

	if (order || a->size != b->size)
		return order ? order : a->size < b->size ? -1 : 1;
	return a->run < b->run ? -1 : a->run > b->run;
}

/* Metadata with other numbers of events are of other traces. */
static bool may_be_copies(const struct sized_run *a, const struct sized_run *b)
{
	const uint64_t events = a->run->metadata.events, others = b->run->metadata.events;

	return strcmp(a->run->workload, b->run->workload) == 0 && a->size == b->size &&
	       (!events || !others || events == others);
}

static enum status refuse_copy(const struct run *copy, const struct run *run, struct error *err)
{
	error_set(err, STATUS_USAGE, copy->path, "has the same bytes as %s: one run would count twice", run->path);
	return error_remedy(err, "leave one of them out");
}

/* Two runs of a set with the same bytes would count as independent. Different sets may have the same bytes:
 * deterministic guests repeat a seed. */
static enum status refuse_copies(const struct run *all, size_t all_count, struct error *err)
{
	struct sized_run *runs = xcalloc(all_count + 1, sizeof(*runs));
	enum status status = STATUS_OK;
	size_t count = 0;

	for (size_t i = 0; i < all_count; i++) {
		struct stat info;
		if (stat(all[i].path, &info) == 0 && S_ISREG(info.st_mode))
			runs[count++] = (struct sized_run){&all[i], info.st_size};
	}
	if (count)
		qsort(runs, count, sizeof(*runs), compare_sized);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		for (size_t next = i + 1; next < count && runs[next].size == runs[i].size && status == STATUS_OK;
		     next++) {
			bool same = false;
			if (may_be_copies(&runs[i], &runs[next]))
				status = file_same_content(runs[i].run->path, runs[next].run->path, &same, err);
			if (status == STATUS_OK && same)
				status = refuse_copy(runs[next].run, runs[i].run, err);
		}
	free(runs);
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
		status = refuse_copies(sets->items[i].runs, sets->items[i].count, err);
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

static enum status add_shared_remedy(const struct run_set *first, const struct run_set *set, struct error *err)
{
	if (first->is_lone_trace && set->is_lone_trace)
		return error_remedy(err, "--as WORKLOAD compares them as runs of one workload");
	if (first->is_lone_trace || set->is_lone_trace)
		return error_remedy(err,
				    "--as does not apply to a directory: name a trace in %s instead, or a workload of "
				    "it with --as",
				    first->is_lone_trace ? set->operand : first->operand);
	return error_remedy(err, "compare sets that have a workload in common; without a JSON a trace has that of "
				 "its name, WORKLOAD_run1.dat");
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
	return add_shared_remedy(first, set, err);
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

enum status run_sets_check(const struct run_sets *sets, const struct run_set_options *options, struct error *err)
{
	enum status status = check_workloads(sets, &options->workloads, err);

	if (status == STATUS_OK)
		status = check_duplicates(sets, err);
	if (status == STATUS_OK)
		status = check_shared_workload(sets, err);
	if (status == STATUS_OK && !(options->allowed & ALLOW_OTHER_COMMANDS))
		status = check_commands(sets, err);
	return status == STATUS_OK && !(options->allowed & ALLOW_FAILED) ? check_failed(sets, err) : status;
}
