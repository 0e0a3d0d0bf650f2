/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_prepare.h"

#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "runs/recipe.h"
#include "vm/launch/launch_boot.h"
#include "vm/launch/launch_directories.h"
#include "vm/launch/launch_resume.h"
#include "vm/launch/launch_state.h"
#include "vm/plan/plan.h"

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
	    .engine = emulator_name(launch->engine.kind),
	    .shell = launch->options->shell,
	    .fixed_work = launch->options->deterministic,
	    .identity = launch->options->deterministic ? launch->identity.whole : NULL,
	    .scheduler = launch->set->scheduler,
	    .isolated_by_affinity = launch->boot.machine.keeps_domain,
	    .words = (const char *const *)launch->set->words->items,
	};
	if (launch->set->needs_sched_ext)
		add_for_scheduler(launch);
}

enum status launch_choose_machine(struct launch *launch, struct error *err)
{
	enum status status = accelerator_choose(launch_accelerator(launch->options), &launch->boot,
						!launch->options->dry_run, &launch->accelerator, err);

	if (status != STATUS_OK)
		return status;
	fill_job(launch);
	launch_set_run(launch, launch->set->runs[0]);
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

void launch_command(struct launch *launch, uint32_t run)
{
	launch_set_run(launch, run);
	private_directory_name_only(&launch->boot.directory);
	boot_command(&launch->boot);
}

void launch_print_command(struct launch *launch)
{
	struct buffer text = {0};

	if (!launch->accelerator.certain)
		message_info("%s; the command line below is for tcg, without --dry-run KVM is tried first",
			     launch->accelerator.why);
	launch_command(launch, launch->set->runs[0]);
	if (launch->boot.environment.count) {
		buffer_text(&text, "env ");
		arguments_quote(&launch->boot.environment, " ", &text);
		buffer_text(&text, " ");
	}
	arguments_quote(&launch->boot.command, " ", &text);
	puts(text.data);
	buffer_free(&text);
}

enum status launch_look_up(struct launch *launch, struct error *err)
{
	enum status status = launch_choose_directory(launch, err);

	if (status != STATUS_OK || launch->options->shell)
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
	(launch->options->deterministic ? message_detail : message_info)(
	    "%s: %s %s, %s (%s), %u workload CPUs and %s for the tracer, %llu MB", launch->result.set, engine,
	    launch->engine.qemu_version, accelerator_name(machine->accelerator), launch->accelerator.why, machine->cpus,
	    machine->no_isolated_cpu ? "none" : "one", (unsigned long long)machine->memory_mb);
	if (launch->options->shell)
		message_info("%s: starting a shell in the guest; leave it with exit, or with Ctrl+]",
			     launch->result.set);
	if (!machine->shell && count_others(launch))
		message_info("%s: %u traces of earlier runs in %s are kept, unless new ones have the same name",
			     launch->result.set, count_others(launch), launch->raw);
}

static size_t count_there(const struct launch *launch)
{
	const struct kernel_set *set = launch->set;
	size_t there = 0;

	for (size_t i = 0; i < set->run_count; i++)
		there += launch_has_run(launch, set->runs[i]);
	return there;
}

void launch_copy_recipe(const struct launch *launch, const struct recipe *from, struct recipe *to)
{
	recipe_copy(from, to);
	recipe_add_option(to, "--mode=%s",
			  launch->options->deterministic ? "deterministic"
							 : accelerator_name(launch->accelerator.accelerator));
}

static void make_plan(const struct launch *launch, struct plan *plan)
{
	struct plan_set *set =
	    plan_add(plan, launch->result.set, launch->identity.whole, launch->options->deterministic);

	plan_set_add_runs(set, launch->set->runs, launch->set->run_count);
	launch_copy_recipe(launch, launch->set->plan, &set->recipe);
}

static enum status keep_plan(const struct launch *launch, struct error *err)
{
	struct plan plan = {0};

	if (!launch->set->plan)
		return STATUS_OK;
	make_plan(launch, &plan);
	cell_claims_lock_set(&launch->claims);
	enum status status = plan_set_keep(launch->result.directory, &plan.sets[0], err);
	cell_claims_unlock_set(&launch->claims);
	plan_free(&plan);
	return status;
}

enum status vm_plan(struct launch *const *launches, size_t count, struct plan *plan, struct error *err)
{
	enum status status = STATUS_OK;

	*plan = (struct plan){.directory = count ? launches[0]->options->output : ""};
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		status = launch_choose_machine(launches[i], err);
		if (status == STATUS_OK)
			status = launch_choose_directory(launches[i], err);
		if (status == STATUS_OK)
			status = launch_identify(launches[i], err);
		if (status == STATUS_OK)
			make_plan(launches[i], plan);
	}
	return status;
}

enum status launch_begin(struct launch *launch, struct error *err)
{
	enum status status = launch_make_directories(launch, err);

	if (status != STATUS_OK)
		return status;
	launch_drop_others(launch);
	status = keep_plan(launch, err);
	if (status != STATUS_OK)
		return status;
	size_t there = count_there(launch);
	if (there < launch->set->run_count)
		announce(launch);
	if (there)
		message_info("%s: %zu of %zu runs are there already with the same inputs; --force repeats them",
			     launch->result.set, there, launch->set->run_count);
	return STATUS_OK;
}
