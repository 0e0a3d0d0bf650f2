/* SPDX-License-Identifier: MIT */
#include "trace/trace_watch.h"

#include "trace/key_mark.h"

struct observed {
	uint64_t all_ns, absent_ns[CPU_ABSENCES];
};

/* The sums of all CPUs, over all runs. */
static struct observed add_observed(const struct task_states *states)
{
	struct observed sum = {0};

	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++) {
		sum.all_ns += states->cpus[cpu].observed_ns;
		for (int why = 0; why < CPU_ABSENCES; why++)
			sum.absent_ns[why] += states->cpus[cpu].observed_absent_ns[why];
	}
	return sum;
}

void trace_watch_begin(struct trace_watch *watch, const struct task_states *states, const struct sched_source *source)
{
	const struct trace_scope *scope = sched_source_scope(source);
	const struct sched_stream *stream = sched_source_stream(source);
	const struct observed before = add_observed(states);

	*watch = (struct trace_watch){
	    .quality = {.clock = sched_source_clock(source),
			.has_time_shift = stream && sched_stream_trace(stream)->has_time_shift,
			.followed_only = scope->followed_only,
			.followed = scope->followed_count,
			.observed_ns = before.all_ns,
			.offline_ns = before.absent_ns[CPU_OFFLINE],
			.unknown_ns = before.absent_ns[CPU_UNKNOWN],
			.between_ns = before.absent_ns[CPU_BETWEEN],
			.outside_ns = before.absent_ns[CPU_OUTSIDE]},
	    .faults_before = states->faults,
	};
}

void trace_watch_open(struct trace_watch *watch, const struct task_states *states)
{
	watch->faults_before = states->faults;
}

/* Ends a period without losses at end_ns, relative to the first event. */
static void end_stretch(struct trace_watch *watch, const struct task_states *states, uint64_t end_ns)
{
	struct trace_quality *trace = &watch->quality;
	uint64_t start_ns = trace_watch_since(watch, states->window_ns);

	if (start_ns < watch->whole_since_ns)
		start_ns = watch->whole_since_ns;
	if (trace->whole_to_ns > end_ns)
		trace->whole_to_ns = end_ns > trace->whole_from_ns ? end_ns : trace->whole_from_ns;
	if (end_ns <= start_ns || end_ns - start_ns <= trace->whole_to_ns - trace->whole_from_ns)
		return;
	trace->whole_from_ns = start_ns;
	trace->whole_to_ns = end_ns;
}

static bool begins_with_trace(const struct task_states *states)
{
	return states->window_ns == states->first_ns;
}

/* Events missing before a CPU's first event make it a late start, not a loss between events. A text trace has no gaps;
 * a gap of a trace.dat ends with SCHED_LOST, unless no event follows. */
void trace_watch_loss(struct trace_watch *watch, const struct task_states *states, const struct sched_event *event)
{
	if (event->cpu >= states->cpu_count || !states->cpus[event->cpu].seen)
		return;
	if (states->open_gaps == 0)
		end_stretch(watch, states, trace_watch_since(watch, states->cpus[event->cpu].last_ns));
	/* A loss that ends with the window's first event is before the window, unless the CPU had events before. */
	if (event->kind == SCHED_GAP || (event->ts_ns <= states->window_ns && !begins_with_trace(states)))
		return;
	watch->quality.lost_places++;
	watch->quality.uncounted_places += !event->lost.count_known;
	watch->quality.lost_events += event->lost.count;
	uint64_t since = trace_watch_since(watch, event->ts_ns);
	if (watch->whole_since_ns < since)
		watch->whole_since_ns = since;
}

/* A scheduler mark with another number is another start, even of the same scheduler. */
void trace_watch_mark(struct trace_watch *watch, const struct sched_event *event)
{
	struct trace_quality *trace = &watch->quality;
	struct scheduler_mark mark;

	trace->marks++;
	trace->missed_keys += key_mark_read_missed(event->mark.text, event->mark.length);
	if (trace->scheduler_changed || !scheduler_mark_read(event->mark.text, event->mark.length, &mark))
		return;
	const struct scheduler_mark *first = &trace->scheduler;
	if (!trace->has_scheduler) {
		trace->scheduler = mark;
		trace->has_scheduler = true;
	} else if (mark.is_enabled != first->is_enabled || (mark.is_enabled && mark.enable_seq != first->enable_seq)) {
		trace->later_scheduler = mark;
		trace->scheduler_changed = true;
	}
}

static void take_late_start(struct trace_watch *watch, const struct task_states *states, const struct task_cpu *cpu)
{
	struct trace_quality *trace = &watch->quality;

	if (!cpu->late_start && !states->all_start_late)
		return;
	/* The first CPU of the trace may lack events before that. */
	if (cpu->window_ns <= states->window_ns && !begins_with_trace(states))
		return;
	trace->late_cpus++;
	if (trace->late_ns < cpu->window_ns - states->window_ns)
		trace->late_ns = cpu->window_ns - states->window_ns;
	trace->late_until_ns = trace_watch_since(watch, states->window_ns) + trace->late_ns;
	if (watch->whole_since_ns < trace->late_until_ns)
		watch->whole_since_ns = trace->late_until_ns;
}

void trace_watch_end_window(struct trace_watch *watch, const struct task_states *states,
			    const struct trace_watch_end *end)
{
	struct trace_quality *trace = &watch->quality;

	trace->end_ns = end->end_ns;
	trace->ends_early = end->truncated && !end->is_cut;
	for (uint32_t i = 0; i < states->cpu_count; i++) {
		const struct task_cpu *cpu = &states->cpus[i];
		if (!cpu->seen) {
			trace->absent_cpus += cpu->in_gap;
			continue;
		}
		take_late_start(watch, states, cpu);
		trace->offline_cpus += cpu->absent_ns[CPU_OFFLINE] || task_cpu_is_offline(cpu);
		/* A gap at the end of the trace. */
		trace->open_gaps += cpu->in_gap;
		uint64_t last_ns = trace_watch_since(watch, cpu->last_ns);
		if (cpu->in_gap && last_ns < trace->end_ns)
			trace->end_ns = last_ns;
	}
}

static struct task_faults faults_since(const struct task_faults *now, const struct task_faults *before)
{
	return (struct task_faults){
	    .switches_from_other = now->switches_from_other - before->switches_from_other,
	    .switches_missing = now->switches_missing - before->switches_missing,
	    .idle_ends_missing = now->idle_ends_missing - before->idle_ends_missing,
	    .on_two_cpus = now->on_two_cpus - before->on_two_cpus,
	    .runs_without_wakeup = now->runs_without_wakeup - before->runs_without_wakeup,
	    .acts_of_dead = now->acts_of_dead - before->acts_of_dead,
	    .migrations_from_elsewhere = now->migrations_from_elsewhere - before->migrations_from_elsewhere,
	    .losses = now->losses - before->losses,
	    .false_waits = now->false_waits - before->false_waits,
	};
}

void trace_watch_end(struct trace_watch *watch, const struct task_states *states, struct sched_source *source,
		     const struct trace_watch_end *end)
{
	struct trace_quality *trace = &watch->quality;
	const struct observed now = add_observed(states);

	trace->observed_ns = now.all_ns - trace->observed_ns;
	trace->unknown_ns = now.absent_ns[CPU_UNKNOWN] - trace->unknown_ns;
	trace->between_ns = now.absent_ns[CPU_BETWEEN] - trace->between_ns;
	trace->offline_ns = now.absent_ns[CPU_OFFLINE] - trace->offline_ns;
	trace->outside_ns = now.absent_ns[CPU_OUTSIDE] - trace->outside_ns;
	trace->duration_ns = end->end_ns - trace_watch_since(watch, states->window_ns);
	if (trace->open_gaps == 0)
		end_stretch(watch, states, trace->end_ns);
	/* The kernel does not count dropped events per place. For the whole trace the sum is known; for a window,
	 * only the events dropped after a CPU's last event. */
	const uint64_t dropped = sched_source_dropped(source), dropped_last = sched_source_dropped_last(source);
	if (!end->is_cut && states->window_ns == states->first_ns) {
		trace->dropped_events = dropped > trace->lost_events ? dropped - trace->lost_events : 0;
		trace->drops_between = trace->dropped_events > dropped_last ? trace->dropped_events - dropped_last : 0;
	} else if (trace->open_gaps) {
		trace->dropped_events = dropped_last;
	}
	trace->backward_events = sched_source_backwards(source, &trace->backward_max_ns);
	const struct text_order *order = sched_source_text_order(source);
	if (order) {
		trace->sorted_lines = order->moved;
		trace->late_lines = order->late_events;
		trace->has_recordings = order->has_recordings;
		trace->text_parts = order->part_count;
		const struct text_kind *kind = sched_source_text_kind(source);
		trace->text_kind = kind && kind != text_kind_usual() ? kind->name : NULL;
	}
	trace->malformed_lines = sched_source_malformed(source);
	const uint64_t entries = sched_source_entries(source), lines = trace->events + trace->malformed_lines;
	if (!end->is_cut && begins_with_trace(states) && entries > lines)
		trace->absent_lines = entries - lines;
	trace->late_events = sched_source_before_first(source);
	trace->faults = faults_since(&states->faults, &watch->faults_before);
}
