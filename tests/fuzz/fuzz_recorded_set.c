/* SPDX-License-Identifier: MIT
 *
 * Records of a directory of picknext vm that was copied here: vm.json of a set, and the record of a boot. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runs/recorded_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

/* Takes the document. */
static void read_set(struct json_value *json)
{
	static const uint32_t one[] = {1};
	struct recorded_set set;
	struct buffer command = {0};
	size_t count;

	recorded_set_parse(json, &set);
	count = set.run_count;
	recorded_set_add_runs(&set, one, 1);
	if (set.run_count != count && (set.run_count != count + 1 || set.runs[count] != 1))
		abort();
	if (set.recipe.words.count)
		recipe_quote(&set.recipe, &command);
	/* One line, whatever the recipe names. */
	if (command.length && strchr(command.data, '\n'))
		abort();
	buffer_free(&command);
	recorded_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_value *json = NULL;

	if (json_parse((const char *)data, size, "fuzz.json", &json, NULL) != STATUS_OK)
		return 0;
	read_record(json);
	read_set(json);
	return 0;
}
