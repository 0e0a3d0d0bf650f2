/* SPDX-License-Identifier: MIT */
#include "print/manual/topic.h"

#include <stdio.h>
#include <string.h>

#include "base/wrap.h"
#include "print/manual/topic_tables.h"
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

static void add_table(const char *name, size_t length, struct buffer *out)
{
	if (!topic_table_add(name, length, out))
		metric_list_add_reasons(out);
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
