/* SPDX-License-Identifier: MIT
 *
 * The output directory of a launch, DIR/SET, and its contents. */
#include "vm/launch/launch_directories.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output_file.h"
#include "vm/launch/launch_state.h"
#include "vm/plan/cell_record.h"

#define CONSOLE_LOGS "console"
#define ENGINE_LOGS  "engine"

enum status launch_choose_directory(struct launch *launch, struct error *err)
{
	const char *name = launch->set->name;

	snprintf(launch->result.set, sizeof(launch->result.set), "%s", name ? name : launch->result.release);
	enum status status = file_join(launch->result.directory, sizeof(launch->result.directory),
				       launch->options->output, launch->result.set, err);
	if (status == STATUS_OK)
		status = file_join(launch->raw, sizeof(launch->raw), launch->result.directory, "raw", err);
	return status == STATUS_OK
		   ? file_join(launch->cells, sizeof(launch->cells), launch->result.directory, CELLS_DIRECTORY, err)
		   : status;
}

static unsigned int count_traces(const char *raw)
{
	DIR *list = opendir(raw);
	unsigned int count = 0;

	if (!list)
		return 0;
	for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
		size_t length = strlen(entry->d_name);
		count += length > 4 && strcmp(entry->d_name + length - 4, ".dat") == 0;
	}
	closedir(list);
	return count;
}

/* Those of a guest that still runs are claimed. */
static bool may_remove(const struct launch *launch, uint32_t run)
{
	if (cell_claims_take(&launch->claims, run) != CLAIM_TAKEN)
		return false;
	cell_claims_release(&launch->claims, run);
	return true;
}

static void remove_stagings(const struct launch *launch, const uint32_t *only)
{
	const char *directory = launch->result.directory;
	char path[PATH_MAX];
	DIR *list = opendir(directory);

	if (!list)
		return;
	for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
		const uint32_t run = (uint32_t)strtoul(entry->d_name + strnlen(entry->d_name, 7), NULL, 10);
		if (strncmp(entry->d_name, ".guest-", 7) == 0 && access(directory, W_OK) == 0 &&
		    (only ? run == *only : may_remove(launch, run)) &&
		    file_join(path, sizeof(path), directory, entry->d_name, NULL) == STATUS_OK)
			directory_remove_all(path);
	}
	closedir(list);
}

void launch_remove_staging(const struct launch *launch, uint32_t run)
{
	remove_stagings(launch, &run);
}

/* The log of a run in DIR/SET: "console/run3.log". */
static enum status log_path(const struct launch *launch, const char *kind, uint32_t run, char *path, struct error *err)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/run%u.log", kind, run);
	return file_join(path, PATH_MAX, launch->result.directory, name, err);
}

enum status launch_open_logs(struct launch *launch, struct error *err)
{
	char path[PATH_MAX];
	enum status status = log_path(launch, CONSOLE_LOGS, launch->run, path, err);

	if (status != STATUS_OK)
		return status;
	console_open(&launch->console, path);
	status = log_path(launch, ENGINE_LOGS, launch->run, path, err);
	console_open(&launch->engine_log, path);
	return status;
}

static enum status make_directory(const struct launch *launch, const char *name, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), launch->result.directory, name, err);

	return status == STATUS_OK ? file_make_directories(path, err) : status;
}

static void remove_staging(void *context)
{
	const struct launch *launch = context;

	directory_remove_all(launch->staging);
}

/* A guest writes to it, so other users of the host must not get in. */
enum status launch_make_staging(struct launch *launch, struct error *err)
{
	char name[32], path[PATH_MAX];

	snprintf(name, sizeof(name), ".guest-%u-XXXXXX", launch->run);
	enum status status = file_join(path, sizeof(path), launch->result.directory, name, err);
	if (status != STATUS_OK)
		return status;
	if (!mkdtemp(path))
		return error_system(err, errno, launch->result.directory, "cannot make a directory for the guest");
	memcpy(launch->staging, path, sizeof(path));
	launch->remove_staging = (struct cleanup){.run = remove_staging, .context = launch};
	cleanup_add(&launch->remove_staging);
	status = file_join(launch->share, sizeof(launch->share), launch->staging, MACHINE_SHARE, err);
	if (status == STATUS_OK && mkdir(launch->share, 0700) < 0)
		status = error_system(err, errno, launch->share, "cannot create directory");
	if (status == STATUS_OK)
		status = file_join(launch->arrived, sizeof(launch->arrived), launch->staging, "raw", err);
	if (status == STATUS_OK && mkdir(launch->arrived, 0700) < 0)
		status = error_system(err, errno, launch->arrived, "cannot create directory");
	launch->boot.scratch_directory = launch->staging;
	launch->boot.share = launch->boot.machine.share == SHARE_NONE ? NULL : launch->share;
	if (status == STATUS_OK)
		status = file_join(launch->shared_memory, sizeof(launch->shared_memory), launch->staging,
				   MACHINE_SHARED_MEMORY, err);
	launch->boot.shared_memory = launch->boot.machine.shared_memory ? launch->shared_memory : NULL;
	return status;
}

void launch_end_staging(struct launch *launch)
{
	cleanup_remove(&launch->remove_staging);
	if (launch->staging[0])
		remove_staging(launch);
}

enum status launch_make_directories(struct launch *launch, struct error *err)
{
	enum status status = make_directory(launch, "raw", err);

	if (status == STATUS_OK)
		status = make_directory(launch, CONSOLE_LOGS, err);
	if (status == STATUS_OK)
		status = make_directory(launch, ENGINE_LOGS, err);
	if (status == STATUS_OK)
		status = make_directory(launch, CELLS_DIRECTORY, err);
	if (status == STATUS_OK)
		status = cell_claims_open(&launch->claims, launch->cells, err);
	if (status != STATUS_OK)
		return status;
	remove_stagings(launch, NULL);
	launch->result.earlier = count_traces(launch->raw);
	return STATUS_OK;
}
