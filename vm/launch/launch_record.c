/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/build.h"
#include "base/cpu_list.h"
#include "base/file.h"
#include "base/json.h"
#include "base/output_stream.h"
#include "runs/recorded_set.h"
#include "vm/kernel/kernel_choice.h"
#include "vm/launch/guest_run.h"
#include "vm/launch/launch_prepare.h"
#include "vm/launch/output_values.h"
#include "vm/launch/set_schedulers.h"

/* Records an absolute path. */
static void record_path(struct json_writer *json, const char *key, const char *path)
{
	char real[PATH_MAX];

	json_text(json, key, path && realpath(path, real) ? real : path);
}

static void record_kernel(const struct launch *launch, struct json_writer *json)
{
	const char *slash = strrchr(launch->kernel.path, '/');
	struct stat info;

	char fetched[64];
	bool is_fetched = kernel_fetched_name(launch->kernel.path, fetched, sizeof(fetched));

	json_object_begin(json, "kernel");
	json_text(json, "release", launch->result.release);
	json_text(json, "version", launch->kernel.image.version);
	json_text(json, "image", slash ? slash + 1 : launch->kernel.path);
	record_path(json, "path", launch->kernel.path);
	json_text(json, "fetched", is_fetched ? fetched : NULL);
	if (stat(launch->kernel.path, &info) == 0)
		json_u64(json, "image_bytes", (uint64_t)info.st_size);
	json_array_begin(json, "modules");
	for (size_t i = 0; i < launch->modules.count; i++)
		json_text(json, NULL, launch->modules.modules[i].name);
	json_array_end(json);
	json_object_end(json);
}

static void record_machine(const struct launch *launch, struct json_writer *json)
{
	const struct machine *machine = &launch->boot.machine;
	char model[CPU_MODEL_SIZE];
	static const char *const shares[] = {[SHARE_NONE] = NULL, [SHARE_9P] = "9p", [SHARE_VIRTIOFS] = "virtiofs"};

	json_text(json, "engine", emulator_name(launch->engine.kind));
	json_text(json, "vng_version", launch->engine.vng_version[0] ? launch->engine.vng_version : NULL);
	json_text(json, "qemu_version", launch->engine.qemu_version);
	json_text(json, "accelerator", accelerator_name(launch->accelerator.accelerator));
	json_text(json, "accelerator_why", launch->accelerator.why);
	if (!launch->options->deterministic) {
		cpu_model_read(model);
		json_text(json, "host_cpu_model", model[0] ? model : NULL);
	}
	json_text(json, "transport", job_transport_name(launch->transport));
	json_text(json, "share", shares[machine->share]);
	json_u64(json, "workload_cpus", machine->cpus);
	json_text(json, "topology", launch->options->topology_words);
	if (machine->no_isolated_cpu)
		json_null(json, "isolated_cpu");
	else
		json_u64(json, "isolated_cpu", machine->cpus);
	json_text(json, "isolation", machine->no_isolated_cpu ? "none" : machine->keeps_domain ? "affinity" : "domain");
	json_text(json, "scheduler", set_scheduler_text(launch->set->scheduler));
	json_u64(json, "memory_mb", machine->memory_mb);
	json_bool(json, "nohz_full", machine->nohz_full);
	json_bool(json, "rcu_nocbs", machine->rcu_nocbs);
}

static void record_arguments(const char *key, char *const *items, struct json_writer *json)
{
	json_array_begin(json, key);
	for (size_t i = 0; items && items[i]; i++)
		json_text(json, NULL, items[i]);
	json_array_end(json);
}

static void record_identity(const struct launch *launch, struct json_writer *json)
{
	json_object_begin(json, launch->options->deterministic ? "deterministic" : "inputs");
	identity_write(&launch->identity, json);
	if (launch->options->deterministic)
		record_path(json, "qemu", launch->engine.qemu);
	json_object_end(json);
}

static void record_version(struct json_writer *json)
{
	char version[128];

	snprintf(version, sizeof(version), "%s (%s)", build_version, build_commit);
	json_text(json, "picknext_version", version);
}

static void write_set(const struct launch *launch, const struct recorded_set *set, struct json_writer *json)
{
	const struct guest_files *added = set_scheduler_files(launch->set->scheduler);
	struct recipe recipe = {0};

	json_object_begin(json, NULL);
	record_kernel(launch, json);
	json_text(json, "label", launch->set->label);
	json_u64(json, "number", launch->set->number);
	record_machine(launch, json);
	vm_recipe(launch, launch->set->recipe, &recipe);
	recipe_write(&recipe, json);
	recipe_free(&recipe);
	json_array_begin(json, "runs");
	for (size_t i = 0; i < set->run_count; i++)
		json_u64(json, NULL, set->runs[i]);
	json_array_end(json);
	if (added) {
		record_arguments("added", added->asked.items, json);
		json_u64(json, "added_files", added->count);
		json_u64(json, "added_bytes", added->bytes);
	}
	record_identity(launch, json);
	json_bool(json, "traced", !launch->options->no_trace);
	record_version(json);
	json_object_end(json);
}

/* The runs that an earlier command with the same inputs wanted come first. */
static void list_runs(const struct launch *launch, struct recorded_set *set)
{
	const bool is_same = recorded_set_read(launch->result.directory, set, NULL) == STATUS_OK &&
			     strcmp(set->identity, launch->identity.whole) == 0;

	if (!is_same)
		set->run_count = 0;
	if (launch->set->wants_runs)
		recorded_set_add_runs(set, launch->set->runs, launch->set->run_count);
}

enum status launch_record_set(const struct launch *launch, struct error *err)
{
	struct recorded_set set;
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), launch->result.directory, "vm.json", err);

	if (status != STATUS_OK)
		return status;
	run_claims_lock_set(&launch->claims);
	list_runs(launch, &set);
	write_set(launch, &set, &json);
	status = output_replace_record(path, text.data, text.length, err);
	run_claims_unlock_set(&launch->claims);
	recorded_set_free(&set);
	buffer_free(&text);
	return status;
}

static enum status write_run(const struct launch *launch, const struct run_report *report, struct json_writer *json,
			     struct error *err)
{
	const struct run_outcome *outcome = &report->outcome;
	struct boot boot;

	json_object_begin(json, NULL);
	json_u64(json, "run", outcome->run);
	json_text(json, "identity", launch->identity.whole);
	json_text(json, "kernel_release", report->release);
	run_outcome_write(outcome, launch->options->deterministic, json);
	/* The command that --dry-run prints. */
	launch_command(launch, outcome->run, &boot);
	record_arguments("command_line", boot.command.items, json);
	boot_end(&boot);
	record_version(json);
	enum status status = run_files_write(launch->raw, outcome, json, err);
	json_object_end(json);
	return status;
}

enum status launch_record_run(const struct launch *launch, const struct run_report *report, struct error *err)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	char path[PATH_MAX];
	enum status status = run_record_path(launch->result.directory, report->outcome.run, path, sizeof(path), err);

	if (status == STATUS_OK)
		status = write_run(launch, report, &json, err);
	if (status == STATUS_OK)
		status = output_replace_record(path, text.data, text.length, err);
	if (status == STATUS_OK)
		file_sync_directory(launch->records);
	buffer_free(&text);
	return status;
}

/* The record with the files as they are now. */
static enum status write_again(const struct launch *launch, const struct json_value *before,
			       const struct run_outcome *boot, struct json_writer *json, struct error *err)
{
	enum status status = STATUS_OK;

	json_object_begin(json, NULL);
	for (const struct json_value *item = before->child; item && status == STATUS_OK; item = item->next)
		if (strcmp(item->key, "files") == 0)
			status = run_files_write(launch->raw, boot, json, err);
		else
			json_copy(json, item->key, item);
	json_object_end(json);
	return status;
}

static enum status record_again(const struct launch *launch, const struct run_outcome *boot, struct error *err)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	struct json_value *before = NULL;
	char path[PATH_MAX];
	enum status status = run_record_path(launch->result.directory, boot->run, path, sizeof(path), err);

	if (status == STATUS_OK)
		status = json_read_file(path, &before, err);
	if (status == STATUS_OK)
		status = write_again(launch, before, boot, &json, err);
	if (status == STATUS_OK)
		status = output_replace_record(path, text.data, text.length, err);
	json_free(before);
	buffer_free(&text);
	return status;
}

enum status launch_renew_values(const struct launch *launch, struct error *err)
{
	bool changed;
	enum status status = output_values_add(&launch->options->values, launch->raw, &changed, err);

	for (size_t i = 0; changed && status == STATUS_OK && i < launch->outcomes.count; i++)
		status = record_again(launch, &launch->outcomes.items[i], err);
	return status;
}
