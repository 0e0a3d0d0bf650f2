/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "measure/exact_difference.h"
#include "vm/engine/private_directory.h"
#include "vm/kernel/kernel_choice.h"
#include "vm/launch/deterministic_run.h"
#include "vm/launch/jobs.h"

struct values {
	const char *kernel, *qemu, *initramfs, *seeds, *keep;
	uint64_t jobs;
};

static const struct option options[] = {
    OPTION(struct values, seeds, "seeds", .argument = "LIST",
	   .help = "repeat only these seeds, such as 1-3 (default: all recorded seeds)"),
    OPTION(struct values, kernel, "kernel", .letter = 'k', .argument = "IMAGE|DIR",
	   .help = "the kernel, if it is at another path now"),
    OPTION(struct values, qemu, "qemu", .argument = "PROGRAM",
	   .help = "the QEMU to use (default: as for picknext vm, whatever vm.json names)"),
    OPTION(struct values, initramfs, "initramfs", .argument = "FILE",
	   .help = "the initramfs, if it is at another path now"),
    OPTION(struct values, jobs, "jobs", .letter = 'j', .argument = "N", .min = 1, .max = JOBS_MAX,
	   .help = "guests that run side by side (default: as many as have a free CPU and memory)"),
    OPTION(struct values, keep, "keep", .argument = "DIR", .help = "keep the repeated traces in DIR/LABEL"),
    {.name = NULL},
};

struct verification {
	const struct values *values;
	char kernel[PATH_MAX];    /* --kernel; "": as recorded */
	struct seed_list wanted;  /* empty: all */
	char repeated[PATH_MAX];  /* output directory of the repeated runs */
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

static enum status compare_all(struct verification *verification, const struct deterministic_run *run,
			       const char *directory, struct error *err)
{
	char recorded[PATH_MAX], repeated[PATH_MAX], file[256];
	enum status status = STATUS_OK;

	for (size_t i = 0; i < run->traces.count && status == STATUS_OK; i++) {
		snprintf(file, sizeof(file), "raw/%s.dat", run->traces.items[i].name);
		status = file_join(recorded, sizeof(recorded), run->directory, file, err);
		if (status == STATUS_OK)
			status = file_join(repeated, sizeof(repeated), directory, file, err);
		if (status == STATUS_OK)
			status = compare_trace(verification, run->traces.items[i].name, recorded, repeated, err);
	}
	return status;
}

/* --- One kernel's run --- */

static enum status repeat_run(struct verification *verification, struct deterministic_run *run, struct error *err)
{
	struct vm_result result;
	enum status status =
	    deterministic_run_repeat(run, verification->repeated, verification->values->jobs, &result, err);

	if (status != STATUS_OK)
		return status;
	printf("%s: %zu of %zu recorded traces, repeated\n", run->directory, run->traces.count, run->traces.total);
	return compare_all(verification, run, result.directory, err);
}

static enum status verify_run(void *context, const char *directory, struct error *err)
{
	struct verification *verification = context;
	const struct values *values = verification->values;
	struct deterministic_run run;
	enum status status = deterministic_run_read(directory, &verification->wanted, &run, err);

	if (status == STATUS_OK) {
		run.request.kernel = verification->kernel[0] ? verification->kernel : run.request.kernel;
		run.request.qemu = values->qemu;
		run.request.initramfs = values->initramfs ? values->initramfs : run.request.initramfs;
		status = repeat_run(verification, &run, err);
	}
	deterministic_run_free(&run);
	return status;
}

/* --- All runs --- */

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
	if (mkdtemp(place))
		return STATUS_OK;
	int reason = errno;
	error_system(err, reason, place, "cannot make a temporary directory");
	place[0] = '\0';
	return STATUS_SYSTEM;
}

static int run(const struct call *call)
{
	struct values *values = call->values;
	struct verification verification = {.values = values};
	struct error err = {0};

	interrupt_catch();
	enum status status = values->seeds ? seed_list_parse(values->seeds, &verification.wanted, &err) : STATUS_OK;
	if (status == STATUS_OK && values->kernel)
		status = kernel_image_find(values->kernel, verification.kernel, &err);
	if (status == STATUS_OK)
		status = make_directory(&verification, &err);
	for (size_t i = 0; i < call->operands.count && status == STATUS_OK; i++)
		status = deterministic_run_each(call->operands.items[i], verify_run, &verification, &err);
	if (!values->keep && verification.repeated[0])
		directory_remove_all(verification.repeated);
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
	"DIR is the output directory of picknext vm --deterministic, or DIR/LABEL of one kernel. Each kernel is\n"
	"booted again with the seeds, options and workloads in vm.json, and each trace is compared byte by byte. If a\n"
	"trace differs, the first different event is shown as recorded and as repeated.\n\n"
	"The trace depends on kernel, QEMU, initramfs and job. If QEMU, initramfs or job changed, a warning comes\n"
	"first; another kernel is refused.\n\n"
	"Exit code 0: all traces are identical; 1: some differ.",
    .examples = "  picknext verify out                                 # all kernels and seeds in it\n"
		"  picknext verify --seeds 1 out/6.12.95               # one seed of one kernel\n"
		"  picknext verify --kernel ~/k/vmlinuz --keep again out/6.12.95",
    .options = options,
    .values_size = sizeof(struct values),
    .run = run,
};
