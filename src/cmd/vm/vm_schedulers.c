/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_schedulers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler/scheduler_name.h"

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
	if (status == STATUS_OK)
		scheduler_spec_find_fetched(&one->spec);
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
		struct vm_scheduler *one = &schedulers->items[i];
		set_name(schedulers, i);
		status = prepare(options, one, err);
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

	request->collect_arguments = (const char *const *)scheduler->collect.items;
	if (!scheduler->is_given)
		return;
	request->scheduler = scheduler->text.data;
	request->needs_sched_ext = spec->kind != SCHEDULER_NONE;
	request->is_unknown_scheduler = scheduler_need(spec) == SCHEDULER_NEED_UNKNOWN;
	request->needs_cmpxchg16b = scheduler_need(spec) == SCHEDULER_NEED_CMPXCHG16B;
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
