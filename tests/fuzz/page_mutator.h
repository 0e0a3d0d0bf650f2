/* SPDX-License-Identifier: MIT
 *
 * Mutations that know what a ring-buffer page is: its length stays, and often enough its commit word and the lengths of
 * its records are mended afterwards, so that what lies behind the first of them is reached. */
#ifndef FUZZ_PAGE_MUTATOR_H
#define FUZZ_PAGE_MUTATOR_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/kernel_texts.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#define MUTATOR_PAGE_DATA 16u

static inline uint32_t mutator_load(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* How long the record at this place is, or 0 where it says nothing that fits into left bytes. */
static inline size_t mutator_record(const uint8_t *at, size_t left)
{
	uint32_t type = mutator_load(at) & 31;
	size_t length = 4 + (size_t)type * 4;

	if (type > 29)
		length = 8;
	else if (type == 0 || type == 29)
		length = left < 8 ? 0 : 4 + (((size_t)mutator_load(at + 4) + 3) & ~(size_t)3);
	return length >= 8 && length <= left ? length : 0;
}

/* Makes the page end where its records do, and gives some of them the number of an event that is known. */
static inline void page_mend(uint8_t *page, size_t size, unsigned int seed)
{
	static const uint16_t ids[] = {ID_SWITCH, ID_WAKEUP, ID_WAKEUP_NEW, ID_MIGRATE, ID_MIGRATE_LOCATED, 5};
	size_t at = MUTATOR_PAGE_DATA;

	if (size < MUTATOR_PAGE_DATA + 8)
		return;
	uint32_t commit = mutator_load(page + 8);
	uint32_t committed = commit & 0x3fffffff;
	size_t end = committed <= size - at ? at + committed : size;
	while (end - at >= 8) {
		size_t length = mutator_record(page + at, end - at);
		if (length == 0)
			break;
		seed = seed * 1103515245 + 12345;
		if (length > 12 && (mutator_load(page + at) & 31) < 29 && seed >> 28 == 0)
			memcpy(page + at + 4, &ids[(seed >> 16) % 6], 2);
		at += length;
	}
	commit = (commit & 0xc0000000) | (uint32_t)(at - MUTATOR_PAGE_DATA);
	memcpy(page + 8, &commit, sizeof(commit));
}

/* Mutates one page in its place. */
static inline void page_mutate(uint8_t *page, size_t size, unsigned int seed)
{
	uint8_t *copy = malloc(size);

	if (!copy)
		abort();
	memcpy(copy, page, size);
	/* From some way on, so that what comes before it stays. */
	size_t from = seed % 3 ? (seed >> 8) % size & ~(size_t)3 : 0;
	size_t length = LLVMFuzzerMutate(copy + from, size - from, size - from);
	memcpy(page + from, copy + from, length);
	if (seed % 5)
		page_mend(page, size, seed);
	free(copy);
}

#endif
