/* SPDX-License-Identifier: MIT
 *
 * trace.dat of version 7, section by section, as trace-cmd convert --file-version 7 lays it out. */
#ifndef SUPPORT_V7_RECIPE_H
#define SUPPORT_V7_RECIPE_H

#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "support/kernel_texts.h"
#include "support/page_recipe.h"

static inline void put_number(struct buffer *to, uint64_t number, size_t size)
{
	buffer_add(to, &number, size);
}

static inline void put_string(struct buffer *to, const char *text)
{
	buffer_add(to, text, strlen(text) + 1);
}

static inline void put_sized(struct buffer *to, const char *text)
{
	put_number(to, strlen(text), 8);
	buffer_text(to, text);
}

static inline void put_option(struct buffer *to, uint16_t id, const void *content, size_t size)
{
	put_number(to, id, 2);
	put_number(to, size, 4);
	buffer_add(to, content, size);
}

static inline void put_offset_option(struct buffer *to, uint16_t id, uint64_t offset)
{
	put_option(to, id, &offset, sizeof(offset));
}

/* A section with its header; returns where it lies. content is emptied. */
static inline uint64_t put_section(struct buffer *to, uint16_t id, uint16_t flags, struct buffer *content)
{
	uint64_t offset = to->length;

	put_number(to, id, 2);
	put_number(to, flags, 2);
	put_number(to, 0, 4);
	put_number(to, content->length, 8);
	buffer_add(to, content->data, content->length);
	buffer_clear(content);
	return offset;
}

struct v7_recipe {
	struct buffer file;
	struct buffer options; /* further ones may be added before v7_end() */
	const char *compression;
	uint16_t section_flags;
};

/* Start, header texts, formats and command lines; the offset of the options is filled in at the end. */
static inline void v7_begin(struct v7_recipe *recipe)
{
	struct buffer content = {0};
	struct buffer *file = &recipe->file;

	buffer_add(file, "\x17\x08\x44tracing7\0\0\x08", 14);
	put_number(file, PAGE_SIZE, 4);
	put_string(file, recipe->compression ? recipe->compression : "none");
	put_string(file, "");
	put_number(file, 0, 8);
	put_string(&content, "header_page");
	put_sized(&content, HEADER_PAGE);
	put_string(&content, "header_event");
	put_sized(&content, HEADER_EVENT);
	put_offset_option(&recipe->options, 16, put_section(file, 16, recipe->section_flags, &content));
	put_number(&content, 0, 4);
	put_offset_option(&recipe->options, 17, put_section(file, 17, 0, &content));
	put_number(&content, 1, 4);
	put_string(&content, "sched");
	put_number(&content, 1, 4);
	put_sized(&content, SWITCH_FORMAT);
	put_offset_option(&recipe->options, 18, put_section(file, 18, 0, &content));
	put_sized(&content, "1 init\n");
	put_offset_option(&recipe->options, 21, put_section(file, 21, 0, &content));
	buffer_free(&content);
}

/* A buffer of one CPU with one page. */
static inline void v7_buffer(struct v7_recipe *recipe, const char *name, uint32_t cpu, const struct page_recipe *page)
{
	struct buffer content = {0};
	struct buffer option = {0};

	buffer_add(&content, page->bytes, sizeof(page->bytes));
	uint64_t offset = put_section(&recipe->file, 3, 0, &content);
	put_number(&option, offset, 8);
	put_string(&option, name);
	put_string(&option, "[mono] local");
	put_number(&option, PAGE_SIZE, 4);
	put_number(&option, 1, 4);
	put_number(&option, cpu, 4);
	put_number(&option, offset + 16, 8);
	put_number(&option, sizeof(page->bytes), 8);
	put_option(&recipe->options, 3, option.data, option.length);
	buffer_free(&option);
	buffer_free(&content);
}

/* Writes the options, and behind them another section of options at next (0: none). */
static inline uint64_t v7_end(struct v7_recipe *recipe, uint64_t next)
{
	put_offset_option(&recipe->options, 0, next);
	size_t place = 14 + 4 + strlen(recipe->compression ? recipe->compression : "none") + 2;
	uint64_t offset = put_section(&recipe->file, 0, 0, &recipe->options);
	memcpy(recipe->file.data + place, &offset, sizeof(offset));
	return offset;
}

/* Ends the file within the page of its last buffer, after an empty record. */
static inline void v7_end_at_empty_record(struct v7_recipe *recipe)
{
	struct page_recipe page;

	page_begin(&page, 1);
	page_long_event(&page, 0, "", 0);
	page_end(&page);
	v7_end(recipe, 0);
	/* The end of the options: place and size of the pages, and the option that there are no more. */
	uint64_t place = recipe->file.length;
	memcpy(recipe->file.data + place - 14 - 16, &place, sizeof(place));
	buffer_add(&recipe->file, page.bytes, page.at);
}

static inline void v7_free(struct v7_recipe *recipe)
{
	buffer_free(&recipe->file);
	buffer_free(&recipe->options);
}

#endif
