/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/version.h"
#include "vm/launch.h"

static const char *end_name(enum guest_end end)
{
	static const char *const names[] = {
	    [GUEST_DONE] = "done",        [GUEST_PANICKED] = "panicked",       [GUEST_NOT_BOOTED] = "not booted",
	    [GUEST_SILENT] = "silent",    [GUEST_OVERTIME] = "overtime",       [GUEST_LEFT_EARLY] = "left early",
	    [GUEST_LEFT_SHELL] = "shell", [GUEST_INTERRUPTED] = "interrupted", [GUEST_HOST_FAILED] = "host failed",
	};

	return names[end];
}

static void record_kernel(const struct launch *launch, struct json_writer *json)
{
	const char *slash = strrchr(launch->kernel.path, '/');
	struct stat info;

	json_object_begin(json, "kernel");
	json_text(json, "release", launch->result->release);
	json_text(json, "version", launch->kernel.image.version);
	json_text(json, "image", slash ? slash + 1 : launch->kernel.path);
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
	static const char *const shares[] = {[SHARE_NONE] = NULL, [SHARE_9P] = "9p", [SHARE_VIRTIOFS] = "virtiofs"};

	json_text(json, "engine", engine_name(launch->engine.kind));
	json_text(json, "vng_version", launch->engine.vng_version[0] ? launch->engine.vng_version : NULL);
	json_text(json, "qemu_version", launch->engine.qemu_version);
	json_text(json, "accelerator", accelerator_name(launch->accelerator.accelerator));
	json_text(json, "accelerator_why", launch->accelerator.why);
	json_text(json, "transport", launch->transport == JOB_TRANSPORT_PORT ? "port" : "share");
	json_text(json, "share", shares[machine->share]);
	json_u64(json, "workload_cpus", machine->cpus);
	json_u64(json, "isolated_cpu", machine->cpus);
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

static void record_additions(const struct additions *additions, struct json_writer *json)
{
	record_arguments("added", additions->asked.items, json);
	json_u64(json, "added_files", additions->count);
	json_u64(json, "added_bytes", additions->bytes);
}

static void record_end(const struct launch *launch, const struct error *outcome, struct json_writer *json)
{
	char text[2048];

	json_text(json, "end", end_name(launch->on.end));
	if (outcome)
		error_text(outcome, text, sizeof(text));
	json_text(json, "error", outcome ? text : NULL);
	if (launch->on.job_exit >= 0)
		json_i64(json, "job_exit", launch->on.job_exit);
	else
		json_null(json, "job_exit");
	json_u64(json, "traces", launch->report.traces);
	json_u64(json, "incomplete_files", launch->report.incomplete);
	json_u64(json, "refused_files", launch->report.refused);
	json_u64(json, "bytes", launch->report.bytes);
	json_text(json, "started_at", launch->started_at);
	if (launch->on.said_hello)
		json_real(json, "boot_seconds", launch->on.boot_s, 3);
	else
		json_null(json, "boot_seconds");
	json_real(json, "total_seconds", launch->on.elapsed_s, 3);
}

enum status launch_record(const struct launch *launch, const struct error *outcome, struct error *err)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), launch->result->directory, "vm.json", err);

	json_object_begin(&json, NULL);
	record_kernel(launch, &json);
	record_machine(launch, &json);
	record_arguments("collect_arguments", (char *const *)(uintptr_t)launch->request->collect_arguments, &json);
	record_arguments("command_line", launch->boot.command.items, &json);
	if (launch->request->additions)
		record_additions(launch->request->additions, &json);
	json_bool(&json, "traced", !launch->request->untraced);
	record_end(launch, outcome, &json);
	json_text(&json, "picknext_version", PICKNEXT_VERSION " (" PICKNEXT_COMMIT ")");
	json_object_end(&json);
	buffer_text(&text, "\n");
	if (status == STATUS_OK && text.failed)
		status = error_set(err, STATUS_SYSTEM, path, "out of memory");
	if (status == STATUS_OK)
		status = file_replace(path, text.data, text.length, err);
	buffer_free(&text);
	return status;
}
