/* SPDX-License-Identifier: MIT
 *
 * prev_state rendered from the print fmt of several kernels, which do not agree on the bits. */
#include "support/kernel_texts.h"
#include "support/unit.h"
#include "trace/format/state_names.h"

static struct event_format format_of(struct text_span text)
{
	struct event_format format;

	assert_int_equal(event_format_parse(text, SPAN("sched"), &format, NULL), STATUS_OK);
	return format;
}

static void assert_states(struct text_span text, const char *const (*states)[2], size_t count)
{
	struct event_format format = format_of(text);
	struct state_names names;
	struct error err = {0};
	char shown[64];

	assert_int_equal(state_names_parse(&format, &names, &err), STATUS_OK);
	for (size_t i = 0; i < count; i++) {
		unsigned long long value;
		assert_int_equal(sscanf(states[i][0], "%llx", &value), 1);
		assert_int_equal(state_names_text(&names, value, shown, sizeof(shown)), strlen(states[i][1]));
		assert_string_equal(shown, states[i][1]);
	}
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

#define FORMAT(print)                                                                                                  \
	SPAN("name: x\nID: 1\nformat:\nprint fmt: \"prev_state=%s\", __print_flags(REC->prev_state, " print)

static void assert_shown(struct text_span text, uint64_t value, const char *expected)
{
	struct event_format format = format_of(text);
	struct state_names names;
	struct error err = {0};
	char shown[64];

	if (state_names_parse(&format, &names, &err) != STATUS_OK)
		fail_msg("%s: %s", err.where, err.what);
	state_names_text(&names, value, shown, sizeof(shown));
	assert_string_equal(shown, expected);
}

TEST(good_lists)
{
	/* Bits without a name are a number; those above the highest name are none. */
	assert_shown(FORMAT("\"|\", { 1, \"S\" }, { 0x20, \"D\" })"), 0x31, "S|D|0x10");
	assert_shown(FORMAT("\"|\", { 1, \"S\" }, { 0x20, \"D\" })"), 0x10, "0x10");
	assert_shown(FORMAT("\"|\", { 1, \"S\" }, { 0x20, \"D\" })"), 0x40, "");
	assert_shown(FORMAT("\"|\", { 1, \"S\" }, { 0x20UL, \"D\" }) : \"R\""), 0x40, "R");
	assert_shown(FORMAT("\"|\", { 1, \"S\" }) : \"R\", REC->prev_state & 2 ? \"+\" : \"\""), 3, "S+");
	/* A name of several bits needs them all. */
	assert_shown(FORMAT("\"\", { 3, \"B\" }, { 1, \"A\" })"), 1, "A");
	assert_shown(FORMAT("\"\", { 3, \"B\" }, { 4, \"A\" })"), 7, "BA");
	assert_shown(FORMAT("\"|\", { 0x8000000000000000, \"top\" }) ? \"+\""), UINT64_MAX, "top|0x7fffffffffffffff");
}

TEST(good_long_text_is_cut)
{
	struct event_format format = format_of(SPAN(SWITCH_FORMAT));
	struct state_names names;
	char shown[4] = "xyz";

	assert_int_equal(state_names_parse(&format, &names, NULL), STATUS_OK);
	assert_int_equal(state_names_text(&names, 0x1ff, shown, sizeof(shown)), 3);
	assert_string_equal(shown, "S|D");
	assert_int_equal(state_names_text(&names, 0x1ff, shown, 1), 0);
	assert_string_equal(shown, "");
	assert_int_equal(state_names_text(&names, 0x1ff, shown, 0), 0);
}

static void assert_refused(struct text_span text, enum status expected)
{
	struct event_format format = format_of(text);
	struct state_names names;
	struct error err = {0};

	if (state_names_parse(&format, &names, &err) != expected)
		fail_msg("not refused as it should be: %.*s: %s", (int)text.length, text.text, err.what);
	assert_int_equal(err.status, expected);
	assert_string_equal(err.where, "format of event x");
}

TEST(bad_lists_are_corrupt)
{
	assert_refused(FORMAT("\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"|\""), STATUS_CORRUPT);
	assert_refused(FORMAT("\"|\")"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"|\", { 1, \"S\" }"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"|\", { 1, \"S\" )"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"|\", { 1, \"S })"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"|\", { \"S\", 1 })"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"|\", { 0x, \"S\" })"), STATUS_CORRUPT);
	assert_refused(FORMAT("\"|\", { -1, \"S\" })"), STATUS_CORRUPT);
}

#define PRINT(print) SPAN("name: x\nID: 1\nformat:\nprint fmt: " print)

TEST(other_texts_are_unsupported)
{
	assert_refused(PRINT(""), STATUS_UNSUPPORTED);
	assert_refused(PRINT("\"prev_state=%d\", REC->prev_state"), STATUS_UNSUPPORTED);
	assert_refused(PRINT("\"prev_state=%s\", REC->prev_state ? \"S\" : \"R\""), STATUS_UNSUPPORTED);
	assert_refused(PRINT("\"f=%s\", __print_flags(REC->f, \"|\", { 1, \"S\" })"), STATUS_UNSUPPORTED);
	assert_refused(FORMAT(""), STATUS_UNSUPPORTED);
}

TEST(many_names_are_refused)
{
	static char text[4096];
	size_t length = (size_t)snprintf(
	    text, sizeof(text), "name: x\nID: 1\nformat:\nprint fmt: \"prev_state=%%s\", __print_flags(0, \"|\"");

	for (int n = 0; n <= STATE_NAMES_MAX; n++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, ", { 1, \"S\" }");
	length += (size_t)snprintf(text + length, sizeof(text) - length, ")");
	assert_refused((struct text_span){text, length}, STATUS_CORRUPT);
}
