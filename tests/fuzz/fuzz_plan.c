/* SPDX-License-Identifier: MIT
 *
 * What a directory of cells that was copied here says of itself: the plan of a set, and the record of a cell. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/plan/plan.h"
#include "vm/plan/run_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void list_plan(struct plan *plan)
{
	const struct cell_choice all = {0};
	struct buffer text = {0}, again = {0};
	struct json_value *json = NULL;
	size_t lines = 0;

	plan->directory = "out";
	if (plan->sets[0].run_count > 1000)
		return;
	plan_write_text(plan, &all, &text);
	plan_write_json(plan, &all, &again);
	/* A line for each cell, whatever the plan names. */
	for (size_t i = 0; i < text.length; i++)
		lines += text.data[i] == '\n';
	if (lines != plan->sets[0].run_count)
		abort();
	if (json_parse(again.data, again.length, "list", &json, NULL) != STATUS_OK)
		abort();
	json_free(json);
	buffer_free(&text);
	buffer_free(&again);
}

static void read_record(const struct json_value *json)
{
	struct run_record record;

	if (run_record_read(json, 1, &record)) {
		if (record.outcome.run != 1 || !record.identity[0])
			abort();
		for (size_t i = 0; i < record.file_count; i++)
			if (strchr(record.files[i].name, '/') || !record.files[i].name[0])
				abort();
		/* There is no such directory. */
		if (record.file_count && !run_record_missing(&record, "/proc/none"))
			abort();
	}
	run_record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_value *json = NULL;
	struct plan plan = {0};
	struct error err = {0};

	if (json_parse((const char *)data, size, "fuzz.json", &json, NULL) != STATUS_OK)
		return 0;
	if (plan_read_set(json, "fuzz.json", &plan, &err) == STATUS_OK)
		list_plan(&plan);
	else if (!err.what[0])
		abort();
	plan_free(&plan);
	read_record(json);
	json_free(json);
	return 0;
}
