/* SPDX-License-Identifier: MIT */
#include "cmd/vm_schedulers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler/fetched_program.h"

/* What is known of programs that picknext does not build: BPF arenas, task storage and timers need a CPU with
 * cmpxchg16b, and QEMU before 10 has none that works. */
static const struct {
	const char *program;
	bool needs_cmpxchg16b;
} known_programs[] = {
    {"scx_simple", false},  {"scx_cpu0", false}, {"scx_central", true}, {"scx_flatcg", true},
    {"scx_userland", true}, {"scx_qmap", true},  {"scx_sdt", true},
};

static const char *program_name(const struct scheduler_spec *spec)
{
	const char *slash = strrchr(spec->words.items[0], '/');

	return slash ? slash + 1 : spec->words.items[0];
}

/* Schedulers of the scx project are programs scx_NAME, and call themselves NAME. */
static const char *base_name(const struct scheduler_spec *spec)
{
	const char *name;

	if (spec->kind != SCHEDULER_PROGRAM)
		return spec->kind == SCHEDULER_BUILTIN ? spec->builtin->ops : "";
	name = program_name(spec);
	return strncmp(name, "scx_", 4) == 0 && name[4] ? name + 4 : name;
}

/* Adds text with what no name of a directory can have as "-". */
static void add_words(char *name, size_t size, const char *text)
{
	size_t used = strlen(name);

	for (; *text && used + 1 < size; text++) {
		bool safe = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.", *text);
		if (safe || (used && name[used - 1] != '-'))
			name[used++] = safe ? *text : '-';
	}
	name[used] = '\0';
}

static bool has_sibling(const struct vm_schedulers *all, const struct vm_scheduler *one)
{
	for (size_t i = 0; i < all->count; i++)
		if (&all->items[i] != one && strcmp(base_name(&all->items[i].spec), base_name(&one->spec)) == 0)
			return true;
	return false;
}

static void name_scheduler(const struct vm_schedulers *all, struct vm_scheduler *one)
{
	const struct scheduler_spec *spec = &one->spec;

	one->name[0] = '\0';
	add_words(one->name, sizeof(one->name), base_name(spec));
	if (!has_sibling(all, one))
		return;
	for (size_t i = 1; spec->kind == SCHEDULER_PROGRAM && i < spec->words.count; i++) {
		add_words(one->name, sizeof(one->name), " ");
		add_words(one->name, sizeof(one->name), spec->words.items[i]);
	}
	if (spec->kind == SCHEDULER_BUILTIN && strchr(one->text.data, ','))
		add_words(one->name, sizeof(one->name), strchr(one->text.data, ','));
}

static enum status refuse_twice(const struct vm_schedulers *all, size_t index, struct error *err)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(all->items[i].text.data, all->items[index].text.data) == 0)
			return error_set(err, STATUS_USAGE, "--scheduler", "'%s' is given twice",
					 all->items[i].text.data);
	return STATUS_OK;
}

static enum status parse(const struct vm_options *options, struct vm_schedulers *all, size_t index, struct error *err)
{
	struct vm_scheduler *one = &all->items[index];

	if (options->schedulers.count == 0)
		return STATUS_OK;
	one->is_given = true;
	enum status status = scheduler_spec_parse(options->schedulers.items[index], &one->spec, err);
	if (status == STATUS_OK)
		status = scheduler_find_fetched(&one->spec, err);
	if (status != STATUS_OK)
		return status;
	scheduler_spec_text(&one->spec, &one->text);
	return one->text.failed ? error_system(err, ENOMEM, "--scheduler", "cannot read it")
				: refuse_twice(all, index, err);
}

static enum status prepare(const struct vm_options *options, struct vm_scheduler *one, struct error *err)
{
	const char *program = one->spec.kind == SCHEDULER_PROGRAM ? one->spec.words.items[0] : NULL;

	vm_options_collection(options, one->is_given ? one->text.data : NULL, &one->collect);
	if (one->collect.failed)
		return error_system(err, ENOMEM, NULL, "cannot start");
	return vm_options_guest_files(options, program, &one->guest_files, err);
}

enum status vm_schedulers_begin(const struct vm_options *options, struct vm_schedulers *schedulers, struct error *err)
{
	enum status status = STATUS_OK;

	schedulers->count = options->schedulers.count ? options->schedulers.count : 1;
	schedulers->items = calloc(schedulers->count, sizeof(*schedulers->items));
	if (!schedulers->items)
		return error_system(err, ENOMEM, "--scheduler", "cannot start");
	for (size_t i = 0; i < schedulers->count && status == STATUS_OK; i++)
		status = parse(options, schedulers, i, err);
	for (size_t i = 0; i < schedulers->count && status == STATUS_OK; i++) {
		name_scheduler(schedulers, &schedulers->items[i]);
		status = prepare(options, &schedulers->items[i], err);
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
		arguments_free(&one->collect);
	}
	free(schedulers->items);
	*schedulers = (struct vm_schedulers){0};
}

void vm_scheduler_request(const struct vm_scheduler *scheduler, struct vm_request *request)
{
	const struct scheduler_spec *spec = &scheduler->spec;
	size_t i = 0;

	request->collect_arguments = (const char *const *)scheduler->collect.items;
	if (!scheduler->is_given)
		return;
	request->scheduler = scheduler->text.data;
	request->needs_sched_ext = spec->kind != SCHEDULER_NONE;
	if (spec->kind != SCHEDULER_PROGRAM)
		return;
	while (i < sizeof(known_programs) / sizeof(known_programs[0]) &&
	       strcmp(known_programs[i].program, program_name(spec)) != 0)
		i++;
	request->is_unknown_scheduler = i == sizeof(known_programs) / sizeof(known_programs[0]);
	request->needs_cmpxchg16b = !request->is_unknown_scheduler && known_programs[i].needs_cmpxchg16b;
}

struct kernel_choice *vm_schedulers_expand(const struct vm_schedulers *schedulers, const struct kernel_choice *choices,
					   size_t count)
{
	struct kernel_choice *all = calloc(count * schedulers->count, sizeof(*all));

	for (size_t i = 0; all && i < count * schedulers->count; i++) {
		const struct kernel_choice *kernel = &choices[i / schedulers->count];
		all[i] = *kernel;
		if (kernel->label[0])
			vm_scheduler_set_name(&schedulers->items[i % schedulers->count], kernel->label, all[i].label,
					      sizeof(all[i].label));
	}
	return all;
}

void vm_scheduler_set_name(const struct vm_scheduler *scheduler, const char *base, char *name, size_t size)
{
	/* Of a long name, the end tells the sets apart. */
	size_t suffix = scheduler->name[0] ? strlen(scheduler->name) + 1 : 0;

	snprintf(name, size, "%.*s%s%s", (int)(size - 1 - suffix), base, suffix ? "+" : "", scheduler->name);
}
