/* SPDX-License-Identifier: MIT
 *
 * Topics of the manual: texts about more than one command. Each is a file of topics/, named as its topic: a line that
 * says what it is about, an empty line, then paragraphs, lists and headings (lines in capitals) as base/wrap.h defines
 * them. A line "@columns" includes the program's own table of that name (tables in topic.c). */
#ifndef PRINT_MANUAL_TOPIC_H
#define PRINT_MANUAL_TOPIC_H

#include "base/buffer.h"

struct topic {
	const char *name;
	const char *summary; /* one line, no full stop */
	const char *text;
};

/* In the order of the names. A name of NULL ends the table. */
extern const struct topic topic_table[];

/* NULL if there is none of that name. */
const struct topic *topic_find(const char *name);
/* Adds the text, its tables in place. */
void topic_add_text(const struct topic *topic, struct buffer *out);
/* Prints the topic on standard output. */
void topic_print(const struct topic *topic);

#endif
