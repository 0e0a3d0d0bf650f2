/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/vm/vm_session.h"
#include "measure/exact_difference.h"
#include "vm/engine/private_directory.h"
#include "vm/launch/jobs.h"
#include "vm/launch/repetition.h"

struct verify_options {
	const char *kernel, *qemu, *initramfs, *seeds, *keep;
	uint64_t jobs;
};

static const struct option options[] = {
    OPTION(struct verify_options, seeds, "seeds", .argument = "LIST",
	   .help = "repeat only these seeds, such as 1-3 (default: all recorded seeds)"),
    OPTION(struct verify_options, kernel, "kernel", .letter = 'k', .argument = "IMAGE|DIR",
	   .help = "the kernel, if it is at another path now"),
    OPTION(struct verify_options, qemu, "qemu", .argument = "PROGRAM",
	   .help = "the QEMU to use (default: as for picknext vm, whatever vm.json names)"),
    OPTION(struct verify_options, initramfs, "initramfs", .argument = "FILE",
	   .help = "the initramfs, if it is at another path now"),
    OPTION(struct verify_options, jobs, "jobs", .letter = 'j', .argument = "N", .min = 1, .max = JOBS_MAX,
	   .help = "guests that run side by side (default: as many as have a free CPU and memory)"),
    OPTION(struct verify_options, keep, "keep", .argument = "DIR", .help = "keep the repeated traces in DIR/LABEL"),
    {.name = NULL},
};

/* One set, and the session that repeats it. */
struct verified_set {
	struct repetition repetition;
	struct buffer seeds; /* list of seeds as text */
	struct vm_options options;
	struct vm_session session;
};

struct verification {
	const struct verify_options *values;
	char kernel[PATH_MAX];    /* --kernel, absolute; "": the recorded one */
	char initramfs[PATH_MAX]; /* --initramfs, absolute; "": the recorded one */
	struct seed_list wanted;  /* seeds to repeat; empty: all */
	char repeated[PATH_MAX];  /* output directory of the repeated runs */
	struct cleanup cleanup;   /* removes that directory, unless it is kept */
	unsigned int same, other; /* numbers of identical and of different traces */
};

/* --- One trace --- */

static enum status compare_trace(struct verification *verification, const char *name, const char *recorded,
				 const char *repeated, struct error *err)
{
	const int length = (int)strlen(name) - 4; /* without ".dat" */
	struct exact_difference difference = {0};
	bool same;

	if (access(repeated, F_OK) != 0) {
		verification->other++;
		printf("  different  %.*s: missing in the repeated run\n", length, name);
		return STATUS_OK;
	}
	enum status status = file_same_content(recorded, repeated, &same, err);
	if (status == STATUS_OK)
		status = exact_difference_find(recorded, repeated, &difference, err);
	if (status != STATUS_OK)
		return status;
	verification->same += same;
	verification->other += !same;
	if (same)
		printf("  identical  %.*s: %llu events\n", length, name, (unsigned long long)difference.events);
	else if (!difference.found)
		printf("  different  %.*s: %llu identical events, different file headers\n", length, name,
		       (unsigned long long)difference.events);
	else
		printf("  different  %.*s: different after %llu identical events\n"
		       "    recorded: %s\n    repeated: %s\n",
		       length, name, (unsigned long long)difference.events, difference.a, difference.b);
	return STATUS_OK;
}

static enum status compare_all(struct verification *verification, const struct repetition *repetition,
			       const char *directory, struct error *err)
{
	char recorded[PATH_MAX], repeated[PATH_MAX], file[300];
	enum status status = STATUS_OK;

	for (size_t i = 0; i < repetition->count && status == STATUS_OK; i++) {
		const char *name = repetition->traces[i].name;
		snprintf(file, sizeof(file), "raw/%s", name);
		status = file_join(recorded, sizeof(recorded), repetition->directory, file, err);
		if (status == STATUS_OK)
			status = file_join(repeated, sizeof(repeated), directory, file, err);
		if (status == STATUS_OK)
			status = compare_trace(verification, name, recorded, repeated, err);
	}
	return status;
}

/* --- Its repetition --- */

static enum status refuse_overwriting(const char *directory, const char *output, struct error *err)
{
	char parent[PATH_MAX];
	enum status status = file_join(parent, sizeof(parent), directory, "..", err);

	if (status != STATUS_OK || !file_same(parent, output))
		return status;
	error_set(err, STATUS_USAGE, "--keep", "the repeated run would overwrite %s", directory);
	return error_remedy(err, "give another directory");
}

static enum status open_session(const struct verification *verification, struct verified_set *set, struct error *err)
{
	const struct verify_options *values = verification->values;
	struct repetition *repetition = &set->repetition;
	struct vm_options *given = &set->options;
	enum status status = vm_session_parse(&repetition->recorded.recipe, repetition->directory, given, err);

	if (status != STATUS_OK)
		return status;
	seed_list_write(repetition->seeds.seeds, repetition->seeds.count, &set->seeds);
	if (verification->kernel[0])
		given->kernels.items[0] = verification->kernel;
	given->seeds = set->seeds.data;
	given->launch.mode = "deterministic";
	given->launch.output = verification->repeated;
	set->session = (struct vm_session){.options = given,
					   .words = repetition->recorded.recipe.words.items,
					   .directory = repetition->recorded.recipe.directory,
					   .repeats = true,
					   .qemu = values->qemu,
					   .initramfs = verification->initramfs[0] ? verification->initramfs : NULL};
	status = vm_session_begin(&set->session, err);
	if (status == STATUS_OK)
		status = vm_session_open(&set->session, err);
	if (status == STATUS_OK && repetition->name[0])
		memcpy(set->session.sets[0].kernel.set, repetition->name, sizeof(repetition->name));
	return status;
}

static enum status repeat_set(const struct verification *verification, struct verified_set *set,
			      struct vm_result *result, struct error *err)
{
	const struct repetition *repetition = &set->repetition;
	enum status status = refuse_overwriting(repetition->directory, verification->repeated, err);

	if (status == STATUS_OK)
		status = open_session(verification, set, err);
	if (status != STATUS_OK)
		return status;
	const struct vm_set *one = &set->session.sets[0];
	const unsigned int jobs = jobs_choose(verification->values->jobs, true, set->options.launch.guest.memory_mb);
	status = repetition_check(repetition, one->launch, one->set.kernel, set->session.qemu != NULL, err);
	if (status == STATUS_OK)
		status = vm_run(&one->launch, 1, jobs, NULL, NULL, err);
	return status == STATUS_OK ? vm_end(one->launch, result, err) : status;
}

static enum status verify_set(struct verification *verification, const char *directory, struct error *err)
{
	struct verified_set *set = xcalloc(1, sizeof(*set));
	const struct repetition *repetition = &set->repetition;
	struct vm_result result;

	set->session.options = &set->options;
	enum status status = repetition_begin(&set->repetition, directory, &verification->wanted, err);
	if (status == STATUS_OK)
		status = repeat_set(verification, set, &result, err);
	if (status == STATUS_OK) {
		printf("%s: %zu of %zu recorded traces, repeated\n", directory, repetition->count, repetition->total);
		status = compare_all(verification, repetition, result.directory, err);
	}
	vm_session_close(&set->session);
	repetition_end(&set->repetition);
	buffer_free(&set->seeds);
	free(set);
	return status;
}

/* --- All sets --- */

static bool is_set(const char *directory)
{
	char path[PATH_MAX];

	return file_join(path, sizeof(path), directory, "vm.json", NULL) == STATUS_OK && access(path, F_OK) == 0;
}

/* Verifies the set in the directory, or all sets in its subdirectories, by name. */
static enum status verify_operand(struct verification *verification, const char *operand, struct error *err)
{
	struct dirent **list = NULL;
	char path[PATH_MAX];
	unsigned int found = 0;
	enum status status = STATUS_OK;

	if (is_set(operand))
		return verify_set(verification, operand, err);
	int count = scandir(operand, &list, NULL, alphasort);
	if (count < 0)
		return error_system(err, errno, operand, "cannot open");
	for (int i = 0; i < count; i++) {
		if (status == STATUS_OK && list[i]->d_name[0] != '.' &&
		    file_join(path, sizeof(path), operand, list[i]->d_name, NULL) == STATUS_OK && is_set(path)) {
			found++;
			status = verify_set(verification, path, err);
		}
		free(list[i]);
	}
	free(list);
	if (status == STATUS_OK && found == 0) {
		error_set(err, STATUS_SYSTEM, operand, "no vm.json in it or in its directories");
		return error_remedy(err, "give the output directory of picknext vm --mode deterministic");
	}
	return status;
}

static void remove_repeated(void *context)
{
	const struct verification *verification = context;

	directory_remove_all(verification->repeated);
}

static enum status make_directory(struct verification *verification, struct error *err)
{
	const char *base = getenv("TMPDIR");
	char *place = verification->repeated;

	if (verification->values->keep) {
		snprintf(place, sizeof(verification->repeated), "%s", verification->values->keep);
		return STATUS_OK;
	}
	snprintf(place, sizeof(verification->repeated), "%.4000s/picknext-verify-XXXXXX",
		 base && *base ? base : "/tmp");
	if (!mkdtemp(place))
		return error_system(err, errno, place, "cannot make a temporary directory");
	cleanup_add(&verification->cleanup, remove_repeated, verification);
	return STATUS_OK;
}

static int run_verify(const struct call *call)
{
	struct verify_options *values = call->values;
	struct verification verification = {.values = values};
	struct error err = {0};

	interrupt_catch();
	enum status status = values->seeds ? seed_list_parse(values->seeds, &verification.wanted, &err) : STATUS_OK;
	if (status == STATUS_OK && values->kernel)
		status = kernel_image_find(values->kernel, verification.kernel, &err);
	if (status == STATUS_OK && values->initramfs && !realpath(values->initramfs, verification.initramfs))
		status = error_system(&err, errno, values->initramfs, "cannot read the initramfs");
	if (status == STATUS_OK)
		status = make_directory(&verification, &err);
	for (size_t i = 0; i < call->operands.count && status == STATUS_OK; i++)
		status = verify_operand(&verification, call->operands.items[i], &err);
	cleanup_finish(&verification.cleanup);
	if (status != STATUS_OK)
		return message_error(&err);
	printf("%u identical, %u different\n", verification.same, verification.other);
	return verification.other > 0;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "repeat deterministic runs and compare the traces",
    .operands = "DIR...",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .details =
	"DIR is the output directory of picknext vm --mode deterministic, or DIR/LABEL of one kernel. Each kernel is\n"
	"booted again with the seeds and the recipe in vm.json, and each trace is compared byte by byte. If a\n"
	"trace differs, the first different event is shown as recorded and as repeated.\n\n"
	"The trace depends on kernel, QEMU, initramfs and job. If QEMU, initramfs or job changed, a warning comes\n"
	"first; another kernel is refused.\n\n"
	"Exit code 0: all traces are identical; 1: some differ.",
    .examples = "  picknext verify out                                 # all kernels and seeds in it\n"
		"  picknext verify --seeds 1 out/6.12.95               # one seed of one kernel\n"
		"  picknext verify --kernel ~/k/vmlinuz --keep again out/6.12.95",
    .options = options,
    .values_size = sizeof(struct verify_options),
    .run = run_verify,
};
