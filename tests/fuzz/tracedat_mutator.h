/* SPDX-License-Identifier: MIT
 *
 * Mutations that know the outline of a trace.dat: one of its parts (a text with its length before it, an option, a
 * page) is changed, then the lengths and offsets around it are mended. Without this nearly every change of a length
 * ends in "ends within its header". */
#ifndef FUZZ_TRACEDAT_MUTATOR_H
#define FUZZ_TRACEDAT_MUTATOR_H

#include "fuzz/page_mutator.h"
#include "trace/format/tracedat_layout.h"

#define MUTATOR_PARTS 256

/* Where a text lies, and how wide the length before it is; 0: a page, whose length is fixed. */
struct mutator_part {
	size_t at, length;
	unsigned int width;
};

struct mutator_file {
	uint8_t *data;
	size_t size, at;
	bool failed;
	struct mutator_part parts[MUTATOR_PARTS];
	size_t count;
	size_t offsets, cpus; /* version 6: where the list of the CPUs' pages begins */
};

static inline uint64_t mutator_number(struct mutator_file *file, unsigned int width)
{
	uint64_t value = 0;

	if (file->failed || file->size - file->at < width) {
		file->failed = true;
		return 0;
	}
	memcpy(&value, file->data + file->at, width);
	file->at += width;
	return value;
}

static inline void mutator_add(struct mutator_file *file, size_t at, size_t length, unsigned int width)
{
	if (file->count < MUTATOR_PARTS && length)
		file->parts[file->count++] = (struct mutator_part){at, length, width};
}

static inline void mutator_text(struct mutator_file *file, unsigned int width)
{
	uint64_t length = mutator_number(file, width);

	if (file->failed || length > file->size - file->at) {
		file->failed = true;
		return;
	}
	mutator_add(file, file->at, (size_t)length, width);
	file->at += (size_t)length;
}

static inline void mutator_string(struct mutator_file *file)
{
	const uint8_t *end = file->failed ? NULL : memchr(file->data + file->at, '\0', file->size - file->at);

	file->failed = end == NULL;
	if (end)
		file->at = (size_t)(end + 1 - file->data);
}

static inline void mutator_formats(struct mutator_file *file)
{
	uint64_t count = mutator_number(file, 4);

	for (uint64_t i = 0; i < count && !file->failed; i++)
		mutator_text(file, 8);
}

static inline void mutator_headers(struct mutator_file *file)
{
	mutator_string(file);
	mutator_text(file, 8);
	mutator_string(file);
	mutator_text(file, 8);
}

static inline void mutator_systems(struct mutator_file *file)
{
	uint64_t count = mutator_number(file, 4);

	for (uint64_t i = 0; i < count && !file->failed; i++) {
		mutator_string(file);
		mutator_formats(file);
	}
}

static inline void mutator_options(struct mutator_file *file)
{
	while (!file->failed && mutator_number(file, 2) != TRACEDAT_OPTION_DONE)
		mutator_text(file, 4);
}

static inline void mutator_pages(struct mutator_file *file, uint64_t at, uint64_t size, uint32_t page_size)
{
	for (uint64_t done = 0; page_size >= 64 && done < size && at + done < file->size; done += page_size) {
		uint64_t left = file->size - at - done;
		mutator_add(file, (size_t)(at + done), left < page_size ? (size_t)left : page_size, 0);
	}
}

static inline void mutator_version_6(struct mutator_file *file, uint32_t page_size)
{
	mutator_headers(file);
	mutator_formats(file);
	mutator_systems(file);
	mutator_text(file, 4);
	mutator_text(file, 4);
	mutator_text(file, 8);
	file->cpus = (size_t)mutator_number(file, 4);
	if (file->failed || file->cpus > 64 || file->size - file->at < TRACEDAT_PART_SIZE)
		return;
	file->at += TRACEDAT_PART_SIZE;
	if (memcmp(file->data + file->at - TRACEDAT_PART_SIZE, TRACEDAT_OPTIONS, TRACEDAT_PART_SIZE) == 0) {
		mutator_options(file);
		if (file->failed || file->size - file->at < TRACEDAT_PART_SIZE)
			return;
		file->at += TRACEDAT_PART_SIZE;
	}
	file->offsets = file->at;
	for (size_t i = 0; i < file->cpus && !file->failed; i++) {
		uint64_t at = mutator_number(file, 8);
		uint64_t size = mutator_number(file, 8);
		if (!file->failed && at < file->size)
			mutator_pages(file, at, size, page_size);
	}
}

/* Sections of version 7 lie at offsets from the file's start, so what is changed in them keeps its length. */
static inline void mutator_version_7(struct mutator_file *file, uint32_t page_size)
{
	mutator_string(file);
	mutator_string(file);
	mutator_number(file, 8);
	while (!file->failed && file->size - file->at > TRACEDAT_SECTION_HEADER_SIZE) {
		uint64_t id = mutator_number(file, 2);
		mutator_number(file, 6);
		uint64_t length = mutator_number(file, 8);
		size_t start = file->at;
		size_t left = file->size - start;
		size_t whole = length < left ? (size_t)length : left;
		if (id == TRACEDAT_OPTION_BUFFER)
			mutator_pages(file, start, whole, page_size);
		else
			mutator_add(file, start, whole, 0);
		file->at = start + whole;
	}
}

/* The pages of version 6 have moved by delta, back where it has wrapped around. */
static inline void mutator_move_pages(struct mutator_file *file, size_t delta)
{
	for (size_t i = 0; i < file->cpus && file->offsets; i++) {
		uint64_t offset;
		size_t at = file->offsets + delta + 16 * i;
		if (at + 8 > file->size)
			return;
		memcpy(&offset, file->data + at, sizeof(offset));
		offset += delta;
		memcpy(file->data + at, &offset, sizeof(offset));
	}
}

/* A text gets longer or shorter, and all behind it moves. */
static inline void mutator_change_text(struct mutator_file *file, struct mutator_part part, size_t max_size)
{
	size_t room = part.length + (max_size - file->size);
	size_t behind = file->size - part.at - part.length;
	uint8_t *text = malloc(room);

	if (!text)
		abort();
	memcpy(text, file->data + part.at, part.length);
	size_t length = LLVMFuzzerMutate(text, part.length, room);
	uint64_t told = length;
	memmove(file->data + part.at + length, file->data + part.at + part.length, behind);
	memcpy(file->data + part.at, text, length);
	memcpy(file->data + part.at - part.width, &told, part.width);
	file->size += length - part.length;
	mutator_move_pages(file, length - part.length);
	free(text);
}

static inline size_t tracedat_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct mutator_file file = {.data = data, .size = size, .at = TRACEDAT_MAGIC_SIZE + 4};

	if (seed % 4 == 0 || size < 64 || size > max_size)
		return LLVMFuzzerMutate(data, size, max_size);
	uint32_t page_size = (uint32_t)mutator_number(&file, 4);
	if (data[TRACEDAT_MAGIC_SIZE] == '6')
		mutator_version_6(&file, page_size);
	else
		mutator_version_7(&file, page_size);
	if (file.count == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	struct mutator_part part = file.parts[(seed >> 4) % file.count];
	if (part.width)
		mutator_change_text(&file, part, max_size);
	else if (part.length > 24 && part.length % 64 == 0)
		page_mutate(data + part.at, part.length, seed >> 12);
	else
		LLVMFuzzerMutate(data + part.at, part.length, part.length);
	return file.size;
}

#endif
