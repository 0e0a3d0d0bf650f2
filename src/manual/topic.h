/* SPDX-License-Identifier: MIT
 *
 * Topics of the manual: texts about more than one command. Each is a file of topics/ with the name of its topic: a line
 * with its summary, an empty line, then paragraphs, lists and headings (lines in capitals) as manual/help_text.h
 * defines them. A line "@columns" includes the program's table of that name (tables in topic.c). */
#ifndef MANUAL_TOPIC_H
#define MANUAL_TOPIC_H

#include "base/buffer.h"

struct topic {
	const char *name;
	const char *summary; /* one line, no full stop */
	const char *text;
};

/* In the order of the names. The last row has no name. */
extern const struct topic topic_table[];

/* NULL if there is no topic with this name. */
const struct topic *topic_find(const char *name);
/* Adds the text, with its tables. */
void topic_add_text(const struct topic *topic, struct buffer *out);
/* Prints the topic on standard output. */
void topic_print(const struct topic *topic);

#endif
