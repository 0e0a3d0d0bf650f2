/* SPDX-License-Identifier: MIT
 *
 * The header of trace.dat, compared with bytes written by hand after trace-cmd.dat.v6(5). tests/cli has trace-cmd
 * itself read what picknext writes. */
#include "support/unit.h"
#include "trace/format/tracedat_write.h"

static const struct tracedat_event_file events[] = {
    {"ftrace", "print", 5},
    {"sched", "one", 3},
    {"sched", "four", 4},
    {"irq", "x", 1},
};

static const char *const stats[] = {"a", "b"};

static struct tracedat_header small_header(void)
{
	return (struct tracedat_header){
	    .header_page = "PAGE",
	    .header_page_size = 4,
	    .header_event = "EVENT",
	    .header_event_size = 5,
	    .events = events,
	    .event_count = 4,
	    .kallsyms = "KK",
	    .kallsyms_size = 2,
	    .printk_formats = "PPP",
	    .printk_formats_size = 3,
	    .saved_cmdlines = "1 init\n",
	    .saved_cmdlines_size = 7,
	    .page_size = 4096,
	    .cpu_count = 2,
	    .clock = "[mono]",
	    .uname = "U",
	    .date = "0x1",
	    .cpu_stats = stats,
	};
}

#define U16(low)     low "\0"
#define U32(low)     low "\0\0\0"
#define U64(low)     low "\0\0\0\0\0\0\0"
#define U64_2(bytes) bytes "\0\0\0\0\0\0"

TEST(good_header_is_byte_for_byte)
{
	static const char expected[] =
	    "\x17\x08\x44"
	    "tracing"
	    "6\0"
	    "\0"
	    "\x08"
	    "\x00\x10\0\0"
	    "header_page\0" U64(
		"\x04") "PAGE"
			"header_event\0" U64("\x05") "EVENT" U32("\x01")
			    U64("\x05") "print" U32("\x02") "sched\0" U32("\x02") U64("\x03") "one" U64(
				"\x04") "four"
					"irq\0" U32("\x01") U64("\x01") "x" U32("\x02") "KK" U32("\x03") "PPP" U64(
					    "\x07") "1 init\n" U32("\x02") "options  \0" U16("\x01")
					    U32("\x04") "0x1\0" U16("\x02") U32("\x09") "CPU: 0\na\0" U16("\x02")
						U32("\x09") "CPU: 1\nb\0" U16("\x04") U32("\x07") "[mono]\0" U16("\x05")
						    U32("\x02") "U\0" U16("\x08") U32("\x04") U32("\x02")
							U16("\0") "flyrecord\0" U64_2("\x00\x10") U64_2("\x00\x20")
							    U64_2("\x00\x30") U64_2("\x00\x00");
	struct tracedat_header header = small_header();
	struct tracedat_section sections[] = {{4096, 8192}, {12288, 0}};
	struct buffer out = {0};

	assert_int_equal(tracedat_write_header(&header, sections, &out, NULL), STATUS_OK);
	assert_int_equal(out.length, sizeof(expected) - 1);
	assert_memory_equal(out.data, expected, sizeof(expected) - 1);
	buffer_free(&out);
}

TEST(good_header_length_does_not_depend_on_sections)
{
	struct tracedat_header header = small_header();
	struct tracedat_section none[2] = {{0, 0}, {0, 0}};
	struct tracedat_section full[2] = {{UINT64_C(1) << 40, UINT64_C(1) << 50}, {UINT64_C(1) << 60, 1}};
	struct buffer first = {0};
	struct buffer second = {0};

	assert_int_equal(tracedat_write_header(&header, none, &first, NULL), STATUS_OK);
	assert_int_equal(tracedat_write_header(&header, full, &second, NULL), STATUS_OK);
	assert_int_equal(first.length, second.length);
	buffer_free(&first);
	buffer_free(&second);
}

TEST(good_absent_parts_are_left_out)
{
	struct tracedat_header header = {.header_page = "", .header_event = "", .page_size = 512, .cpu_count = 1};
	struct tracedat_section section = {0, 0};
	struct buffer out = {0};
	static const char end[] =
	    "options  \0" U16("\x08") U32("\x04") U32("\x01") U16("\0") "flyrecord\0" U64("\0") U64("\0");

	assert_int_equal(tracedat_write_header(&header, &section, &out, NULL), STATUS_OK);
	assert_memory_equal(out.data + out.length - (sizeof(end) - 1), end, sizeof(end) - 1);
	buffer_free(&out);
}

TEST(good_data_starts_on_a_page)
{
	assert_int_equal(tracedat_data_start(0, 4096), 0);
	assert_int_equal(tracedat_data_start(1, 4096), 4096);
	assert_int_equal(tracedat_data_start(4096, 4096), 4096);
	assert_int_equal(tracedat_data_start(4097, 65536), 65536);
}

static void assert_refused(const struct tracedat_header *header, const struct tracedat_section *sections,
			   const char *what)
{
	struct buffer out = {0};
	struct error err = {0};

	assert_int_equal(tracedat_write_header(header, sections, &out, &err), STATUS_USAGE);
	assert_string_equal(err.what, what);
	assert_int_equal(out.length, 0);
	buffer_free(&out);
}

TEST(bad_requests_are_refused)
{
	struct tracedat_header header = small_header();
	struct tracedat_section sections[] = {{4096, 8192}, {12288, 0}};

	header.page_size = 4095;
	assert_refused(&header, sections, "page size 4095 is not a power of two");
	header.page_size = 0;
	assert_refused(&header, sections, "page size 0 is not a power of two");
	header.page_size = 8192;
	assert_refused(&header, sections, "section of CPU 0 is not aligned to 8192 bytes");
	header = small_header();
	header.cpu_count = 0;
	assert_refused(&header, sections, "0 CPUs cannot be written");
	header.cpu_count = 16385;
	assert_refused(&header, sections, "16385 CPUs cannot be written");
	header = small_header();
	header.kallsyms_size = (size_t)UINT32_MAX + 1;
	assert_refused(&header, sections, "kernel symbols or printk formats are over 4 GiB long");
}
