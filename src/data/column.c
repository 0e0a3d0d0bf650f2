/* SPDX-License-Identifier: MIT */
#include "data/column.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/csv_field.h"
#include "base/memory.h"

const char *const column_type_names[] = {
    [COLUMN_TEXT] = "text",       [COLUMN_INTEGER] = "integer", [COLUMN_REAL] = "real",
    [COLUMN_SECONDS] = "seconds", [COLUMN_TEXTS] = "texts",     [COLUMN_INTEGERS] = "integers",
};

const struct column weight_column = {
    "weight", "", "only with --weights: with it each workload of a file counts the same; the mean of a file is 1",
    COLUMN_REAL, .label = LABEL_WEIGHT};

const struct column label_columns[LABEL_COLUMNS] = {
    {"trace_id", "", "the run: its name and the first digits of the SHA-256 of its trace, so that no two runs share it",
     COLUMN_TEXT, .label = LABEL_TRACE_ID},
    {"workload_type", "", "the workload of the run", COLUMN_TEXT, .label = LABEL_WORKLOAD},
    {"category", "", "its category", COLUMN_TEXT, .label = LABEL_CATEGORY},
    {"kernel", "", "release of the kernel", COLUMN_TEXT, .label = LABEL_KERNEL},
    {"scheduler", "", "CFS or EEVDF, by the release (EEVDF since 6.6); with a sched_ext scheduler the name of its ops",
     COLUMN_TEXT, .label = LABEL_SCHEDULER},
    {"base_slice_ns", "ns", "the tunable of this name at the run; dataset_meta.json has all tunables of each trace",
     COLUMN_INTEGER, .label = LABEL_BASE_SLICE},
    {"set_label", "", "the name of the kernel in picknext vm -k LABEL=IMAGE, such as the fault that it has",
     COLUMN_TEXT, .label = LABEL_SET},
};

char *column_put_text(char *to, const char *text)
{
	return copy_short(to, text, strlen(text));
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

static void add_label(struct row_writer *writer, const char *label)
{
	const bool follows = writer->step_count > 0 && !writer->steps[writer->step_count - 1].column;
	struct row_step *step = &writer->steps[follows ? writer->step_count - 1 : writer->step_count++];

	buffer_text(&step->labels, follows ? "," : "");
	csv_field_add(&step->labels, label, strlen(label));
	writer->row_bytes_max += CSV_FIELD_MAX(strlen(label));
}

void row_writer_begin(struct row_writer *writer, const struct trace_labels *labels)
{
	const struct columns *columns = writer->columns;

	writer->steps = xcalloc(columns->count, sizeof(*writer->steps));
	writer->row_bytes_max = columns->count * (COLUMN_BYTES_MAX + 1) + 2;
	for (size_t i = columns->first_count; i < columns->count; i++) {
		const struct column *column = columns->items[i];
		if (column->label)
			add_label(writer, labels->texts[column->label]);
		else
			writer->steps[writer->step_count++].column = column;
		writer->list_count += column->put_item != NULL;
	}
}

void row_writer_end(struct row_writer *writer)
{
	for (size_t i = 0; i < writer->step_count; i++)
		buffer_free(&writer->steps[i].labels);
	free(writer->steps);
	writer->steps = NULL;
	writer->step_count = 0;
}

static size_t words_length(const struct ftrace_text_switch *text)
{
	return text->timestamp.length + CSV_FIELD_MAX(text->next_comm.length) + CSV_FIELD_MAX(text->prev_state.length) +
	       CSV_FIELD_MAX(text->prev_comm.length);
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

static char *put_step(char *to, const struct row_step *step, const struct dataset_row *row, uint32_t items)
{
	if (!step->column)
		return copy_short(to, step->labels.data, step->labels.length);
	return step->column->put ? step->column->put(to, row) : put_list(to, step->column, row, items);
}

void row_writer_add(struct row_writer *writer, struct dataset_row *row, uint32_t items, struct buffer *out)
{
	const size_t lists = writer->list_count * items * (COLUMN_BYTES_MAX + 1);
	char *to = buffer_reserve(out, writer->row_bytes_max + lists + (row->text ? words_length(row->text) : 0));

	row->writer = writer;
	if (writer->columns->put_first)
		to = writer->columns->put_first(to, row);
	for (size_t i = 0; i < writer->step_count; i++) {
		to = put_step(to, &writer->steps[i], row, items);
		*to++ = ',';
	}
	to[-1] = '\r';
	*to++ = '\n';
	*to = '\0';
	out->length = (size_t)(to - out->data);
}
