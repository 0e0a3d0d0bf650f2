/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_schedulers.h"

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

static bool has_sibling(const struct vm_schedulers *all, const struct vm_scheduler *one)
{
	for (size_t i = 0; i < all->count; i++)
		if (&all->items[i] != one &&
		    strcmp(scheduler_base_name(&all->items[i].spec), scheduler_base_name(&one->spec)) == 0)
			return true;
	return false;
}

static enum status refuse_twice(const struct vm_schedulers *all, size_t index, struct error *err)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(all->items[i].text.data, all->items[index].text.data) == 0)
			return error_set(err, STATUS_USAGE, "--scheduler", "'%s' is given twice",
					 all->items[i].text.data);
	return STATUS_OK;
}

static bool is_taken(const struct vm_schedulers *all, size_t index, const char *name)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(all->items[i].name, name) == 0)
			return true;
	return false;
}

/* Different schedulers may have one name: of programs in two directories, or where "-" replaces what names cannot have.
 */
static void set_name(const struct vm_schedulers *all, size_t index)
{
	struct vm_scheduler *one = &all->items[index];
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

static enum status parse(const struct vm_options *options, struct vm_schedulers *all, size_t index, struct error *err)
{
	struct vm_scheduler *one = &all->items[index];

	if (options->schedulers.count == 0)
		return STATUS_OK;
	one->is_given = true;
	enum status status = scheduler_spec_parse(options->schedulers.items[index], &one->spec, err);
	if (status != STATUS_OK)
		return status;
	scheduler_spec_text(&one->spec, &one->text);
	return refuse_twice(all, index, err);
}

/* For a user's own commands: a guest's picknext has only what jobs need. */
static enum status add_picknext(struct guest_files *files, struct error *err)
{
	char path[PATH_MAX + 32];

	if (!program_own_path(path, PATH_MAX))
		return error_set(err, STATUS_SYSTEM, "picknext", "cannot find its own program for the guest");
	const size_t length = strlen(path);
	snprintf(path + length, sizeof(path) - length, ":%s", SHELL_PICKNEXT);
	return guest_files_add(files, path, err);
}

/* All that the guest gets: what is named, the scheduler's program, the command. Each is looked at before any is added.
 */
static enum status add_named(const struct vm_options *options, const struct vm_scheduler *one,
			     struct guest_files *files, struct error *err)
{
	const char *program = one->spec.kind == SCHEDULER_PROGRAM ? one->spec.words.items[0] : NULL;
	char *const *command = options->collection.command;
	char fetched[PATH_MAX];
	const bool is_fetched = scheduler_spec_find_fetched(&one->spec, fetched, sizeof(fetched));
	enum status status = STATUS_OK;

	for (size_t i = 0; i < options->added.count && status == STATUS_OK; i++)
		status = guest_files_expect(files, options->added.items[i], err);
	if (status == STATUS_OK && program)
		status = guest_files_expect(files, program, err);
	if (status == STATUS_OK && command)
		status = guest_files_expect(files, command[0], err);
	for (size_t i = 0; i < options->added.count && status == STATUS_OK; i++)
		status = guest_files_add(files, options->added.items[i], err);
	if (status == STATUS_OK && options->launch.shell)
		status = add_picknext(files, err);
	if (status == STATUS_OK && program)
		status = guest_files_add_program(files, program, is_fetched ? fetched : NULL, err);
	if (status == STATUS_OK && command)
		status = guest_files_add_command(files, command[0], err);
	return status;
}

static enum status add_guest_files(const struct vm_options *options, const char *directory, struct vm_scheduler *one,
				   struct error *err)
{
	struct guest_files *files = &one->guest_files;

	files->base = directory;
	enum status status = add_named(options, one, files, err);
	if (status == STATUS_OK)
		status = guest_files_finish(files, err);
	for (size_t i = 0; i < files->count && status == STATUS_OK; i++)
		if (files->items[i].kind == GUEST_FILE_REGULAR)
			message_detail("into the guest: %s as /%s", files->items[i].from, files->items[i].guest);
	return status;
}

enum status vm_schedulers_begin(const struct vm_options *options, const char *directory,
				struct vm_schedulers *schedulers, struct error *err)
{
	enum status status = STATUS_OK;

	schedulers->count = options->schedulers.count ? options->schedulers.count : 1;
	schedulers->items = xcalloc(schedulers->count, sizeof(*schedulers->items));
	for (size_t i = 0; i < schedulers->count && status == STATUS_OK; i++)
		status = parse(options, schedulers, i, err);
	for (size_t i = 0; i < schedulers->count && status == STATUS_OK; i++) {
		struct vm_scheduler *one = &schedulers->items[i];
		set_name(schedulers, i);
		status = add_guest_files(options, directory, one, err);
		if (status == STATUS_OK)
			status = launch_check_memory(&options->launch, options->collection.capture.buffer_size_kb,
						     one->guest_files.bytes, err);
	}
	return status;
}

void vm_schedulers_free(struct vm_schedulers *schedulers)
{
	for (size_t i = 0; schedulers->items && i < schedulers->count; i++) {
		struct vm_scheduler *one = &schedulers->items[i];
		scheduler_spec_free(&one->spec);
		buffer_free(&one->text);
		guest_files_free(&one->guest_files);
	}
	free(schedulers->items);
	*schedulers = (struct vm_schedulers){0};
}

void vm_scheduler_describe(const struct vm_scheduler *scheduler, struct kernel_set *set)
{
	const struct scheduler_spec *spec = &scheduler->spec;

	if (scheduler->guest_files.asked.count || scheduler->guest_files.count || scheduler->guest_files.expected)
		set->guest_files = &scheduler->guest_files;
	if (!scheduler->is_given)
		return;
	set->scheduler = scheduler->text.data;
	set->needs_sched_ext = spec->kind != SCHEDULER_NONE;
	set->is_unknown_scheduler = scheduler_need(spec) == SCHEDULER_NEED_UNKNOWN;
	set->needs_cmpxchg16b = scheduler_need(spec) == SCHEDULER_NEED_CMPXCHG16B;
}

void vm_scheduler_set_name(const struct vm_scheduler *scheduler, const char *base, char *name, size_t size)
{
	/* A long base is cut: the suffix distinguishes the sets. */
	size_t suffix = scheduler->name[0] ? strlen(scheduler->name) + 1 : 0;

	snprintf(name, size, "%.*s%s%s", (int)(size - 1 - suffix), base, suffix ? "+" : "", scheduler->name);
}
