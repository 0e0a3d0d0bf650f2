/* SPDX-License-Identifier: MIT */
#include "vm/launch/repetition.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "vm/launch/launch_prepare.h"

static bool is_wanted(const struct seed_list *wanted, uint32_t seed)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->seeds[i] == seed)
			return true;
	return wanted->count == 0;
}

static void add_traces(struct repetition *repetition, const struct run_record *record, bool wanted)
{
	for (size_t i = 0; i < record->file_count; i++) {
		if (!file_name_ends(record->files[i].name, ".dat"))
			continue;
		repetition->total++;
		if (!wanted)
			continue;
		repetition->traces =
		    xreallocarray(repetition->traces, repetition->count + 1, sizeof(*repetition->traces));
		struct repeated_trace *trace = &repetition->traces[repetition->count++];
		trace->seed = record->outcome.run;
		memcpy(trace->name, record->files[i].name, sizeof(trace->name));
	}
}

static enum status add_run(struct repetition *repetition, uint32_t seed, const struct seed_list *wanted,
			   struct error *err)
{
	const bool is_in = is_wanted(wanted, seed);
	const size_t before = repetition->count;
	struct run_record record;

	if (run_record_load(repetition->directory, seed, &record) &&
	    strcmp(record.identity, repetition->identity.whole) == 0)
		add_traces(repetition, &record, is_in);
	run_record_free(&record);
	if (repetition->count == before)
		return STATUS_OK;
	if (repetition->seeds.count == SEED_LIST_MAX)
		return error_set(err, STATUS_USAGE, repetition->directory,
				 "more than %d seeds; choose some with --seeds", SEED_LIST_MAX);
	repetition->seeds.seeds[repetition->seeds.count++] = seed;
	return STATUS_OK;
}

static enum status report_none(const struct repetition *repetition, const struct seed_list *wanted,
			       const uint32_t *runs, size_t count, struct error *err)
{
	struct buffer seeds = {0};

	error_set(err, STATUS_USAGE, repetition->directory, "has no traces of this run%s",
		  wanted->count ? " with these seeds" : "");
	if (wanted->count && count) {
		seed_list_write(runs, count, &seeds);
		error_remedy(err, "its seeds are %.400s", seeds.data);
	}
	buffer_free(&seeds);
	return STATUS_USAGE;
}

static enum status list_traces(struct repetition *repetition, const struct seed_list *wanted, struct error *err)
{
	uint32_t *runs;
	size_t count;
	enum status status = run_record_runs(repetition->directory, &runs, &count, err);

	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = add_run(repetition, runs[i], wanted, err);
	if (status == STATUS_OK && repetition->count == 0)
		status = report_none(repetition, wanted, runs, count, err);
	free(runs);
	return status;
}

static void find_name(struct repetition *repetition)
{
	char path[PATH_MAX];
	const char *slash = realpath(repetition->directory, path) ? strrchr(path, '/') : NULL;

	if (slash && set_name_is_safe(slash + 1))
		snprintf(repetition->name, sizeof(repetition->name), "%s", slash + 1);
}

enum status repetition_begin(struct repetition *repetition, const char *directory, const struct seed_list *wanted,
			     struct error *err)
{
	*repetition = (struct repetition){.directory = directory};
	enum status status = recorded_set_read(directory, &repetition->recorded, err);
	if (status != STATUS_OK)
		return status;
	const struct json_value *deterministic = json_member(repetition->recorded.document, "deterministic");
	if (!deterministic) {
		error_set(err, STATUS_USAGE, directory, "was not recorded in deterministic guests");
		return error_remedy(err, "other runs differ each time: use picknext compare for them");
	}
	if (repetition->recorded.recipe.words.count == 0 && json_member(repetition->recorded.document, "recipe"))
		return error_set(err, STATUS_CORRUPT, directory, "the recipe in vm.json is not a list of words");
	if (repetition->recorded.recipe.words.count == 0) {
		error_set(err, STATUS_UNSUPPORTED, directory, "its vm.json " RECIPE_MISSING);
		return error_remedy(err, "verify it with that version, or record it again with picknext vm");
	}
	identity_read(deterministic, &repetition->identity);
	repetition->qemu = json_member_text(deterministic, "qemu", "");
	find_name(repetition);
	return list_traces(repetition, wanted, err);
}

enum status repetition_check(const struct repetition *repetition, struct launch *launch, const char *kernel,
			     bool qemu_is_given, struct error *err)
{
	const char *directory = repetition->directory;
	enum status status = launch_choose_machine(launch, err);

	if (status == STATUS_OK)
		status = launch_identify(launch, err);

	for (int part = 0; part < IDENTITY_PARTS && status == STATUS_OK; part++) {
		const char *was = repetition->identity.parts[part], *is = launch->identity.parts[part];
		const char *name = identity_part_name((enum identity_part)part);
		if (strcmp(was, is) == 0)
			continue;
		if (part == IDENTITY_KERNEL) {
			error_set(err, STATUS_USAGE, kernel, "is not the recorded kernel");
			return error_remedy(err, "give the recorded kernel with --kernel; SHA-256 (unpacked): %s", was);
		}
		if (part == IDENTITY_QEMU_VERSION)
			message_warning("%s: QEMU is %s now, the recording used %s", directory, is, was);
		else if (part == IDENTITY_QEMU && !qemu_is_given && repetition->qemu[0])
			message_warning("%s: %s changed since the recording; if you trust the recorded one: --qemu %s",
					directory, name, repetition->qemu);
		else
			message_warning("%s: %s changed since the recording", directory, name);
	}
	return status;
}

void repetition_end(struct repetition *repetition)
{
	recorded_set_free(&repetition->recorded);
	free(repetition->traces);
	*repetition = (struct repetition){0};
}
