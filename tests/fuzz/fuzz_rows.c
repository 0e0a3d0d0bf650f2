/* SPDX-License-Identifier: MIT
 *
 * A trace of either kind to the rows of each kind of dataset: each row has all columns, none more; the extended ones of
 * switches begin with the others; a second pass gives the rows that the first one counted. */
#include <stdlib.h>
#include <string.h>

#include "data/csv_read.h"
#include "data/row_kinds.h"
#include "data/rows.h"
#include "fuzz/tracedat_mutator.h"
#include "trace/format/tracedat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	bool is_dat = size > TRACEDAT_MAGIC_SIZE && data[0] == 0x17;

	return is_dat ? tracedat_mutate(data, size, max_size, seed) : LLVMFuzzerMutate(data, size, max_size);
}

struct reading {
	struct rows rows;
	struct dataset_trace trace;
	struct buffer standard; /* what the rows without further columns were */
	size_t at;
};

static bool is_of_switches(const struct reading *reading)
{
	return !reading->rows.kind->has_roles;
}

static void check_begin(struct reading *reading, const struct csv_record *record)
{
	size_t length = (size_t)(record->fields[CSV_COLUMNS - 1].bytes + record->fields[CSV_COLUMNS - 1].length -
				 record->whole.bytes);

	if (reading->standard.length - reading->at < length + 2 ||
	    memcmp(reading->standard.data + reading->at, record->whole.bytes, length) != 0)
		abort();
	reading->at += length + 2;
}

static enum status put(void *context, const struct dataset_trace *trace, struct buffer *rows, uint64_t count,
		       struct error *err)
{
	struct reading *reading = context;
	struct csv_reader reader = {.name = "rows", .at = rows->data, .end = rows->data + rows->length};
	struct csv_record record;

	(void)trace;
	for (; count; count--) {
		if (csv_reader_next(&reader, &record, err) != STATUS_OK)
			abort();
		if (record.count != reading->rows.columns->count)
			abort();
		if (!is_of_switches(reading))
			reading->at++;
		else if (reading->rows.columns->extended)
			check_begin(reading, &record);
		else
			buffer_add(&reading->standard, record.whole.bytes, record.whole.length);
	}
	if (reader.at != reader.end)
		abort();
	return STATUS_OK;
}

static enum status read_rows(struct reading *reading, struct input *input, const struct row_kind *kind,
			     const char *layout)
{
	char path[] = "fuzz";
	char workload[] = "a,\"b\"";
	char id[] = "t";
	const struct columns columns = kind->columns(layout);
	enum status status = STATUS_OK;
	struct error err;

	reading->trace = (struct dataset_trace){
	    .run = {.id = id, .path = path, .workload = workload, .category = workload, .metadata.host.tracer_cpu = -1},
	    .trace_id = id,
	    .kernel = "",
	    .base_slice_ns = "",
	    .scheduler = "a,b",
	    .rows_max = UINT64_MAX};
	reading->rows = (struct rows){
	    .kind = kind, .trace = &reading->trace, .input = input, .context = reading, .columns = &columns};
	if (kind->has_roles) {
		reading->rows.is_survey = true;
		status = rows_read(&reading->rows, &err);
		losses_free(&reading->trace.run.losses);
		reading->rows.is_survey = false;
	}
	reading->rows.put = put;
	if (status == STATUS_OK)
		status = rows_read(&reading->rows, &err);
	losses_free(&reading->trace.run.losses);
	role_table_free(&reading->trace.roles);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool is_text = size == 0 || data[0] != 0x17;
	struct input input = {
	    .name = "fuzz", .kind = is_text ? INPUT_TEXT : INPUT_DAT, .file = {.bytes = data, .length = size}};
	struct reading reading = {0};
	struct error err;

	if (!is_text && tracedat_parse(data, size, "fuzz", &input.trace, &err) != STATUS_OK)
		return 0;

	/* Where the tasks cannot be followed, as with a CPU that no Linux has, there are fewer rows. */
	if (read_rows(&reading, &input, &switch_rows, NULL) == STATUS_OK &&
	    read_rows(&reading, &input, &switch_rows, "extended,scheduler") == STATUS_OK &&
	    reading.at != reading.standard.length)
		abort();
	buffer_free(&reading.standard);
	for (size_t i = 1; row_kinds[i]; i++) {
		reading.at = 0;
		if (read_rows(&reading, &input, row_kinds[i], NULL) == STATUS_OK && reading.at != reading.trace.rows)
			abort();
	}
	if (!is_text)
		tracedat_free(&input.trace);
	return 0;
}
