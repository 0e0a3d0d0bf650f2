/* SPDX-License-Identifier: MIT */
#include "support/unit.h"
#include "trace/format/ftrace_text.h"

/* One switch line, with names put where the kernel puts them. */
#define SWITCH(task, prev, next)                                                                                       \
	task "-7       [003] d..2.    12.000345: sched_switch: prev_comm=" prev                                        \
	     " prev_pid=7 prev_prio=120 prev_state=D|K ==> next_comm=" next " next_pid=88 next_prio=-1\n"

/* An exact copy on the heap, so that reading one byte too many is seen. */
struct reading {
	char *bytes;
	struct ftrace_text text;
};

static void begin(struct reading *reading, const char *text)
{
	size_t length = strlen(text);

	reading->bytes = malloc(length ? length : 1);
	assert_non_null(reading->bytes);
	memcpy(reading->bytes, text, length);
	ftrace_text_open(&reading->text, reading->bytes, length);
}

static void end(struct reading *reading)
{
	free(reading->bytes);
}

static void assert_span(struct ftrace_span span, const char *expected)
{
	assert_int_equal(span.length, strlen(expected));
	assert_memory_equal(span.bytes, expected, span.length);
}

/* Reads all of text, which must hold count switches and so many malformed lines. */
static void check_counts(const char *text, uint64_t count, uint64_t malformed, uint64_t first_malformed)
{
	struct reading reading;
	struct ftrace_text_switch event;

	begin(&reading, text);
	while (ftrace_text_next(&reading.text, &event))
		continue;
	assert_false(ftrace_text_next(&reading.text, &event));
	assert_int_equal(reading.text.switches, count);
	assert_int_equal(reading.text.malformed_lines, malformed);
	assert_int_equal(reading.text.first_malformed_line, first_malformed);
	end(&reading);
}

/* The only switch in text has these names, and nothing in it is malformed. */
static void check_names(const char *text, const char *prev, const char *next)
{
	struct reading reading;
	struct ftrace_text_switch event;

	begin(&reading, text);
	assert_true(ftrace_text_next(&reading.text, &event));
	assert_span(event.prev_comm, prev);
	assert_span(event.next_comm, next);
	assert_span(event.timestamp, "12.000345");
	assert_span(event.prev_state, "D|K");
	assert_int_equal(event.next_pid, 88);
	assert_int_equal(event.cpu, 3);
	assert_false(ftrace_text_next(&reading.text, &event));
	assert_int_equal(reading.text.malformed_lines, 0);
	end(&reading);
}

TEST(all_fields_are_read)
{
	struct reading reading;
	struct ftrace_text_switch event;

	begin(&reading, "# tracer: nop\n#\n\n" SWITCH("            task", "task", "swapper/3"));
	assert_true(ftrace_text_next(&reading.text, &event));
	assert_span(event.timestamp, "12.000345");
	assert_int_equal(event.ts_ns, 12000345000);
	assert_int_equal(event.cpu, 3);
	assert_span(event.prev_comm, "task");
	assert_int_equal(event.prev_pid, 7);
	assert_int_equal(event.prev_prio, 120);
	assert_span(event.prev_state, "D|K");
	assert_span(event.next_comm, "swapper/3");
	assert_int_equal(event.next_pid, 88);
	assert_int_equal(event.next_prio, -1);
	assert_false(ftrace_text_next(&reading.text, &event));
	end(&reading);
}

#define FIELDS "prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=3 next_prio=4"

TEST(every_layout_of_the_line_start_is_read)
{
	static const char *const lines[] = {
	    "          <idle>-0     [002] d... 12345.678901: sched_switch: " FIELDS,
	    "          <idle>-0       [002] 12345.678901: sched_switch: " FIELDS,
	    "          <idle>-0       (-------) [002] d..2. 12345.678901: sched_switch: " FIELDS "\n",
	    "          <idle>-0       (   1234) [002] d..2. 12345.678901: sched_switch: " FIELDS "\r\n",
	    "            <idle>-0     [002] d... 12345.678901: sched_switch: " FIELDS,
	    "<idle>-0 [2] d..2. 12345.678901: sched_switch: " FIELDS,
	    "a [1] [002] d..2. 12345.678901: sched_switch: " FIELDS,
	    "\t[002]\t12345.678901: sched_switch:   " FIELDS " later_field=7",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct reading reading;
		struct ftrace_text_switch event;
		begin(&reading, lines[i]);
		assert_true(ftrace_text_next(&reading.text, &event));
		assert_int_equal(event.ts_ns, 12345678901000);
		assert_int_equal(event.cpu, 2);
		assert_span(event.next_comm, "b");
		assert_int_equal(reading.text.malformed_lines, 0);
		end(&reading);
	}
}

TEST(names_that_look_like_fields_are_told_apart)
{
	check_names(SWITCH("               a", " prev_pid=1", " next_pid=1"), " prev_pid=1", " next_pid=1");
	check_names(SWITCH("               a", "a prev_pid=7", "next_prio=1"), "a prev_pid=7", "next_prio=1");
	check_names(SWITCH("               a", " ==> next_comm=", " ==> next_comm="),
		    " ==> next_comm=", " ==> next_comm=");
	check_names(SWITCH("               a", "prev_comm=", " next_pid=1 nex"), "prev_comm=", " next_pid=1 nex");
	check_names(SWITCH("               a", "", ""), "", "");
	check_names(SWITCH("               a", " ", "  "), " ", "  ");
	check_names(SWITCH("               a", "\xff\x80", "caf\xc3\xa9"), "\xff\x80", "caf\xc3\xa9");
	check_names(SWITCH(" x-1 [000] d..2.", "x-1 [000] d..2.", "b"), "x-1 [000] d..2.", "b");
	check_names(SWITCH("         -1 [0] ", "-1 [0] ", "b"), "-1 [0] ", "b");
	check_names(SWITCH("               #", "#", "#"), "#", "#");
}

TEST(names_with_newlines_are_joined)
{
	check_names(SWITCH("             a\nb", "a\nb", "c"), "a\nb", "c");
	check_names(SWITCH("               c", "c", "\n"), "c", "\n");
	check_names(SWITCH("               c", "c", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"), "c",
		    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
	check_names(SWITCH(" \n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "\nb\n"),
		    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", "\nb\n");
	check_names(SWITCH("             #\n#", "#\n#", "# \n prev_pid=1"), "#\n#", "# \n prev_pid=1");
	check_names(SWITCH("   x\n-1 [0]\ny\nz ", "x\n-1 [0]\ny\nz ", "b"), "x\n-1 [0]\ny\nz ", "b");
}

TEST(newlines_in_names_of_other_events_are_no_malformed_lines)
{
#define WAKEUP(name, comm)                                                                                             \
	name "-7       [003] d..2.    12.000345: sched_wakeup: comm=" comm " pid=9 prio=120 target_cpu=001\n"
	check_counts(WAKEUP("               a", "x\ny"), 0, 0, 0);
	check_counts(WAKEUP("               a", "pid=1\n pid=2"), 0, 0, 0);
	check_counts(WAKEUP("               a", "\n target_cpu=0"), 0, 0, 0);
	check_counts(WAKEUP("           a\nb c", "\n") SWITCH("               a", "b", "c"), 1, 0, 0);
	check_counts("               a-7       [003] d..2.    12.000345: sched_migrate_task: comm=\n\n pid=9 prio=120 "
		     "orig_cpu=0 dest_cpu=1\n" SWITCH("               a", "b", "c"),
		     1, 0, 0);
	/* A line that was cut does not swallow the whole one behind it. */
	check_counts("               a-7       [003] d..2.    12.000345: sched_wakeup: comm=x pi\n" SWITCH(
			 "               a", "b", "c"),
		     1, 0, 0);
}

TEST(malformed_lines_are_counted_and_the_first_is_known)
{
#define WHOLE SWITCH("               a", "b", "c")
#define HEAD  "               a-7       [003] d..2.    12.000345: sched_switch: "
	check_counts("", 0, 0, 0);
	check_counts("\n", 0, 0, 0);
	check_counts("# x\n \t\r\n" WHOLE, 1, 0, 0);
	check_counts("nonsense", 0, 1, 1);
	check_counts(WHOLE "x\ny\n" WHOLE "z\n", 2, 3, 2);
	check_counts("#\n" HEAD "\n" WHOLE, 1, 1, 2);
	check_counts(HEAD "prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=3 next_pri\n" WHOLE,
		     1, 1, 1);
	check_counts(HEAD "prev_comm=a prev_pid=1 prev_prio=2 prev_sta\n" WHOLE, 1, 1, 1);
	check_counts(HEAD "prev_comm=a prev_pid=x prev_prio=2 prev_state=S ==> next_comm=b next_pid=3 next_prio=4\n", 0,
		     1, 1);
	check_counts(HEAD "prev_comm=a prev_pid=1 prev_prio=2 prev_state= ==> next_comm=b next_pid=3 next_prio=4\n", 0,
		     1, 1);
	check_counts(HEAD "prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=99999999999 "
			  "next_prio=4\n",
		     0, 1, 1);
	check_counts(HEAD "prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=3 next_prio=4x\n",
		     0, 1, 1);
	/* Malformed lines right before a name that is spread over lines stay malformed. */
	check_counts("x\n" SWITCH("             a\nb", "a\nb", "c"), 1, 1, 1);
	/* A clock that does not count seconds is not understood. */
	check_counts("               a-7       [003] d..2. 123456: sched_switch: " FIELDS "\n", 0, 1, 1);
	check_counts("               a-7       [003] d..2. 1.0000000001: sched_switch: " FIELDS "\n", 0, 1, 1);
	check_counts("               a-7       [003] d..2. 99999999999.000000: sched_switch: " FIELDS "\n", 0, 1, 1);
	check_counts("               a-7       [003] 18446744073709551617.649378: sched_switch: " FIELDS "\n", 0, 1, 1);
	check_counts("               a-7       [003] 12 1.000000: sched_switch: " FIELDS "\n", 0, 1, 1);
	check_counts("               a-7       [003] 1.5 1.000000: sched_switch: " FIELDS "\n", 0, 1, 1);
	check_counts("               a-7       [99999999999] d..2. 1.000000: sched_switch: " FIELDS "\n", 0, 1, 1);
	/* These are 3 modulo 2^64. */
	check_counts("               a-7       [18446744073709551619] d..2. 1.000000: sched_switch: " FIELDS "\n", 0, 1,
		     1);
	check_counts("               a-7       [36893488147419103235] d..2. 1.000000: sched_switch: " FIELDS "\n", 0, 1,
		     1);
	check_counts("               a-7       [000000000000000000003] d..2. 1.000000: sched_switch: " FIELDS "\n", 1,
		     0, 0);
}

TEST(other_events_are_no_switches)
{
	struct reading reading;
	struct ftrace_text_switch event;

	begin(&reading, "               a-7       [003] d..2.    12.000345: sched_wakeup: comm=sched_switch: pid=1\n"
			"               a-7       [003] d..2.    12.000345: schedule <-sched_switch: x\n"
			"               a-7       [003] d..2.    12.000345: xsched_switch: " FIELDS "\n");
	assert_false(ftrace_text_next(&reading.text, &event));
	assert_int_equal(reading.text.other_events, 3);
	assert_int_equal(reading.text.malformed_lines, 0);
	end(&reading);
}

TEST(fractions_of_any_length_are_nanoseconds)
{
	static const struct {
		const char *written;
		uint64_t ns;
	} known[] = {{"0.5", 500000000},
		     {"1.000000001", 1000000001},
		     {"00012.34", 12340000000},
		     {"18000000000.999999999", UINT64_C(18000000000999999999)}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char line[256] = "x-1 [000] ";
		struct reading reading;
		struct ftrace_text_switch event;
		strcat(line, known[i].written);
		strcat(line, ": sched_switch: " FIELDS);
		begin(&reading, line);
		assert_true(ftrace_text_next(&reading.text, &event));
		assert_int_equal(event.ts_ns, known[i].ns);
		assert_span(event.timestamp, known[i].written);
		end(&reading);
	}
}

TEST(losses_are_summed_per_cpu)
{
	struct reading reading;
	struct ftrace_text_switch event;

	begin(&reading, "# entries-in-buffer/entries-written: 140080/250280   #P:4\n"
			"CPU:2 [LOST 10 EVENTS]\nCPU:0 [LOST EVENTS]\nCPU:2 [LOST 5 EVENTS]\n"
			"CPU:3 [7 EVENTS DROPPED]\nCPU 3 [EVENTS DROPPED]\n"
			"CPU:4 [LOST 18446744073709551615 EVENTS]\nCPU:4 [LOST 1 EVENTS]\n"
			"CPU:x [LOST 1 EVENTS]\nCPU:1 [LOST 1 EVENTS\nCPU:1 [WON 1 EVENTS]\n");
	assert_false(ftrace_text_next(&reading.text, &event));
	assert_int_equal(reading.text.overwritten, 110200);
	assert_int_equal(reading.text.malformed_lines, 3);
	assert_int_equal(reading.text.loss_count, 4);
	static const struct loss expected[] = {
	    {2, 15, 2, 0, 0}, {0, 0, 1, 0, 0}, {3, 7, 2, 0, 0}, {4, UINT64_MAX, 2, 0, 0}};
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(reading.text.losses[i].cpu, expected[i].cpu);
		assert_int_equal(reading.text.losses[i].events, expected[i].events);
		assert_int_equal(reading.text.losses[i].places, expected[i].places);
	}
	end(&reading);
}

TEST(losses_on_more_cpus_than_there_is_room_for_are_kept_together)
{
	char *text = calloc(200, 32);
	struct reading reading;
	struct ftrace_text_switch event;
	uint64_t events = 0;

	assert_non_null(text);
	char *at = text;
	for (int cpu = 0; cpu < 150; cpu++) {
		memcpy(at, "CPU:", 4);
		at += 4;
		*at++ = (char)('0' + cpu / 100);
		*at++ = (char)('0' + cpu / 10 % 10);
		*at++ = (char)('0' + cpu % 10);
		strcpy(at, " [LOST 2 EVENTS]\n");
		at += strlen(at);
	}
	begin(&reading, text);
	assert_false(ftrace_text_next(&reading.text, &event));
	assert_int_equal(reading.text.loss_count, FTRACE_TEXT_LOSSES_MAX);
	for (size_t i = 0; i < reading.text.loss_count; i++)
		events += reading.text.losses[i].events;
	assert_int_equal(events, 300);
	end(&reading);
	free(text);
}

/* Whatever the cut, the reader ends, stays in bounds (ASan) and finds at most what is there. */
TEST(every_cut_of_a_trace_is_read_in_bounds)
{
	static const char whole[] =
	    "# entries-in-buffer/entries-written: 1/2   #P:4\n" SWITCH("             a\nb", "a\nb", "\nc") WAKEUP(
		"               a", "x\ny") "CPU:2 [LOST 10 EVENTS]\n" SWITCH("               a", " prev_pid=1", "c");

	for (size_t length = 0; length < sizeof(whole); length++) {
		char cut[sizeof(whole)];
		struct reading reading;
		struct ftrace_text_switch event;
		uint64_t count = 0;
		memcpy(cut, whole, length);
		cut[length < sizeof(whole) - 1 ? length : sizeof(whole) - 1] = '\0';
		begin(&reading, cut);
		while (ftrace_text_next(&reading.text, &event))
			count++;
		assert_true(count <= 2);
		end(&reading);
	}
	check_counts(whole, 2, 0, 0);
}
