/* SPDX-License-Identifier: MIT */
#include "trace/pass_quality.h"

#include <stdio.h>
#include <string.h>

static void add_observed(const struct task_states *machine, uint64_t *observed_ns, uint64_t *unknown_ns)
{
	*observed_ns = *unknown_ns = 0;
	for (uint32_t cpu = 0; cpu < machine->cpu_count; cpu++) {
		*observed_ns += machine->cpus[cpu].observed_ns;
		*unknown_ns += machine->cpus[cpu].observed_unknown_ns;
	}
}

void trace_quality_begin(struct analysis *analysis)
{
	analysis->trace = (struct trace_quality){.clock = sched_source_clock(analysis->run.source)};
	analysis->faults_before = analysis->machine.faults;
	analysis->whole_since_ns = 0;
	/* What machine.cpus count goes on from run to run. */
	add_observed(&analysis->machine, &analysis->trace.observed_ns, &analysis->trace.unknown_ns);
}

/* A stretch without losses ends at end_ns at the latest, since the first event. */
static void end_stretch(struct analysis *analysis, uint64_t end_ns)
{
	struct trace_quality *trace = &analysis->trace;
	uint64_t start_ns = analysis_since_start(analysis, analysis->machine.window_ns);

	if (start_ns < analysis->whole_since_ns)
		start_ns = analysis->whole_since_ns;
	if (trace->whole_to_ns > end_ns)
		trace->whole_to_ns = end_ns > trace->whole_from_ns ? end_ns : trace->whole_from_ns;
	if (end_ns <= start_ns || end_ns - start_ns <= trace->whole_to_ns - trace->whole_from_ns)
		return;
	trace->whole_from_ns = start_ns;
	trace->whole_to_ns = end_ns;
}

/* What is missing before a CPU's first event is its beginning, and no place between others. A text trace has no gaps,
 * and those of a trace.dat end with SCHED_LOST, unless nothing follows. */
static void take_loss(struct analysis *analysis, const struct sched_event *event)
{
	const struct task_states *machine = &analysis->machine;

	if (event->cpu >= machine->cpu_count || !machine->cpus[event->cpu].seen)
		return;
	if (machine->open_gaps == 0)
		end_stretch(analysis, analysis_since_start(analysis, machine->cpus[event->cpu].last_ns));
	/* What ends with the window's first event lies before it. */
	if (event->kind == SCHED_GAP || event->ts_ns <= machine->window_ns)
		return;
	analysis->trace.lost_places++;
	analysis->trace.lost_events += event->lost.count;
	uint64_t since = analysis_since_start(analysis, event->ts_ns);
	if (analysis->whole_since_ns < since)
		analysis->whole_since_ns = since;
}

void trace_quality_step(struct analysis *analysis, const struct sched_event *event)
{
	struct trace_quality *trace = &analysis->trace;

	switch (event->kind) {
	case SCHED_GAP:
	case SCHED_LOST:
		take_loss(analysis, event);
		return;
	case SCHED_SWITCH:
		trace->switches++;
		break;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		trace->wakeups++;
		break;
	case SCHED_MIGRATE:
		trace->migrations++;
		break;
	case SCHED_MARK:
		trace->marks++;
		break;
	case SCHED_OTHER_EVENT:
		break;
	}
	trace->events++;
}

static void take_late_start(struct analysis *analysis, const struct task_cpu *cpu)
{
	const struct task_states *machine = &analysis->machine;
	struct trace_quality *trace = &analysis->trace;

	if ((!cpu->late_start && !machine->all_start_late) || cpu->window_ns <= machine->window_ns)
		return;
	trace->late_cpus++;
	if (trace->late_ns < cpu->window_ns - machine->window_ns)
		trace->late_ns = cpu->window_ns - machine->window_ns;
	trace->late_until_ns = analysis_since_start(analysis, machine->window_ns) + trace->late_ns;
	if (analysis->whole_since_ns < trace->late_until_ns)
		analysis->whole_since_ns = trace->late_until_ns;
}

void trace_quality_end_window(struct analysis *analysis, bool is_truncated)
{
	const struct task_states *machine = &analysis->machine;
	struct trace_quality *trace = &analysis->trace;

	trace->end_ns = analysis_end(analysis);
	trace->ends_early = is_truncated && !analysis->is_over;
	for (uint32_t i = 0; i < machine->cpu_count; i++) {
		const struct task_cpu *cpu = &machine->cpus[i];
		if (!cpu->seen)
			continue;
		take_late_start(analysis, cpu);
		/* A gap that never ended. */
		trace->open_gaps += cpu->in_gap;
		uint64_t last_ns = analysis_since_start(analysis, cpu->last_ns);
		if (cpu->in_gap && last_ns < trace->end_ns)
			trace->end_ns = last_ns;
	}
}

static struct task_faults faults_since(const struct task_faults *now, const struct task_faults *before)
{
	return (struct task_faults){
	    .switches_from_other = now->switches_from_other - before->switches_from_other,
	    .switches_missing = now->switches_missing - before->switches_missing,
	    .on_two_cpus = now->on_two_cpus - before->on_two_cpus,
	    .runs_without_wakeup = now->runs_without_wakeup - before->runs_without_wakeup,
	    .acts_of_dead = now->acts_of_dead - before->acts_of_dead,
	    .migrations_from_elsewhere = now->migrations_from_elsewhere - before->migrations_from_elsewhere,
	    .losses = now->losses - before->losses,
	};
}

void trace_quality_end(struct analysis *analysis)
{
	struct trace_quality *trace = &analysis->trace;
	struct quality_finding findings[QUALITY_FINDINGS];
	uint64_t observed_ns;
	uint64_t unknown_ns;

	add_observed(&analysis->machine, &observed_ns, &unknown_ns);
	trace->observed_ns = observed_ns - trace->observed_ns;
	trace->unknown_ns = unknown_ns - trace->unknown_ns;
	trace->duration_ns = analysis_end(analysis) - analysis_since_start(analysis, analysis->machine.window_ns);
	if (trace->open_gaps == 0)
		end_stretch(analysis, trace->end_ns);
	/* Of those that were refused between other events not every place tells how many: of the whole trace the sum is
	 * known, of a window what lies behind a CPU's last event. */
	uint64_t refused = sched_source_refused(analysis->run.source);
	if (!analysis->is_over && analysis->machine.window_ns == analysis->machine.first_ns)
		trace->refused_events = refused > trace->lost_events ? refused - trace->lost_events : 0;
	else if (trace->open_gaps)
		trace->refused_events = sched_source_dropped_last(analysis->run.source);
	trace->backward_events = sched_source_backwards(analysis->run.source, &trace->backward_most_ns);
	trace->malformed_lines = sched_source_malformed(analysis->run.source);
	trace->faults = faults_since(&analysis->machine.faults, &analysis->faults_before);
	quality_judge(trace, findings);
	const struct quality_finding *worst = quality_worst(findings);
	if (worst->grade <= analysis->quality.grade)
		return;
	analysis->quality.grade = worst->grade;
	analysis->quality.worst = *worst;
}
