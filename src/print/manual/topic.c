/* SPDX-License-Identifier: MIT */
#include "print/manual/topic.h"

#include <stdio.h>
#include <string.h>

#include "base/wrap.h"
#include "print/manual/topic_tables.h"

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

void topic_add_text(const struct topic *topic, struct buffer *out)
{
	for (const char *line = topic->text; *line;) {
		size_t length = strcspn(line, "\n");
		if (*line != '@' || !topic_table_add(line + 1, length - 1, out))
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
