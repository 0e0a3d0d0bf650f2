/* SPDX-License-Identifier: MIT */
#include "compare/run_copies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"

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

static enum status refuse_same_files(const struct run_sets *sets, struct error *err)
{
	size_t count = 0, first, second;
	const char **paths = xcalloc(run_sets_run_count(sets) + 1, sizeof(*paths));

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		paths[count++] = run->path;
	file_find_same(paths, count, &first, &second);
	free(paths);
	return second < count ? refuse_duplicate(sets, first, second, err) : STATUS_OK;
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

static enum status refuse_copies(const struct run_set *set, struct error *err)
{
	struct sized_run *runs = xcalloc(set->count + 1, sizeof(*runs));
	enum status status = STATUS_OK;
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		struct stat info;
		if (stat(set->runs[i].path, &info) == 0 && S_ISREG(info.st_mode))
			runs[count++] = (struct sized_run){&set->runs[i], info.st_size};
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

enum status run_copies_refuse(const struct run_sets *sets, struct error *err)
{
	enum status status = refuse_same_files(sets, err);

	for (size_t i = 0; i < sets->count && status == STATUS_OK; i++)
		status = refuse_copies(&sets->items[i], err);
	return status;
}
