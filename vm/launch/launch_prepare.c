/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_prepare.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "vm/launch/launch_boot.h"
#include "vm/launch/launch_directories.h"
#include "vm/launch/launch_resume.h"
#include "vm/launch/launch_state.h"

/* What schedulers of sched_ext look for: cgroups, and the kernel's configuration. */
static void add_for_scheduler(struct launch *launch)
{
	struct job *job = &launch->boot.job;

	job->cgroups = true;
	job->release = launch->result.release;
	if (launch->kernel.config.length == 0)
		return;
	job->configuration = launch->kernel.config.data;
	job->configuration_length = launch->kernel.config.length;
}

static void fill_job(struct launch *launch)
{
	launch->boot.machine.accelerator = launch->accelerator.accelerator;
	launch->boot.job = (struct job){
	    .transport = launch->transport,
	    .accelerator = accelerator_name(launch->accelerator.accelerator),
	    .engine = engine_name(launch->engine.kind),
	    .shell = launch->request->shell,
	    .untraced = launch->request->untraced,
	    .fixed_work = launch->request->deterministic,
	    .identity = launch->request->deterministic ? launch->identity.whole : NULL,
	    .arguments = launch->request->collect_arguments,
	    .isolated_by_affinity = launch->request->isolated_by_affinity,
	};
	if (launch->request->needs_sched_ext)
		add_for_scheduler(launch);
}

enum status launch_choose_machine(struct launch *launch, struct error *err)
{
	const struct vm_request *request = launch->request;
	enum status status = accelerator_choose(request->deterministic ? "tcg" : request->accelerator, &launch->boot,
						!request->dry_run, &launch->accelerator, err);

	if (status != STATUS_OK)
		return status;
	fill_job(launch);
	launch_set_run(launch, request->runs[0]);
	return STATUS_OK;
}

enum status launch_identify(struct launch *launch, struct error *err)
{
	enum status status = boot_place_kernel(&launch->boot, err);

	if (status == STATUS_OK)
		status = identity_find(&launch->boot, &launch->identity, err);
	boot_end(&launch->boot);
	return status;
}

void launch_command(struct launch *launch)
{
	launch_set_run(launch, launch->request->runs[0]);
	private_directory_name_only(&launch->boot.directory);
	boot_command(&launch->boot);
}

void launch_print_command(struct launch *launch)
{
	struct buffer text = {0};

	if (!launch->accelerator.certain)
		message_info("%s; the command line below is for tcg, without --dry-run KVM is tried first",
			     launch->accelerator.why);
	launch_command(launch);
	if (launch->boot.environment.count) {
		buffer_text(&text, "env ");
		arguments_quote(&launch->boot.environment, " ", &text);
		buffer_text(&text, " ");
	}
	arguments_quote(&launch->boot.command, " ", &text);
	if (!text.failed)
		puts(text.data);
	buffer_free(&text);
}

enum status launch_look_up(struct launch *launch, struct error *err)
{
	enum status status = launch_choose_directory(launch, err);

	if (status != STATUS_OK || launch->request->shell)
		return status;
	status = launch_identify(launch, err);
	return status == STATUS_OK ? launch_read_records(launch, err) : status;
}

/* Traces in raw/ that no boot in vm.json recorded. */
static unsigned int count_others(const struct launch *launch)
{
	struct boot_record sum;

	boot_records_sum(&launch->records, &sum);
	return sum.traces < launch->result.earlier ? launch->result.earlier - (unsigned int)sum.traces : 0;
}

static void announce(const struct launch *launch)
{
	const struct machine *machine = &launch->boot.machine;
	const char *engine = launch->engine.kind == ENGINE_VNG ? "vng on QEMU" : "QEMU";

	/* Deterministic guests were announced by their mode, and all have the same machine. */
	(launch->request->deterministic ? message_detail : message_info)(
	    "%s: %s %s, %s (%s), %u workload CPUs and %s for the tracer, %llu MB", launch->result.set, engine,
	    launch->engine.qemu_version, accelerator_name(machine->accelerator), launch->accelerator.why, machine->cpus,
	    machine->no_isolated_cpu ? "none" : "one", (unsigned long long)machine->memory_mb);
	if (launch->transport_why[0])
		message_info("%s: traces leave through a port: %s", launch->result.set, launch->transport_why);
	if (launch->request->shell)
		message_info("%s: starting a shell in the guest; leave it with exit, or with Ctrl+]",
			     launch->result.set);
	if (!machine->shell && count_others(launch))
		message_info("%s: %u traces of earlier runs in %s are kept, unless new ones have the same name",
			     launch->result.set, count_others(launch), launch->raw);
}

static size_t count_there(const struct launch *launch)
{
	const struct vm_request *request = launch->request;
	size_t there = 0;

	for (size_t i = 0; i < request->run_count; i++)
		there += launch_has_run(launch, request->runs[i]);
	return there;
}

enum status launch_begin(struct launch *launch, struct error *err)
{
	enum status status = launch_make_directories(launch, err);

	if (status != STATUS_OK)
		return status;
	launch_drop_others(launch);
	size_t there = count_there(launch);
	if (there < launch->request->run_count)
		announce(launch);
	if (there)
		message_info("%s: %zu of %zu runs are there already with the same inputs; --force repeats them",
			     launch->result.set, there, launch->request->run_count);
	return STATUS_OK;
}
