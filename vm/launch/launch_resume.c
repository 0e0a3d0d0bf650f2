/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_resume.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "vm/launch/launch_state.h"

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
	struct boot_record sum;

	boot_records_sum(&launch->records, &sum);
	if (launch->request->force || sum.traces == 0)
		return STATUS_OK;
	list_differences(was, &launch->identity, different, sizeof(different));
	error_set(err, STATUS_USAGE, launch->result.directory, "has runs with other inputs; different: %s", different);
	return error_remedy(err, "choose another directory with -o or name the set with -k LABEL=, or replace the runs "
				 "with --force");
}

static enum status read_launch(struct launch *launch, const struct json_value *json, struct error *err)
{
	const struct json_value *deterministic = json_member(json, "deterministic");
	struct identity was;

	if (!boot_records_read(&launch->records, json_member(json, "boots")))
		return error_system(err, ENOMEM, launch->result.directory, "cannot read its boots");
	identity_read(deterministic ? deterministic : json_member(json, "inputs"), &was);
	if (strcmp(was.whole, launch->identity.whole) == 0)
		return STATUS_OK;
	launch->has_others = true;
	return refuse_others(launch, &was, err);
}

enum status launch_read_records(struct launch *launch, struct error *err)
{
	char path[PATH_MAX];
	struct json_value *json = NULL;
	struct error reading = {0};
	enum status status = file_join(path, sizeof(path), launch->result.directory, "vm.json", err);

	if (status != STATUS_OK)
		return status;
	/* A damaged file is replaced, if it is vm's (launch_make_directories()). */
	if (json_read_file(path, &json, &reading) != STATUS_OK)
		return STATUS_OK;
	status = json->kind == JSON_OBJECT ? read_launch(launch, json, err) : STATUS_OK;
	json_free(json);
	return status;
}

void launch_drop_others(struct launch *launch)
{
	if (!launch->has_others)
		return;
	for (size_t i = 0; i < launch->records.count && launch->request->force; i++)
		boot_files_remove(launch->raw, launch->records.items[i].run);
	boot_records_free(&launch->records);
}

bool launch_has_run(const struct launch *launch, uint32_t run)
{
	const struct boot_record *record = boot_records_find(&launch->records, run);

	return !launch->request->force && !launch->request->again && !launch->request->untraced && record &&
	       boot_record_is_whole(record, launch->raw);
}
