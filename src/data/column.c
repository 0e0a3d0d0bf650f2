/* SPDX-License-Identifier: MIT */
#include "data/column.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/csv_field.h"
#include "base/decimal.h"
#include "base/memory.h"

const char *const column_type_names[] = {
    [COLUMN_TEXT] = "text",       [COLUMN_INTEGER] = "integer", [COLUMN_REAL] = "real",
    [COLUMN_SECONDS] = "seconds", [COLUMN_TEXTS] = "texts",     [COLUMN_INTEGERS] = "integers",
};

const struct column weight_column = {
    "weight", "", "weight of the row, with --weights: each workload of a file has the same total, and the mean is 1",
    COLUMN_REAL, .label = LABEL_WEIGHT};

const struct column label_columns[LABEL_COLUMNS] = {
    {"trace_id", "", "name of the run and the first digits of its trace's SHA-256, so that it is unique", COLUMN_TEXT,
     .label = LABEL_TRACE_ID},
    {"workload_type", "", "the workload of the run", COLUMN_TEXT, .label = LABEL_WORKLOAD},
    {"category", "", "its category", COLUMN_TEXT, .label = LABEL_CATEGORY},
    {"kernel", "", "release of the kernel", COLUMN_TEXT, .label = LABEL_KERNEL},
    {"scheduler", "", "CFS or EEVDF, by the release (EEVDF since 6.6); with a sched_ext scheduler the name of its ops",
     COLUMN_TEXT, .label = LABEL_SCHEDULER},
    {"base_slice_ns", "ns", "the tunable of this name during the run; dataset_meta.json has all tunables of each trace",
     COLUMN_INTEGER, .label = LABEL_BASE_SLICE},
    {"set_label", "", "LABEL of picknext vm -k LABEL=IMAGE, for example the name of the fault in this kernel",
     COLUMN_TEXT, .label = LABEL_SET},
};

char *column_put_text(char *to, const char *text)
{
	return stpcpy(to, text);
}

char *column_put_known(char *to, bool known, uint64_t value, const char *unknown)
{
	return known ? decimal_put(to, value) : column_put_text(to, unknown);
}

void columns_add(struct columns *columns, const struct column *table, size_t count)
{
	for (size_t i = 0; i < count && columns->count < COLUMNS_MAX; i++)
		columns->items[columns->count++] = &table[i];
}

void columns_add_header(const struct columns *columns, struct buffer *out)
{
	for (size_t i = 0; i < columns->count; i++) {
		buffer_text(out, i ? "," : "");
		buffer_text(out, columns->items[i]->name);
	}
	buffer_text(out, "\r\n");
}

const struct column *columns_find(const struct columns *columns, const char *name)
{
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->items[i]->name, name) == 0)
			return columns->items[i];
	return NULL;
}

/* --- Rows --- */

/* Returns the bytes of the label as a field. */
static size_t add_label(struct row_writer *writer, const struct trace_labels *labels, enum trace_label label)
{
	const size_t at = writer->labels.length;

	csv_field_add(&writer->labels, labels->texts[label], strlen(labels->texts[label]));
	writer->label_places[label].at = at;
	return writer->label_places[label].length = writer->labels.length - at;
}

void row_writer_begin(struct row_writer *writer, const struct columns *columns, const struct trace_labels *labels)
{
	*writer = (struct row_writer){.columns = columns, .row_bytes_max = 2};
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = columns->items[i];
		writer->row_bytes_max +=
		    1 + (column->label ? add_label(writer, labels, column->label) : COLUMN_BYTES_MAX);
		writer->list_count += column->put_item != NULL;
	}
}

void row_writer_free(struct row_writer *writer)
{
	buffer_free(&writer->labels);
}

static size_t words_length(const struct ftrace_text_switch *text)
{
	return text->timestamp.length + CSV_FIELD_MAX(text->next_comm.length) + CSV_FIELD_MAX(text->prev_state.length) +
	       CSV_FIELD_MAX(text->prev_comm.length);
}

static char *put_label(char *to, const struct row_writer *writer, enum trace_label label)
{
	const size_t length = writer->label_places[label].length;

	return copy_short(to, writer->labels.data + writer->label_places[label].at, length);
}

static char *put_list(char *to, const struct column *column, const struct dataset_row *row, uint32_t items)
{
	for (uint32_t i = 0; i < items; i++) {
		if (i)
			*to++ = ' ';
		to = column->put_item(to, row, i);
	}
	return to;
}

void row_writer_add(struct row_writer *writer, const struct dataset_row *row, uint32_t items, struct buffer *out)
{
	const struct columns *columns = writer->columns;
	const size_t lists = writer->list_count * items * (COLUMN_BYTES_MAX + 1);
	char *to = buffer_reserve(out, writer->row_bytes_max + lists + (row->text ? words_length(row->text) : 0));

	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = columns->items[i];
		to = column->label ? put_label(to, writer, column->label)
		     : column->put ? column->put(to, row)
				   : put_list(to, column, row, items);
		*to++ = ',';
	}
	to[-1] = '\r';
	*to++ = '\n';
	*to = '\0';
	out->length = (size_t)(to - out->data);
}
