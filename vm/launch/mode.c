/* SPDX-License-Identifier: MIT */
#include "vm/launch/mode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "vm/launch/accelerator.h"
#include "vm/launch/launch.h"

/* The given option that only wall-clock guests have, or NULL. */
static const char *find_option(const struct launch_options *options)
{
	if (options->shell)
		return "--shell";
	if (options->no_trace)
		return "--no-trace";
	return strcmp(options->guest.engine, "auto") != 0 ? "--guest engine" : NULL;
}

/* If vm_open() fails for a wall-clock guest, KVM cannot be used either. */
static enum status try_kvm(const struct launch_options *options, const struct kernel_set *set,
			   struct accelerator_choice *choice, struct error *err)
{
	struct launch *launch = NULL;

	*choice = (struct accelerator_choice){.accelerator = ACCELERATOR_TCG, .certain = true};
	enum status status = vm_open(options, set, &launch, err);
	if (status == STATUS_OK)
		status = accelerator_choose("auto", &launch->boot, !options->dry_run, options->guest.boot_timeout_s,
					    choice, err);
	else if (err && status != STATUS_INTERRUPTED)
		snprintf(choice->why, sizeof(choice->why), "no guest for KVM: %.120s", err->what);
	vm_close(launch);
	return status == STATUS_INTERRUPTED || (status != STATUS_OK && err && err->errnum == ENOMEM) ? status
												     : STATUS_OK;
}

enum status mode_choose(const struct launch_options *options, const struct kernel_set *set, struct mode *mode,
			struct error *err)
{
	struct emulator engine;
	struct error missing = {0};
	struct accelerator_choice choice;
	const char *option = find_option(options);

	*mode = (struct mode){0};
	if (!option && options->cpus > DETERMINISTIC_CPUS_MAX) {
		mode->is_limited = true;
		snprintf(mode->why, sizeof(mode->why), "--cpus %" PRIu64 " is more than the %d of deterministic guests",
			 options->cpus, DETERMINISTIC_CPUS_MAX);
		return STATUS_OK;
	}
	if (option) {
		snprintf(mode->why, sizeof(mode->why), "%s was given", option);
		return STATUS_OK;
	}
	struct kernel_files kernel;
	enum status status = kernel_files_find(set->kernel, NULL, &kernel, err);
	if (status != STATUS_OK)
		return status;
	const struct architecture *architecture = kernel.image.architecture;
	kernel_files_free(&kernel);
	status = emulator_find_deterministic(architecture, options->guest.qemu, &engine, &missing);
	if (status == STATUS_INTERRUPTED || missing.errnum == ENOMEM) {
		*err = missing;
		return status;
	}
	if (status != STATUS_OK) {
		snprintf(mode->why, sizeof(mode->why), "a deterministic guest %.400s; %.400s", missing.what,
			 missing.remedy);
		return STATUS_OK;
	}
	const bool is_there = accelerator_kvm_is_there(architecture, choice.why, sizeof(choice.why));
	if (!is_there)
		choice.accelerator = ACCELERATOR_TCG;
	else if (try_kvm(options, set, &choice, err) != STATUS_OK)
		return err->status;
	mode->deterministic = choice.accelerator == ACCELERATOR_TCG;
	/* Report why KVM failed only with --verbose: it could look like a failure of picknext. */
	const bool is_tried = is_there && choice.certain;
	if (is_tried)
		message_detail("%s", choice.why);
	if (mode->deterministic)
		snprintf(mode->why, sizeof(mode->why), "QEMU %s%s%s%s; --mode wall-clock uses the host's clock",
			 engine.qemu_version, is_tried ? " (" : ", ",
			 is_tried ? "KVM does not work here: -v shows why" : choice.why, is_tried ? ")" : "");
	else
		snprintf(mode->why, sizeof(mode->why), "KVM works here; --mode deterministic makes repeatable traces");
	return STATUS_OK;
}
