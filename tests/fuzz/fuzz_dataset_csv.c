/* SPDX-License-Identifier: MIT
 *
 * A dataset's CSV: the rows follow one another without a gap, each field lies within its row, and what a field says
 * reads back from what would be written of it. The baseline's rows are made of them. */
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "data/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_field(const struct csv_record *record, const struct csv_text *field)
{
	char value[256];
	char again[256];
	struct buffer written = {0};

	if (field->bytes < record->whole.bytes ||
	    field->bytes + field->length > record->whole.bytes + record->whole.length)
		abort();
	size_t length = csv_unquote(field, value, sizeof(value));
	if (length == SIZE_MAX)
		return;
	csv_field_add(&written, value, length);
	const struct csv_text text = {written.data, written.length};
	if (csv_unquote(&text, again, sizeof(again)) != length || memcmp(value, again, length) != 0)
		abort();
	buffer_free(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct csv_reader reader;
	struct csv_record record;
	struct baseline baseline = {0};
	struct buffer rows = {0};
	struct error err;
	enum status status;

	csv_is_dataset(data, size);
	csv_reader_open(&reader, data, size, "fuzz.csv");
	const char *expected = reader.at;
	while ((status = csv_reader_next(&reader, &record, &err)) == STATUS_OK) {
		if (record.whole.bytes != expected || record.whole.length == 0 || record.count < CSV_COLUMNS)
			abort();
		expected += record.whole.length;
		for (size_t i = 0; i < record.count; i++)
			check_field(&record, &record.fields[i]);
		if (baseline_add_record(&baseline, &record, &rows, &err) != STATUS_OK && err.status != STATUS_CORRUPT)
			abort();
	}
	if (status == STATUS_END && expected != (const char *)data + size)
		abort();
	baseline_free(&baseline);
	buffer_free(&rows);
	return 0;
}
