/* SPDX-License-Identifier: MIT
 *
 * make_corpus DIRECTORY: writes the first inputs of the fuzz targets whose input is binary. The committed files were
 * made by this recipe. Of what came out of fuzzing, found-* are those that broke something once, and reached-* the few
 * small ones that together reach what the others do not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "support/btf_recipe.h"
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

static void kernel_types(const char *directory)
{
	struct btf_recipe recipe;

	btf_every_kind(&recipe);
	write_input(directory, "btf/good-every-kind", recipe.bytes, recipe.length);
	write_input(directory, "btf/bad-cut", recipe.bytes, recipe.length - 40);
	btf_begin(&recipe);
	btf_end(&recipe);
	write_input(directory, "btf/good-empty", recipe.bytes, recipe.length);
	btf_sched_ext(&recipe, 512, 200, 8);
	write_input(directory, "btf/good-sched-ext", recipe.bytes, recipe.length);
	btf_sched_ext(&recipe, UINT32_MAX, 200, 8);
	write_input(directory, "btf/bad-value-size", recipe.bytes, recipe.length);
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
	v7_begin(&newer);
	v7_buffer(&newer, "", UINT32_MAX, &page);
	newer.file.length -= PAGE_SIZE - page.at;
	v7_end(&newer, 0);
	write_input(directory, "export/bad-v7-cpu-number", newer.file.data, newer.file.length);
	v7_free(&newer);
	newer.compression = "zstd";
	newer.section_flags = 1;
	v7_begin(&newer);
	v7_end(&newer, 0);
	write_input(directory, "tracedat/unsupported-v7-compressed", newer.file.data, newer.file.length);
	v7_free(&newer);
}

#define PRINT_FORMAT                                                                                                   \
	"name: print\nID: 5\n" COMMON_FIELDS "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"              \
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n"

#define STACK_FORMAT                                                                                                   \
	"name: kernel_stack\nID: 4\n" COMMON_FIELDS "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"               \
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"\t=> %ps\", (void "          \
	"*)REC->caller[0]\n"

/* A name whose place is told, 6.18's way; and one that is shorter than the others. */
static void add_migration(struct page_recipe *page, const char *name)
{
	struct {
		struct common_fields common;
		uint32_t comm;
		int32_t pid, prio, orig_cpu, dest_cpu;
		char text[20];
	} record = {{ID_MIGRATE_LOCATED, 1, 2, 3}, 0, 7, 120, 0, 1, ""};

	record.comm = (uint32_t)(strlen(name) + 1) << 16 | 28;
	memcpy(record.text, name, strlen(name));
	page_event(page, 7, &record, sizeof(record));
}

static void add_mark(struct page_recipe *page, const char *text)
{
	struct {
		struct common_fields common;
		uint64_t ip;
		char text[24];
	} record = {{5, 0, 0, 9}, 0, ""};

	memcpy(record.text, text, strlen(text));
	page_event(page, 3, &record, sizeof(record));
}

static void add_stack(struct page_recipe *page)
{
	struct {
		struct common_fields common;
		int32_t count, padding;
		uint64_t callers[3];
	} record = {{4, 0, 0, 9}, 3, 0, {0xffffffff81000110, 0xffffffff81000000, UINT64_MAX}};

	page_event(page, 0, &record, sizeof(record));
}

#define SMALL_PAGE 512u

/* Small pages of two CPUs with every event, losses with and without a count, and a time that steps back. */
static void everything(const char *directory, const char *const *targets, const char *name, const char *clock,
		       const char *overrun)
{
	static const char kallsyms[] = "ffffffff81000000 T set_task_cpu\nffffffff81000100 T try_to_wake_up\n"
				       "ffffffff81000200 t load_balance\n";
	struct trace_recipe recipe;
	struct page_recipe page;
	struct buffer file = {0};
	char path[64];

	trace_begin(&recipe, 2);
	recipe.header.page_size = SMALL_PAGE;
	recipe.header.clock = clock;
	recipe.header.saved_cmdlines = "1 init\n7 two\nlines\n9 a,b\n";
	recipe.header.saved_cmdlines_size = 25;
	recipe.header.kallsyms = kallsyms;
	recipe.header.kallsyms_size = strlen(kallsyms);
	recipe.header.event_count = 3;
	recipe.stats[1] = overrun;
	recipe.header.date = strstr(name, "shifted") ? "0x10" : NULL;
	trace_event_format(&recipe, "sched", SPAN(MIGRATE_FORMAT_LOCATED));
	trace_event_format(&recipe, "ftrace", SPAN(PRINT_FORMAT));
	trace_event_format(&recipe, "ftrace", SPAN(STACK_FORMAT));
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		uint64_t start = cpu && strstr(name, "far") ? UINT64_MAX - 1000000 : 1000;
		for (uint64_t n = 0; n < 2; n++) {
			page_begin(&page, start + 1000 * n + cpu);
			page_wakeup(&page, 1, ID_WAKEUP, "init", 1, 0);
			page_switch(&page, 500, "swapper/0", 0, 0, "init", 1);
			page_time_extend(&page, n ? 5000 : 100000);
			add_mark(&page, "mark\n");
			add_migration(&page, "a");
			add_stack(&page);
			page_switch(&page, 2, "init", 1, 256 | 2, "sixteen letters!", 7);
			page_wakeup(&page, 5, ID_WAKEUP_NEW, "x", 9, 1);
			if (cpu && n)
				page_end_missed(&page, !strstr(clock, "raw"), 3);
			else
				page_end(&page);
			buffer_add(&recipe.pages[cpu], page.bytes, n ? page.at + 8 : SMALL_PAGE);
			if (n && !cpu)
				buffer_add(&recipe.pages[cpu], page.bytes + page.at + 8, SMALL_PAGE - page.at - 8);
		}
	}
	if (!trace_build(&recipe, &file))
		exit(1);
	for (size_t i = 0; targets[i]; i++) {
		snprintf(path, sizeof(path), "%s/%s", targets[i], name);
		write_input(directory, path, file.data, file.length);
	}
	trace_end(&recipe);
	buffer_free(&file);
}

/* Other buffers besides the top-level one. */
static void other_buffers(const char *directory)
{
	struct v7_recipe newer = {0};
	struct page_recipe page = full_page();

	page_end(&page);
	v7_begin(&newer);
	put_option(&newer.options, 2, "CPU: 3\noverrun: 9\n", 19);
	put_option(&newer.options, 3, "\0\0\0\0\0\0\0\0\0local\0\0\x10\0\0\0\0\0\0", 23);
	v7_buffer(&newer, "instance", 3, &page);
	newer.file.length -= PAGE_SIZE - page.at;
	uint64_t next = v7_end(&newer, 0);
	put_option(&newer.options, 5, "Linux 6.12", 11);
	v7_end(&newer, next);
	write_input(directory, "tracedat/good-v7-chain", newer.file.data, newer.file.length);
	v7_free(&newer);
	v7_begin(&newer);
	put_offset_option(&newer.options, 22, 0);
	v7_end(&newer, 0);
	write_input(directory, "tracedat/unsupported-v7-text", newer.file.data, newer.file.length);
	v7_free(&newer);
	v7_begin(&newer);
	v7_buffer(&newer, "", 0, &page);
	newer.file.length -= PAGE_SIZE - page.at;
	v7_buffer(&newer, "two", 0, &page);
	newer.file.length -= PAGE_SIZE - page.at;
	v7_end_at_empty_record(&newer);
	write_input(directory, "tracedat/found-v7-empty-record", newer.file.data, newer.file.length);
	v7_free(&newer);
}

int main(int argc, char **argv)
{
	static const char *const all[] = {"commands", "analysis", "export", "tracedat", NULL};

	if (argc != 2) {
		fprintf(stderr, "usage: make_corpus DIRECTORY\n");
		return 2;
	}
	kernel_types(argv[1]);
	ring_pages(argv[1]);
	streams(argv[1]);
	files(argv[1]);
	everything(argv[1], all, "good-v6-everything", "local global [mono]\n", STATS("0", "0"));
	everything(argv[1], all + 1, "good-v6-overwritten", "[mono_raw] tai\n", "overrun: 1\n");
	everything(argv[1], all + 1, "good-v6-shifted", "", "dropped events: 12\ndropped at the end: 5\n");
	everything(argv[1], all + 1, "good-v6-far", "[mono_raw] tai\n", "overrun: 0\n");
	everything(argv[1], all + 3, "unsupported-v6-clock", "[x86-tsc]\n", "overrun: 0\n");
	other_buffers(argv[1]);
	return 0;
}
