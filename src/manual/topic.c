/* SPDX-License-Identifier: MIT */
#include "manual/topic.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/row_kind.h"
#include "data/switch_rows.h"
#include "manual/help_text.h"
#include "print/forms.h"
#include "print/metric_list.h"
#include "rules/invariants.h"
#include "rules/key_events.h"
#include "runs/run_fields.h"
#include "trace/event_rows.h"
#include "trace/format/text_kind.h"
#include "workloads/mix.h"

/* --- Tables of the program: a name and its meaning in each row --- */

/* Adds the text of one row, and returns its name; NULL after the last row. */
typedef const char *table_row(size_t number, struct buffer *text);

static const char *deterministic_metrics_row(size_t number, struct buffer *text)
{
	return metric_list_add_reason(number, text) ? "-" : NULL;
}

static const char *exit_code_row(size_t number, struct buffer *text)
{
	const struct exit_code *code = &exit_code_table[number];

	if (code->codes)
		buffer_text(text, code->meaning);
	return code->codes;
}

static const char *metric_row(size_t number, struct buffer *text)
{
	const struct metric *metric = &metric_table()[number];

	if (metric->name)
		metric_list_add_meaning(metric, text);
	return metric->name;
}

static const char *form_row(size_t number, struct buffer *text)
{
	const struct compare_form *form = &compare_forms[number];

	if (form->name)
		buffer_text(text, form->help);
	return form->option;
}

static const char *event_row(size_t number, struct buffer *text)
{
	static const char *const uses[] = {[EVENT_NEEDED] = "needed",
					   [EVENT_RECORDED] = "default",
					   [EVENT_OPTIONAL] = "if the kernel has it",
					   [EVENT_EXTRA] = "with an option"};

	if (number == SCHED_EVENT_ROWS)
		return NULL;
	buffer_printf(text, "(%s) %s; fields:", uses[event_rows[number].use], event_rows[number].help);
	for (const struct event_row_field *field = event_rows[number].fields; field->name; field++)
		buffer_printf(text, "%s %s", field == event_rows[number].fields ? "" : ",", field->name);
	return event_rows[number].name;
}

/* The kinds of texts that are read, or refused. */
static const char *text_kind_row(size_t number, bool is_read, struct buffer *text)
{
	const struct text_kind *kind = text_kinds;

	for (; kind->name; kind++)
		if (!kind->refusal == is_read && number-- == 0)
			break;
	if (kind->name)
		buffer_text(text, kind->help);
	if (kind->name && kind->refusal)
		buffer_printf(text, ": %s", kind->remedy);
	return kind->name;
}

static const char *text_row(size_t number, struct buffer *text)
{
	return text_kind_row(number, true, text);
}

static const char *other_text_row(size_t number, struct buffer *text)
{
	return text_kind_row(number, false, text);
}

static const char *key_event_help(size_t number, struct buffer *text)
{
	const struct key_event_row *row = &key_event_rows[number];
	const char *separator = "; fields:";

	if (number == KEY_ROWS)
		return NULL;
	buffer_text(text, row->help);
	for (const struct key_field_row *field = row->fields; field < row->fields + row->field_count; field++) {
		if (!field->help)
			continue;
		buffer_printf(text, "%s %s", separator, field->name);
		if (*field->help)
			buffer_printf(text, " (%s)", field->help);
		separator = ",";
	}
	return row->name;
}

static const char *invariant_help(size_t number, struct buffer *text)
{
	if (number == invariant_count())
		return NULL;
	const struct invariant_row *row = invariant_row((uint32_t)number);
	buffer_printf(text, "%s (%s): %s", row->holds, row->applies_to, row->source);
	return row->key;
}

/* Finds the field with this number, counting also the fields of objects and arrays; *parent is the field that contains
 * it. */
static const struct run_field *find_field(const struct run_field *rows, size_t *number, const struct run_field **parent)
{
	for (; rows->key; rows++) {
		if (*number == 0)
			return rows;
		--*number;
		const struct run_field *inner = rows->rows ? find_field(rows->rows, number, parent) : NULL;
		if (inner) {
			*parent = rows;
			return inner;
		}
	}
	return NULL;
}

static const char *metadata_row(size_t number, struct buffer *text)
{
	static char name[64]; /* "losses[].cpu" */
	const struct run_field *parent = NULL;
	const struct run_field *field = find_field(run_fields, &number, &parent);

	if (!field)
		return NULL;
	const char *writer = run_section_name(parent ? parent->section : field->section);
	buffer_printf(text, "%s%s%s%s", *writer ? "(" : "", writer, *writer ? ") " : "", field->help);
	snprintf(name, sizeof(name), "%s%s%s", parent ? parent->key : "",
		 !parent                           ? ""
		 : parent->kind == RUN_FIELD_ARRAY ? "[]."
						   : ".",
		 field->key);
	return name;
}

struct own_table {
	const char *name;
	table_row *row; /* NULL: the table is the columns of a kind of row of a dataset, */
	const struct row_kind *kind;
	const char *layout;
	size_t first; /* from this column on */
};
static const struct own_table tables[] = {
    {"columns", NULL, &switch_rows, NULL, 0},
    {"scheduler-column", NULL, &switch_rows, "scheduler", CSV_COLUMNS},
    {"extended-columns", NULL, &switch_rows, "extended", CSV_COLUMNS},
    {"pick-columns", NULL, &pick_rows, NULL, 0},
    {"placement-columns", NULL, &placement_rows, NULL, LABEL_COLUMNS},
    {"balance-columns", NULL, &move_rows, NULL, LABEL_COLUMNS},
    {"key-columns", NULL, &key_rows, NULL, LABEL_COLUMNS},
    {.name = "exit-codes", .row = exit_code_row},
    {.name = "metrics", .row = metric_row},
    {.name = "events", .row = event_row},
    {.name = "texts", .row = text_row},
    {.name = "other-texts", .row = other_text_row},
    {.name = "key-events", .row = key_event_help},
    {.name = "invariants", .row = invariant_help},
    {.name = "metadata", .row = metadata_row},
    {.name = "deterministic-metrics", .row = deterministic_metrics_row},
    {.name = "compare-forms", .row = form_row},
    {.name = "mix-words", .row = mix_word},
};

static const char *add_row(const struct own_table *table, size_t number, struct buffer *text)
{
	if (table->row)
		return table->row(number, text);
	struct columns columns = table->kind->columns(table->layout);
	if (table->kind == &pick_rows)
		columns_add(&columns, &weight_column, 1);
	if (table->first + number >= columns.count)
		return NULL;
	const struct column *column = columns.items[table->first + number];
	if (*column->unit)
		buffer_printf(text, "(%s) ", column->unit);
	buffer_text(text, column->meaning);
	return column->name;
}

static void add_rows(const struct own_table *table, struct buffer *out)
{
	struct buffer text = {0};
	size_t widest = 0;
	const char *name;

	for (size_t number = 0; (name = add_row(table, number, &text)); number++)
		widest = strlen(name) > widest ? strlen(name) : widest;
	buffer_clear(&text);
	for (size_t number = 0; (name = add_row(table, number, &text)); number++) {
		buffer_printf(out, "  %-*s  %s\n", (int)widest, name, text.data);
		buffer_clear(&text);
	}
	buffer_free(&text);
}

/* Adds the table with this name; false if there is none. */
static bool add_table(const char *name, size_t length, struct buffer *out)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (strlen(tables[i].name) == length && memcmp(tables[i].name, name, length) == 0) {
			add_rows(&tables[i], out);
			return true;
		}
	return false;
}

/* --- Topics --- */

const struct topic topic_table[] = {
/* Made from topics/ by ci/topic-texts. */
#include "manual/topic_texts.h"
    {.name = NULL},
};

const struct topic *topic_find(const char *name)
{
	for (const struct topic *topic = topic_table; topic->name; topic++)
		if (strcmp(topic->name, name) == 0)
			return topic;
	return NULL;
}

void topic_add_text(const struct topic *topic, struct buffer *out)
{
	for (const char *line = topic->text; *line;) {
		size_t length = strcspn(line, "\n");
		if (*line != '@' || !add_table(line + 1, length - 1, out))
			buffer_add(out, line, length + 1);
		line += length + 1;
	}
}

void topic_print(const struct topic *topic)
{
	struct buffer text = {0};

	topic_add_text(topic, &text);
	printf("picknext %s: %s\n\n", topic->name, topic->summary);
	help_paragraphs(text.data);
	buffer_free(&text);
}
