/* SPDX-License-Identifier: MIT */
#include "vm/launch/deterministic_run.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "vm/launch/jobs.h"

/* --- Its traces --- */

static enum status list_traces(struct deterministic_run *run, const struct seed_list *wanted, struct error *err)
{
	char raw[PATH_MAX];
	enum status status = file_join(raw, sizeof(raw), run->directory, "raw", err);

	if (status == STATUS_OK)
		status = recorded_traces_list(&run->traces, raw, run->identity.whole, wanted, err);
	if (status != STATUS_OK)
		return status;
	if (run->traces.count == 0)
		return error_set(err, STATUS_USAGE, raw, "has no traces of this run%s",
				 wanted->count ? " with these seeds" : "");
	if (!recorded_traces_seeds(&run->traces, &run->seeds))
		return error_set(err, STATUS_USAGE, run->directory, "more than %d seeds; choose some with --seeds",
				 SEED_LIST_MAX);
	return STATUS_OK;
}

/* --- Its request --- */

static enum status add_guest_files(struct deterministic_run *run, const char *directory, struct error *err)
{
	const struct json_value *added = json_member(run->json, "added");
	const char *command = NULL;
	enum status status = STATUS_OK;

	if (!added)
		return STATUS_OK;
	run->files.base = directory;
	for (const struct json_value *item = added->child; item && status == STATUS_OK; item = item->next)
		if (item->kind == JSON_TEXT)
			status = guest_files_add(&run->files, item->text, err);
	for (size_t i = 0; i + 1 < run->collect.count && !command; i++)
		if (strcmp(run->collect.items[i], "--") == 0)
			command = run->collect.items[i + 1];
	if (status == STATUS_OK && command)
		status = guest_files_add_command(&run->files, command, err);
	if (status == STATUS_OK)
		status = guest_files_finish(&run->files, err);
	run->request.guest_files = &run->files;
	return status;
}

/* The set has the name of its directory, wherever that is now. */
static void find_set(struct deterministic_run *run)
{
	char path[PATH_MAX];
	const char *slash = realpath(run->directory, path) ? strrchr(path, '/') : NULL;

	if (slash && set_name_is_safe(slash + 1))
		snprintf(run->set, sizeof(run->set), "%s", slash + 1);
}

static enum status fill_request(struct deterministic_run *run, const struct json_value *deterministic,
				struct error *err)
{
	const struct json_value *arguments = json_member(run->json, "collect_arguments");
	const struct json_value *kernel = json_member(run->json, "kernel");
	const struct json_value *isolated = json_member(run->json, "isolated_cpu");
	const char *scheduler = json_member_text(run->json, "scheduler", NULL);
	uint64_t cpus, memory_mb;

	if (!arguments || !kernel || !json_member_u64(run->json, "workload_cpus", &cpus) || cpus == 0 || cpus > 64 ||
	    !json_member_u64(run->json, "memory_mb", &memory_mb))
		return error_set(err, STATUS_CORRUPT, run->directory, "vm.json lacks the data to repeat the run");
	for (const struct json_value *item = arguments->child; item; item = item->next)
		if (item->kind == JSON_TEXT)
			arguments_add(&run->collect, "%s", item->text);
	if (run->collect.failed)
		return error_system(err, ENOMEM, run->directory, "cannot repeat it");
	find_set(run);
	run->request = (struct vm_request){
	    .kernel = json_member_text(kernel, "path", ""),
	    .modules = json_member_text(deterministic, "modules", NULL),
	    .initramfs = json_member_text(deterministic, "initramfs", NULL),
	    .append = json_member_text(deterministic, "append", NULL),
	    .set = run->set[0] ? run->set : NULL,
	    .collect_arguments = (const char *const *)run->collect.items,
	    .deterministic = true,
	    .runs = run->seeds.seeds,
	    .run_count = run->seeds.count,
	    .again = true,
	    .cpus = (unsigned int)cpus,
	    .no_isolated_cpu = isolated && isolated->kind == JSON_NULL,
	    .isolated_by_affinity = strcmp(json_member_text(run->json, "isolation", ""), "affinity") == 0,
	    .scheduler = scheduler,
	    .needs_sched_ext = scheduler && strcmp(scheduler, "none") != 0,
	    .memory_mb = memory_mb,
	    .boot_timeout_s = 600,
	    .silence_timeout_s = 600,
	};
	return add_guest_files(run, json_member_text(deterministic, "directory", "."), err);
}

enum status deterministic_run_read(const char *directory, const struct seed_list *wanted, struct deterministic_run *run,
				   struct error *err)
{
	*run = (struct deterministic_run){.directory = directory};
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, "vm.json", err);

	if (status == STATUS_OK)
		status = json_read_file(path, &run->json, err);
	const struct json_value *deterministic = status == STATUS_OK ? json_member(run->json, "deterministic") : NULL;

	if (status != STATUS_OK)
		return status;
	if (!deterministic) {
		error_set(err, STATUS_USAGE, directory, "was not recorded with --deterministic");
		return error_remedy(err, "other runs differ each time: use picknext compare for them");
	}
	identity_read(deterministic, &run->identity);
	run->recorded_qemu = json_member_text(deterministic, "qemu", "");
	status = list_traces(run, wanted, err);
	return status == STATUS_OK ? fill_request(run, deterministic, err) : status;
}

/* --- The repetition --- */

/* Warns about changed inputs before booting: they explain different traces. */
static enum status check_identity(const struct deterministic_run *run, const struct identity *now, struct error *err)
{
	for (int part = 0; part < IDENTITY_PARTS; part++) {
		const char *was = run->identity.parts[part], *is = now->parts[part];
		const char *name = identity_part_name((enum identity_part)part);
		if (strcmp(was, is) == 0)
			continue;
		if (part == IDENTITY_KERNEL) {
			error_set(err, STATUS_USAGE, run->request.kernel, "is not the recorded kernel");
			return error_remedy(err, "give the recorded kernel with --kernel; SHA-256 (unpacked): %s", was);
		}
		if (part == IDENTITY_QEMU_VERSION)
			message_warning("%s: QEMU is %s now, the recording used %s", run->directory, is, was);
		else if (part == IDENTITY_QEMU && !run->request.qemu && run->recorded_qemu[0])
			message_warning("%s: %s changed since the recording; if you trust the recorded one: --qemu %s",
					run->directory, name, run->recorded_qemu);
		else
			message_warning("%s: %s changed since the recording", run->directory, name);
	}
	return STATUS_OK;
}

static enum status refuse_overwriting(const struct deterministic_run *run, const char *output_directory,
				      struct error *err)
{
	char parent[PATH_MAX];
	enum status status = file_join(parent, sizeof(parent), run->directory, "..", err);

	if (status != STATUS_OK || !file_same(parent, output_directory))
		return status;
	error_set(err, STATUS_USAGE, "--keep", "the repeated run would overwrite %s", run->directory);
	return error_remedy(err, "give another directory");
}

enum status deterministic_run_repeat(struct deterministic_run *run, const char *output_directory, uint64_t jobs,
				     struct vm_result *result, struct error *err)
{
	struct launch *launch = NULL;
	struct identity now;

	run->request.output_directory = output_directory;
	enum status status = refuse_overwriting(run, output_directory, err);
	if (status == STATUS_OK)
		status = vm_open(&run->request, &launch, err);
	if (status == STATUS_OK)
		status = vm_identify(launch, &now, err);
	if (status == STATUS_OK)
		status = check_identity(run, &now, err);
	if (status == STATUS_OK)
		status = vm_run(&launch, 1, jobs_choose(jobs, true, run->request.memory_mb), NULL, NULL, err);
	if (status == STATUS_OK)
		status = vm_end(launch, result, err);
	vm_close(launch);
	return status;
}

void deterministic_run_free(struct deterministic_run *run)
{
	json_free(run->json);
	arguments_free(&run->collect);
	guest_files_free(&run->files);
	recorded_traces_free(&run->traces);
}

/* --- All runs of a directory --- */

static bool has_run(const char *directory)
{
	char path[PATH_MAX];

	return file_join(path, sizeof(path), directory, "vm.json", NULL) == STATUS_OK && access(path, F_OK) == 0;
}

enum status deterministic_run_each(const char *operand,
				   enum status (*visit)(void *context, const char *directory, struct error *err),
				   void *context, struct error *err)
{
	struct dirent **list = NULL;
	char path[PATH_MAX];
	unsigned int found = 0;
	enum status status = STATUS_OK;

	if (has_run(operand))
		return visit(context, operand, err);
	int count = scandir(operand, &list, NULL, alphasort);
	if (count < 0)
		return error_system(err, errno, operand, "cannot open");
	for (int i = 0; i < count; i++) {
		if (status == STATUS_OK && list[i]->d_name[0] != '.' &&
		    file_join(path, sizeof(path), operand, list[i]->d_name, NULL) == STATUS_OK && has_run(path)) {
			found++;
			status = visit(context, path, err);
		}
		free(list[i]);
	}
	free(list);
	if (status == STATUS_OK && found == 0) {
		error_set(err, STATUS_SYSTEM, operand, "no vm.json in it or in its directories");
		return error_remedy(err, "give the output directory of picknext vm --deterministic");
	}
	return status;
}
