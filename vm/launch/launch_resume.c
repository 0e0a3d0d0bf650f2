/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "runs/recipe.h"
#include "vm/launch/launch.h"
#include "vm/plan/cell_record.h"

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
	struct boot_record sum;

	boot_records_sum(&launch->records, &sum);
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

static enum status read_cells(struct launch *launch, struct error *err)
{
	const char *directory = launch->result.directory;
	struct cell_record record;
	uint32_t *runs;
	size_t count;
	enum status status = cell_record_runs(directory, &runs, &count, err);

	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		if (cell_record_load(directory, runs[i], &record))
			boot_records_put(&launch->records, &record.boot);
		cell_record_free(&record);
	}
	free(runs);
	return status;
}

/* The inputs of one that is there speak for all: others were refused. */
static enum status find_record(const struct launch *launch, char *path, size_t size, struct error *err)
{
	if (launch->records.count)
		return cell_record_path(launch->result.directory, launch->records.items[0].run, path, size, err);
	return file_join(path, size, launch->result.directory, "vm.json", err);
}

enum status launch_read_records(struct launch *launch, struct error *err)
{
	char path[PATH_MAX];
	struct json_value *json = NULL;
	struct error reading = {0};
	enum status status = read_cells(launch, err);

	if (status == STATUS_OK)
		status = find_record(launch, path, sizeof(path), err);
	if (status != STATUS_OK)
		return status;
	/* A damaged file is replaced, if it is vm's (launch_begin()). */
	if (json_read_file(path, &json, &reading) != STATUS_OK)
		return STATUS_OK;
	/* Without records of cells: an earlier version made it. */
	if (launch->records.count == 0)
		boot_records_read(&launch->records, json_member(json, "boots"));
	if (status == STATUS_OK && json->kind == JSON_OBJECT)
		status = judge_inputs(launch, json, err);
	json_free(json);
	return status;
}

void launch_drop_others(struct launch *launch)
{
	char path[PATH_MAX];

	if (!launch->has_others)
		return;
	for (size_t i = 0; i < launch->records.count; i++) {
		const uint32_t run = launch->records.items[i].run;
		if (cell_record_path(launch->result.directory, run, path, sizeof(path), NULL) == STATUS_OK)
			unlink(path);
		if (launch->force)
			cell_files_remove(launch->raw, run);
	}
	boot_records_free(&launch->records);
}

bool launch_has_run(const struct launch *launch, uint32_t run)
{
	struct cell_record record;

	if (launch->force || launch->set->again || launch->options->no_trace)
		return false;
	bool is_there = cell_record_load(launch->result.directory, run, &record) &&
			strcmp(record.identity, launch->identity.whole) == 0 &&
			cell_record_is_whole(&record, launch->raw);
	cell_record_free(&record);
	return is_there;
}
