/* SPDX-License-Identifier: MIT
 *
 * The program's own tables, as rows of a list in a topic: a name and its meaning. */
#ifndef PRINT_MANUAL_TOPIC_TABLES_H
#define PRINT_MANUAL_TOPIC_TABLES_H

#include <stddef.h>

#include "base/buffer.h"

/* Adds the table of this name (length bytes), a row per line as base/wrap.h defines them; false if there is none. */
bool topic_table_add(const char *name, size_t length, struct buffer *out);

#endif
