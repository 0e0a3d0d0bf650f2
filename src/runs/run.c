/* SPDX-License-Identifier: MIT */
#include "runs/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"

/* --- Labels --- */

/* After the last occurrence of mark; NULL if there is none. */
static const char *after_last(const char *text, const char *mark)
{
	const char *found = NULL;

	for (const char *at = strstr(text, mark); at; at = strstr(at + 1, mark))
		found = at + strlen(mark);
	return found;
}

/* text up to the last occurrence of mark; all of it if there is none. */
static char *copy_before_last(const char *text, const char *mark)
{
	const char *after = after_last(text, mark);

	return after ? xstrndup(text, (size_t)(after - text) - strlen(mark)) : xstrdup(text);
}

/* The number after the last "_run"; 0 if there is none. */
static uint64_t number_of(const char *id)
{
	uint64_t number = 0;

	for (const char *at = after_last(id, "_run"); at && *at >= '0' && *at <= '9' && number < UINT64_MAX / 10 - 1;
	     at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number;
}

static void set_labels(struct run *run)
{
	const struct run_metadata *metadata = &run->metadata;
	bool has_metadata = metadata->document;

	run->number = number_of(run->id);
	if (metadata->workload_name)
		run->workload = xstrdup(metadata->workload_name);
	else
		run->workload = has_metadata ? xstrdup(run->id) : copy_before_last(run->id, "_run");
	if (metadata->category)
		run->category = xstrdup(metadata->category);
	else
		run->category = has_metadata ? xstrdup("unknown") : copy_before_last(run->workload, "_");
}

static int compare_pids(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left;
	int32_t b = *(const int32_t *)right;

	return a < b ? -1 : a > b;
}

/* The command, or the threads selected by record --pid. A flight recording begins after most of their children were
 * created, so it has no roots. */
static void set_roots(struct run *run)
{
	const struct run_metadata *metadata = &run->metadata;
	const struct run_recording *recording = &metadata->recording;

	if (!metadata->document || recording->flight_s > 0)
		return;
	run->roots = xcalloc(recording->thread_count + 1, sizeof(*run->roots));
	if (metadata->command.pid)
		run->roots[run->root_count++] = metadata->command.pid;
	for (size_t i = 0; i < recording->thread_count; i++)
		run->roots[run->root_count++] = recording->threads[i];
	qsort(run->roots, run->root_count, sizeof(*run->roots), compare_pids);
}

/* The user chooses the name of a mix, so only the metadata has the names of its tasks. */
static void set_role_names(struct run *run)
{
	const struct run_work *work = &run->metadata.work;
	struct buffer names = {0};

	for (size_t i = 0; i < work->role_count; i++)
		buffer_printf(&names, "%s%s", i ? " " : "", work->roles[i].name);
	run->role_names = names.data;
}

/* --- Reading --- */

enum status run_read_metadata(struct run *run, const char *directory, struct error *err)
{
	if (directory) {
		char path[PATH_MAX];
		char *name = xasprintf("%s.json", run->id);
		enum status status = file_join(path, sizeof(path), directory, name, err);
		free(name);
		if (status == STATUS_OK)
			status = file_refuse_special(path, err);
		if (status == STATUS_OK)
			status = run_metadata_read(path, &run->metadata, err);
		if (status != STATUS_OK)
			return status;
	} else {
		run_metadata_free(&run->metadata); /* nothing is known */
	}
	set_labels(run);
	set_roots(run);
	set_role_names(run);
	environment_describe(&run->metadata, run->facts);
	run_metadata_add_losses(&run->metadata, &run->losses);
	return STATUS_OK;
}

enum status run_open(struct run *run, const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
	bool is_input = strcmp(path, "-") == 0;

	*run = (struct run){.id = xstrndup(base, length), .path = xstrdup(path)};
	if (!is_input && access(path, F_OK) < 0)
		return error_system(err, errno, path, "cannot open");
	char *directory = slash ? xstrndup(path, (size_t)(slash - path) + (slash == path)) : xstrdup(".");
	enum status status = run_read_metadata(run, is_input ? NULL : directory, err);
	free(directory);
	return status;
}

void run_free(struct run *run)
{
	free(run->id);
	free(run->path);
	free(run->workload);
	free(run->category);
	free(run->roots);
	free(run->role_names);
	for (size_t i = 0; i < FACT_COUNT; i++)
		free(run->facts[i]);
	losses_free(&run->losses);
	run_metadata_free(&run->metadata);
}

/* --- Questions --- */

const char *run_task_names(const struct run *run)
{
	if (run->role_names)
		return run->role_names;
	return run->known ? run->known->task_names : NULL;
}

uint32_t run_task_count(const struct run *run)
{
	uint64_t recorded = run->metadata.work.tasks;

	if (!run_task_names(run))
		return 0;
	if (recorded && recorded < UINT32_MAX)
		return (uint32_t)recorded;
	return run->known ? run->known->tasks : 0;
}

bool run_is_of(const struct run *run, const char *workload)
{
	return !workload || strcmp(run->workload, workload) == 0;
}

/* EEVDF replaced CFS in 6.6. */
void run_scheduler_name(const struct run_metadata *metadata, char text[RUN_SCHEDULER_NAME_SIZE])
{
	const char *ops = metadata->scheduler.ops;
	unsigned int major, minor;

	if (ops && *ops)
		snprintf(text, RUN_SCHEDULER_NAME_SIZE, "%s", ops);
	else if (!metadata->host.kernel || sscanf(metadata->host.kernel, "%u.%u", &major, &minor) != 2)
		*text = '\0';
	else
		snprintf(text, RUN_SCHEDULER_NAME_SIZE, "%s",
			 major > 6 || (major == 6 && minor >= 6) ? "EEVDF" : "CFS");
}

bool run_failure(const struct run_metadata *metadata, char text[RUN_FAILURE_SIZE])
{
	const struct run_command *command = &metadata->command;
	const int code = command->exit_code;

	if (metadata->scheduler.ejection)
		snprintf(text, RUN_FAILURE_SIZE, "its scheduler was ejected: %s", metadata->scheduler.ejection);
	else if (command->has_exit_code && code != 0)
		snprintf(text, RUN_FAILURE_SIZE, "its command ended with exit code %d%s", code,
			 code > 128 && code <= 128 + 64 ? " (killed by a signal)" : "");
	else
		return false;
	return true;
}

enum status run_refuse_failed(const char *path, const char *failure, size_t failed, struct error *err)
{
	if (failed > 1)
		error_set(err, STATUS_LOST, path, "%s; %zu runs failed", failure, failed);
	else
		error_set(err, STATUS_LOST, path, "%s", failure);
	if (strncmp(failure, "its command", strlen("its command")) == 0)
		return error_remedy(err,
				    "repair the command and record it again, leave it out, or give --allow failed");
	return error_remedy(err, "record it again, leave it out, or give --allow failed");
}
