/* SPDX-License-Identifier: MIT */
#include "base/text_table.h"

#include <stdlib.h>

#include "base/copy.h"
#include "base/hash.h"
#include "base/memory.h"

#define SLOTS_MIN 64u

static uint32_t hash_of(const char *text, size_t length)
{
	uint64_t mixed = length;

	if (length < 8) {
		uint64_t word = 0;
		for (size_t i = 0; i < length; i++)
			word = word << 8 | (uint8_t)text[i];
		return (uint32_t)hash_words(mixed, word);
	}
	for (size_t at = 0; at + 8 < length; at += 8)
		mixed = hash_words(mixed, copy_eight(text + at));
	return (uint32_t)hash_words(mixed, copy_eight(text + length - 8));
}

/* The slot of the text, or the free one where it belongs. */
static uint32_t find_slot(const struct text_table *table, const char *text, size_t length, uint32_t hash)
{
	uint32_t at = hash & table->slot_mask;

	for (; table->slots[at]; at = (at + 1) & table->slot_mask) {
		const struct text_entry *entry = &table->entries[table->slots[at] - 1];
		if (entry->hash == hash && entry->length == length &&
		    same_short(table->bytes.data + entry->at, text, length))
			break;
	}
	return at;
}

static void grow(struct text_table *table)
{
	hash_begin();
	uint32_t count = table->slots ? 2 * (table->slot_mask + 1) : SLOTS_MIN;
	uint32_t *slots = xcalloc(count, sizeof(*slots));
	struct text_entry *entries = xreallocarray(table->entries, count / 2, sizeof(*entries));

	table->entries = entries;
	free(table->slots);
	table->slots = slots;
	table->slot_mask = count - 1;
	table->capacity = count / 2;
	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t at = entries[i].hash & table->slot_mask;
		while (slots[at])
			at = (at + 1) & table->slot_mask;
		slots[at] = i + 1;
	}
}

uint32_t text_table_number(struct text_table *table, const char *text, size_t length)
{
	if (table->count == table->capacity)
		grow(table);
	uint32_t hash = hash_of(text, length);
	uint32_t at = find_slot(table, text, length, hash);
	if (table->slots[at])
		return table->slots[at] - 1;
	struct text_entry entry = {table->bytes.length, (uint32_t)length, hash};
	buffer_add(&table->bytes, text, length);
	/* An empty text must have an address too. */
	buffer_add(&table->bytes, "", 1);
	table->entries[table->count] = entry;
	table->slots[at] = ++table->count;
	return table->count - 1;
}

void text_table_free(struct text_table *table)
{
	buffer_free(&table->bytes);
	free(table->entries);
	free(table->slots);
	*table = (struct text_table){0};
}
