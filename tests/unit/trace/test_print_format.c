/* SPDX-License-Identifier: MIT
 *
 * prev_state rendered from the print fmt of several kernels, which do not agree on the bits. */
#include "support/kernel_texts.h"
#include "support/unit.h"
#include "trace/format/print_format.h"

static struct event_format format_of(struct text_span text)
{
	struct event_format format;

	assert_int_equal(event_format_parse(text, SPAN("sched"), &format, NULL), STATUS_OK);
	return format;
}

static void assert_states(struct text_span text, const char *const (*states)[2], size_t count)
{
	struct event_format format = format_of(text);
	struct print_format *print;
	struct error err = {0};
	char shown[64];

	assert_int_equal(print_format_compile(&format, "prev_state", &print, &err), STATUS_OK);
	for (size_t i = 0; i < count; i++) {
		unsigned long long value;
		assert_int_equal(sscanf(states[i][0], "%llx", &value), 1);
		assert_int_equal(print_format_render(print, value, shown, sizeof(shown)), strlen(states[i][1]));
		assert_string_equal(shown, states[i][1]);
	}
	print_format_free(print);
}

TEST(good_states_of_kernels_5_and_6)
{
	static const char *const states[][2] = {
	    {"0", "R"},
	    {"1", "S"},
	    {"2", "D"},
	    {"3", "S|D"},
	    {"4", "T"},
	    {"8", "t"},
	    {"10", "X"},
	    {"20", "Z"},
	    {"40", "P"},
	    {"80", "I"},
	    {"100", "R+"},
	    {"101", "S+"},
	    {"ff", "S|D|T|t|X|Z|P|I"},
	    {"1ff", "S|D|T|t|X|Z|P|I+"},
	    /* bits that the mask takes off, and a long that is negative */
	    {"402", "D"},
	    {"ffffffffffffff00", "R+"},
	};

	assert_states(SPAN(SWITCH_FORMAT), states, sizeof(states) / sizeof(*states));
	assert_states(SPAN(SWITCH_FORMAT_5), states, sizeof(states) / sizeof(*states));
}

/* The same numbers mean other things there. */
TEST(good_states_of_kernel_3_10)
{
	static const char *const states[][2] = {
	    {"0", "R"},    {"1", "S"},   {"10", "Z"},  {"20", "X"},   {"40", "x"},
	    {"82", "D|K"}, {"100", "W"}, {"200", "P"}, {"400", "R+"}, {"402", "D+"},
	};

	assert_states(SPAN(SWITCH_FORMAT_3_10), states, sizeof(states) / sizeof(*states));
}

#define FORMAT(print) SPAN("name: x\nID: 1\nformat:\nprint fmt: " print)

static void assert_shown(struct text_span text, uint64_t value, const char *expected)
{
	struct event_format format = format_of(text);
	struct print_format *print;
	struct error err = {0};
	char shown[64];

	if (print_format_compile(&format, "f", &print, &err) != STATUS_OK)
		fail_msg("%s: %s", err.where, err.what);
	print_format_render(print, value, shown, sizeof(shown));
	print_format_free(print);
	assert_string_equal(shown, expected);
}

TEST(good_leftover_bits_are_a_number)
{
	assert_shown(FORMAT("\"f=%s\", __print_flags(REC->f, \"|\", { 1, \"S\" }, { 2, \"D\" })"), 0x31, "S|0x30");
	assert_shown(FORMAT("\"f=%s\", __print_flags(REC->f, \"|\", { 1, \"S\" }, { 2, \"D\" })"), 0x30, "0x30");
	assert_shown(FORMAT("\"f=%s\", __print_flags(REC->f, \"|\", { 1, \"S\" }, { 2, \"D\" })"), 0, "");
	/* A name of several bits needs them all. */
	assert_shown(FORMAT("\"f=%s\", __print_flags(REC->f, \"\", { 3, \"B\" }, { 1, \"A\" })"), 1, "A");
	assert_shown(FORMAT("\"f=%s\", __print_flags(REC->f, \"\", { 3, \"B\" }, { 4, \"A\" })"), 7, "BA");
}

TEST(good_symbols)
{
	assert_shown(FORMAT("\"f=%s\", __print_symbolic(REC->f, { 0, \"R\" }, { 1, \"S\" })"), 1, "S");
	assert_shown(FORMAT("\"f=%s\", __print_symbolic(REC->f, { 0, \"R\" }, { 1, \"S\" })"), 7, "0x7");
}

TEST(good_operators_bind_as_in_c)
{
	assert_shown(FORMAT("\"f=%s\", 1 | 2 == 3 ? \"a\" : \"b\""), 0, "a");
	assert_shown(FORMAT("\"f=%s\", (1 | 2) == 3 ? \"a\" : \"b\""), 0, "a");
	assert_shown(FORMAT("\"f=%s\", (2 & 1 ^ 1) == 1 ? \"a\" : \"b\""), 0, "a");
	assert_shown(FORMAT("\"f=%s\", (1 << 2 + 1) == 8 ? \"a\" : \"b\""), 0, "a");
	assert_shown(FORMAT("\"f=%s\", 10 - 3 - 2 == 5 ? \"a\" : \"b\""), 0, "a");
	assert_shown(FORMAT("\"f=%s\", (~0x0f & 0xFFul) != 0xf0UL ? \"a\" : \"b\""), 0, "b");
	assert_shown(FORMAT("\"f=%s\", 1 << 64 ? \"a\" : \"b\""), 0, "b");
	assert_shown(FORMAT("\"f=%s\", REC->f ? REC->f == 1 ? \"one\" : \"more\" : \"none\""), 1, "one");
	assert_shown(FORMAT("\"f=%s\", REC->f ? REC->f == 1 ? \"one\" : \"more\" : \"none\""), 2, "more");
	assert_shown(FORMAT("\"f=%s\", REC->f ? REC->f == 1 ? \"one\" : \"more\" : \"none\""), 0, "none");
}

TEST(good_arguments_are_counted)
{
	/* %% is no conversion; commas in brackets and strings part nothing; other fields may be anything. */
	assert_shown(FORMAT("\"100%% a=%d b=%-5s f=%s\", f(REC->a, \",)\"), __get_str(b), \"yes\""), 0, "yes");
	/* xf= is another field. */
	assert_shown(FORMAT("\"xf=%s f=%s\", \"no\", \"yes\""), 0, "yes");
	assert_shown(FORMAT("\"f=%s%s%s g=%s\", \"a\", \"b\", \"c\", \"d\""), 0, "abc");
}

TEST(good_long_text_is_cut)
{
	struct event_format format = format_of(SPAN(SWITCH_FORMAT));
	struct print_format *print;
	char shown[4] = "xyz";

	assert_int_equal(print_format_compile(&format, "prev_state", &print, NULL), STATUS_OK);
	assert_int_equal(print_format_render(print, 0x1ff, shown, sizeof(shown)), 3);
	assert_string_equal(shown, "S|D");
	assert_int_equal(print_format_render(print, 0x1ff, shown, 1), 0);
	assert_string_equal(shown, "");
	assert_int_equal(print_format_render(print, 0x1ff, shown, 0), 0);
	print_format_free(print);
}

static void assert_refused(struct text_span text, enum status expected)
{
	struct event_format format = format_of(text);
	struct print_format *print;
	struct error err = {0};

	if (print_format_compile(&format, "f", &print, &err) != expected)
		fail_msg("not refused as it should be: %.*s: %s", (int)text.length, text.text, err.what);
	assert_null(print);
	assert_int_equal(err.status, expected);
	assert_string_equal(err.where, "format of event x");
}

TEST(bad_texts_are_corrupt)
{
	assert_refused(FORMAT(""), STATUS_CORRUPT);
	assert_refused(FORMAT("f"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\\\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"g=%s f=%s\", \"g\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", "), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", (\"a\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", )\"a\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", \"a"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", 1 ? \"a\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", 1 ? \"a\" : 2"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", \"a\" ? \"a\" : \"b\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", \"a\" | 1"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", __print_flags(REC->f, \"|\")"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", __print_flags(REC->f, { 1, \"a\" })"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", __print_flags(\"a\", \"|\", { 1, \"a\" })"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", __print_flags(REC->f, \"|\", { 1, \"a\" )"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", __print_symbolic(REC->f, { \"a\", 1 })"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"f=%s\", 0x ? \"a\" : \"b\""), STATUS_CORRUPT);
}

TEST(unsupported_c_is_told_apart)
{
	assert_refused(FORMAT("\"g=%s\", \"a\""), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%d\", REC->f"), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", REC->f"), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", REC->g ? \"a\" : \"b\""), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", __get_str(f)"), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", (REC->f && 1) ? \"a\" : \"b\""), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", (REC->f || 1) ? \"a\" : \"b\""), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", REC->f > 1 ? \"a\" : \"b\""), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", REC->f / 2 ? \"a\" : \"b\""), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", (int)REC->f ? \"a\" : \"b\""), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s\", \"a\\n\""), STATUS_UNSUPPORTED);
	assert_refused(FORMAT("\"f=%s%s%s%s%s\", \"a\", \"a\", \"a\", \"a\", \"a\""), STATUS_UNSUPPORTED);
}

/* Neither the stack nor the table of nodes is the text's to fill. */
TEST(unsupported_depth_and_length)
{
	static const char *const units[] = {"(", "~", "1 ? \"a\" : ", "1 + "};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		static char text[65536];
		struct error err = {0};
		struct print_format *print;
		size_t length = (size_t)snprintf(text, sizeof(text), "name: x\nID: 1\nformat:\nprint fmt: \"f=%%s\", ");
		for (int n = 0; n < 2000; n++)
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s", units[i]);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "1");
		for (int n = 0; n < 2000 && *units[i] == '('; n++)
			text[length++] = ')';
		struct event_format format = format_of((struct text_span){text, length});
		assert_int_equal(print_format_compile(&format, "f", &print, &err), STATUS_UNSUPPORTED);
	}
}
