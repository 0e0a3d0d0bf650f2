/* SPDX-License-Identifier: MIT
 *
 * The rule by which a trace is trusted or not: each limit from both sides. */
#include "support/unit.h"
#include "trace/quality.h"

/* A trace that nothing is wrong with: a second, a thousand switches on two CPUs. */
static struct trace_quality good(void)
{
	return (struct trace_quality){
	    .clock = "mono",
	    .events = 2000,
	    .switches = 1000,
	    .wakeups = 900,
	    .migrations = 90,
	    .marks = 1,
	    .duration_ns = 1000000000,
	    .observed_ns = 2000000000,
	    .whole_to_ns = 1000000000,
	    .end_ns = 1000000000,
	};
}

/* The worst finding is this one, or all is good where name is NULL. */
static struct quality_finding judged(const struct trace_quality *quality, const char *name, enum quality_grade grade)
{
	struct quality_finding findings[QUALITY_FINDINGS];

	quality_judge(quality, findings);
	const struct quality_finding *worst = quality_worst(findings, QUALITY_FINDINGS);
	if (worst->grade != grade || (name && strcmp(worst->name, name) != 0))
		fail_msg("%s: %s: %s", worst->name, quality_grade_text(worst->grade), worst->text);
	return *worst;
}

TEST(good_in_all)
{
	struct trace_quality quality = good();
	struct quality_finding findings[QUALITY_FINDINGS];

	judged(&quality, NULL, QUALITY_GOOD);
	quality_judge(&quality, findings);
	assert_string_equal(findings[0].text, "1000 switches, 900 wakeups, 90 migrations, 1 mark, 9 others");
	for (size_t i = 0; i < QUALITY_FINDINGS; i++) {
		assert_int_equal(findings[i].count, 0);
		assert_string_equal(findings[i].remedy, "");
	}
}

TEST(a_scheduler_that_did_not_last)
{
	struct trace_quality quality = good();

	quality.has_scheduler = true;
	quality.scheduler = (struct scheduler_mark){.is_enabled = true, .ops = "simple", .enable_seq = 1};
	judged(&quality, NULL, QUALITY_GOOD);
	quality.scheduler_changed = true;
	quality.later_scheduler = (struct scheduler_mark){.ops = "none", .enable_seq = 1};
	assert_string_equal(judged(&quality, "end", QUALITY_BAD).text,
			    "the scheduler did not last: it was simple, then the kernel's own");
}

TEST(clocks)
{
	static const char *const common[] = {"global", "mono", "mono_raw", "boot", "tai"};
	static const char *const own[] = {"", "local", "perf"};
	struct trace_quality quality = good();

	for (size_t i = 0; i < 5; i++) {
		quality.clock = common[i];
		judged(&quality, NULL, QUALITY_GOOD);
	}
	for (size_t i = 0; i < 3; i++) {
		quality.clock = own[i];
		judged(&quality, "clock", QUALITY_NOTE);
	}
	quality.clock = NULL;
	judged(&quality, "clock", QUALITY_NOTE);
}

TEST(missed_keys)
{
	struct trace_quality quality = good();

	quality.missed_keys = 4;
	assert_int_equal(judged(&quality, "keys", QUALITY_BAD).count, 4);
}

TEST(contents)
{
	struct trace_quality quality = good();

	quality.wakeups = 0;
	/* Where no wakeup was recorded, none is missing. */
	quality.faults.runs_without_wakeup = 900;
	judged(&quality, "events", QUALITY_NOTE);
	quality.switches = 0;
	judged(&quality, "events", QUALITY_BAD);
}

TEST(losses)
{
	struct trace_quality quality = good();

	quality.lost_places = 2;
	quality.lost_events = 500;
	quality.whole_from_ns = 250000001;
	quality.whole_to_ns = 900000999;
	struct quality_finding finding = judged(&quality, "lost", QUALITY_BAD);
	assert_int_equal(finding.count, 500);
	assert_string_equal(finding.text, "500 events (20.00 %), at 2 places");
	quality.uncounted_places = 1;
	finding = judged(&quality, "lost", QUALITY_BAD);
	assert_string_equal(finding.text, "500 events or more (20.00 %), at 2 places");
	assert_string_equal(finding.remedy, "record with a larger --buffer-size, or use the complete part: "
					    "--from 0.250001 --to 0.900000");
	/* Others are missing in between, and nothing shows where. */
	quality.dropped_events = quality.drops_between = 1;
	finding = judged(&quality, "lost", QUALITY_BAD);
	assert_string_equal(finding.remedy, "record again with a larger --buffer-size");
	quality.dropped_events = quality.drops_between = quality.lost_events = 0;
	quality.whole_to_ns = quality.whole_from_ns;
	finding = judged(&quality, "lost", QUALITY_BAD);
	assert_string_equal(finding.text, "events at 2 places, number unknown");
	assert_string_equal(finding.remedy, "record again with a larger --buffer-size");
	quality = good();
	quality.dropped_events = 1;
	judged(&quality, "lost", QUALITY_BAD);
	quality = good();
	quality.open_gaps = 1;
	judged(&quality, "lost", QUALITY_BAD);
}

TEST(beginning_and_end)
{
	struct trace_quality quality = good();

	quality.late_cpus = 1;
	quality.late_ns = 10000000;
	quality.late_until_ns = 10000000;
	judged(&quality, "beginning", QUALITY_NOTE);
	quality.late_ns = quality.late_until_ns = 10000001;
	struct quality_finding finding = judged(&quality, "beginning", QUALITY_BAD);
	assert_string_equal(finding.remedy, "use the part that all CPUs have: --from 0.010001");
	quality = good();
	quality.ends_early = true;
	quality.open_gaps = 1;
	quality.end_ns = 123456789;
	finding = judged(&quality, "end", QUALITY_BAD);
	assert_string_equal(finding.remedy,
			    "if it is a copy, copy it again; or use the part that all CPUs have: --to 0.123456");
	/* Also in a window that ends before the file. */
	quality.absent_cpus = 2;
	finding = judged(&quality, "end", QUALITY_BAD);
	assert_null(strstr(finding.remedy, "--to"));
	quality.ends_early = false;
	quality.open_gaps = 0;
	finding = judged(&quality, "cpus", QUALITY_BAD);
	assert_int_equal(finding.count, 2);
}

TEST(order)
{
	struct trace_quality quality = good();

	quality.backward_events = 2;
	quality.backward_max_ns = 1000000;
	judged(&quality, "order", QUALITY_NOTE);
	quality.backward_max_ns = 1000001;
	judged(&quality, "order", QUALITY_BAD);
	quality.backward_max_ns = 1;
	quality.backward_events = 3;
	judged(&quality, "order", QUALITY_BAD);
}

/* Switches that a kernel leaves out bound times; impossible ones make them unknown. */
TEST(missing_switches)
{
	struct trace_quality quality = good();

	quality.faults.switches_from_other = quality.faults.switches_missing = 500;
	quality.faults.idle_ends_missing = 490;
	quality.between_ns = 1000000000;
	quality.unknown_ns = 40000000;
	struct quality_finding finding = judged(&quality, "missing", QUALITY_NOTE);
	assert_int_equal(finding.count, 500);
	assert_string_equal(finding.text,
			    "500 of 1500 switches are missing, 490 of them from idle: CPU times of these tasks are "
			    "bounds, their waits are not known. For 50.000 % of the time the task is one of two, "
			    "for 2.000 % it is unknown");
	quality.unknown_ns = 40000001;
	judged(&quality, "missing", QUALITY_BAD);
	assert_true(quality_has_enough(95, 5) && !quality_has_enough(94, 6) && quality_has_enough(0, 0));
}

TEST(impossible_transitions)
{
	struct trace_quality quality = good();

	quality.faults.switches_from_other = 1;
	quality.faults.on_two_cpus = 1;
	quality.faults.runs_without_wakeup = 1;
	quality.faults.acts_of_dead = 1;
	quality.faults.migrations_from_elsewhere = 1;
	struct quality_finding finding = judged(&quality, "impossible", QUALITY_NOTE);
	assert_int_equal(finding.count, 5);
	assert_string_equal(finding.text, "1 x another task than expected, 1 x switch to a task that ran elsewhere, "
					  "1 x switch to a task that slept, 1 x event of a task that had ended, "
					  "1 x migration from where the task was not");
	quality.faults.on_two_cpus = 2;
	finding = judged(&quality, "impossible", QUALITY_BAD);
	assert_string_equal(
	    finding.remedy,
	    "events are missing without a recorded loss: record again with a larger --buffer-size, or without "
	    "a filter by task if the trace does not say which tasks it follows (trace-cmd record -P)");
	/* Each switch that was left out leaves a task where it is not. */
	quality.faults.switches_missing = 6;
	quality.faults.switches_from_other = 7;
	finding = judged(&quality, "impossible", QUALITY_NOTE);
	assert_int_equal(finding.count, 6);
}

/* A signal that keeps a task from going to sleep. */
TEST(tasks_that_slept_alone)
{
	struct trace_quality quality = good();

	quality.wakeups = 1000;
	quality.faults.runs_without_wakeup = 20;
	struct quality_finding finding = judged(&quality, "impossible", QUALITY_NOTE);
	assert_string_equal(finding.remedy, "kernels without 8feb053d5319, such as 6.1, trace a task as asleep that a "
					    "signal keeps awake; of others, wakeups are missing");
	quality.faults.on_two_cpus = 1;
	judged(&quality, "impossible", QUALITY_BAD);
	quality.faults.on_two_cpus = 0;
	quality.faults.runs_without_wakeup = 21;
	judged(&quality, "impossible", QUALITY_BAD);
	/* Where events may be missing, they are. */
	quality.faults.runs_without_wakeup = 20;
	quality.followed_only = true;
	judged(&quality, "impossible", QUALITY_BAD);
}

TEST(lines)
{
	struct trace_quality quality = good();

	quality.clock = NULL;
	quality.malformed_lines = 20;
	judged(&quality, "lines", QUALITY_NOTE);
	quality.malformed_lines = 21;
	judged(&quality, "lines", QUALITY_BAD);
}

TEST(nothing_at_all)
{
	struct trace_quality quality = {.clock = "mono"};

	judged(&quality, "events", QUALITY_BAD);
}
