/* SPDX-License-Identifier: MIT
 *
 * Kernel stacks in a trace, and the names behind their addresses. */
#include "support/kernel_texts.h"
#include "support/unit.h"
#include "trace/format/kernel_stack.h"
#include "trace/format/kernel_symbols.h"

/* 6.18; 5.10 has "caller[8]" too. */
#define STACK_FORMAT                                                                                                   \
	"name: kernel_stack\nID: 4\n" COMMON_FIELDS "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"               \
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"                                          \
	"\n"                                                                                                           \
	"print fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n"

static void make_layout(const char *text, uint32_t word_size, struct kernel_stack_layout *layout)
{
	struct event_format_table events = {0};
	struct event_format format;

	assert_int_equal(event_format_parse((struct text_span){text, strlen(text)}, SPAN("ftrace"), &format, NULL),
			 STATUS_OK);
	event_format_table_add(&events, &format);
	kernel_stack_layout_make(&events, word_size, layout);
	event_format_table_free(&events);
}

/* A record of so many addresses, 0x1000, 0x2000..., that says it has said. */
static size_t read_record(uint32_t addresses, int32_t said, uint32_t length, uint64_t *found, size_t max)
{
	struct {
		uint16_t type;
		uint16_t flags;
		int32_t pid, size, hole;
		uint64_t caller[16];
	} bytes = {.type = 4, .size = said};
	struct kernel_stack_layout layout;
	const struct ring_record record = {.data = (const uint8_t *)&bytes, .length = length};

	for (uint32_t i = 0; i < addresses; i++)
		bytes.caller[i] = (i + 1) * UINT64_C(0x1000);
	make_layout(STACK_FORMAT, 8, &layout);
	assert_true(kernel_stack_is(&layout, &record));
	return kernel_stack_read(&layout, &record, found, max);
}

TEST(gives_what_is_there)
{
	uint64_t found[16];

	assert_int_equal(read_record(3, 3, 16 + 3 * 8, found, 16), 3);
	assert_int_equal(found[0], 0x1000);
	assert_int_equal(found[2], 0x3000);
	assert_int_equal(read_record(12, 12, 16 + 12 * 8, found, 16), 12);
	assert_int_equal(read_record(12, 12, 16 + 12 * 8, found, 5), 5);
}

TEST(never_reads_past_the_record)
{
	uint64_t found[16];

	assert_int_equal(read_record(3, 1000, 16 + 3 * 8, found, 16), 3);
	assert_int_equal(read_record(3, -1, 16 + 3 * 8 + 4, found, 16), 3);
	assert_int_equal(read_record(3, 3, 16 + 7, found, 16), 0);
	assert_int_equal(read_record(3, 3, 8, found, 16), 0);
	assert_int_equal(read_record(3, 3, 4, found, 16), 0);
	assert_int_equal(read_record(3, 0, 16 + 3 * 8, found, 16), 0);
}

TEST(an_old_end_mark_ends_it)
{
	uint64_t bytes[] = {4, 8, 0x1000, UINT64_MAX, 0x2000};
	const struct ring_record record = {.data = (const uint8_t *)bytes, .length = sizeof(bytes)};
	struct kernel_stack_layout layout;
	uint64_t found[8];

	make_layout(STACK_FORMAT, 8, &layout);
	assert_int_equal(kernel_stack_read(&layout, &record, found, 8), 1);
}

TEST(other_formats_are_left_alone)
{
	struct kernel_stack_layout layout;
	const uint8_t bytes[8] = {4};
	const struct ring_record record = {.data = bytes, .length = 8};

	make_layout("name: kernel_stack\nID: 4\n" COMMON_FIELDS "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n", 8,
		    &layout);
	assert_false(layout.known);
	assert_false(kernel_stack_is(&layout, &record));
	make_layout(STACK_FORMAT, 3, &layout);
	assert_false(layout.known);
	make_layout(SWITCH_FORMAT, 8, &layout);
	assert_false(layout.known);
	make_layout(STACK_FORMAT, 4, &layout);
	assert_true(layout.known);
	assert_int_equal(layout.address_size, 4);
}

static void assert_name(const struct kernel_symbols *symbols, uint64_t address, const char *name)
{
	const struct kernel_symbol *symbol = kernel_symbols_find(symbols, address);

	assert_int_equal(symbol != NULL, name != NULL);
	if (name)
		assert_true(text_span_is(symbol->name, name));
}

TEST(symbols_are_found_by_address)
{
	static const char text[] = "ffffffff81000300 t last_one.isra.0\n"
				   "\n"
				   "ffffffff81000100 T first\n"
				   "ffffffff81000180 D some_data\n"
				   "no symbol at all\n"
				   "fffffffff81000150 T too_long\n"
				   "ffffffff81000200 W second\t[module]";
	struct kernel_symbols symbols;

	kernel_symbols_make(SPAN(text), &symbols);
	assert_int_equal(symbols.count, 3);
	assert_name(&symbols, UINT64_C(0xffffffff810000ff), NULL);
	assert_name(&symbols, UINT64_C(0xffffffff81000100), "first");
	assert_name(&symbols, UINT64_C(0xffffffff810001ff), "first");
	assert_name(&symbols, UINT64_C(0xffffffff81000200), "second");
	assert_name(&symbols, UINT64_MAX, "last_one.isra.0");
	kernel_symbols_free(&symbols);
	kernel_symbols_make(SPAN("\n\n\n"), &symbols);
	assert_name(&symbols, UINT64_MAX, NULL);
	kernel_symbols_free(&symbols);
}
