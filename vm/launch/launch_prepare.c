/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_prepare.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "runs/recipe.h"
#include "vm/launch/guest_run.h"
#include "vm/launch/jobs.h"
#include "vm/launch/set_schedulers.h"
#include "vm/plan/plan.h"
#include "vm/plan/run_record.h"

/* --- The machine --- */

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
	    .scheduler = set_scheduler_text(launch->set->scheduler),
	    .topology = launch->options->topology_words,
	    .isolated_by_affinity = launch->boot.machine.keeps_domain,
	    .words = (const char *const *)launch->set->words->items,
	};
	/* What schedulers of sched_ext look for: the kernel's configuration. */
	if (set_scheduler_is_ext(launch->set->scheduler)) {
		launch->boot.job.release = launch->result.release;
		launch->boot.job.configuration = launch->kernel.config.length ? launch->kernel.config.data : NULL;
		launch->boot.job.configuration_length = launch->kernel.config.length;
	}
}

static enum status choose_pins(struct launch *launch, struct error *err)
{
	const struct machine *machine = &launch->boot.machine;

	if (launch->accelerator.accelerator != ACCELERATOR_KVM) {
		error_set(err, STATUS_USAGE, "--guest pin",
			  "is for guests on KVM: without it one thread runs all CPUs of a guest");
		return error_remedy(err, "omit it");
	}
	return vcpu_pin_choose_here(machine_all_cpus(machine), topology_core_cpus(&machine->topology), &launch->pin,
				    err);
}

enum status launch_choose_machine(struct launch *launch, struct error *err)
{
	enum status status =
	    accelerator_choose(launch_accelerator(launch->options), &launch->boot, !launch->options->dry_run,
			       launch->options->guest.boot_timeout_s, &launch->accelerator, err);

	if (status == STATUS_OK && launch->options->pin)
		status = choose_pins(launch, err);
	if (status != STATUS_OK)
		return status;
	fill_job(launch);
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

void launch_command(const struct launch *launch, uint32_t run, struct boot *boot)
{
	*boot = launch->boot;
	boot_set_run(boot, run);
	private_directory_name_only(&boot->directory);
	boot_command(boot);
}

void launch_print_command(const struct launch *launch)
{
	struct buffer text = {0};
	struct boot boot;

	if (!launch->accelerator.certain)
		message_info("%s; the command line below is for tcg", launch->accelerator.why);
	launch_command(launch, launch->set->runs[0], &boot);
	if (boot.environment.count) {
		buffer_text(&text, "env ");
		arguments_quote(&boot.environment, " ", &text);
		buffer_text(&text, " ");
	}
	arguments_quote(&boot.command, " ", &text);
	puts(text.data);
	buffer_free(&text);
	boot_end(&boot);
}

/* --- The directory of the set --- */

static enum status choose_directory(struct launch *launch, struct error *err)
{
	const char *name = launch->set->name;

	snprintf(launch->result.set, sizeof(launch->result.set), "%s", name ? name : launch->result.release);
	enum status status = file_join(launch->result.directory, sizeof(launch->result.directory),
				       launch->options->output, launch->result.set, err);
	if (status == STATUS_OK)
		status = file_join(launch->raw, sizeof(launch->raw), launch->result.directory, "raw", err);
	return status == STATUS_OK
		   ? file_join(launch->cells, sizeof(launch->cells), launch->result.directory, CELLS_DIRECTORY, err)
		   : status;
}

static unsigned int count_traces(const char *raw)
{
	DIR *list = opendir(raw);
	unsigned int count = 0;

	if (!list)
		return 0;
	for (struct dirent *entry = readdir(list); entry; entry = readdir(list))
		count += file_name_ends(entry->d_name, ".dat");
	closedir(list);
	return count;
}

/* Those of a guest that still runs are claimed. */
static bool may_remove(const struct launch *launch, uint32_t run)
{
	if (run_claims_take(&launch->claims, run) != CLAIM_TAKEN)
		return false;
	run_claims_release(&launch->claims, run);
	return true;
}

static void remove_stagings(const struct launch *launch, const uint32_t *only)
{
	const char *directory = launch->result.directory;
	char path[PATH_MAX];
	DIR *list = opendir(directory);

	if (!list)
		return;
	for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
		if (strncmp(entry->d_name, GUEST_STAGING, strlen(GUEST_STAGING)) != 0)
			continue;
		const uint32_t run = (uint32_t)strtoul(entry->d_name + strlen(GUEST_STAGING), NULL, 10);
		if (access(directory, W_OK) == 0 && (only ? run == *only : may_remove(launch, run)) &&
		    file_join(path, sizeof(path), directory, entry->d_name, NULL) == STATUS_OK)
			directory_remove_all(path);
	}
	closedir(list);
}

void launch_remove_staging(const struct launch *launch, uint32_t run)
{
	remove_stagings(launch, &run);
}

static enum status make_directory(const struct launch *launch, const char *name, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), launch->result.directory, name, err);

	return status == STATUS_OK ? file_make_directories(path, err) : status;
}

static enum status refuse_company(const struct launch *launch, struct error *err)
{
	error_set(err, STATUS_USAGE, launch->result.directory, "another picknext vm makes runs with other inputs here");
	return error_remedy(err,
			    "choose another directory with -o or name the set with -k LABEL=, or wait for its end");
}

static enum status make_directories(struct launch *launch, struct error *err)
{
	enum status status = make_directory(launch, "raw", err);

	if (status == STATUS_OK)
		status = make_directory(launch, CONSOLE_LOGS, err);
	if (status == STATUS_OK)
		status = make_directory(launch, ENGINE_LOGS, err);
	if (status == STATUS_OK)
		status = make_directory(launch, CELLS_DIRECTORY, err);
	if (status == STATUS_OK)
		status = launch->has_begun ? STATUS_OK : run_claims_open(&launch->claims, launch->cells, err);
	if (status != STATUS_OK || launch->has_begun)
		return status;
	if (launch->identity.whole[0] && run_claims_join(&launch->claims, launch->identity.whole) == CLAIM_OTHERS)
		return refuse_company(launch, err);
	remove_stagings(launch, NULL);
	launch->result.earlier = count_traces(launch->raw);
	return STATUS_OK;
}

/* --- Its runs of earlier launches --- */

/* "the kernel, QEMU's program" */
static void list_differences(const struct identity *was, const struct identity *is, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int part = 0; part < IDENTITY_PARTS && used < size; part++)
		if (strcmp(was->parts[part], is->parts[part]) != 0)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 identity_part_name((enum identity_part)part));
}

static enum status refuse_others(const struct launch *launch, const struct json_value *json, const struct identity *was,
				 struct error *err)
{
	char different[400];
	struct run_outcome sum;

	run_outcomes_sum(&launch->outcomes, &sum);
	if (launch->force || sum.traces == 0)
		return STATUS_OK;
	list_differences(was, &launch->identity, different, sizeof(different));
	if (json_member(json, "recipe"))
		error_set(err, STATUS_USAGE, launch->result.directory, "has runs with other inputs; different: %s",
			  different);
	else
		error_set(err, STATUS_USAGE, launch->result.directory, "its vm.json " RECIPE_MISSING);
	return error_remedy(err, "choose another directory with -o or name the set with -k LABEL=, or replace the runs "
				 "with --force");
}

static enum status judge_inputs(struct launch *launch, const struct json_value *json, struct error *err)
{
	const struct json_value *deterministic = json_member(json, "deterministic");
	struct identity was;

	identity_read(deterministic ? deterministic : json_member(json, "inputs"), &was);
	if (strcmp(was.whole, launch->identity.whole) == 0)
		return STATUS_OK;
	launch->has_others = true;
	return refuse_others(launch, json, &was, err);
}

/* An earlier version wrote vm.json alone. A damaged one is replaced, if it is vm's (launch_begin()). */
static enum status read_earlier(const char *directory, struct set_record *set, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, "vm.json", err);

	if (status == STATUS_OK && json_read_file(path, &set->first, NULL) == STATUS_OK)
		run_outcomes_read(&set->boots, json_member(set->first, "boots"));
	return status;
}

/* Reads the runs that are there into launch->outcomes; launch->identity is known. The inputs of one of them speak for
 * all: others were refused. Changes no file. */
static enum status read_records(struct launch *launch, struct error *err)
{
	struct set_record set = {0};
	enum status status = set_record_read(launch->result.directory, &set, err);

	if (status == STATUS_OK && !set.first)
		status = read_earlier(launch->result.directory, &set, err);
	for (size_t i = 0; i < set.boots.count; i++)
		run_outcomes_put(&launch->outcomes, &set.boots.items[i]);
	if (status == STATUS_OK && set.first && set.first->kind == JSON_OBJECT)
		status = judge_inputs(launch, set.first, err);
	set_record_free(&set);
	return status;
}

/* After the directories are made: forgets runs with other inputs; with force, their files are removed. */
static void drop_others(struct launch *launch)
{
	char path[PATH_MAX];

	if (!launch->has_others)
		return;
	for (size_t i = 0; i < launch->outcomes.count; i++) {
		const uint32_t run = launch->outcomes.items[i].run;
		if (run_record_path(launch->result.directory, run, path, sizeof(path), NULL) == STATUS_OK)
			unlink(path);
		if (launch->force)
			run_files_remove(launch->raw, run);
	}
	run_outcomes_free(&launch->outcomes);
}

bool launch_has_run(const struct launch *launch, uint32_t run)
{
	struct run_record record;

	if (launch->force || launch->set->again || launch->options->no_trace)
		return false;
	bool is_there = run_record_load(launch->result.directory, run, &record) &&
			strcmp(record.identity, launch->identity.whole) == 0 &&
			run_record_is_whole(&record, launch->raw);
	run_record_free(&record);
	return is_there;
}

/* --- Before its first run --- */

enum status launch_look_up(struct launch *launch, struct error *err)
{
	enum status status = choose_directory(launch, err);

	if (status != STATUS_OK || launch->options->shell)
		return status;
	status = launch_identify(launch, err);
	return status == STATUS_OK ? read_records(launch, err) : status;
}

/* Traces in raw/ that no boot in vm.json recorded. */
static unsigned int count_others(const struct launch *launch)
{
	struct run_outcome sum;

	run_outcomes_sum(&launch->outcomes, &sum);
	return sum.traces < launch->result.earlier ? launch->result.earlier - (unsigned int)sum.traces : 0;
}

void launch_announce(const struct launch *launch)
{
	const struct machine *machine = &launch->boot.machine;
	const char *engine = launch->engine.kind == ENGINE_VNG ? "vng on QEMU" : "QEMU";
	const unsigned int host_cpus = jobs_host_cpus();
	char governor[32];

	/* Deterministic guests were announced by their mode, and all have the same machine. */
	(launch->options->deterministic ? message_detail : message_info)(
	    "%s: %s %s, %s (%s), %u workload CPU%s and %s for the tracer, %llu MB", launch->result.set, engine,
	    launch->engine.qemu_version, accelerator_name(machine->accelerator), launch->accelerator.why, machine->cpus,
	    machine->cpus == 1 ? "" : "s", machine->no_isolated_cpu ? "none" : "one",
	    (unsigned long long)machine->memory_mb);
	if (machine_exceeds(machine, host_cpus))
		message_warning("%s: the guest has %u CPUs, and this machine %u: they wait for each other, which shows "
				"in all latencies",
				launch->result.set, machine_all_cpus(machine), host_cpus);
	if (machine->accelerator == ACCELERATOR_KVM && host_governor(governor, sizeof(governor)) &&
	    strcmp(governor, "performance") != 0)
		message_warning(
		    "%s: the frequency governor of this machine is %s, so its speed changes (picknext help guest)",
		    launch->result.set, governor);
	if (launch->options->shell)
		message_info("%s: starting a shell in the guest; leave it with exit, or with Ctrl+]",
			     launch->result.set);
	if (!machine->shell && count_others(launch))
		message_info("%s: %u traces of earlier runs in %s are kept, unless new ones have the same name",
			     launch->result.set, count_others(launch), launch->raw);
}

void vm_recipe(const struct launch *launch, const struct recipe *from, struct recipe *to)
{
	recipe_copy(from, to);
	recipe_add_option(to, "--mode=%s",
			  launch->options->deterministic ? "deterministic"
							 : accelerator_name(launch->accelerator.accelerator));
}

void launch_add_to_plan(const struct launch *launch, struct plan *plan)
{
	struct plan_set *set =
	    plan_add(plan, launch->result.set, launch->identity.whole, launch->options->deterministic);

	plan_set_add_runs(set, launch->set->runs, launch->run_count);
	if (launch->set->plan)
		vm_recipe(launch, launch->set->plan, &set->recipe);
}

static enum status keep_plan(const struct launch *launch, struct error *err)
{
	struct plan plan = {0};

	if (!launch->set->plan)
		return STATUS_OK;
	launch_add_to_plan(launch, &plan);
	run_claims_lock_set(&launch->claims);
	enum status status = plan_set_keep(launch->result.directory, &plan.sets[0], err);
	run_claims_unlock_set(&launch->claims);
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
			status = choose_directory(launches[i], err);
		if (status == STATUS_OK)
			status = launch_identify(launches[i], err);
		if (status == STATUS_OK)
			launch_add_to_plan(launches[i], plan);
	}
	return status;
}

enum status launch_begin(struct launch *launch, struct error *err)
{
	enum status status = make_directories(launch, err);

	if (status != STATUS_OK)
		return status;
	drop_others(launch);
	launch->has_begun = true;
	return keep_plan(launch, err);
}
