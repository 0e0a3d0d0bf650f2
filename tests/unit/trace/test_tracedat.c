/* SPDX-License-Identifier: MIT
 *
 * trace.dat of versions 6 and 7 read back, whole, cut at every byte, damaged, and of kinds that are not taken. */
#include "support/trace_recipe.h"
#include "support/unit.h"
#include "support/v7_recipe.h"
#include "trace/format/tracedat.h"

/* The recipes that the running test writes in each version, and the file that it reads. */
static struct trace_recipe recipe;
static struct v7_recipe seventh;
static struct buffer file;
static struct tracedat trace;

static void begin(uint32_t cpus)
{
	trace_end(&recipe);
	trace_begin(&recipe, cpus);
}

static void build(void)
{
	assert_true(trace_build(&recipe, &file));
}

static void begin_seventh(struct v7_recipe like)
{
	v7_free(&seventh);
	seventh = like;
	v7_begin(&seventh);
}

static enum status parse(const struct buffer *bytes, struct error *err)
{
	tracedat_free(&trace);
	return tracedat_parse((const uint8_t *)bytes->data, bytes->length, "a.dat", &trace, err);
}

static int forget(void **state)
{
	trace_end(&recipe);
	v7_free(&seventh);
	tracedat_free(&trace);
	buffer_free(&file);
	return 0;
}

#define TRACE_TEST(name) TEST_WITH(name, NULL, forget)

static void two_pages(void)
{
	struct page_recipe page;

	page_begin(&page, 1000);
	page_event(&page, 1, "cpu0", 4);
	page_end(&page);
	trace_page(&recipe, 0, &page);
	page_begin(&page, 2000);
	page_event(&page, 1, "cpu1", 4);
	page_end(&page);
	trace_page(&recipe, 1, &page);
}

static struct page_recipe one_page(uint64_t ts)
{
	struct page_recipe page;

	page_begin(&page, ts);
	page_event(&page, 1, "data", 4);
	page_end(&page);
	return page;
}

TRACE_TEST(good_v6_is_read_back)
{
	begin(2);
	recipe.stats[1] = STATS("17", "5");
	recipe.header.kallsyms = "0 a\n";
	recipe.header.kallsyms_size = 4;
	recipe.header.printk_formats = "0x1 : \"x\"\n";
	recipe.header.printk_formats_size = 10;
	trace_event_format(&recipe, "ftrace", SPAN("name: print\nID: 5\nformat:\n"));
	two_pages();
	build();
	assert_int_equal(parse(&file, NULL), STATUS_OK);
	assert_int_equal(trace.version, 6);
	assert_int_equal(trace.page_size, 4096);
	assert_int_equal(trace.layout.data_offset, 16);
	assert_string_equal(trace.clock, "mono");
	assert_string_equal(trace.uname, "Linux 6.12.95 x86_64");
	assert_int_equal(trace.cmdlines_size, 7);
	assert_memory_equal(trace.cmdlines, "1 init\n", 7);
	assert_int_equal(trace.events.count, 5);
	assert_non_null(event_format_find(&trace.events, "sched", "sched_migrate_task"));
	assert_non_null(event_format_find(&trace.events, "ftrace", "print"));
	assert_false(trace.truncated);
	assert_int_equal(trace.skipped_buffers, 0);
	assert_int_equal(trace.cpu_count, 2);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		assert_int_equal(trace.cpus[cpu].cpu, cpu);
		assert_int_equal(trace.cpus[cpu].size, PAGE_SIZE);
		assert_memory_equal(trace.cpus[cpu].pages, recipe.pages[cpu].data, PAGE_SIZE);
		assert_true(trace.cpus[cpu].has_stats);
		assert_int_equal(trace.cpus[cpu].overwritten, 0);
	}
	assert_int_equal(trace.cpus[0].overrun, 0);
	assert_int_equal(trace.cpus[1].overrun, 17);
	assert_int_equal(trace.cpus[1].dropped_events, 5);
}

/* Where the headers are not whole, nothing can be said; behind them, what there is counts. */
TRACE_TEST(good_and_bad_cuts)
{
	begin(2);
	two_pages();
	build();
	struct buffer header = {0};
	assert_int_equal(tracedat_write_header(&recipe.header, recipe.sections, &header, NULL), STATUS_OK);
	for (size_t length = 0; length <= file.length; length += length < header.length + 8 ? 1 : 61) {
		struct error err = {0};
		uint8_t *exact = malloc(length ? length : 1);
		memcpy(exact, file.data, length);
		tracedat_free(&trace);
		enum status status = tracedat_parse(exact, length, "a.dat", &trace, &err);
		if (length < header.length) {
			assert_int_equal(status, STATUS_CORRUPT);
			assert_string_equal(err.where, "a.dat");
		} else {
			assert_int_equal(status, STATUS_OK);
			assert_int_equal(trace.truncated, length < file.length);
			assert_int_equal(trace.cpus[1].truncated, length < file.length);
			assert_int_equal(trace.cpus[0].truncated, length < recipe.sections[1].offset);
			for (size_t cpu = 0; cpu < 2; cpu++) {
				uint64_t offset = recipe.sections[cpu].offset;
				uint64_t there = length > offset ? length - offset : 0;
				assert_int_equal(trace.cpus[cpu].size, there < PAGE_SIZE ? there : PAGE_SIZE);
			}
		}
		free(exact);
	}
	buffer_free(&header);
}

static void assert_refused(const struct buffer *bytes, enum status expected, const char *where, const char *what)
{
	struct error err = {0};

	assert_int_equal(parse(bytes, &err), expected);
	assert_int_equal(err.status, expected);
	assert_string_equal(err.where, where);
	assert_string_equal(err.what, what);
	assert_int_equal(parse(bytes, NULL), expected);
}

static void assert_bytes_refused(const char *bytes, size_t length, enum status expected, const char *what)
{
	buffer_clear(&file);
	buffer_add(&file, bytes, length);
	assert_refused(&file, expected, "a.dat", what);
}

#define BYTES(text) text, sizeof(text) - 1

TRACE_TEST(unsupported_files_are_told_apart)
{
	assert_bytes_refused(BYTES("# tracer: nop\n#\n"), STATUS_UNSUPPORTED,
			     "is a trace in text form, not a trace.dat file");
	assert_bytes_refused(BYTES("PERFILE2h\0\0\0"), STATUS_UNSUPPORTED, "is perf's data, not a trace.dat file");
	assert_bytes_refused(BYTES("name,pid\n"), STATUS_UNSUPPORTED, "is not a trace.dat file");
	assert_bytes_refused(BYTES("\x17\x08\x44trazing6"), STATUS_UNSUPPORTED, "is not a trace.dat file");
	assert_bytes_refused(BYTES("\x17\x08\x44tracing8\0\0\x08\0\x10\0\0"), STATUS_UNSUPPORTED,
			     "is trace.dat version 8; supported versions are 6 and 7");
	assert_bytes_refused(BYTES("\x17\x08\x44tracing6\0\x01\x08\0\0\x10\0"), STATUS_UNSUPPORTED,
			     "comes from a big-endian machine");
}

TRACE_TEST(bad_starts)
{
	assert_bytes_refused("", 0, STATUS_CORRUPT, "is empty");
	assert_bytes_refused(BYTES("\x17\x08\x44tr"), STATUS_CORRUPT, "ends within its header");
	assert_bytes_refused(BYTES("\x17\x08\x44tracing6\0\x02\x08\0\x10\0\0"), STATUS_CORRUPT,
			     "byte order is 2, size of a long 8");
	assert_bytes_refused(BYTES("\x17\x08\x44tracing6\0\0\x05\0\x10\0\0"), STATUS_CORRUPT,
			     "byte order is 0, size of a long 5");
	assert_bytes_refused(BYTES("\x17\x08\x44tracing6\0\0\x08\0\x10\0\0nothing of the kind"), STATUS_CORRUPT,
			     "no header_page at byte 18");
}

/* Builds, changes what follows the first occurrence of mark, and expects this. */
static void assert_changed_refused(uint32_t cpus, const void *mark, size_t mark_size, size_t skip, const void *bytes,
				   size_t size, enum status expected, const char *what)
{
	begin(cpus);
	build();
	char *at = memmem(file.data, file.length, mark, mark_size);
	assert_non_null(at);
	memcpy(at + mark_size + skip, bytes, size);
	assert_refused(&file, expected, "a.dat", what);
}

TRACE_TEST(bad_parts_are_named)
{
	static const char huge[8] = "\xff\xff\xff\xff\xff\xff\xff\x7f";

	assert_changed_refused(1, "header_page\0", 12, 0, huge, 8, STATUS_CORRUPT, "ends within its header_page");
	assert_changed_refused(1, "header_event\0", 13, 0, huge, 8, STATUS_CORRUPT, "ends within its header_event");
	assert_changed_refused(1, "data max type_len  == 28\n", 25, 0, huge, 4, STATUS_CORRUPT,
			       "ends within its event formats");
	assert_changed_refused(1, "sched\0", 6, 4, huge, 8, STATUS_CORRUPT, "ends within its event formats");
	assert_changed_refused(1, "1 init\n", 7, 0, "\0\0\0\0", 4, STATUS_CORRUPT, "claims 0 CPUs");
	assert_changed_refused(1, "1 init\n", 7, 0, "\xff\xff\xff\xff", 4, STATUS_CORRUPT, "claims 4294967295 CPUs");
	assert_changed_refused(1, "1 init\n", 7, 0, "\0\x40\0\0", 4, STATUS_CORRUPT, "ends within its list of CPUs");
	assert_changed_refused(1, "options  \0", 10, 2, huge, 4, STATUS_CORRUPT, "ends within its options");
	assert_changed_refused(1, "flyrecord\0", 10, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, STATUS_CORRUPT,
			       "pages of CPU 0 are at byte 8192, 18446744073709551615 bytes long");
	assert_changed_refused(1, "\x08\0\x04\0\0\0\x01\0\0\0\0\0", 12, 0, "flyretro", 8, STATUS_CORRUPT,
			       "neither options nor pages at byte 4131");
	assert_changed_refused(1, "tracing6\0\0\x08", 11, 0, "\xff\x0f\0\0", 4, STATUS_CORRUPT, "pages of 4095 bytes");
	assert_changed_refused(1, "tracing6\0\0\x08", 11, 0, "\x10\0\0\0", 4, STATUS_CORRUPT, "pages of 16 bytes");
	assert_changed_refused(1, "tracing6\0\0\x08", 11, 0, "\0\0\0\x08", 4, STATUS_CORRUPT,
			       "pages of 134217728 bytes");
	assert_changed_refused(1, "\x08\0\x04\0\0\0\x01\0\0\0\0\0", 12, 0, "latency  ", 10, STATUS_UNSUPPORTED,
			       "holds a latency tracer's text");
}

TRACE_TEST(bad_texts_are_placed)
{
	begin(1);
	recipe.header.header_page = "nothing";
	recipe.header.header_page_size = 7;
	build();
	assert_refused(&file, STATUS_CORRUPT, "a.dat: header_page", "no usable field timestamp");
	begin(1);
	trace_event_format(&recipe, "irq", SPAN("name: irq_handler_entry\nformat:\n"));
	build();
	assert_refused(&file, STATUS_CORRUPT, "a.dat: format of event irq:irq_handler_entry", "no ID");
}

static void assert_clock(const char *text, const char *expected)
{
	begin(1);
	recipe.header.clock = text;
	build();
	assert_int_equal(parse(&file, NULL), STATUS_OK);
	assert_string_equal(trace.clock, expected);
}

TRACE_TEST(good_clock_texts)
{
	assert_clock("[local] global mono\n", "local");
	assert_clock("local global [mono_raw] boot\n", "mono_raw");
	assert_clock("mono\n", "mono");
	assert_clock("[mono", "mono");
	assert_clock("", "");
	assert_clock(NULL, "");
	assert_clock("[a clock whose name is far too long for this]", "a clock whose name is far too l");
}

/* Puts the text of the trace_clock file behind the list of two CPUs, as trace-cmd 2.9 does. */
static void put_clock_behind(const char *text)
{
	uint64_t length = strlen(text);
	char *list = memmem(file.data, file.length, "flyrecord", 10);

	assert_non_null(list);
	char *behind = list + 10 + 2 * 16;
	assert_true(behind + 8 + length <= file.data + file.length / PAGE_SIZE * PAGE_SIZE);
	memcpy(behind, &length, sizeof(length));
	memcpy(behind + sizeof(length), text, length);
}

static void assert_clock_behind(const char *option, const char *text, const char *expected)
{
	begin(2);
	recipe.header.clock = option;
	two_pages();
	build();
	put_clock_behind(text);
	assert_int_equal(parse(&file, NULL), STATUS_OK);
	assert_string_equal(trace.clock, expected);
}

TRACE_TEST(good_v6_clock_behind_the_cpus)
{
	assert_clock_behind("", "local global counter [x86-tsc]\n", "x86-tsc");
	assert_clock_behind("", "", "");
	assert_clock_behind("[boot]", "local [mono]\n", "boot");
	/* Without the option nothing is there. */
	assert_clock_behind(NULL, "local [mono]\n", "");
}

/* DATE is in microseconds, OFFSET in nanoseconds; all of them count, in both versions. */
TRACE_TEST(good_offsets_of_time)
{
	static const struct {
		const char *text;
		uint64_t offset;
	} dates[] = {{"0x10", 16000},
		     {"20", 20000},
		     {"-3", 0u - UINT64_C(3000)},
		     {"0x5f5e100a1234", UINT64_C(0x5f5e100a1234) * 1000},
		     {"no number", 0},
		     {"", 0}};
	struct page_recipe page = one_page(1000);

	for (size_t i = 0; i < sizeof(dates) / sizeof(*dates); i++) {
		begin(1);
		recipe.header.date = dates[i].text;
		build();
		assert_int_equal(parse(&file, NULL), STATUS_OK);
		assert_true(trace.ts_offset == dates[i].offset);
	}
	begin_seventh((struct v7_recipe){0});
	put_option(&seventh.options, 1, "0x10", 5);
	put_option(&seventh.options, 7, "-1", 3);
	put_option(&seventh.options, 7, "+7", 2);
	v7_buffer(&seventh, "", 0, &page);
	v7_end(&seventh, 0);
	assert_int_equal(parse(&seventh.file, NULL), STATUS_OK);
	assert_int_equal(trace.ts_offset, 16006);
}

/* Later options of the same CPU are another instance's; those that say nothing usable are passed over. */
TRACE_TEST(good_stats_of_the_first_buffer_count)
{
	static const char *const texts[][2] = {
	    {"overrun: 3\n", "CPU: 0\noverrun: 4\n"},
	    {"overrun: 3\n", "CPU: 77\noverrun: 4\n"},
	    {"overrun: 3\n", "overrun: 4\n"},
	    {"overrun: 3\noverrun: x\noverrun: 99999999999999999999999\n", ""},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		begin(2);
		recipe.stats[0] = texts[i][0];
		recipe.stats[1] = texts[i][1];
		build();
		/* The line that trace-cmd writes for the second CPU names another one. */
		char *line = memmem(file.data, file.length, "CPU: 1\n", 7);
		assert_non_null(line);
		memcpy(line, "CPX: 1\n", 7);
		assert_int_equal(parse(&file, NULL), STATUS_OK);
		assert_true(trace.cpus[0].has_stats);
		assert_int_equal(trace.cpus[0].overrun, 3);
		assert_false(trace.cpus[1].has_stats);
	}
}

TRACE_TEST(good_v7_is_read)
{
	struct page_recipe page = one_page(1000);
	struct page_recipe other = one_page(5000);

	begin_seventh((struct v7_recipe){0});
	put_option(&seventh.options, 2, "CPU: 3\noverrun: 9\n", 19);
	v7_buffer(&seventh, "instance", 0, &other);
	v7_buffer(&seventh, "", 3, &page);
	/* Options go on in another section. */
	uint64_t next = v7_end(&seventh, 0);
	put_option(&seventh.options, 5, "Linux 6.12", 11);
	put_option(&seventh.options, 4711, "of the future", 13);
	v7_end(&seventh, next);
	assert_int_equal(parse(&seventh.file, NULL), STATUS_OK);
	assert_int_equal(trace.version, 7);
	assert_int_equal(trace.skipped_buffers, 1);
	assert_string_equal(trace.clock, "mono");
	assert_string_equal(trace.uname, "Linux 6.12");
	assert_memory_equal(trace.cmdlines, "1 init\n", trace.cmdlines_size);
	assert_int_equal(trace.cpu_count, 1);
	assert_int_equal(trace.cpus[0].cpu, 3);
	assert_int_equal(trace.cpus[0].overrun, 9);
	assert_int_equal(trace.cpus[0].size, PAGE_SIZE);
	assert_memory_equal(trace.cpus[0].pages, page.bytes, PAGE_SIZE);
	assert_non_null(event_format_find(&trace.events, "sched", "sched_switch"));
}

/* trace-cmd record -B NAME writes a top-level buffer without CPUs, and the instance. */
TRACE_TEST(good_v7_only_instance)
{
	struct page_recipe page = one_page(1000);

	begin_seventh((struct v7_recipe){0});
	put_option(&seventh.options, 3, "\0\0\0\0\0\0\0\0\0local\0\0\x10\0\0\0\0\0\0", 23);
	v7_buffer(&seventh, "instance", 2, &page);
	v7_end(&seventh, 0);
	assert_int_equal(parse(&seventh.file, NULL), STATUS_OK);
	assert_int_equal(trace.cpu_count, 1);
	assert_int_equal(trace.cpus[0].cpu, 2);
	assert_memory_equal(trace.cpus[0].pages, page.bytes, PAGE_SIZE);
	assert_int_equal(trace.skipped_buffers, 0);
	assert_string_equal(trace.clock, "mono");
}

/* Version 6 has the instances' pages in a place that its manual does not describe. */
TRACE_TEST(unsupported_v6_only_instances)
{
	struct error err = {0};

	for (int has_pages = 0; has_pages < 2; has_pages++) {
		begin(2);
		/* An option of the same size, made into two buffers. */
		recipe.header.date = "12345678ab";
		recipe.header.uname = "12345678cd";
		if (has_pages)
			two_pages();
		build();
		memcpy((char *)memmem(file.data, file.length, "12345678ab", 10) - 6, "\3", 1);
		memcpy((char *)memmem(file.data, file.length, "12345678cd", 10) - 6, "\3", 1);
		if (has_pages) {
			assert_int_equal(parse(&file, NULL), STATUS_OK);
			assert_int_equal(trace.skipped_buffers, 2);
		} else {
			assert_refused(&file, STATUS_UNSUPPORTED, "a.dat",
				       "holds no events in its top-level buffer, only in 2 other instances");
			parse(&file, &err);
			assert_non_null(strstr(err.remedy, "trace-cmd convert --file-version 7 --compression none"));
		}
	}
}

static void assert_v7_refused(enum status expected, const char *what)
{
	v7_end(&seventh, 0);
	assert_refused(&seventh.file, expected, "a.dat", what);
}

TRACE_TEST(unsupported_v7)
{
	struct error err = {0};

	begin_seventh((struct v7_recipe){.compression = "zstd", .section_flags = 1});
	v7_end(&seventh, 0);
	assert_int_equal(parse(&seventh.file, &err), STATUS_UNSUPPORTED);
	assert_string_equal(err.what, "compressed with zstd");
	assert_string_equal(err.remedy, "unpack it: trace-cmd convert --file-version 6 -i FILE -o NEW");
	begin_seventh((struct v7_recipe){0});
	put_offset_option(&seventh.options, 22, 0);
	assert_v7_refused(STATUS_UNSUPPORTED, "holds a latency tracer's text");
	begin_seventh((struct v7_recipe){0});
	assert_v7_refused(STATUS_UNSUPPORTED, "holds no buffer with events");
}

static struct page_recipe switch_page(void)
{
	const uint16_t record[32] = {310};
	struct page_recipe page;

	page_begin(&page, 1);
	page_event(&page, 1, record, sizeof(record));
	page_end(&page);
	return page;
}

static void assert_reads(const char *instance, const char *buffer, uint32_t cpu)
{
	tracedat_free(&trace);
	assert_int_equal(tracedat_parse_instance((const uint8_t *)seventh.file.data, seventh.file.length, "a.dat",
						 instance, &trace, NULL),
			 STATUS_OK);
	assert_true(text_span_is(trace.buffer, buffer));
	assert_int_equal(trace.cpus[0].cpu, cpu);
}

TRACE_TEST(good_v7_the_instance_with_switches_is_read)
{
	struct page_recipe page = one_page(1), switches = switch_page();
	struct error err = {0};

	begin_seventh((struct v7_recipe){0});
	v7_buffer(&seventh, "", 0, &page);
	v7_buffer(&seventh, "one", 1, &page);
	v7_buffer(&seventh, "two", 2, &switches);
	v7_end(&seventh, 0);
	assert_reads(NULL, "two", 2);
	assert_int_equal(trace.instance_count, 2);
	assert_int_equal(trace.skipped_buffers, 2);
	assert_reads("one", "one", 1);
	assert_reads("", "", 0);
	tracedat_free(&trace);
	assert_int_equal(tracedat_parse_instance((const uint8_t *)seventh.file.data, seventh.file.length, "a.dat",
						 "three", &trace, &err),
			 STATUS_USAGE);
	assert_string_equal(err.what, "has no instance 'three'; it has: one, two");
	begin_seventh((struct v7_recipe){0});
	v7_buffer(&seventh, "", 0, &switches);
	v7_buffer(&seventh, "two", 2, &switches);
	v7_end(&seventh, 0);
	assert_reads(NULL, "", 0);
	begin_seventh((struct v7_recipe){0});
	v7_buffer(&seventh, "one", 1, &switches);
	v7_buffer(&seventh, "two", 2, &switches);
	assert_v7_refused(STATUS_UNSUPPORTED, "has switches in several instances: one, two");
	assert_reads("two", "two", 2);
}

/* A record may be empty, and end where the file ends. */
TRACE_TEST(good_v7_an_empty_record_at_the_end)
{
	struct page_recipe page = one_page(1);

	begin_seventh((struct v7_recipe){0});
	v7_buffer(&seventh, "", 0, &page);
	v7_buffer(&seventh, "two", 2, &page);
	v7_end_at_empty_record(&seventh);
	uint8_t *exact = malloc(seventh.file.length);
	memcpy(exact, seventh.file.data, seventh.file.length);
	tracedat_free(&trace);
	assert_int_equal(tracedat_parse(exact, seventh.file.length, "a.dat", &trace, NULL), STATUS_OK);
	assert_true(text_span_is(trace.buffer, ""));
	assert_int_equal(trace.skipped_buffers, 1);
	free(exact);
}

/* Statistics follow the name of their buffer. */
TRACE_TEST(good_v7_statistics_belong_to_their_buffer)
{
	struct page_recipe page = one_page(1);

	begin_seventh((struct v7_recipe){0});
	put_option(&seventh.options, 2, "CPU: 0\noverrun: 9\n", 19);
	put_option(&seventh.options, 2, "\nBuffer: one\n\n", 15);
	put_option(&seventh.options, 2, "CPU: 0\noverrun: 4\n", 19);
	v7_buffer(&seventh, "", 0, &page);
	v7_buffer(&seventh, "one", 0, &page);
	v7_end(&seventh, 0);
	assert_reads("", "", 0);
	assert_int_equal(trace.cpus[0].overrun, 9);
	assert_reads("one", "one", 0);
	assert_int_equal(trace.cpus[0].overrun, 4);
}

/* A ring of pages keeps the last ones (trace-cmd record -m). */
TRACE_TEST(good_ring_of_pages_has_lost_its_beginning)
{
	begin(2);
	recipe.stats[0] = "entries: 1\noverrun: 0\ndropped events: 0\nread events: 41\n";
	recipe.stats[1] = "entries: 0\noverrun: 0\ndropped events: 0\nread events: 1\n";
	two_pages();
	build();
	assert_int_equal(parse(&file, NULL), STATUS_OK);
	assert_int_equal(trace.cpus[0].overwritten, 41);
	assert_int_equal(trace.cpus[1].overwritten, 0);
}

TRACE_TEST(bad_v7)
{
	struct page_recipe page = one_page(1);
	struct buffer content = {0};

	buffer_add(&seventh.file, "\x17\x08\x44tracing7\0\0\x08\0\x10\0\0none\0\0", 24);
	put_number(&seventh.file, 32, 8);
	v7_end(&seventh, 0);
	assert_refused(&seventh.file, STATUS_CORRUPT, "a.dat", "no header_page");
	begin_seventh((struct v7_recipe){0});
	put_offset_option(&seventh.options, 16, 32);
	assert_v7_refused(STATUS_CORRUPT, "section 16 occurs twice");
	begin_seventh((struct v7_recipe){0});
	seventh.options.length -= 14;
	put_offset_option(&seventh.options, 21, 32);
	assert_v7_refused(STATUS_CORRUPT, "section 16 at byte 32 instead of 21");
	begin_seventh((struct v7_recipe){0});
	seventh.options.length -= 14;
	put_offset_option(&seventh.options, 21, UINT64_C(1) << 63);
	assert_v7_refused(STATUS_CORRUPT, "section 21 at byte 9223372036854775808 is after the end of the file");
	begin_seventh((struct v7_recipe){0});
	v7_buffer(&seventh, "", UINT32_MAX, &page);
	assert_v7_refused(STATUS_CORRUPT, "lists CPU 4294967295 out of order or out of range");
	begin_seventh((struct v7_recipe){0});
	put_option(&seventh.options, 3, "short", 5);
	assert_v7_refused(STATUS_CORRUPT, "ends within its list of CPUs");
	/* One option more than the section holds. */
	begin_seventh((struct v7_recipe){0});
	put_number(&content, 5, 2);
	uint64_t cut = put_section(&seventh.file, 0, 0, &content);
	v7_end(&seventh, cut);
	assert_refused(&seventh.file, STATUS_CORRUPT, "a.dat", "ends within its options");
	/* A chain of options that leads back to itself. */
	begin_seventh((struct v7_recipe){0});
	seventh.options.length = 0;
	v7_end(&seventh, seventh.file.length);
	assert_refused(&seventh.file, STATUS_CORRUPT, "a.dat", "its chain of option sections is circular");
	buffer_free(&content);
}

/* trace-cmd's own list of CPUs may say more than the file holds. */
TRACE_TEST(good_v7_cut_pages)
{
	struct page_recipe page = one_page(1);

	begin_seventh((struct v7_recipe){0});
	v7_buffer(&seventh, "", 0, &page);
	char *size = seventh.options.data + seventh.options.length - 8;
	uint64_t more = UINT64_C(1) << 40;
	memcpy(size, &more, sizeof(more));
	v7_end(&seventh, 0);
	assert_int_equal(parse(&seventh.file, NULL), STATUS_OK);
	assert_true(trace.truncated);
	assert_true(trace.cpus[0].size < seventh.file.length);
}
