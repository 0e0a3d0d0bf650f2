/* SPDX-License-Identifier: MIT
 *
 * The output directory of a launch, DIR/RELEASE, and its contents. */
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

static bool is_taken(const struct vm_request *request, const char *directory)
{
	for (size_t i = 0; i < request->taken_count; i++)
		if (strcmp(request->taken[i], directory) == 0)
			return true;
	return false;
}

enum status launch_choose_directory(struct launch *launch, struct error *err)
{
	const struct vm_request *request = launch->request;
	char name[96];
	enum status status;

	snprintf(name, sizeof(name), "%s", launch->result.release);
	for (unsigned int number = 2;; number++) {
		status = file_join(launch->result.directory, sizeof(launch->result.directory),
				   request->output_directory, name, err);
		if (status != STATUS_OK || !is_taken(request, launch->result.directory))
			break;
		snprintf(name, sizeof(name), "%s-%u", launch->result.release, number);
	}
	return status;
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

/* Removes the staging directories of killed launchers. */
static void remove_stale_staging(const char *directory)
{
	char path[PATH_MAX];
	DIR *list = opendir(directory);

	if (!list)
		return;
	for (struct dirent *entry = readdir(list); entry; entry = readdir(list))
		if (strncmp(entry->d_name, ".guest-", 7) == 0 && access(directory, W_OK) == 0 &&
		    file_join(path, sizeof(path), directory, entry->d_name, NULL) == STATUS_OK) {
			char process[64];
			snprintf(process, sizeof(process), "/proc/%d", atoi(entry->d_name + 7));
			if (access(process, F_OK) != 0)
				directory_remove_all(path);
		}
	closedir(list);
}

enum status launch_open_logs(struct launch *launch, struct error *err)
{
	const char *directory = launch->result.directory;
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, "console.log", err);

	if (status != STATUS_OK)
		return status;
	console_close(&launch->console);
	console_open(&launch->console, path);
	status = file_join(path, sizeof(path), directory, "engine.log", err);
	console_close(&launch->engine_log);
	console_open(&launch->engine_log, path);
	return status;
}

/* Of a directory that vm did not make, no file is replaced. */
static enum status check_outputs(const struct launch *launch, struct error *err)
{
	static const struct {
		const char *name;
		enum output_kind kind;
	} files[] = {{"console.log", OUTPUT_LOG}, {"engine.log", OUTPUT_LOG}, {"vm.json", OUTPUT_LAUNCH}};
	char path[PATH_MAX];
	enum status status = STATUS_OK;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && status == STATUS_OK; i++) {
		status = file_join(path, sizeof(path), launch->result.directory, files[i].name, err);
		if (status == STATUS_OK)
			status = output_check(path, files[i].kind, NULL, err);
	}
	return status;
}

/* A guest writes to it, so other users of the host must not get in. */
static enum status make_staging(struct launch *launch, struct error *err)
{
	char name[32], path[PATH_MAX];

	snprintf(name, sizeof(name), ".guest-%d-XXXXXX", getpid());
	enum status status = file_join(path, sizeof(path), launch->result.directory, name, err);
	if (status != STATUS_OK)
		return status;
	if (!mkdtemp(path))
		return error_system(err, errno, launch->result.directory, "cannot make a directory for the guest");
	memcpy(launch->staging, path, sizeof(path));
	status = file_join(launch->share, sizeof(launch->share), launch->staging, MACHINE_SHARE, err);
	if (status == STATUS_OK && mkdir(launch->share, 0700) < 0)
		status = error_system(err, errno, launch->share, "cannot create directory");
	return status;
}

enum status launch_make_directories(struct launch *launch, struct error *err)
{
	const char *directory = launch->result.directory;
	enum status status = file_join(launch->raw, sizeof(launch->raw), directory, "raw", err);

	if (status == STATUS_OK)
		status = check_outputs(launch, err);
	if (status == STATUS_OK)
		status = file_make_directories(launch->raw, err);
	if (status == STATUS_OK)
		status = file_lock_directory(launch->raw, &launch->lock, err);
	if (status != STATUS_OK)
		return status;
	remove_stale_staging(directory);
	launch->result.earlier = count_traces(launch->raw);
	status = make_staging(launch, err);
	launch->boot.scratch_directory = launch->staging;
	launch->boot.share = launch->boot.machine.share == SHARE_NONE ? NULL : launch->share;
	if (status == STATUS_OK)
		status = file_join(launch->shared_memory, sizeof(launch->shared_memory), launch->staging,
				   MACHINE_SHARED_MEMORY, err);
	launch->boot.shared_memory = launch->boot.machine.deterministic ? launch->shared_memory : NULL;
	return status == STATUS_OK ? launch_open_logs(launch, err) : status;
}
