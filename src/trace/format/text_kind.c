/* SPDX-License-Identifier: MIT */
#include "trace/format/text_kind.h"

#include <string.h>

enum { KIND_NO_TIME, KIND_NO_FIELDS, KINDS_REFUSED };

/* The first KINDS_REFUSED rows are recognised by their lines. */
const struct text_kind text_kinds[] = {
    [KIND_NO_TIME] = {.name = "clock without time",
		      .help = "the kernel's text under the clocks counter, uptime or x86-tsc",
		      .refusal =
			  "has a trace clock that is not a time (counter, uptime, x86-tsc or another one without "
			  "decimals)",
		      .remedy = "record with the clock mono"},
    [KIND_NO_FIELDS] = {.name = "other fields",
			.help = "lines of sched_switch without the PID, priority and state of the tasks",
			.refusal = "has sched_switch events whose fields are not known",
			.remedy = "of a trace.dat, read it instead of its text; of perf.data, give what perf script "
				  "prints"},
    {.name = "function_graph",
     .help = "the tracer function_graph without events",
     .refusal = "is the text of the tracer function_graph, which has no events",
     .remedy = "record the sched events with picknext record",
     .mark = "# tracer: function_graph"},
    {.name = "perf sched timehist",
     .help = "a table of perf sched",
     .refusal = "is the table of perf sched timehist, not its events",
     .remedy = "perf script -i perf.data >trace.txt",
     .mark = "wait time  sch delay   run time"},
    {.name = "perf sched latency",
     .help = "a table of perf sched",
     .refusal = "is the table of perf sched latency, not its events",
     .remedy = "perf script -i perf.data >trace.txt",
     .mark = " | Switches | Avg delay ms"},
    {.name = "perf sched map",
     .help = "a table of perf sched",
     .refusal = "is the table of perf sched map, not its events",
     .remedy = "perf script -i perf.data >trace.txt",
     .mark = " secs A0 => "},
    {.name = "perf script -F",
     .help = "events of perf without their CPU or time",
     .refusal = "is of perf script, without the CPU or the time",
     .remedy = "perf script -F comm,tid,cpu,time,event,trace >trace.txt",
     .mark = "sched:sched_switch: "},
    {.name = "Chrome JSON",
     .help = "JSON for Perfetto and chrome://tracing",
     .refusal = "is JSON for Perfetto, not a trace",
     .remedy = "give the trace that it was made from",
     .mark = "\"traceEvents\""},
    {.name = "mail",
     .help = "lines of a mail whose encoding is quoted-printable",
     .refusal = "is of a mail that is encoded as quoted-printable",
     .remedy = "decode it, and leave only the trace: python3 -m quopri -d FILE >trace.txt",
     .mark = "_pid=3D"},
    {.name = "babeltrace",
     .help = "text of an LTTng trace",
     .refusal = "is the text of an LTTng trace",
     .remedy = "record with picknext record or trace-cmd record",
     .mark = "sched_switch: { cpu_id = "},
    {.name = "kernel",
     .help =
	 "trace, trace_pipe and per_cpu/cpuN/trace of tracefs, any tracer, also in Android's systrace.html; several "
	 "files one after another are merged by time",
     .layout = FTRACE_COLUMNS,
     .form = FTRACE_KERNEL},
    {.name = "latency format",
     .help = "options/latency-format, and dumps on an oops in a kernel log, in microseconds",
     .layout = FTRACE_LATENCY,
     .form = FTRACE_KERNEL},
    {.name = "perf script",
     .help = "events of perf sched record or perf record -e 'sched:*'",
     .layout = FTRACE_PERF,
     .form = FTRACE_KERNEL},
    {.name = "trace-cmd report",
     .help = "its usual text; R+ is R in it, so it does not show who was preempted",
     .layout = FTRACE_COLUMNS,
     .form = FTRACE_REPORT},
    {.name = "trace-cmd report -R", .help = "the raw fields", .layout = FTRACE_COLUMNS, .form = FTRACE_RAW},
    {.name = "kernel 2.6.32",
     .help = "the trace file of kernels before 2.6.33",
     .layout = FTRACE_COLUMNS,
     .form = FTRACE_OLD},
    {.name = NULL},
};

/* The row for lines of this layout and form; the layout counts only if there is a row for it. */
static const struct text_kind *find_row(enum ftrace_layout layout, enum ftrace_form_name form)
{
	const struct text_kind *found = NULL;

	for (const struct text_kind *kind = &text_kinds[KINDS_REFUSED]; kind->name; kind++) {
		if (kind->refusal || kind->form != form)
			continue;
		if (kind->layout == layout)
			return kind;
		found = found ? found : kind;
	}
	return found;
}

const struct text_kind *text_kind_usual(void)
{
	return find_row(FTRACE_COLUMNS, FTRACE_KERNEL);
}

static const struct text_kind *find_mark(struct ftrace_cursor sample)
{
	const char *found;

	for (const struct text_kind *kind = text_kinds; kind->name; kind++)
		if (kind->mark && ftrace_find_text(&sample, kind->mark, &found))
			return kind;
	return NULL;
}

static bool has_counts(struct ftrace_cursor sample)
{
	while (sample.at < sample.end) {
		const struct ftrace_cursor line = {sample.at, find_byte(sample.at, sample.end, '\n')};
		if (ftrace_has_count(line))
			return true;
		sample.at = line.end < sample.end ? line.end + 1 : line.end;
	}
	return false;
}

/* True if a line is a sched_switch; known that none can be read. Those of probes begin with an address. */
static bool has_unread_switch(struct ftrace_cursor sample)
{
	static const char name[] = "sched_switch";

	while (sample.at < sample.end) {
		const struct ftrace_cursor line = {sample.at, find_byte(sample.at, sample.end, '\n')};
		struct ftrace_head head;
		if ((ftrace_take_column_head(line, &head) || ftrace_take_free_head(line, &head)) &&
		    head.event.length == sizeof(name) - 1 && memcmp(head.event.bytes, name, sizeof(name) - 1) == 0 &&
		    (head.payload == line.end || *head.payload != '('))
			return true;
		sample.at = line.end < sample.end ? line.end + 1 : line.end;
	}
	return false;
}

const struct text_kind *text_kind_find(const char *bytes, size_t length)
{
	struct ftrace_text text;
	struct ftrace_text_event event;
	const char *found;

	ftrace_text_open_beginning(&text, bytes, length, TEXT_KIND_SAMPLE);
	const struct ftrace_cursor sample = {text.at, text.end};
	struct ftrace_cursor start = sample;
	while (ftrace_text_next_event(&text, &event))
		if (event.kind == FTRACE_TEXT_SWITCH)
			return find_row(event.layout, text.form);
	const bool is_unread =
	    text.malformed_lines &&
	    (text.other_events ? has_unread_switch(sample) : ftrace_find_text(&sample, " sched_switch: ", &found));
	const struct text_kind *kind =
	    is_unread || (text.malformed_lines && !text.other_events) ? find_mark(sample) : NULL;
	if (kind)
		return kind;
	if (text.malformed_lines && !text.other_events && has_counts(sample))
		return &text_kinds[KIND_NO_TIME];
	if (is_unread)
		return &text_kinds[KIND_NO_FIELDS];
	if (text.other_events)
		return text_kind_usual();
	return ftrace_take_text(&start, "# tracer:") ? text_kind_usual() : NULL;
}
