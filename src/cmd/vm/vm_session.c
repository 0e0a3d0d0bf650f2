/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_session.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "guest/job_request.h"

/* --- Before a launch is opened --- */

enum status vm_session_parse(struct recipe *recipe, const char *directory, struct vm_options *options,
			     struct error *err)
{
	struct operands operands;
	struct error reason = {0};

	if (strcmp(recipe->words.items[0], vm_recipe_command.name) != 0)
		return error_set(err, STATUS_CORRUPT, directory, "the recipe in vm.json is not one of picknext vm");
	enum status status = recipe_parse(recipe, &vm_recipe_command, options, &operands, &reason);
	if (status == STATUS_OK)
		status = collection_request_set_command(&options->collection, &operands, &reason);
	if (status != STATUS_OK) {
		error_set(err, STATUS_UNSUPPORTED, directory, "the recipe in vm.json: %s%s%s", reason.where,
			  reason.where[0] ? ": " : "", reason.what);
		return error_remedy(err, "verify it with the version of picknext that recorded it");
	}
	if (options->kernels.count != 1)
		return error_set(err, STATUS_CORRUPT, directory, "the recipe in vm.json is not of one kernel");
	return STATUS_OK;
}

static enum status choose_mode(struct vm_session *session, const char *kernel, struct error *err)
{
	struct launch_options *launch = &session->options->launch;
	struct mode *mode = &session->mode;
	const struct arguments no_words = {0};
	const struct kernel_set set = {.kernel = kernel, .words = &no_words, .runs = &(uint32_t){0}, .run_count = 1};

	if (strcmp(launch->mode, "auto") != 0)
		return STATUS_OK;
	if (session->options->until)
		*mode = (struct mode){.deterministic = true, .why = "--until was given"};
	else if (session->options->seeds)
		*mode = (struct mode){.deterministic = true, .why = "--seeds was given"};
	else if (mode_choose(launch, &set, mode, err) != STATUS_OK)
		return err->status;
	launch->deterministic = mode->deterministic;
	return STATUS_OK;
}

static void resolve(const struct vm_session *session, const char **path)
{
	struct arguments *storage = &session->options->launch.guest_storage;

	if (!session->directory || !*path || **path == '/')
		return;
	arguments_add(storage, "%s/%s", session->directory, *path);
	*path = storage->items[storage->count - 1];
}

static void repeat_guest(const struct vm_session *session)
{
	struct guest_options *guest = &session->options->launch.guest;

	resolve(session, &guest->modules);
	resolve(session, &guest->initramfs);
	guest->qemu = session->qemu;
	guest->initramfs = session->initramfs ? session->initramfs : guest->initramfs;
}

static bool needs_scratch(const struct vm_session *session)
{
	const struct collection_request *collection = &session->options->collection;
	bool needs = collection->command || session->workload_count == 0;

	for (size_t i = 0; i < session->workload_count; i++)
		needs = needs || collection->workloads[i]->needs_scratch;
	return needs;
}

/* Checks that the workloads exist, and that the options of the collection fit together. */
static enum status check_collection(struct vm_session *session, struct error *err)
{
	const struct job job = {.scheduler = NULL};
	enum status status = job_request_fill(&session->options->collection, &job, err);

	session->workload_count = session->options->collection.workload_count;
	if (!launch_records(&session->options->launch))
		session->workload_count = 0;
	session->options->launch.needs_scratch = needs_scratch(session);
	return status;
}

/* True if options name files of this machine by relative paths. */
static bool has_paths(const struct vm_options *options)
{
	const struct guest_options *guest = &options->launch.guest;

	return options->added.count || options->collection.command || guest->modules || guest->initramfs;
}

/* The command that makes this set only. The name of a fetched kernel is kept, because it is valid on other machines,
 * too. */
static enum status make_recipe(const struct vm_session *session, const struct kernel_choice *kernel, size_t scheduler,
			       struct recipe *recipe, struct error *err)
{
	const struct option_list *schedulers = &session->options->schedulers;
	char path[PATH_MAX], fetched[64];
	enum status status =
	    recipe_make(&vm_recipe_command, session->words, OPTION_OF_SET | OPTION_RESOLVED, recipe, err);

	collection_resolve_mixes(&recipe->words);
	if (status != STATUS_OK)
		return status;
	if (session->directory || !has_paths(session->options)) {
		recipe_forget_directory(recipe);
		recipe->directory = session->directory ? xstrdup(session->directory) : NULL;
	}
	const char *image = kernel_fetched_name(kernel->image, fetched, sizeof(fetched)) ? fetched
			    : realpath(kernel->image, path)                              ? path
											 : kernel->image;
	recipe_add_option(recipe, "--kernel=%s%s%s", kernel->label, kernel->label[0] ? "=" : "", image);
	if (schedulers->count)
		recipe_add_option(recipe, "--scheduler=%s", schedulers->items[scheduler]);
	return STATUS_OK;
}

static enum status list_sets(struct vm_session *session, const struct kernel_choice *kernels, size_t count,
			     struct error *err)
{
	const struct set_schedulers *schedulers = &session->schedulers;
	enum status status = STATUS_OK;

	if (count * schedulers->count > OPTION_LIST_MAX)
		return error_set(err, STATUS_USAGE, NULL, "%zu kernels with %zu schedulers are more than %d sets",
				 count, schedulers->count, OPTION_LIST_MAX);
	session->sets = xcalloc(count * schedulers->count, sizeof(*session->sets));
	session->count = count * schedulers->count;
	for (size_t i = 0; i < session->count && status == STATUS_OK; i++) {
		const size_t scheduler = i % schedulers->count;
		const struct kernel_choice *kernel = &kernels[i / schedulers->count];
		struct vm_set *one = &session->sets[i];
		one->kernel = *kernel;
		if (kernel->label[0])
			set_scheduler_name(&schedulers->items[scheduler], kernel->label, one->kernel.label,
					   sizeof(one->kernel.label));
		status = make_recipe(session, kernel, scheduler, &one->recipe, err);
	}
	return status;
}

static enum status begin_with_kernels(struct vm_session *session, struct kernel_choice *kernels, size_t count,
				      struct error *err)
{
	struct vm_options *options = session->options;
	const struct set_request request = {.schedulers = &options->schedulers,
					    .added = &options->added,
					    .command = options->collection.command,
					    .directory = session->directory,
					    .buffer_size_kb = options->collection.capture.buffer_size_kb,
					    .launch = &options->launch};
	enum status status = kernel_choices_parse(options->kernels.items, options->kernels.count, kernels, err);

	if (status == STATUS_OK)
		status = choose_mode(session, kernels[0].image, err);
	if (status == STATUS_OK)
		status = check_collection(session, err);
	if (status == STATUS_OK)
		status = vm_options_runs(options, session->workload_count, &session->runs, err);
	if (status == STATUS_OK)
		status = set_schedulers_begin(&request, &session->schedulers, err);
	if (status == STATUS_OK)
		status = list_sets(session, kernels, count, err);
	if (status == STATUS_OK)
		status = recipe_make(&vm_recipe_command, session->words, OPTION_RESOLVED, &session->plan, err);
	collection_resolve_mixes(&session->plan.words);
	recipe_forget_directory(&session->plan); /* repeated there, or on a machine with other paths */
	if (status == STATUS_OK)
		status = options_select(&vm_recipe_command, session->words,
					OPTION_OF_CALL | OPTION_OF_SET | OPTION_OF_HOST, &session->guest_words, err);
	collection_resolve_mixes(&session->guest_words);
	return status;
}

enum status vm_session_begin(struct vm_session *session, struct error *err)
{
	const size_t count = session->options->kernels.count ? session->options->kernels.count : 1;
	enum status status = vm_options_check(session->options, err);

	if (status != STATUS_OK)
		return status;
	if (session->repeats)
		repeat_guest(session);
	struct kernel_choice *kernels = xcalloc(count, sizeof(*kernels));
	status = begin_with_kernels(session, kernels, count, err);
	free(kernels);
	return status;
}

/* --- The launches --- */

static void fill_set(struct vm_session *session, size_t index)
{
	const struct vm_options *options = session->options;
	struct vm_set *one = &session->sets[index];

	one->set = (struct kernel_set){
	    .again = session->repeats,
	    .recipe = &one->recipe,
	    .wants_runs = !session->repeats && launch_records(&options->launch) && !options->until,
	    .words = &session->guest_words,
	    .kernel = one->kernel.image,
	    .name = one->kernel.set,
	    .label = one->kernel.label[0] ? one->kernel.label : NULL,
	    .number = (unsigned int)index,
	    .scheduler = &session->schedulers.items[index % session->schedulers.count],
	    .runs = session->runs.seeds,
	    .run_count = session->runs.count,
	    .workload_count = session->workload_count,
	};
}

/* Names sets by label, or else by the kernel's release and the scheduler. */
static void name_sets(struct vm_session *session)
{
	struct kernel_choice *choices = xcalloc(session->count, sizeof(*choices));
	const char *releases[OPTION_LIST_MAX];
	char names[OPTION_LIST_MAX][SET_NAME_SIZE];

	for (size_t i = 0; i < session->count; i++) {
		choices[i] = session->sets[i].kernel;
		releases[i] = names[i];
		set_scheduler_name(&session->schedulers.items[i % session->schedulers.count],
				   vm_release(session->sets[i].launch), names[i], SET_NAME_SIZE);
	}
	kernel_choices_name(choices, releases, session->count);
	for (size_t i = 0; i < session->count; i++)
		memcpy(session->sets[i].kernel.set, choices[i].set, sizeof(choices[i].set));
	free(choices);
}

enum status vm_session_open(struct vm_session *session, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < session->count && status == STATUS_OK; i++) {
		fill_set(session, i);
		status = vm_open(&session->options->launch, &session->sets[i].set, &session->sets[i].launch, err);
	}
	if (status != STATUS_OK)
		return status;
	name_sets(session);
	if (session->mode.why[0])
		(session->mode.is_limited ? message_warning : message_info)(
		    "%s: %s", session->mode.deterministic ? "deterministic guests" : "guests on wall-clock time",
		    session->mode.why);
	if (session->mode.deterministic && !session->options->launch.dry_run && !session->options->plan &&
	    !session->options->boot)
		message_info(
		    "deterministic guests have no caches, no parallel CPUs and one nanosecond per instruction: "
		    "order, preemptions, slices and shares hold, microseconds do not");
	return STATUS_OK;
}

void vm_session_close(struct vm_session *session)
{
	for (size_t i = 0; i < session->count; i++) {
		vm_close(session->sets[i].launch);
		recipe_free(&session->sets[i].recipe);
	}
	free(session->sets);
	set_schedulers_free(&session->schedulers);
	recipe_free(&session->plan);
	arguments_free(&session->guest_words);
	launch_options_free(&session->options->launch);
}
