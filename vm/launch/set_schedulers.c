/* SPDX-License-Identifier: MIT */
#include "vm/launch/set_schedulers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/program_path.h"
#include "scheduler/scheduler_name.h"
#include "vm/files/guest_file_request.h"

#define SHELL_PICKNEXT "/usr/bin/picknext" /* before /bin in the shell's PATH */

static bool has_sibling(const struct set_schedulers *all, const struct set_scheduler *one)
{
	for (size_t i = 0; i < all->count; i++)
		if (&all->items[i] != one &&
		    strcmp(scheduler_base_name(&all->items[i].spec), scheduler_base_name(&one->spec)) == 0)
			return true;
	return false;
}

static enum status refuse_twice(const struct set_schedulers *all, size_t index, struct error *err)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(all->items[i].text.data, all->items[index].text.data) == 0)
			return error_set(err, STATUS_USAGE, "--scheduler", "'%s' is given twice",
					 all->items[i].text.data);
	return STATUS_OK;
}

static bool is_taken(const struct set_schedulers *all, size_t index, const char *name)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(all->items[i].name, name) == 0)
			return true;
	return false;
}

/* Different schedulers may get the same name: programs in two directories, or names that differ in characters that
 * become "-". */
static void name_scheduler(const struct set_schedulers *all, size_t index)
{
	struct set_scheduler *one = &all->items[index];
	char name[sizeof(one->name)], number[16] = "";

	scheduler_name(&one->spec, has_sibling(all, one), name, sizeof(name));
	for (unsigned int n = 2;; n++) {
		snprintf(one->name, sizeof(one->name), "%.*s%s", (int)(sizeof(name) - 1 - strlen(number)), name,
			 number);
		if (!one->name[0] || !is_taken(all, index, one->name))
			return;
		snprintf(number, sizeof(number), "-%u", n);
	}
}

static enum status parse(const struct set_request *request, struct set_schedulers *all, size_t index, struct error *err)
{
	struct set_scheduler *one = &all->items[index];

	if (request->schedulers->count == 0)
		return STATUS_OK;
	one->is_given = true;
	enum status status = scheduler_spec_parse(request->schedulers->items[index], &one->spec, err);
	if (status != STATUS_OK)
		return status;
	scheduler_spec_text(&one->spec, &one->text);
	return refuse_twice(all, index, err);
}

/* Adds the full picknext for the user's own commands: that of the guest has only what jobs need. */
static enum status add_picknext(struct guest_files *files, struct error *err)
{
	char path[PATH_MAX + 32];

	if (!program_own_path(path, PATH_MAX))
		return error_set(err, STATUS_SYSTEM, "picknext", "cannot find its own program for the guest");
	const size_t length = strlen(path);
	snprintf(path + length, sizeof(path) - length, ":%s", SHELL_PICKNEXT);
	return guest_files_add(files, path, err);
}

/* Adds the files for the guest: those of --add, the scheduler's program, the command. guest_files_expect() sees all of
 * them before the first one is added. */
static enum status add_named(const struct set_request *request, const struct set_scheduler *one,
			     struct guest_files *files, struct error *err)
{
	const char *program = one->spec.kind == SCHEDULER_PROGRAM ? one->spec.words.items[0] : NULL;
	char *const *command = request->command;
	char fetched[PATH_MAX];
	const bool is_fetched = scheduler_spec_find_fetched(&one->spec, fetched, sizeof(fetched));
	enum status status = STATUS_OK;

	for (size_t i = 0; i < request->added->count && status == STATUS_OK; i++)
		status = guest_files_expect(files, request->added->items[i], err);
	if (status == STATUS_OK && program)
		status = guest_files_expect(files, program, err);
	if (status == STATUS_OK && command)
		status = guest_files_expect(files, command[0], err);
	for (size_t i = 0; i < request->added->count && status == STATUS_OK; i++)
		status = guest_files_add(files, request->added->items[i], err);
	if (status == STATUS_OK && request->launch->shell)
		status = add_picknext(files, err);
	if (status == STATUS_OK && program)
		status = guest_files_add_program(files, program, is_fetched ? fetched : NULL, err);
	if (status == STATUS_OK && command)
		status = guest_files_add_command(files, command[0], err);
	return status;
}

static enum status add_guest_files(const struct set_request *request, struct set_scheduler *one, struct error *err)
{
	struct guest_files *files = &one->guest_files;

	files->base = request->directory;
	enum status status = add_named(request, one, files, err);
	if (status == STATUS_OK)
		status = guest_files_finish(files, err);
	for (size_t i = 0; i < files->count && status == STATUS_OK; i++)
		if (files->items[i].kind == GUEST_FILE_REGULAR)
			message_detail("into the guest: %s as /%s", files->items[i].from, files->items[i].guest);
	return status;
}

enum status set_schedulers_begin(const struct set_request *request, struct set_schedulers *schedulers,
				 struct error *err)
{
	enum status status = STATUS_OK;

	schedulers->count = request->schedulers->count ? request->schedulers->count : 1;
	schedulers->items = xcalloc(schedulers->count, sizeof(*schedulers->items));
	for (size_t i = 0; i < schedulers->count && status == STATUS_OK; i++)
		status = parse(request, schedulers, i, err);
	for (size_t i = 0; i < schedulers->count && status == STATUS_OK; i++) {
		struct set_scheduler *one = &schedulers->items[i];
		name_scheduler(schedulers, i);
		status = add_guest_files(request, one, err);
		if (status == STATUS_OK)
			status =
			    launch_check_memory(request->launch, request->buffer_size_kb, one->guest_files.bytes, err);
	}
	return status;
}

void set_schedulers_free(struct set_schedulers *schedulers)
{
	for (size_t i = 0; schedulers->items && i < schedulers->count; i++) {
		struct set_scheduler *one = &schedulers->items[i];
		scheduler_spec_free(&one->spec);
		buffer_free(&one->text);
		guest_files_free(&one->guest_files);
	}
	free(schedulers->items);
	*schedulers = (struct set_schedulers){0};
}

void set_scheduler_name(const struct set_scheduler *scheduler, const char *base, char *name, size_t size)
{
	/* A long base is cut: the suffix distinguishes the sets. */
	size_t suffix = scheduler->name[0] ? strlen(scheduler->name) + 1 : 0;

	snprintf(name, size, "%.*s%s%s", (int)(size - 1 - suffix), base, suffix ? "+" : "", scheduler->name);
}

const char *set_scheduler_text(const struct set_scheduler *scheduler)
{
	return scheduler && scheduler->is_given ? scheduler->text.data : NULL;
}

bool set_scheduler_is_ext(const struct set_scheduler *scheduler)
{
	return scheduler && scheduler->is_given && scheduler->spec.kind != SCHEDULER_NONE;
}

const struct guest_files *set_scheduler_files(const struct set_scheduler *scheduler)
{
	const struct guest_files *files = scheduler ? &scheduler->guest_files : NULL;

	return files && (files->asked.count || files->count || files->expected) ? files : NULL;
}
