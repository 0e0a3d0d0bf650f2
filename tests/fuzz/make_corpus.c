/* SPDX-License-Identifier: MIT
 *
 * make_corpus DIRECTORY: writes the first inputs of the fuzz targets whose input is binary. The committed files were
 * made by this recipe; those named found-* came out of fuzzing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/event_recipe.h"
#include "support/trace_recipe.h"
#include "support/v7_recipe.h"

static void write_input(const char *directory, const char *name, const void *bytes, size_t length)
{
	char path[512];
	struct error err;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	*strrchr(path, '/') = '\0';
	if (file_make_directories(path, &err) != STATUS_OK)
		exit(1);
	path[strlen(path)] = '/';
	if (file_replace(path, bytes, length, &err) != STATUS_OK)
		exit(1);
}

/* Every type of record. */
static struct page_recipe full_page(void)
{
	struct page_recipe page;

	page_begin(&page, 1000);
	page_switch(&page, 0, "swapper/0", 0, 0, "init", 1);
	page_wakeup(&page, 5, ID_WAKEUP, "task", 7, 1);
	page_time_extend(&page, 1000000000);
	page_discarded(&page, 1, 8);
	page_long_event(&page, 2, "a long record", 13);
	page_time_stamp(&page, 2000000000);
	page_word(&page, 29, 0);
	return page;
}

static void ring_pages(const char *directory)
{
	struct page_recipe page = full_page();

	page_end(&page);
	write_input(directory, "ring_page/good-every-record", page.bytes, page.at);
	page = full_page();
	page_end_missed(&page, 1, 77);
	write_input(directory, "ring_page/good-missed-stored", page.bytes, page.at + 8);
	page_end_missed(&page, 0, 0);
	write_input(directory, "ring_page/good-missed", page.bytes, page.at);
	page_begin(&page, 0);
	page_end(&page);
	write_input(directory, "ring_page/good-empty", page.bytes, page.at);
	page = full_page();
	page_end(&page);
	write_input(directory, "ring_page/bad-cut", page.bytes, page.at - 30);
	page_begin(&page, 0);
	page_word(&page, 28, 0);
	page_end(&page);
	write_input(directory, "ring_page/bad-record-past-end", page.bytes, page.at);
}

/* Pages of 256 bytes, for three CPUs. */
static void streams(const char *directory)
{
	struct buffer pages = {0};
	struct page_recipe page;

	for (uint64_t cpu = 0; cpu < 3; cpu++) {
		page_begin(&page, 1000 + cpu);
		page_switch(&page, 0, "swapper/0", 0, 0, "init", 1);
		page_wakeup(&page, 5, ID_WAKEUP, "task", 7, 1);
		page_end(&page);
		buffer_add(&pages, page.bytes, 256);
		page_begin(&page, 2000 - cpu);
		page_wakeup(&page, 5, ID_WAKEUP_NEW, "task", 8, 1);
		page_event(&page, 1, "\x73\x01\0\0\1\0\0\0\x1c\0\4\0\7\0\0\0x\0\0\0\1\0\0\0\2\0\0\0tsk", 32);
		page_end_missed(&page, 1, 9);
		buffer_add(&pages, page.bytes, 256);
	}
	write_input(directory, "stream/good-three-cpus", pages.data, pages.length);
	write_input(directory, "stream/good-cut", pages.data, pages.length - 180);
	buffer_free(&pages);
}

static void files(const char *directory)
{
	struct trace_recipe recipe;
	struct v7_recipe newer = {0};
	struct page_recipe page = full_page();
	struct buffer file = {0};

	page_end(&page);
	trace_begin(&recipe, 1);
	recipe.header.event_count = 1;
	trace_page(&recipe, 0, &page);
	if (!trace_build(&recipe, &file))
		exit(1);
	/* The last page cut behind its data keeps the input small. */
	write_input(directory, "tracedat/good-v6", file.data, file.length - PAGE_SIZE + page.at);
	write_input(directory, "export/good-v6", file.data, file.length - PAGE_SIZE + page.at);
	write_input(directory, "tracedat/bad-v6-header-cut", file.data, 2000);
	trace_end(&recipe);
	buffer_free(&file);
	v7_begin(&newer);
	v7_buffer(&newer, "instance", 0, &page);
	newer.file.length -= PAGE_SIZE - page.at;
	put_option(&newer.options, 2, "CPU: 0\noverrun: 9\n", 19);
	v7_end(&newer, 0);
	write_input(directory, "tracedat/unsupported-v7-instance", newer.file.data, newer.file.length);
	v7_free(&newer);
	v7_begin(&newer);
	v7_buffer(&newer, "", 0, &page);
	newer.file.length -= PAGE_SIZE - page.at;
	put_option(&newer.options, 2, "CPU: 0\noverrun: 9\n", 19);
	v7_end(&newer, 0);
	write_input(directory, "tracedat/good-v7", newer.file.data, newer.file.length);
	write_input(directory, "export/good-v7", newer.file.data, newer.file.length);
	v7_free(&newer);
	newer.compression = "zstd";
	newer.section_flags = 1;
	v7_begin(&newer);
	v7_end(&newer, 0);
	write_input(directory, "tracedat/unsupported-v7-compressed", newer.file.data, newer.file.length);
	v7_free(&newer);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_corpus DIRECTORY\n");
		return 2;
	}
	ring_pages(argv[1]);
	streams(argv[1]);
	files(argv[1]);
	return 0;
}
