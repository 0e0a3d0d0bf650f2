/* SPDX-License-Identifier: MIT */
#include "cmd/collection_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static enum status unknown_workload(const char *name, struct error *err)
{
	const char *names[COLLECTION_WORKLOADS_MOST + 1];
	size_t count = 0;

	for (; workload_table[count] && count < COLLECTION_WORKLOADS_MOST; count++)
		names[count] = workload_table[count]->name;
	names[count] = NULL;
	error_set(err, STATUS_USAGE, "--workload", "there is no workload '%s'", name);
	const char *near = nearest_name(name, names);
	if (near)
		return error_remedy(err, "did you mean %s? (picknext list shows all)", near);
	return error_remedy(err, "picknext list shows all");
}

static enum status add_workload(const struct workload *workload, const struct workload **list, size_t most,
				size_t *count, struct error *err)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i] == workload)
			return error_set(err, STATUS_USAGE, "--workload", "%s is named twice; use --runs",
					 workload->name);
	if (*count == most)
		return error_set(err, STATUS_USAGE, "--workload", "more than %zu workloads", most);
	list[(*count)++] = workload;
	return STATUS_OK;
}

enum status collection_workloads(const char *names, const struct workload **list, size_t most, size_t *count,
				 struct error *err)
{
	enum status status = STATUS_OK;

	*count = 0;
	for (size_t i = 0; !names && workload_table[i] && status == STATUS_OK; i++)
		status = add_workload(workload_table[i], list, most, count, err);
	while (names && status == STATUS_OK) {
		char name[64];
		size_t length = strcspn(names, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(length < 63 ? length : 63), names);
		const struct workload *workload = workload_find(name);
		status = workload ? add_workload(workload, list, most, count, err) : unknown_workload(name, err);
		names = names[length] ? names + length + 1 : NULL;
	}
	return status;
}

/* Only null_blk is taken as a device: on any other, what it holds would be overwritten. */
static enum status apply_scratch(const char *scratch, struct collection_request *request, struct error *err)
{
	struct stat info;

	if (!scratch)
		return STATUS_OK;
	if (stat(scratch, &info) < 0)
		return error_system(err, errno, scratch, "cannot be used with --scratch");
	if (S_ISDIR(info.st_mode)) {
		request->scratch_directory = scratch;
		return STATUS_OK;
	}
	if (S_ISBLK(info.st_mode) && strncmp(scratch, "/dev/nullb", 10) == 0) {
		request->scratch_device = scratch;
		return STATUS_OK;
	}
	return error_set(err, STATUS_USAGE, "--scratch", "expected a directory or /dev/nullbN, not '%s'", scratch);
}

enum status collection_options_apply(const struct collection_options *options, struct collection_choice *choice,
				     struct collection_request *request, struct error *err)
{
	size_t length = strlen(options->clock);

	if (length == 0 || length >= sizeof(choice->clock) || strpbrk(options->clock, " []\n"))
		return error_set(err, STATUS_USAGE, "--clock", "'%s' is no trace clock's name", options->clock);
	memcpy(choice->clock, options->clock, length + 1);
	request->clock = choice->clock;
	request->runs = (unsigned int)options->runs;
	request->buffer_size_kb = options->buffer_size_kb;
	request->scale = options->scale;
	request->duration_s = options->duration_s;
	request->global = options->global;
	request->drain_ms = options->no_drain ? 0 : (unsigned int)options->drain_ms;
	request->workloads = choice->workloads;
	enum status status = collection_workloads(options->workloads, choice->workloads, COLLECTION_WORKLOADS_MOST,
						  &request->workload_count, err);
	return status == STATUS_OK ? apply_scratch(options->scratch, request, err) : status;
}
