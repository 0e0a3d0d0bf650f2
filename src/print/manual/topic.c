/* SPDX-License-Identifier: MIT */
#include "print/manual/topic.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/wrap.h"
#include "data/csv.h"
#include "data/decision_csv.h"
#include "print/forms.h"
#include "print/metric_list.h"

const struct topic topic_table[] = {
/* Made from topics/ by ci/topic-texts. */
#include "print/manual/topic_texts.h"
    {.name = NULL},
};

const struct topic *topic_find(const char *name)
{
	for (const struct topic *topic = topic_table; topic->name; topic++)
		if (strcmp(topic->name, name) == 0)
			return topic;
	return NULL;
}

static void add_column(const struct csv_column *column, struct buffer *out)
{
	enum { NAME_WIDTH = 14 };

	buffer_printf(out, "  %-*s  %s%s%s%s\n", NAME_WIDTH, column->name, *column->unit ? "(" : "", column->unit,
		      *column->unit ? ") " : "", column->meaning);
}

static void add_columns(struct buffer *out)
{
	for (size_t i = 0; i < CSV_COLUMNS; i++)
		add_column(&csv_columns[i], out);
}

static void add_scheduler_column(struct buffer *out)
{
	add_column(&csv_columns[CSV_COLUMNS], out);
}

static void add_extended_columns(struct buffer *out)
{
	for (size_t i = CSV_ALL_COLUMNS - CSV_EXTENDED_COLUMNS; i < CSV_ALL_COLUMNS; i++)
		add_column(&csv_columns[i], out);
}

static void add_decision_columns(struct buffer *out)
{
	for (size_t i = 0; i < DECISION_ALL_COLUMNS; i++)
		add_column(&decision_columns[i], out);
}

static void add_exit_codes(struct buffer *out)
{
	for (const struct exit_code *code = exit_code_table; code->codes; code++)
		buffer_printf(out, "  %-13s  %s\n", code->codes, code->meaning);
}

static const struct {
	const char *name;
	void (*add)(struct buffer *out);
} tables[] = {
    {"columns", add_columns},
    {"scheduler-column", add_scheduler_column},
    {"extended-columns", add_extended_columns},
    {"decision-columns", add_decision_columns},
    {"exit-codes", add_exit_codes},
    {"compare-forms", compare_forms_add_rows},
    {"metrics", metric_list_add_rows},
    {"deterministic-metrics", metric_list_add_reasons},
};

static void add_table(const char *name, size_t length, struct buffer *out)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (strlen(tables[i].name) == length && memcmp(tables[i].name, name, length) == 0)
			tables[i].add(out);
}

void topic_add_text(const struct topic *topic, struct buffer *out)
{
	for (const char *line = topic->text; *line;) {
		size_t length = strcspn(line, "\n");
		if (*line == '@')
			add_table(line + 1, length - 1, out);
		else
			buffer_add(out, line, length + 1);
		line += length + 1;
	}
}

void topic_print(const struct topic *topic)
{
	struct buffer text = {0};

	topic_add_text(topic, &text);
	printf("picknext %s: %s\n\n", topic->name, topic->summary);
	wrap_paragraphs(text.data);
	buffer_free(&text);
}
