/* SPDX-License-Identifier: MIT */
#include "compare/run_copies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"

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

enum status run_copies_refuse(const struct run *all, size_t all_count, struct error *err)
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
