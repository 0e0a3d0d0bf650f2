/* SPDX-License-Identifier: MIT
 *
 * Distinct texts of any bytes, numbered from 0 in the order of their first appearance. Pure. */
#ifndef BASE_TEXT_TABLE_H
#define BASE_TEXT_TABLE_H

#include "base/buffer.h"

#include <stdint.h>

struct text_entry {
	size_t at; /* in bytes */
	uint32_t length, hash;
};

/* A zeroed struct is empty. */
struct text_table {
	struct buffer bytes;
	struct text_entry *entries;
	uint32_t *slots; /* open addressing: number + 1, or 0 */
	uint32_t count, capacity, slot_mask;
};

/* The number of the text; adds a new text. */
uint32_t text_table_number(struct text_table *table, const char *text, size_t length);
void text_table_free(struct text_table *table);

#endif
