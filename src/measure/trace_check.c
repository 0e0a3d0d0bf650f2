/* SPDX-License-Identifier: MIT */
#include "measure/trace_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/trace_identity.h"

enum {
	CONTRADICTIONS = STEP_LOSS | STEP_FROM_OTHER | STEP_ON_TWO_CPUS | STEP_WITHOUT_WAKEUP | STEP_ACT_OF_DEAD |
			 STEP_MIGRATED_FROM_ELSEWHERE | STEP_SWITCH_MISSING,
	ODD = CONTRADICTIONS | STEP_ONLINE, /* every loss is STEP_LOSS */
};

static struct check_cpu *find_cpu(struct trace_check *check, uint32_t cpu)
{
	if (cpu >= check->cpu_count) {
		check->cpus = array_extend(check->cpus, check->cpu_count, cpu + 1ul, sizeof(*check->cpus));
		check->cpu_count = cpu + 1;
	}
	return &check->cpus[cpu];
}

static void add_place(struct trace_check *check, const struct check_place *place)
{
	if (check->place_count++ >= check->places_max)
		return;
	check->places =
	    array_grow(check->places, &check->place_capacity, check->kept_count + 1, sizeof(*check->places));
	check->places[check->kept_count++] = *place;
}

/* Adds the gap before this event of the CPU. */
static void add_place_before(struct trace_check *check, const struct check_cpu *cpu, const struct sched_event *event,
			     uint64_t since_ns, unsigned int what)
{
	bool is_loss = event->kind == SCHED_LOST;

	add_place(check, &(struct check_place){
			     .cpu = event->cpu,
			     .has_after = cpu->events,
			     .after_ns = cpu->last_ns,
			     .has_until = true,
			     .until_ns = since_ns,
			     .has_lost = is_loss && event->lost.count_known,
			     .lost = is_loss ? event->lost.count : 0,
			     .what = what,
			 });
}

/* Adds the places before this event where events are missing or contradict each other. */
static void add_places(struct trace_check *check, const struct pass *pass, struct check_cpu *cpu,
		       const struct sched_event *event, const struct task_step *step)
{
	unsigned int what = step->changes & CONTRADICTIONS;
	uint64_t since_ns = pass_since_start(pass, event->ts_ns);

	if (event->kind == SCHED_GAP)
		return;
	if (step->changes & STEP_ONLINE && pass_wants_cpu(pass, event->cpu))
		add_place(check, &(struct check_place){.cpu = event->cpu,
						       .has_after = true,
						       .after_ns = pass_since_start(pass, step->offline.since_ns),
						       .has_until = true,
						       .until_ns = since_ns,
						       .what = STEP_ONLINE});
	/* A trace that records no wakeups cannot lack one. */
	if (pass->trace.quality.wakeups == 0)
		what &= ~(unsigned int)STEP_WITHOUT_WAKEUP;
	if (what && pass_wants_cpu(pass, event->cpu))
		add_place_before(check, cpu, event, since_ns, what);
	if (event->kind == SCHED_LOST) {
		cpu->lost_places++;
		cpu->lost_events += event->lost.count;
	} else {
		cpu->faults += what != 0;
	}
}

static inline void count_event(struct check_cpu *cpu, const struct pass *pass, const struct sched_event *event)
{
	cpu->last_ns = pass_since_start(pass, event->ts_ns);
	if (cpu->events++ == 0)
		cpu->first_ns = cpu->last_ns;
}

/* Handles the first event of a CPU, and events with something to report. */
static __attribute__((noinline, cold)) void count_odd(struct trace_check *check, const struct pass *pass,
						      const struct sched_event *event, const struct task_step *step)
{
	struct check_cpu *cpu = find_cpu(check, event->cpu);

	if (step->changes & ODD)
		add_places(check, pass, cpu, event, step);
	if (!sched_event_is_loss(event))
		count_event(cpu, pass, event);
}

static enum status count_step(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct trace_check *check = context;

	(void)err;
	if (event->cpu >= check->cpu_count || step->changes & ODD)
		count_odd(check, pass, event, step);
	else
		count_event(&check->cpus[event->cpu], pass, event);
	return STATUS_OK;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct trace_check *check = context;

	run_free(&check->run);
	return run_open(&check->run, strcmp(pass->run.path, INPUT_STANDARD) == 0 ? "-" : pass->run.path, err);
}

static void start_over(struct trace_check *check)
{
	check->cpu_count = 0;
	check->kept_count = 0;
	check->place_count = 0;
}

/* Adds the places after the CPU's last event: it is offline, or its last events or all its events are missing. */
static void add_places_at_end(struct trace_check *check, const struct pass *pass, uint32_t cpu)
{
	const struct task_cpu *state = &pass->states.cpus[cpu];
	const struct check_cpu *account = find_cpu(check, cpu);

	if ((!account->events && !state->in_gap) || !pass_wants_cpu(pass, cpu))
		return;
	if (task_cpu_is_offline(state))
		add_place(check, &(struct check_place){.cpu = cpu,
						       .has_after = true,
						       .after_ns = pass_since_start(pass, state->since_ns),
						       .what = STEP_ONLINE});
	if (state->in_gap)
		add_place(check, &(struct check_place){.cpu = cpu,
						       .has_after = account->events,
						       .after_ns = account->last_ns,
						       .what = STEP_LOSS});
}

/* Adds the events missing after each CPU's last event. */
static void add_end(struct trace_check *check, const struct pass *pass)
{
	struct losses losses = {0};

	for (uint32_t cpu = 0; cpu < pass->states.cpu_count; cpu++)
		add_places_at_end(check, pass, cpu);
	/* Only the kernel's counters show these losses. */
	if (!pass->is_over && pass_begins_with_trace(pass))
		sched_source_losses(pass->run.source, &losses);
	for (size_t i = 0; i < losses.count; i++) {
		const struct loss *lost = &losses.items[i];
		if (lost->cpu < check->cpu_count && check->cpus[lost->cpu].lost_events < lost->events)
			check->cpus[lost->cpu].lost_events = lost->events;
	}
	losses_free(&losses);
}

static void note_bad(struct trace_check *check, const char *path)
{
	if (check->bad++ || check->unreadable)
		return;
	quality_error(check->worst, path, &check->first);
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct trace_check *check = context;
	const struct trace_identity trace = trace_identity_of_pass(pass);

	(void)err;
	quality_judge(&pass->trace.quality, check->findings);
	trace_identity_judge(&check->run, &trace, &check->findings[QUALITY_FINDINGS]);
	check->finding_count = QUALITY_FINDINGS + run_has_metadata(&check->run);
	check->worst = quality_worst(check->findings, check->finding_count);
	add_end(check, pass);
	check->show(check->context, pass);
	if (check->worst->grade == QUALITY_BAD)
		note_bad(check, pass->run.path);
	start_over(check);
	return STATUS_OK;
}

/* The time up to which the trace could be read; 0 if nothing was readable. */
static uint64_t readable_ns(const struct trace_check *check)
{
	uint64_t last_ns = 0;

	for (uint32_t cpu = 0; cpu < check->cpu_count; cpu++)
		if (last_ns < check->cpus[cpu].last_ns)
			last_ns = check->cpus[cpu].last_ns;
	return last_ns;
}

/* Reports the unreadable trace and continues with the next one. */
static enum status note_unreadable(void *context, const struct pass *pass, struct error *err)
{
	struct trace_check *check = context;
	uint64_t last_ns = readable_ns(check);
	char text[1024];

	if (last_ns && !err->remedy[0])
		error_remedy(err, "use the part before: --to %.6f", (double)last_ns / 1e9);
	error_text(err, text, sizeof(text));
	check->show_unreadable(check->context, pass, text);
	if (check->unreadable++ == 0)
		check->first = *err;
	start_over(check);
	return STATUS_OK;
}

struct pass_consumer trace_check_consumer(struct trace_check *check)
{
	return (struct pass_consumer){
	    .context = check, .begin = begin_trace, .step = count_step, .end = end_trace, .failed = note_unreadable};
}

void trace_check_free(struct trace_check *check)
{
	run_free(&check->run);
	free(check->cpus);
	free(check->places);
}

bool trace_check_has_cpu(const struct trace_check *check, const struct pass *pass, uint32_t cpu)
{
	return (check->cpus[cpu].events || check->cpus[cpu].lost_places) && pass_wants_cpu(pass, cpu);
}

const char *check_place_text(const struct check_place *place)
{
	unsigned int what = place->what;

	if (what & STEP_ONLINE)
		return "the CPU is offline";
	if (what & STEP_LOSS)
		return "events lost";
	if (what & STEP_SWITCH_MISSING)
		return "the switch to the running task is missing";
	if (what & STEP_FROM_OTHER)
		return "another task runs than the one switched to";
	if (what & STEP_ON_TWO_CPUS)
		return "switch to a task that runs elsewhere";
	if (what & STEP_WITHOUT_WAKEUP)
		return "switch to a task that sleeps";
	if (what & STEP_ACT_OF_DEAD)
		return "event of a task that had ended";
	return "migration from a CPU on which the task is not";
}
