/* SPDX-License-Identifier: MIT
 *
 * Manual pages, from the texts and tables that --help and help TOPIC print: picknext.1, picknext-COMMAND.1 and
 * picknext-TOPIC.7. */
#ifndef PRINT_MANUAL_MAN_PAGE_H
#define PRINT_MANUAL_MAN_PAGE_H

#include "base/buffer.h"
#include "print/manual/subject.h"

/* Adds the page of a subject. groups: all commands. */
void man_page_add(const struct command_group *groups, const struct subject *subject, struct buffer *out);
/* Adds a line for each page, hidden commands left out: the name of its file and the words of its subject, such as
 * "picknext-migrations-extract.1 migrations extract". */
void man_page_add_list(const struct command_group *groups, struct buffer *out);

#endif
