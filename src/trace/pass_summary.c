/* SPDX-License-Identifier: MIT */
#include "trace/pass.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"

/* 1234567 as "1,234,567". */
static const char *grouped(uint64_t value, char text[32])
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *to = text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

static void add_losses(const struct pass *pass, struct buffer *out)
{
	const struct pass_summary *summary = &pass->summary;
	const struct task_faults *faults = &pass->states.faults;
	const uint64_t other = faults->switches_from_other - faults->switches_missing;
	char number[32];

	if (summary->lossy_runs && summary->lost_events)
		buffer_printf(out, ", %s%s event%s lost", summary->lost_unknown ? "at least " : "",
			      grouped(summary->lost_events, number), summary->lost_events == 1 ? "" : "s");
	else if (summary->lossy_runs)
		buffer_text(out, ", events lost (number unknown)");
	else
		buffer_text(out, ", no events lost");
	if (summary->lossy_runs && summary->runs > 1)
		buffer_printf(out, " in %" PRIu32 " of the traces", summary->lossy_runs);
	if (summary->followed_runs && summary->runs > 1)
		buffer_printf(out, "; followed tasks only in %" PRIu32 " of the traces", summary->followed_runs);
	else if (summary->followed_runs)
		buffer_text(out, "; followed tasks only");
	if (summary->wakeless_runs && summary->runs > 1)
		buffer_printf(out, "; no sched_wakeup events in %" PRIu32 " of the traces", summary->wakeless_runs);
	else if (summary->wakeless_runs)
		buffer_text(out, "; no sched_wakeup events");
	if (summary->wakeless_runs)
		buffer_text(out, ": wakeups and the waits after them are not known");
	if (summary->truncated_runs)
		buffer_text(out, "; a trace is cut short");
	if (other)
		buffer_printf(out, "; another task than expected %s time%s", grouped(other, number),
			      other == 1 ? "" : "s");
	if (faults->switches_missing)
		buffer_printf(out, "; %s switch%s missing", grouped(faults->switches_missing, number),
			      faults->switches_missing == 1 ? "" : "es");
	if (faults->on_two_cpus)
		buffer_printf(out, "; a task on two CPUs %s time%s", grouped(faults->on_two_cpus, number),
			      faults->on_two_cpus == 1 ? "" : "s");
	if (summary->backward_events)
		buffer_printf(out, "; %s timestamp%s corrected", grouped(summary->backward_events, number),
			      summary->backward_events == 1 ? "" : "s");
	if (summary->malformed_lines)
		buffer_printf(out, "; %s malformed line%s", grouped(summary->malformed_lines, number),
			      summary->malformed_lines == 1 ? "" : "s");
	if (faults->switches_missing && summary->grade != QUALITY_BAD)
		buffer_text(out, ", which bounds times: see picknext check");
	if (faults->false_waits)
		buffer_printf(out, "; %s wait%s unknown%s", grouped(faults->false_waits, number),
			      faults->false_waits == 1 ? "" : "s",
			      summary->grade == QUALITY_BAD ? "" : ": see picknext check");
	if (summary->is_of_part)
		buffer_text(out, "; read in part");
	if (summary->grade == QUALITY_BAD)
		buffer_text(out, "; not to be trusted: see picknext check");
}

void pass_summary_text(const struct pass *pass, char *text, size_t size)
{
	const struct pass_summary *summary = &pass->summary;
	struct buffer out = {0};
	char number[32];

	buffer_printf(&out, "%s event%s, %.*f s, %" PRIu32 " CPU%s", grouped(summary->events, number),
		      summary->events == 1 ? "" : "s", summary->duration_ns < 100000000 ? 6 : 3,
		      (double)summary->duration_ns / 1e9, summary->cpus, summary->cpus == 1 ? "" : "s");
	if (summary->runs > 1)
		buffer_printf(&out, ", %" PRIu32 " traces", summary->runs);
	add_losses(pass, &out);
	snprintf(text, size, "%s", out.data ? out.data : "");
	buffer_free(&out);
}

void pass_truncation_text(const struct pass *pass, char *text, size_t size)
{
	const struct pass_summary *summary = &pass->summary;

	if (summary->runs == 1)
		snprintf(text, size, "The trace is cut short: events at its end are missing (picknext check).");
	else
		snprintf(text, size,
			 "%" PRIu32 " of %" PRIu32
			 " traces are cut short: events at their ends are missing (picknext check).",
			 summary->truncated_runs, summary->runs);
}

void pass_summary_add_json(const struct pass *pass, struct json_writer *json)
{
	const struct pass_summary *summary = &pass->summary;
	const struct task_faults *faults = &pass->states.faults;

	json_object_begin(json, "trace");
	json_u64(json, "traces", summary->runs);
	json_text(json, "verdict", quality_grade_text(summary->grade));
	json_bool(json, "read_in_part", summary->is_of_part);
	json_u64(json, "events", summary->events);
	/* The zero point of the relative times of one trace. */
	if (summary->runs == 1)
		json_u64(json, "first_ts_ns", pass->run.first_ns);
	else
		json_null(json, "first_ts_ns");
	json_u64(json, "duration_ns", summary->duration_ns);
	json_u64(json, "cpus", summary->cpus);
	json_u64(json, "lost_events", summary->lost_events);
	json_u64(json, "lost_places", summary->lost_places);
	json_bool(json, "lost_events_exact", !summary->lost_unknown);
	json_u64(json, "traces_with_losses", summary->lossy_runs);
	json_u64(json, "traces_cut_short", summary->truncated_runs);
	json_u64(json, "traces_without_wakeups", summary->wakeless_runs);
	json_u64(json, "traces_of_followed_tasks", summary->followed_runs);
	json_u64(json, "missing_switches", faults->switches_missing);
	json_u64(json, "unexpected_tasks", faults->switches_from_other - faults->switches_missing);
	json_u64(json, "tasks_on_two_cpus", faults->on_two_cpus);
	json_u64(json, "corrected_times", summary->backward_events);
	json_u64(json, "lines_not_understood", summary->malformed_lines);
	json_object_end(json);
}
