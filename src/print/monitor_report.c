/* SPDX-License-Identifier: MIT */
#include "print/monitor_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "export/switch_line.h"

static double seconds_of(const struct monitor_report *report)
{
	uint64_t length_ns = report->until_ns - report->top->from_ns;

	return length_ns ? (double)length_ns / 1e9 : 1e-9;
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_wait(uint64_t wait_ns, struct buffer *out)
{
	char text[DURATION_TEXT_SIZE] = "-";

	if (wait_ns)
		duration_text(wait_ns, text);
	buffer_printf(out, " %9s", text);
}

static void add_task(const struct task_states *states, uint32_t task, struct buffer *out)
{
	comm_add_padded(task_comm(states, task), 0, out);
	buffer_printf(out, "[%" PRId32 "]", states->tasks[task].pid);
}

static void add_longest_wait(const struct monitor_report *report, enum wait_kind kind, const char *label,
			     const char *none, struct buffer *out)
{
	const struct top_wait *wait = &report->top->longest_waits[kind];
	char text[DURATION_TEXT_SIZE];

	if (wait->task == TASK_NONE) {
		buffer_printf(out, "%s%s\n", label, none);
		return;
	}
	duration_text(wait->length_ns, text);
	buffer_printf(out, "%s%s%s, ", label, text + strspn(text, " "), wait->goes_on ? " so far" : "");
	add_task(report->states, wait->task, out);
	buffer_printf(out, " on CPU %" PRIu32 "\n", wait->cpu);
}

static void add_head(const struct monitor_report *report, struct buffer *out)
{
	const struct top *top = report->top;
	uint64_t up_s = (report->until_ns - report->start_ns) / 1000000000;
	double seconds = seconds_of(report);
	uint64_t switches = 0;
	uint64_t involuntary = 0;
	uint64_t own_ns = 0;

	for (uint32_t cpu = 0; cpu < top->cpu_count; cpu++) {
		switches += top->cpus[cpu].switches;
		involuntary += top->cpus[cpu].involuntary;
		own_ns += top->cpus[cpu].own_ns;
	}
	buffer_printf(out, "picknext monitor  %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ", last %.1f s%s%s\n", up_s / 3600,
		      up_s / 60 % 60, up_s % 60, seconds, report->hint ? "; " : "", report->hint ? report->hint : "");
	buffer_printf(out, "%.0f switches/s, %.1f %% involuntary; %.0f wakeups/s; %" PRIu64 " events lost\n",
		      (double)switches / seconds, percent_of(involuntary, switches), (double)top->wakeups / seconds,
		      report->lost);
	add_longest_wait(report, AFTER_WAKEUP, "worst wakeup latency: ", "no wakeups", out);
	add_longest_wait(report, AFTER_PREEMPTION, "longest wait after preemption: ", "none", out);
	buffer_printf(out, "left out: picknext itself, %.1f %% of a CPU\n", (double)own_ns / seconds / 1e7);
}

static void add_cpu(const struct monitor_report *report, uint32_t cpu, struct buffer *out)
{
	const struct top_cpu *of = &report->top->cpus[cpu];
	double seconds = seconds_of(report);
	uint32_t current = report->states->cpus[cpu].current;

	buffer_printf(out, "%4" PRIu32 " %11.0f %8.1f %6.1f", cpu, of->switches / seconds,
		      percent_of(of->involuntary, of->switches), (double)of->busy_ns / seconds / 1e7);
	add_wait(of->longest_wait_ns, out);
	buffer_text(out, "  ");
	/* picknext itself runs on one of the CPUs at the end of the interval. */
	if (current != TASK_NONE && report->states->tasks[current].pid == report->top->own_pid)
		current = of->hidden.task;
	if (current == TASK_NONE)
		buffer_text(out, "-");
	else if (report->states->tasks[current].is_idle)
		buffer_text(out, "idle");
	else
		add_task(report->states, current, out);
	buffer_text(out, "\n");
}

static void add_cpus(const struct monitor_report *report, struct buffer *out)
{
	buffer_text(out, "\n CPU  switches/s  invol.%  busy%   max wait  now\n");
	uint32_t shown = report->cpu_count;
	if (shown > report->cpu_rows)
		shown = report->cpu_rows ? report->cpu_rows - 1 : 0;
	for (uint32_t cpu = 0; cpu < shown; cpu++) {
		if (cpu < report->states->cpu_count && report->states->cpus[cpu].seen)
			add_cpu(report, cpu, out);
		else
			buffer_printf(out, "%4" PRIu32 "           0        -      -         -  nothing seen yet\n",
				      cpu);
	}
	if (shown < report->cpu_count)
		buffer_printf(out, "      and %" PRIu32 " more\n", report->cpu_count - shown);
}

static void add_tasks(const struct monitor_report *report, struct buffer *out)
{
	uint32_t *tasks = xreallocarray(NULL, report->task_rows, sizeof(*tasks));
	uint32_t count = top_order(report->top, report->states, tasks, report->task_rows);
	double seconds = seconds_of(report);

	buffer_text(out, "\n    PID NAME              CPU%  switches/s  invol.%  wakeups/s  max wait\n");
	for (uint32_t i = 0; i < count; i++) {
		const struct top_task *task = &report->top->tasks[tasks[i]];
		buffer_printf(out, "%7" PRId32 " ", report->states->tasks[tasks[i]].pid);
		comm_add_padded(task_comm(report->states, tasks[i]), 15, out);
		buffer_printf(out, " %6.1f %11.0f %8.1f %10.0f", (double)task->cpu_time_ns / seconds / 1e7,
			      task->switches / seconds, percent_of(task->involuntary, task->switches),
			      task->wakeups / seconds);
		add_wait(task->longest_wait_ns, out);
		buffer_text(out, "\n");
	}
	free(tasks);
}

void monitor_report_add(const struct monitor_report *report, struct buffer *out)
{
	add_head(report, out);
	add_cpus(report, out);
	add_tasks(report, out);
}
