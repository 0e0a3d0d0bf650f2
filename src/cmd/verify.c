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
#include "vm/kernel/kernel_choice.h"
#include "vm/launch/identity.h"
#include "vm/launch/jobs.h"
#include "vm/launch/recorded_traces.h"

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

/* A recorded deterministic set, read from its vm.json and its traces' metadata, and its repetition. */
struct recorded_set {
	const char *directory;
	struct json_value *json; /* vm.json */
	struct identity identity;
	const char *qemu; /* or "". Never started by itself: a directory of others could name any program */
	struct recorded_traces traces; /* of this identity and the wanted seeds */
	struct recipe recipe;
	char name[SET_NAME_SIZE]; /* of its directory, wherever that is now; "": it is not safe */
	struct buffer seeds;      /* as text */
	struct vm_options options;
	struct vm_session session;
};

struct verification {
	const struct verify_options *values;
	char kernel[PATH_MAX];    /* --kernel; "": as recorded */
	char initramfs[PATH_MAX]; /* the same; absolute */
	struct seed_list wanted;  /* empty: all */
	char repeated[PATH_MAX];  /* output directory of the repeated runs */
	struct cleanup cleanup;   /* removes it, unless it is kept */
	unsigned int same, other; /* traces */
};

/* --- One trace --- */

static enum status compare_trace(struct verification *verification, const char *name, const char *recorded,
				 const char *repeated, struct error *err)
{
	struct exact_difference difference = {0};
	bool same;

	if (access(repeated, F_OK) != 0) {
		verification->other++;
		printf("  different  %s: missing in the repeated run\n", name);
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
		printf("  identical  %s: %llu events\n", name, (unsigned long long)difference.events);
	else if (!difference.found)
		printf("  different  %s: %llu identical events, different file headers\n", name,
		       (unsigned long long)difference.events);
	else
		printf("  different  %s: different after %llu identical events\n"
		       "    recorded: %s\n    repeated: %s\n",
		       name, (unsigned long long)difference.events, difference.a, difference.b);
	return STATUS_OK;
}

static enum status compare_all(struct verification *verification, const struct recorded_set *set, const char *directory,
			       struct error *err)
{
	char recorded[PATH_MAX], repeated[PATH_MAX], file[256];
	enum status status = STATUS_OK;

	for (size_t i = 0; i < set->traces.count && status == STATUS_OK; i++) {
		snprintf(file, sizeof(file), "raw/%s.dat", set->traces.items[i].name);
		status = file_join(recorded, sizeof(recorded), set->directory, file, err);
		if (status == STATUS_OK)
			status = file_join(repeated, sizeof(repeated), directory, file, err);
		if (status == STATUS_OK)
			status = compare_trace(verification, set->traces.items[i].name, recorded, repeated, err);
	}
	return status;
}

/* --- The recorded set --- */

static enum status list_traces(struct recorded_set *set, const struct seed_list *wanted, struct error *err)
{
	struct seed_list *seeds = xcalloc(1, sizeof(*seeds));
	char raw[PATH_MAX];
	enum status status = file_join(raw, sizeof(raw), set->directory, "raw", err);

	if (status == STATUS_OK)
		status = recorded_traces_list(&set->traces, raw, set->identity.whole, wanted, err);
	if (status == STATUS_OK && set->traces.count == 0)
		status = error_set(err, STATUS_USAGE, raw, "has no traces of this run%s",
				   wanted->count ? " with these seeds" : "");
	if (status == STATUS_OK && !recorded_traces_seeds(&set->traces, seeds))
		status = error_set(err, STATUS_USAGE, set->directory, "more than %d seeds; choose some with --seeds",
				   SEED_LIST_MAX);
	for (size_t i = 0; i < seeds->count; i++)
		buffer_printf(&set->seeds, "%s%u", i ? "," : "", seeds->seeds[i]);
	free(seeds);
	return status;
}

static void find_name(struct recorded_set *set)
{
	char path[PATH_MAX];
	const char *slash = realpath(set->directory, path) ? strrchr(path, '/') : NULL;

	if (slash && set_name_is_safe(slash + 1))
		snprintf(set->name, sizeof(set->name), "%s", slash + 1);
}

static enum status read_set(struct recorded_set *set, const struct seed_list *wanted, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), set->directory, "vm.json", err);

	if (status == STATUS_OK)
		status = json_read_file(path, &set->json, err);
	if (status != STATUS_OK)
		return status;
	const struct json_value *deterministic = json_member(set->json, "deterministic");
	if (!deterministic) {
		error_set(err, STATUS_USAGE, set->directory, "was not recorded in deterministic guests");
		return error_remedy(err, "other runs differ each time: use picknext compare for them");
	}
	if (!recipe_read(set->json, &set->recipe)) {
		error_set(err, STATUS_UNSUPPORTED, path, RECIPE_MISSING);
		return error_remedy(err, "verify it with that version, or record it again with picknext vm");
	}
	identity_read(deterministic, &set->identity);
	set->qemu = json_member_text(deterministic, "qemu", "");
	find_name(set);
	return list_traces(set, wanted, err);
}

/* --- Its repetition --- */

static enum status refuse_overwriting(const struct recorded_set *set, const char *output, struct error *err)
{
	char parent[PATH_MAX];
	enum status status = file_join(parent, sizeof(parent), set->directory, "..", err);

	if (status != STATUS_OK || !file_same(parent, output))
		return status;
	error_set(err, STATUS_USAGE, "--keep", "the repeated run would overwrite %s", set->directory);
	return error_remedy(err, "give another directory");
}

/* The words are those of vm.json: an error in them is not one of this call. */
static enum status parse_recipe(struct recorded_set *set, struct error *err)
{
	struct vm_options *given = &set->options;
	struct operands operands;
	struct error reason = {0};

	if (strcmp(set->recipe.words.items[0], vm_recipe_command.name) != 0)
		return error_set(err, STATUS_CORRUPT, set->directory,
				 "the recipe in vm.json is not one of picknext vm");
	enum status status = recipe_parse(&set->recipe, &vm_recipe_command, given, &operands, &reason);
	if (status == STATUS_OK)
		status = collection_options_command(&operands, &given->collection, &reason);
	if (status != STATUS_OK) {
		error_set(err, STATUS_UNSUPPORTED, set->directory, "the recipe in vm.json: %s%s%s", reason.where,
			  reason.where[0] ? ": " : "", reason.what);
		return error_remedy(err, "verify it with the version of picknext that recorded it");
	}
	if (given->kernels.count != 1)
		return error_set(err, STATUS_CORRUPT, set->directory, "the recipe in vm.json is not of one kernel");
	return STATUS_OK;
}

static enum status open_session(const struct verification *verification, struct recorded_set *set, struct error *err)
{
	const struct verify_options *values = verification->values;
	struct vm_options *given = &set->options;
	enum status status = parse_recipe(set, err);

	if (status != STATUS_OK)
		return status;
	if (verification->kernel[0])
		given->kernels.items[0] = verification->kernel;
	given->seeds = set->seeds.data;
	given->launch.mode = "deterministic";
	given->launch.output = verification->repeated;
	set->session = (struct vm_session){.options = given,
					   .words = set->recipe.words.items,
					   .directory = set->recipe.directory,
					   .repeats = true,
					   .qemu = values->qemu,
					   .initramfs = verification->initramfs[0] ? verification->initramfs : NULL};
	status = vm_session_begin(&set->session, err);
	if (status == STATUS_OK)
		status = vm_session_open(&set->session, err);
	if (status == STATUS_OK && set->name[0])
		memcpy(set->session.sets[0].kernel.set, set->name, sizeof(set->name));
	return status;
}

/* Warns about changed inputs before booting: they explain different traces. */
static enum status check_identity(const struct recorded_set *set, const struct identity *now, struct error *err)
{
	const char *directory = set->directory;

	for (int part = 0; part < IDENTITY_PARTS; part++) {
		const char *was = set->identity.parts[part], *is = now->parts[part];
		const char *name = identity_part_name((enum identity_part)part);
		if (strcmp(was, is) == 0)
			continue;
		if (part == IDENTITY_KERNEL) {
			error_set(err, STATUS_USAGE, set->session.sets[0].set.kernel, "is not the recorded kernel");
			return error_remedy(err, "give the recorded kernel with --kernel; SHA-256 (unpacked): %s", was);
		}
		if (part == IDENTITY_QEMU_VERSION)
			message_warning("%s: QEMU is %s now, the recording used %s", directory, is, was);
		else if (part == IDENTITY_QEMU && !set->session.qemu && set->qemu[0])
			message_warning("%s: %s changed since the recording; if you trust the recorded one: --qemu %s",
					directory, name, set->qemu);
		else
			message_warning("%s: %s changed since the recording", directory, name);
	}
	return STATUS_OK;
}

static enum status repeat_set(const struct verification *verification, struct recorded_set *set,
			      struct vm_result *result, struct error *err)
{
	struct identity now;
	enum status status = refuse_overwriting(set, verification->repeated, err);

	if (status == STATUS_OK)
		status = open_session(verification, set, err);
	if (status != STATUS_OK)
		return status;
	struct launch *launch = set->session.sets[0].launch;
	status = vm_identify(launch, &now, err);
	if (status == STATUS_OK)
		status = check_identity(set, &now, err);
	if (status == STATUS_OK)
		status = vm_run(&launch, 1,
				jobs_choose(verification->values->jobs, true, set->options.launch.guest.memory_mb),
				NULL, NULL, err);
	return status == STATUS_OK ? vm_end(launch, result, err) : status;
}

static enum status verify_set(struct verification *verification, const char *directory, struct error *err)
{
	struct recorded_set *set = xcalloc(1, sizeof(*set));
	struct vm_result result;

	set->directory = directory;
	set->session.options = &set->options;
	enum status status = read_set(set, &verification->wanted, err);
	if (status == STATUS_OK)
		status = repeat_set(verification, set, &result, err);
	if (status == STATUS_OK) {
		printf("%s: %zu of %zu recorded traces, repeated\n", directory, set->traces.count, set->traces.total);
		status = compare_all(verification, set, result.directory, err);
	}
	vm_session_close(&set->session);
	recipe_free(&set->recipe);
	recorded_traces_free(&set->traces);
	buffer_free(&set->seeds);
	json_free(set->json);
	free(set);
	return status;
}

/* --- All sets --- */

static bool is_set(const char *directory)
{
	char path[PATH_MAX];

	return file_join(path, sizeof(path), directory, "vm.json", NULL) == STATUS_OK && access(path, F_OK) == 0;
}

/* The set in the directory, or all in its directories, by name. */
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
	if (mkdtemp(place)) {
		verification->cleanup = (struct cleanup){.run = remove_repeated, .context = verification};
		cleanup_add(&verification->cleanup);
		return STATUS_OK;
	}
	int reason = errno;
	error_system(err, reason, place, "cannot make a temporary directory");
	place[0] = '\0';
	return STATUS_SYSTEM;
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
	cleanup_remove(&verification.cleanup);
	if (!values->keep && verification.repeated[0])
		remove_repeated(&verification);
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
