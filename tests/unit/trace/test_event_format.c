/* SPDX-License-Identifier: MIT
 *
 * Format texts as tracefs shows them, and texts that are none. */
#include "support/kernel_texts.h"
#include "support/unit.h"
#include "trace/format/event_format.h"

static struct event_format parse(struct text_span text)
{
	struct event_format format;
	struct error err = {0};

	assert_int_equal(event_format_parse(text, SPAN("sched"), &format, &err), STATUS_OK);
	return format;
}

static void assert_corrupt(struct text_span text, const char *what)
{
	struct event_format format;
	struct error err = {0};

	assert_int_equal(event_format_parse(text, SPAN("sched"), &format, &err), STATUS_CORRUPT);
	assert_string_equal(err.what, what);
}

TEST(good_format_has_name_and_id)
{
	struct event_format format = parse(SPAN(SWITCH_FORMAT));
	assert_true(text_span_is(format.system, "sched"));
	assert_true(text_span_is(format.name, "sched_switch"));
	assert_int_equal(format.id, 310);
	assert_memory_equal(format.print_format.text, "\"prev_comm=%s", 13);
	/* It goes on to the end of the text. */
	assert_int_equal(strlen(format.print_format.text), format.print_format.length);
}

TEST(good_format_lists_fields_in_order)
{
	static const char *const names[] = {"common_type", "common_flags", "common_preempt_count",
					    "common_pid",  "prev_comm",    "prev_pid",
					    "prev_prio",   "prev_state",   "next_comm",
					    "next_pid",    "next_prio"};
	struct event_format format = parse(SPAN(SWITCH_FORMAT));
	struct text_span lines = format.fields;
	struct event_field field;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(event_field_next(&lines, "x", &field, NULL), STATUS_OK);
		assert_true(text_span_is(field.name, names[i]));
	}
	assert_int_equal(event_field_next(&lines, "x", &field, NULL), STATUS_END);
}

TEST(good_fields_have_place_and_sign)
{
	struct event_format format = parse(SPAN(SWITCH_FORMAT));
	struct event_field field;

	assert_int_equal(event_format_field(&format, "prev_state", &field, NULL), STATUS_OK);
	assert_true(text_span_is(field.type, "long"));
	assert_int_equal(field.offset, 32);
	assert_int_equal(field.size, 8);
	assert_true(field.is_signed);
	assert_int_equal(field.array, FIELD_SINGLE);
	assert_int_equal(event_format_field(&format, "common_preempt_count", &field, NULL), STATUS_OK);
	assert_true(text_span_is(field.type, "unsigned char"));
	assert_int_equal(field.offset, 3);
	assert_false(field.is_signed);
	assert_int_equal(event_format_field(&format, "next_comm", &field, NULL), STATUS_OK);
	assert_true(text_span_is(field.type, "char"));
	assert_int_equal(field.array, FIELD_ARRAY);
	assert_int_equal(field.size, 16);
}

TEST(good_field_kinds_are_told_apart)
{
	struct event_format format =
	    parse(SPAN("name: x\nID: 1\nformat:\n\tfield:__data_loc char[] near;\toffset:8;\tsize:4;\tsigned:0;\n"
		       "\tfield:__rel_loc char[] far;\toffset:12;\tsize:4;\tsigned:0;\n"
		       "\tfield:const char * pointer;\toffset:16;\tsize:8;\tsigned:0;\n"
		       "\tfield:int old;\toffset:24;\tsize:4;\n"));
	struct event_field field;

	assert_int_equal(event_format_field(&format, "near", &field, NULL), STATUS_OK);
	assert_int_equal(field.array, FIELD_DATA_LOC);
	assert_true(text_span_is(field.type, "char"));
	assert_int_equal(event_format_field(&format, "far", &field, NULL), STATUS_OK);
	assert_int_equal(field.array, FIELD_REL_LOC);
	assert_int_equal(event_format_field(&format, "pointer", &field, NULL), STATUS_OK);
	assert_true(text_span_is(field.type, "const char *"));
	assert_int_equal(event_format_field(&format, "old", &field, NULL), STATUS_OK);
	assert_false(field.is_signed);
	assert_int_equal(format.print_format.length, 0);
}

TEST(bad_format_names_what_it_lacks)
{
	assert_corrupt(SPAN(""), "no name");
	assert_corrupt(SPAN("ID: 3\nformat:\n"), "no name");
	assert_corrupt(SPAN("name: x\nformat:\n"), "no ID");
	assert_corrupt(SPAN("name: x\nID: \nformat:\n"), "no ID");
	assert_corrupt(SPAN("name: x\nID: -1\nformat:\n"), "no ID");
	assert_corrupt(SPAN("name: x\nID: 12x\nformat:\n"), "no ID");
	assert_corrupt(SPAN("name: x\nID: 4294967296\nformat:\n"), "no ID");
	assert_corrupt(SPAN("name: x\nID: 3\n"), "no list of fields");
	assert_corrupt(SPAN("name: x\nID: 3\nformat:\nprint fmt: \"\0\"\n"), "holds a NUL byte");
	/* A print fmt before the fields is no print fmt. */
	assert_corrupt(SPAN("name: x\nID: 3\nprint fmt: \"\"\n"), "no list of fields");
}

static void assert_bad_field(const char *line)
{
	char text[256] = "name: x\nID: 1\nformat:\n";
	struct error err = {0};
	struct event_field field;

	strcat(text, line);
	struct event_format format = parse((struct text_span){text, strlen(text)});
	assert_int_equal(event_format_field(&format, "a", &field, &err), STATUS_CORRUPT);
	assert_string_equal(err.where, "format of event sched:x");
}

TEST(bad_field_lines_are_refused)
{
	assert_bad_field("\tfield:int a\n");
	assert_bad_field("\tfield:a;\toffset:0;\tsize:4;\tsigned:1;\n");
	assert_bad_field("\tfield:;\toffset:0;\tsize:4;\tsigned:1;\n");
	assert_bad_field("\tfield:int a;\tsize:4;\toffset:0;\tsigned:1;\n");
	assert_bad_field("\tfield:int a;\toffset:x;\tsize:4;\tsigned:1;\n");
	assert_bad_field("\tfield:int a;\toffset:0;\tsize:-4;\tsigned:1;\n");
	assert_bad_field("\tfield:int a;\toffset:67108864;\tsize:4;\tsigned:1;\n");
	assert_bad_field("\tfield:int a;\toffset:99999999999999999999;\tsize:4;\tsigned:1;\n");
	assert_bad_field("\tfield:int a;\toffset:0;\tsize:4;\tsigned:2;\n");
	assert_bad_field("\tfield:int ];\toffset:0;\tsize:4;\tsigned:1;\n");
	assert_bad_field("\tfield:__data_loc char a;\toffset:0;\tsize:4;\tsigned:1;\n");
	assert_bad_field("\tfield:__data_loc char a[4];\toffset:0;\tsize:4;\tsigned:1;\n");
}

TEST(unsupported_absent_field_is_named)
{
	struct event_format format = parse(SPAN(WAKEUP_FORMAT));
	struct event_field field;
	struct error err = {0};

	assert_int_equal(event_format_field(&format, "success", &field, &err), STATUS_UNSUPPORTED);
	assert_string_equal(err.where, "format of event sched:sched_wakeup");
	assert_string_equal(err.what, "no field success");
}

TEST(table_finds_by_system_and_name)
{
	struct event_format_table table = {0};
	struct event_format format = parse(SPAN(WAKEUP_FORMAT));

	for (int i = 0; i < 100; i++)
		event_format_table_add(&table, &format);
	format.system = SPAN("other");
	event_format_table_add(&table, &format);
	assert_ptr_equal(event_format_find(&table, "sched", "sched_wakeup"), &table.formats[0]);
	assert_ptr_equal(event_format_find(&table, "other", "sched_wakeup"), &table.formats[100]);
	assert_null(event_format_find(&table, "sched", "sched_wake"));
	event_format_table_free(&table);
	assert_int_equal(table.count, 0);
}
