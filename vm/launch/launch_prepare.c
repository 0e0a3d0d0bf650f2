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
#include "runs/recorded_set.h"
#include "vm/launch/arrival.h"
#include "vm/launch/guest_run.h"
#include "vm/launch/jobs.h"
#include "vm/launch/set_schedulers.h"

/* --- The machine --- */

/* Schedulers of sched_ext read the kernel's configuration. The guest reads it if its kernel shows its preemption model
 * nowhere else. */
static bool guest_needs_configuration(const struct launch *launch)
{
	return set_scheduler_is_ext(launch->set->scheduler) ||
	       (kernel_config(&launch->kernel, "PREEMPT_LAZY") == 'y' &&
		kernel_config(&launch->kernel, "PREEMPT_DYNAMIC") == 'n');
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
	    .scheduler = set_scheduler_text(launch->set->scheduler),
	    .topology = launch->options->topology_words,
	    .isolated_by_affinity = launch->boot.machine.keeps_domain,
	    .words = (const char *const *)launch->set->words->items,
	};
	if (guest_needs_configuration(launch)) {
		launch->boot.job.release = launch->result.release;
		launch->boot.job.configuration = launch->kernel.config.length ? launch->kernel.config.data : NULL;
		launch->boot.job.configuration_length = launch->kernel.config.length;
	}
}

enum status launch_choose_machine(struct launch *launch, struct error *err)
{
	enum status status =
	    accelerator_choose(launch_accelerator(launch->options), &launch->boot, !launch->options->dry_run,
			       launch->options->guest.boot_timeout_s, &launch->accelerator, err);

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
		   ? file_join(launch->records, sizeof(launch->records), launch->result.directory, BOOTS_DIRECTORY, err)
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

/* False for the files of a guest that still runs: its run is claimed. */
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
	return error_remedy(
	    err, "choose another directory with -o, name the set with -k LABEL=, or wait until it has ended");
}

static enum status make_directories(struct launch *launch, struct error *err)
{
	enum status status = make_directory(launch, "raw", err);

	if (status == STATUS_OK)
		status = make_directory(launch, CONSOLE_LOGS, err);
	if (status == STATUS_OK)
		status = make_directory(launch, ENGINE_LOGS, err);
	if (status == STATUS_OK)
		status = make_directory(launch, BOOTS_DIRECTORY, err);
	if (status == STATUS_OK)
		status = run_claims_open(&launch->claims, launch->records, err);
	if (status != STATUS_OK)
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

static enum status refuse_others(const struct launch *launch, const struct identity *was, struct error *err)
{
	char different[400];
	struct run_outcome sum;

	run_outcomes_sum(&launch->outcomes, &sum);
	if (launch->options->force || sum.traces == 0)
		return STATUS_OK;
	list_differences(was, &launch->identity, different, sizeof(different));
	error_set(err, STATUS_USAGE, launch->result.directory, "has runs with other inputs; different: %s", different);
	return error_remedy(err, "choose another directory with -o or name the set with -k LABEL=, or replace the runs "
				 "with --force");
}

/* Reads the runs that are there into launch->outcomes; launch->identity is known. Changes no file. A damaged vm.json is
 * replaced. */
static enum status read_records(struct launch *launch, struct error *err)
{
	struct recorded_set set;
	struct identity was;
	const bool is_read = recorded_set_read(launch->result.directory, &set, NULL) == STATUS_OK && set.identity[0];
	const struct json_value *deterministic = json_member(set.document, "deterministic");
	enum status status = run_outcomes_load(launch->result.directory, &launch->outcomes, err);

	launch->has_others = is_read && strcmp(set.identity, launch->identity.whole) != 0;
	identity_read(deterministic ? deterministic : json_member(set.document, "inputs"), &was);
	if (status == STATUS_OK && launch->has_others)
		status = refuse_others(launch, &was, err);
	recorded_set_free(&set);
	return status;
}

/* Removes the records of runs with other inputs; with force, also their files. Call it after the directories exist. */
static void drop_others(struct launch *launch)
{
	char path[PATH_MAX];

	if (!launch->has_others)
		return;
	for (size_t i = 0; i < launch->outcomes.count; i++) {
		const uint32_t run = launch->outcomes.items[i].run;
		if (run_record_path(launch->result.directory, run, path, sizeof(path), NULL) == STATUS_OK)
			unlink(path);
		if (launch->options->force)
			run_files_remove(launch->raw, run);
	}
	run_outcomes_free(&launch->outcomes);
}

bool launch_has_run(const struct launch *launch, uint32_t run)
{
	struct run_record record;

	if (launch->options->force || launch->set->again || launch->options->no_trace)
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

/* Traces in raw/ that no boot recorded. */
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

	/* Deterministic guests were announced by their mode, and all have the same machine. */
	(launch->options->deterministic ? message_detail : message_info)(
	    "%s: %s %s, %s (%s), %u workload CPU%s and %s for the tracer, %llu MB", launch->result.set, engine,
	    launch->engine.qemu_version, accelerator_name(machine->accelerator), launch->accelerator.why, machine->cpus,
	    machine->cpus == 1 ? "" : "s", machine->no_isolated_cpu ? "none" : "one",
	    (unsigned long long)machine->memory_mb);
	if (machine_exceeds(machine, host_cpus))
		message_warning("%s: the guest has %u CPUs, this machine %u: vCPUs wait for a CPU, which increases all "
				"latencies",
				launch->result.set, machine_all_cpus(machine), host_cpus);
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

enum status launch_begin(struct launch *launch, struct error *err)
{
	enum status status = make_directories(launch, err);

	if (status == STATUS_OK)
		drop_others(launch);
	return status;
}
