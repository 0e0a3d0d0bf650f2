/* SPDX-License-Identifier: MIT
 *
 * Lines of switches for people: widths, units, and names that try to do something to the terminal. */
#include "base/escape.h"
#include "export/cpu_map.h"
#include "export/switch_line.h"
#include "support/sched_feed.h"
#include "support/unit.h"

static void assert_text(struct buffer *out, const char *expected)
{
	assert_string_equal(out->data, expected);
	buffer_free(out);
	*out = (struct buffer){0};
}

TEST(durations)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
	    {0, "   0.0us"},          {49, "   0.0us"},         {50, "   0.1us"},
	    {125400, " 125.4us"},     {9999949, "9999.9us"},    {9999950, "  10.0ms"},
	    {9999949999, "9999.9ms"}, {9999950000, "  10.0s "}, {UINT64_C(123456000000000), "123456.0s "},
	};
	char text[DURATION_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		duration_text(cases[i].ns, text);
		assert_string_equal(text, cases[i].text);
	}
}

TEST(lines)
{
	struct buffer out = {0};
	const struct switch_line_form wide = switch_line_form_of(0);
	const struct sched_task firefox = feed_task("firefox", 1234);
	const struct sched_task longest = feed_task("kworker/u16:3-ev", 65535);
	const struct sched_task hostile = feed_task("\033[2J\nx\xff", 7);
	const struct sched_task umlaut = feed_task("gr\xc3\xbc\xc3\x9f", 8);
	struct switch_line line = {450000, 0, &firefox, &longest, "S", true, 125400};

	switch_line_add(&line, &wide, &out);
	assert_int_equal(out.length, 82); /* a name of 16 bytes is one longer than the kernel's */
	assert_text(&out, "    0.450 |   0 | firefox         [ 1234] ( 125.4us) S | kworker/u16:3-ev [65535]\n");
	line = (struct switch_line){UINT64_C(12345678901), 12, &hostile, &umlaut, "R+", false, 0};
	switch_line_add(&line, &wide, &out);
	assert_text(&out, "12345.678 |  12 | \\x1b[2J\\x0ax\\xff [    7] (       ?) R+| gr\xc3\xbc\xc3\x9f            "
			  "[    8]\n");
	switch_line_mark(1000000, "a\nb", 3, &out);
	assert_text(&out, "    1.000 | --- mark: a\\x0ab\n");
	char wordy[102];
	memset(wordy, 'm', sizeof(wordy));
	switch_line_mark(1000000, wordy, 100, &out);
	assert_int_equal(out.length, strlen("    1.000 | --- mark: \n") + 100);
	buffer_clear(&out);
	switch_line_mark(1000000, wordy, 101, &out);
	assert_non_null(strstr(out.data, "mm... (101 bytes, which export shows)\n"));
	buffer_clear(&out);
	switch_line_lost(1000000, 3, true, 17, &out);
	assert_text(&out, "    1.000 |   3 | --- 17 events lost here\n");
	switch_line_lost(1000000, 3, false, 0, &out);
	assert_text(&out, "    1.000 |   3 | --- events lost here\n");
}

/* From 40 columns on they fit, and the heading says what is left out. */
TEST(narrow_lines)
{
	struct buffer out = {0};
	const struct sched_task first = feed_task("kworker/u16:3-ev", 65535), second = feed_task("kworker/u16:4-ev", 7);
	const struct switch_line line = {UINT64_C(12345678901), 12, &first, &second, "R+", true, 125400};

	for (unsigned int width = 40; width < 80; width++) {
		const struct switch_line_form form = switch_line_form_of(width);
		switch_line_heading(&form, &out);
		switch_line_add(&line, &form, &out);
		for (const char *at = out.data, *end; (end = strchr(at, '\n')); at = end + 1)
			assert_true(utf8_columns(at, (size_t)(end - at)) <= width);
		assert_non_null(strstr(out.data, "Left out at this width: RAN FOR"));
		/* Two tasks of one name are told apart. */
		assert_non_null(strstr(out.data, "65535"));
		assert_non_null(strstr(out.data, "PID"));
		assert_non_null(strstr(out.data, " R+| "));
		buffer_clear(&out);
	}
	const struct switch_line_form form = switch_line_form_of(40);
	switch_line_add(&line, &form, &out);
	assert_text(&out, "12345.678 |  12 | \xe2\x80\xa6"
			  "v-65535 R+| kw\xe2\x80\xa6"
			  "-ev-7\n");
	buffer_clear(&out);
	const struct sched_task long_pid = feed_task("worker", 4194303);
	const struct switch_line other = {0, 0, &long_pid, &second, "S", true, 0};
	switch_line_add(&other, &form, &out);
	assert_text(&out, "    0.000 |   0 | 4194303  S | kw\xe2\x80\xa6"
			  "-ev-7\n");
	buffer_free(&out);
}

TEST(heading_is_as_wide_as_lines)
{
	struct buffer out = {0};
	const struct switch_line_form wide = switch_line_form_of(0);
	const struct sched_task task = feed_task("a", 1);
	const struct switch_line line = {0, 0, &task, &task, "S", true, 0};

	switch_line_heading(&wide, &out);
	const char *rule = strchr(out.data, '\n') + 1;
	size_t length = strlen(rule);
	assert_int_equal(length, 80 + 1);
	for (const char *bar = strchr(rule, '|'); bar; bar = strchr(bar + 1, '|'))
		assert_int_equal(out.data[bar - rule], '|');
	buffer_clear(&out);
	switch_line_add(&line, &wide, &out);
	assert_int_equal(out.length, length);
	buffer_free(&out);
}

TEST(codes)
{
	static const struct {
		uint32_t code;
		const char *text;
	} cases[] = {
	    {0, "A0"},
	    {1, "B0"},
	    {25, "Z0"},
	    {26, "A1"},
	    {259, "Z9"},
	    {260, "a0"},
	    {519, "z9"},
	    {520, "AA"},
	    {545, "AZ"},
	    {546, "Aa"},
	    {571, "Az"},
	    {572, "BA"},
	    {520 + 26 * 52 - 1, "Zz"},
	    {1872, "??"},
	};
	char text[3];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cpu_map_code(cases[i].code, text);
		assert_string_equal(text, cases[i].text);
	}
}

static bool wants_cpu_1(const void *context, uint32_t cpu)
{
	(void)context;
	return cpu == 1;
}

TEST(map)
{
	struct leave_reason_table outs = FEED_OUTS;
	const struct sched_event events[] = {
	    feed_switch(1000000, 1, "swapper/1", 0, 'R', "sh", 10),
	    feed_switch(1500000, 0, "idle ago", 5, 'S', "swapper/0", 0),
	    feed_switch(2000000, 1, "make", 10, 'R', "b", 20),
	    feed_switch(2500000, 1, "b", 20, 'S', "make", 10),
	};
	static const char *const expected[] = {
	    "    1.000 |  -  *A0  A0 => sh:10\n",
	    "    1.500 | *.   A0\n",
	    "    2.000 |  .  *B0  B0 => b:20\n",
	    "    2.500 |  .  *A0  A0 => make:10\n",
	};
	struct task_states states = {0};
	struct cpu_map all = {0};
	struct cpu_map one = {.wants_cpu = wants_cpu_1};
	struct buffer out = {0};

	task_states_begin(&states, &outs, NULL);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct task_step step;
		assert_int_equal(task_states_step(&states, &events[i], &step, NULL), STATUS_OK);
		cpu_map_add(&all, &states, events[i].cpu, events[i].ts_ns, &out);
		assert_text(&out, expected[i]);
		cpu_map_add(&one, &states, events[i].cpu, events[i].ts_ns, &out);
		buffer_free(&out);
		out = (struct buffer){0};
	}
	cpu_map_add(&one, &states, 1, 3000000, &out);
	assert_text(&out, "    3.000 | *A0\n");
	cpu_map_free(&all);
	cpu_map_free(&one);
	task_states_free(&states);
}
