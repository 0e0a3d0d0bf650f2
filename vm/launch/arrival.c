/* SPDX-License-Identifier: MIT */
#include "vm/launch/arrival.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "vm/launch/launch.h"
#include "vm/launch/output_values.h"
#include "vm/launch/share.h"

static void remove_staging(void *context)
{
	const struct arrival *arrival = context;

	directory_remove_all(arrival->staging);
}

static enum status make_in_staging(const struct arrival *arrival, const char *name, char *path, struct error *err)
{
	enum status status = file_join(path, PATH_MAX, arrival->staging, name, err);

	if (status == STATUS_OK && mkdir(path, 0700) < 0)
		status = error_system(err, errno, path, "cannot create directory");
	return status;
}

/* A guest writes to it, so other users of the host must not get in. */
enum status arrival_open(struct arrival *arrival, const struct launch *launch, uint32_t number, struct error *err)
{
	char name[32], path[PATH_MAX];

	arrival->launch = launch;
	arrival->run = number;
	snprintf(name, sizeof(name), GUEST_STAGING "%u-XXXXXX", number);
	enum status status = file_join(path, sizeof(path), launch->result.directory, name, err);
	if (status != STATUS_OK)
		return status;
	if (!mkdtemp(path))
		return error_system(err, errno, launch->result.directory, "cannot make a directory for the guest");
	memcpy(arrival->staging, path, sizeof(path));
	cleanup_add(&arrival->remove_staging, remove_staging, arrival);
	status = make_in_staging(arrival, MACHINE_SHARE, path, err);
	return status == STATUS_OK ? make_in_staging(arrival, "raw", arrival->arrived, err) : status;
}

static void note_failure(struct arrival *arrival, const struct error *err)
{
	if (arrival->failure.status == STATUS_OK)
		arrival->failure = *err;
}

/* Moves what has arrived to DIR/SET/raw, also after errors. */
static void place_files(struct arrival *arrival)
{
	bool has_values;
	struct error err = {0};

	if (output_values_add(&arrival->launch->options->values, arrival->arrived, &has_values, &err) != STATUS_OK)
		note_failure(arrival, &err);
	if (transfer_place_move(arrival->arrived, arrival->launch->raw, &err) != STATUS_OK)
		note_failure(arrival, &err);
}

static enum status open_memory(struct arrival *arrival, struct error *err)
{
	char path[PATH_MAX];

	if (arrival->memory.is_open)
		return STATUS_OK;
	enum status status = file_join(path, sizeof(path), arrival->staging, MACHINE_SHARED_MEMORY, err);
	return status == STATUS_OK
		   ? shared_memory_open_receiver(&arrival->memory, path, arrival->arrived, &TRANSFER_LIMITS, err)
		   : status;
}

/* NAME is the JSON of this run, and both it and its trace were taken: a guest may say anything. */
static bool is_run_of(const struct arrival *arrival, const char *name)
{
	char ending[32], path[PATH_MAX];

	snprintf(ending, sizeof(ending), "_run%" PRIu32 ".json", arrival->run);
	if (!file_name_ends(name, ending) || file_join(path, sizeof(path), arrival->arrived, name, NULL) != STATUS_OK ||
	    access(path, F_OK) < 0)
		return false;
	memcpy(path + strlen(path) - strlen(".json"), ".dat", sizeof(".dat"));
	return access(path, F_OK) == 0;
}

bool arrival_take_file(struct arrival *arrival, const char *name)
{
	struct error err = {0};

	if (!arrival->launch->boot.machine.shared_memory || arrival->failure.status != STATUS_OK)
		return false;
	enum status status = open_memory(arrival, &err);
	if (status == STATUS_OK)
		status = shared_memory_take(&arrival->memory, &err);
	if (status != STATUS_OK)
		note_failure(arrival, &err);
	if (!is_run_of(arrival, name))
		return false;
	place_files(arrival);
	return true;
}

struct transfer_report arrival_take_rest(struct arrival *arrival)
{
	struct transfer_report transfer = {0};
	struct error err = {0};
	char share[PATH_MAX];
	enum status status = STATUS_OK;

	if (arrival->launch->boot.machine.shared_memory) {
		status = open_memory(arrival, &err);
		if (status == STATUS_OK)
			status = shared_memory_take_all(&arrival->memory, &err);
		transfer = shared_memory_close_receiver(&arrival->memory);
	} else {
		status = file_join(share, sizeof(share), arrival->staging, MACHINE_SHARE, &err);
		if (status == STATUS_OK)
			status = transfer_receive_share(share, arrival->arrived, &TRANSFER_LIMITS, &transfer, &err);
	}
	if (status != STATUS_OK)
		note_failure(arrival, &err);
	place_files(arrival);
	return transfer;
}

void arrival_close(struct arrival *arrival)
{
	shared_memory_close_receiver(&arrival->memory);
	cleanup_finish(&arrival->remove_staging);
}
