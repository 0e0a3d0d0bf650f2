/* SPDX-License-Identifier: MIT */
#include "trace/quality.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/stream.h"

static void set_finding(struct quality_finding *finding, enum quality_grade grade, uint64_t count, const char *text,
			...) __attribute__((format(printf, 4, 5)));

static void set_finding(struct quality_finding *finding, enum quality_grade grade, uint64_t count, const char *text,
			...)
{
	va_list args;

	finding->grade = grade;
	finding->count = count;
	va_start(args, text);
	vsnprintf(finding->text, sizeof(finding->text), text, args);
	va_end(args);
}

static void set_remedy(struct quality_finding *finding, const char *text, ...) __attribute__((format(printf, 2, 3)));

static void set_remedy(struct quality_finding *finding, const char *text, ...)
{
	va_list args;

	va_start(args, text);
	vsnprintf(finding->remedy, sizeof(finding->remedy), text, args);
	va_end(args);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : part ? 1 : 0;
}

static enum quality_grade grade_of(bool is_there, bool is_too_much)
{
	return is_too_much ? QUALITY_BAD : is_there ? QUALITY_NOTE : QUALITY_GOOD;
}

/* Rounded to microseconds, so that a window with these limits stays within the range in nanoseconds. */
static double seconds_up(uint64_t ns)
{
	return (double)((ns + 999) / 1000) / 1e6;
}

static double seconds_down(uint64_t ns)
{
	return (double)(ns / 1000) / 1e6;
}

static void judge_clock(const struct trace_quality *quality, struct quality_finding *finding)
{
	const char *clock = quality->clock;

	if (!clock) {
		set_finding(finding, QUALITY_NOTE, 0,
			    "a text trace does not name its clock, and rarely has nanoseconds");
		set_remedy(finding, "record a trace.dat");
	} else if (quality->has_time_shift) {
		set_finding(finding, QUALITY_NOTE, 0,
			    "%s of a guest: its shift to the time of the host (TIME_SHIFT) is left out",
			    *clock ? clock : "unnamed");
		set_remedy(finding, "for times of the host: trace-cmd report -R -i FILE >NEW.txt, which is read");
	} else if (sched_clock_is_common(clock)) {
		set_finding(finding, QUALITY_GOOD, 0, "%s: nanoseconds, one time for all CPUs", clock);
	} else {
		set_finding(
		    finding, QUALITY_NOTE, 0,
		    "%s: nanoseconds, but a separate clock per CPU: the order of events of two CPUs is uncertain",
		    *clock ? clock : "unnamed, so local");
		set_remedy(finding, "record with --clock mono");
	}
}

static const char *plural(uint64_t number, const char *ending)
{
	return number == 1 ? "" : ending;
}

static void judge_events(const struct trace_quality *quality, struct quality_finding *finding)
{
	const uint64_t others =
	    quality->events - quality->switches - quality->wakeups - quality->migrations - quality->marks;

	set_finding(finding, quality->switches ? QUALITY_GOOD : QUALITY_BAD, 0,
		    "%" PRIu64 " switch%s, %" PRIu64 " wakeup%s, %" PRIu64 " migration%s, %" PRIu64 " mark%s, %" PRIu64
		    " other%s",
		    quality->switches, plural(quality->switches, "es"), quality->wakeups, plural(quality->wakeups, "s"),
		    quality->migrations, plural(quality->migrations, "s"), quality->marks, plural(quality->marks, "s"),
		    others, plural(others, "s"));
	if (quality->switches && quality->wakeups)
		return;
	finding->grade = quality->switches ? QUALITY_NOTE : QUALITY_BAD;
	set_remedy(finding, quality->switches ? "latencies need wakeups; record sched_wakeup as well"
					      : "every analysis needs switches; record sched_switch");
}

static void judge_losses(const struct trace_quality *quality, struct quality_finding *finding)
{
	uint64_t lost = quality->lost_events + quality->dropped_events;
	uint64_t places = quality->lost_places + (quality->ends_early ? 0 : quality->open_gaps);
	const char *more = quality_counts_losses(quality) ? "" : " or more";

	if (places == 0 && lost == 0) {
		if (quality->ends_early || quality->absent_cpus)
			set_finding(finding, QUALITY_NOTE, 0, "nothing but what the truncated file lacks");
		else
			set_finding(finding, QUALITY_GOOD, 0,
				    quality->late_cpus ? "nothing after the beginning" : "nothing");
		return;
	}
	if (lost && places == 0)
		set_finding(finding, QUALITY_BAD, lost, "%" PRIu64 " event%s%s (%.2f %%), at unknown places", lost,
			    plural(lost, "s"), more, 100 * share(lost, lost + quality->events));
	else if (lost)
		set_finding(finding, QUALITY_BAD, lost, "%" PRIu64 " event%s%s (%.2f %%), at %" PRIu64 " place%s", lost,
			    plural(lost, "s"), more, 100 * share(lost, lost + quality->events), places,
			    plural(places, "s"));
	else
		set_finding(finding, QUALITY_BAD, places, "events at %" PRIu64 " place%s, number unknown", places,
			    plural(places, "s"));
	if (places && !quality->drops_between && quality->whole_to_ns > quality->whole_from_ns)
		set_remedy(finding,
			   "record with a larger --buffer-size, or use the complete part: --from %.6f --to %.6f",
			   seconds_up(quality->whole_from_ns), seconds_down(quality->whole_to_ns));
	else
		set_remedy(finding, "record again with a larger --buffer-size");
}

static void judge_beginning(const struct trace_quality *quality, struct quality_finding *finding)
{
	enum quality_grade grade =
	    grade_of(quality->late_cpus, share(quality->late_ns, quality->duration_ns) > QUALITY_LATE_MAX);
	char events[32] = "";

	if (quality->late_cpus == 0) {
		set_finding(finding, QUALITY_GOOD, 0, "whole: no CPU's first events were overwritten");
		return;
	}
	if (quality->late_events)
		snprintf(events, sizeof(events), " (%" PRIu64 ")", quality->late_events);
	set_finding(finding, grade, quality->late_cpus,
		    "the first events%s of %" PRIu32 " CPU%s were overwritten, up to %.3f ms", events,
		    quality->late_cpus, quality->late_cpus == 1 ? "" : "s", (double)quality->late_ns / 1e6);
	if (grade == QUALITY_BAD)
		set_remedy(finding, "use the part that all CPUs have: --from %.6f", seconds_up(quality->late_until_ns));
}

static const char *scheduler_of(const struct scheduler_mark *mark)
{
	return mark->is_enabled ? mark->ops : "the kernel's own";
}

static void judge_end(const struct trace_quality *quality, struct quality_finding *finding)
{
	if (quality->scheduler_changed) {
		set_finding(finding, QUALITY_BAD, 1, "the scheduler did not last: it was %.80s, then %.80s",
			    scheduler_of(&quality->scheduler), scheduler_of(&quality->later_scheduler));
		set_remedy(finding, "record it again; the run's JSON and the scheduler's log have the reason");
		return;
	}
	if (!quality->ends_early && quality->open_gaps) {
		set_finding(finding, QUALITY_BAD, quality->open_gaps, "the last events of %" PRIu32 " CPU%s are lost",
			    quality->open_gaps, plural(quality->open_gaps, "s"));
		if (quality->absent_cpus == 0)
			set_remedy(finding, "use the part that all CPUs have: --to %.6f",
				   seconds_down(quality->end_ns));
		return;
	}
	if (quality->absent_lines) {
		set_finding(finding, QUALITY_NOTE, quality->absent_lines,
			    "the text's header counts %" PRIu64 " events, %" PRIu64 " follow",
			    quality->absent_lines + quality->events + quality->malformed_lines,
			    quality->events + quality->malformed_lines);
		set_remedy(finding, "unless lines were left out on purpose, copy it again");
		return;
	}
	if (!quality->ends_early) {
		set_finding(finding, QUALITY_GOOD, 0, "whole");
		return;
	}
	set_finding(finding, QUALITY_BAD, 1, "the file is truncated, events at its end are missing");
	if (quality->absent_cpus)
		set_remedy(
		    finding,
		    "if it is a copy, copy it again, otherwise record it again: no part of it has the events of all "
		    "CPUs");
	else
		set_remedy(finding, "if it is a copy, copy it again; or use the part that all CPUs have: --to %.6f",
			   seconds_down(quality->end_ns));
}

static void judge_order(const struct trace_quality *quality, struct quality_finding *finding)
{
	uint64_t count = quality->backward_events;

	if (quality->has_recordings) {
		set_finding(finding, QUALITY_BAD, 1,
			    "several recordings of the same CPUs, one after another in a file");
		set_remedy(finding, "give each recording as a file of its own");
		return;
	}
	if (quality->late_lines) {
		set_finding(finding, QUALITY_BAD, quality->late_lines,
			    "%" PRIu64 " lines stand after many later ones, by up to %.1f us: their order is unknown",
			    quality->late_lines, (double)quality->backward_max_ns / 1e3);
		set_remedy(finding, "sort the lines by their times, or record a trace.dat");
		return;
	}
	if (count == 0) {
		if (quality->text_parts > 1)
			set_finding(finding, QUALITY_NOTE, quality->text_parts,
				    "a text of %" PRIu64 " parts, each in the order of time: merged",
				    quality->text_parts);
		else if (quality->sorted_lines)
			set_finding(finding, QUALITY_NOTE, quality->sorted_lines,
				    "%" PRIu64 " line%s after later ones: sorted by time", quality->sorted_lines,
				    quality->sorted_lines == 1 ? " stood" : "s stood");
		else
			set_finding(finding, QUALITY_GOOD, 0, "times never go back");
		return;
	}
	set_finding(finding,
		    grade_of(true, share(count, quality->events) > QUALITY_BACKWARD_MAX ||
				       quality->backward_max_ns > QUALITY_BACKWARD_NS),
		    count, "%" PRIu64 " times are before the preceding event's, by %.1f us or less", count,
		    (double)quality->backward_max_ns / 1e3);
	set_remedy(finding, "the clock was corrected: record with --clock mono_raw, which is never corrected");
}

/* Modified kernels record no switch from certain tasks (picknext help limits). The error that results is bounded,
 * unless a task is unknown. */
static void judge_missing(const struct trace_quality *quality, struct quality_finding *finding)
{
	const uint64_t count = quality->faults.switches_missing, from_idle = quality->faults.idle_ends_missing;
	const uint64_t known_ns = quality->observed_ns - quality->outside_ns - quality->offline_ns;
	const double unknown = share(quality->unknown_ns, known_ns);
	char of_idle[48] = "";

	if (count == 0) {
		set_finding(finding, QUALITY_GOOD, 0, "none: each switch continues from the previous task");
		return;
	}
	if (from_idle)
		snprintf(of_idle, sizeof(of_idle), ", %" PRIu64 " of them from idle", from_idle);
	set_finding(finding, grade_of(true, unknown > QUALITY_UNKNOWN_MAX), count,
		    "%" PRIu64 " of %" PRIu64
		    " switches are missing%s: CPU times of these tasks are bounds, their waits are not known. "
		    "For %.3f %% of the time the task is one of two, for %.3f %% it is unknown",
		    count, quality->switches + count, of_idle, 100 * share(quality->between_ns, known_ns),
		    100 * unknown);
	if (finding->grade == QUALITY_BAD)
		set_remedy(finding, "too much is unknown: record again, for longer");
	else
		set_remedy(finding, "the kernel leaves them out: picknext help limits");
}

static void add_part(struct quality_finding *finding, uint64_t count, const char *what)
{
	size_t length = strlen(finding->text);

	if (count)
		snprintf(finding->text + length, sizeof(finding->text) - length, "%s%" PRIu64 " x %s",
			 length ? ", " : "", count, what);
	finding->count += count;
}

/* These waits are left out, so the rest is right. */
static void judge_waits(uint64_t count, struct quality_finding *finding)
{
	if (count == 0)
		return;
	set_finding(finding, QUALITY_NOTE, count,
		    "%" PRIu64 " x wait that ends with a second wakeup, or of a task whose CPU is idle: the wakeup was "
		    "recorded too late, and the wait is unknown",
		    count);
	set_remedy(finding, "the clocks of the CPUs differ, or events are missing: record with --clock mono");
}

/* After an omitted switch, the next event of its task contradicts the known state. */
static void judge_impossible(const struct trace_quality *quality, struct quality_finding *finding)
{
	const struct task_faults *faults = &quality->faults;
	/* A trace that records no wakeups cannot lack one. */
	const uint64_t slept = quality->wakeups ? faults->runs_without_wakeup : 0;

	add_part(finding, faults->switches_from_other - faults->switches_missing, "another task than expected");
	add_part(finding, faults->on_two_cpus, "switch to a task that ran elsewhere");
	add_part(finding, slept, "switch to a task that slept");
	add_part(finding, faults->acts_of_dead, "event of a task that had ended");
	add_part(finding, faults->migrations_from_elsewhere, "migration from where the task was not");
	if (finding->count == 0) {
		set_finding(finding, QUALITY_GOOD, 0, "none");
		judge_waits(faults->false_waits, finding);
		return;
	}
	const bool lacks_none =
	    !quality->followed_only &&
	    quality->lost_places + quality->dropped_events + quality->open_gaps + quality->absent_cpus == 0;
	/* If events were missing at random, there would be other contradictions, too. */
	const bool is_kernels =
	    lacks_none && finding->count == slept && share(slept, quality->wakeups) <= QUALITY_SLEPT_MAX;
	const bool is_much = share(finding->count, quality->switches) > QUALITY_IMPOSSIBLE_MAX;
	finding->grade = grade_of(true, is_much && !is_kernels && finding->count > faults->switches_missing);
	if (is_kernels)
		set_remedy(finding,
			   "kernels without 8feb053d5319, such as 6.1, trace a task as asleep that a signal keeps "
			   "awake; of others, wakeups are missing");
	if (finding->grade == QUALITY_BAD && lacks_none)
		set_remedy(finding,
			   "events are missing without a recorded loss: record again with a larger --buffer-size, or "
			   "without a "
			   "filter by task if the trace does not say which tasks it follows (trace-cmd record -P)");
}

static void judge_tasks(const struct trace_quality *quality, struct quality_finding *finding)
{
	if (!quality->followed_only) {
		set_finding(finding, QUALITY_GOOD, 0, "all");
		return;
	}
	set_finding(finding, QUALITY_NOTE, quality->followed,
		    "%" PRIu64
		    " and those that they started were followed: results are of these; what other tasks did, "
		    "and which of them moved a followed task, is not in the trace",
		    quality->followed);
}

static void judge_cpus(const struct trace_quality *quality, struct quality_finding *finding)
{
	if (quality->absent_cpus) {
		set_finding(finding, QUALITY_BAD, quality->absent_cpus, "all events of %" PRIu32 " CPU%s are missing",
			    quality->absent_cpus, quality->absent_cpus == 1 ? "" : "s");
		set_remedy(finding, "use a later part, if one has events of all CPUs, or copy or record it again");
		return;
	}
	if (quality->offline_cpus == 0) {
		set_finding(finding, QUALITY_GOOD, 0, "online all the time");
		return;
	}
	set_finding(finding, QUALITY_NOTE, quality->offline_cpus,
		    "%" PRIu32 " CPU%s offline for a part of the time, %.3f s in all: neither busy nor idle then",
		    quality->offline_cpus, quality->offline_cpus == 1 ? " was" : "s were",
		    (double)quality->offline_ns / 1e9);
}

static void judge_lines(const struct trace_quality *quality, struct quality_finding *finding)
{
	uint64_t count = quality->malformed_lines;

	if (count == 0) {
		set_finding(finding, QUALITY_GOOD, 0, "%s%s%s", quality->clock ? "not a text trace" : "all well-formed",
			    quality->text_kind ? ", of " : "", quality->text_kind ? quality->text_kind : "");
		return;
	}
	set_finding(finding, grade_of(true, share(count, count + quality->events) > QUALITY_MALFORMED_MAX), count,
		    "%" PRIu64 " are malformed", count);
}

/* The kernel misses a key event if an interrupt hits a probe while the handler of another probe runs. */
static void judge_keys(const struct trace_quality *quality, struct quality_finding *finding)
{
	const uint64_t count = quality->missed_keys;

	if (count == 0) {
		set_finding(finding, QUALITY_GOOD, 0, "no key event was missed");
		return;
	}
	set_finding(finding, QUALITY_BAD, count, "%" PRIu64 " key event%s missed: decisions may look wrong", count,
		    count == 1 ? " was" : "s were");
	set_remedy(finding, "only decisions and the rules need them (key_misses of the JSON); else record again");
}

void quality_judge(const struct trace_quality *quality, struct quality_finding findings[QUALITY_FINDINGS])
{
	static const struct {
		const char *name;
		void (*judge)(const struct trace_quality *quality, struct quality_finding *finding);
	} rules[QUALITY_FINDINGS] = {
	    {"events", judge_events},   {"lost", judge_losses}, {"beginning", judge_beginning},
	    {"end", judge_end},         {"order", judge_order}, {"impossible", judge_impossible},
	    {"missing", judge_missing}, {"tasks", judge_tasks}, {"cpus", judge_cpus},
	    {"lines", judge_lines},     {"clock", judge_clock}, {"keys", judge_keys},
	};

	for (size_t i = 0; i < QUALITY_FINDINGS; i++) {
		findings[i] = (struct quality_finding){.name = rules[i].name};
		rules[i].judge(quality, &findings[i]);
	}
}

const struct quality_finding *quality_worst(const struct quality_finding *findings, size_t count)
{
	const struct quality_finding *worst = &findings[0];

	for (size_t i = 1; i < count; i++)
		if (findings[i].grade > worst->grade)
			worst = &findings[i];
	return worst;
}

enum status quality_error(const struct quality_finding *finding, const char *path, struct error *err)
{
	error_set(err, STATUS_LOST, path, "%s: %s: %s", quality_grade_text(finding->grade), finding->name,
		  finding->text);
	if (finding->remedy[0])
		error_remedy(err, "%s", finding->remedy);
	return STATUS_LOST;
}

const char *quality_grade_text(enum quality_grade grade)
{
	return grade == QUALITY_GOOD ? "good" : grade == QUALITY_NOTE ? "usable" : "not to be trusted";
}

const char *quality_grade_name(enum quality_grade grade)
{
	return grade == QUALITY_GOOD ? "good" : grade == QUALITY_NOTE ? "note" : "bad";
}
