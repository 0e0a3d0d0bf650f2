/* SPDX-License-Identifier: MIT */
#include "rules/decision_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/reading.h"

/* Some invariants are judged later than the event that breaks them. */
#define BREAK_WAIT_NS UINT64_C(2000000)
/* A time that was printed with six digits is meant. */
#define ROUNDING_NS 500

/* --- Whether a decision is asked for --- */

static uint64_t since_start(const struct decision_search *search, uint64_t ts_ns)
{
	return search->part.is_partial ? ts_ns - search->part.first_ns : pass_since_start(search->pass, ts_ns);
}

/* A group in which the task waits is a candidate, and another one is picked. */
static bool passes_over_group(const struct decision_search *search, const struct rule_decision *decision)
{
	for (uint32_t i = 0; i < decision->level_count; i++)
		for (uint32_t j = 0; j < decision->levels[i].level.count; j++)
			if (j != decision->picked[i] && machine_has_task(&search->rules.machine, search->wait->pid,
									 decision->levels[i].level.entities[j].id))
				return true;
	return false;
}

/* The task waits on the CPU, and another candidate is picked. */
static bool is_of_wait(struct decision_search *search, const struct task_states *states,
		       const struct rule_decision *decision)
{
	const struct decision_wait *wait = search->wait;
	const uint32_t task = task_states_find(states, wait->pid, decision->cpu);

	search->is_done = decision->ts_ns >= wait->end_ns;
	return decision->cpu == wait->cpu && decision->ts_ns >= wait->since_ns && !search->is_done &&
	       task != TASK_NONE && decision->next != task &&
	       (search->is_of_group ? passes_over_group(search, decision)
				    : rules_has_candidate(&search->rules, states, decision, task, NULL));
}

/* The test is before the wakeup's event, with which the wait begins. */
#define TEST_BEFORE_NS 100000

static bool is_test_of_wait(struct decision_search *search, const struct task_states *states,
			    const struct rule_decision *decision)
{
	const struct decision_wait *wait = search->wait;

	search->is_done = decision->ts_ns >= wait->end_ns;
	return decision->kind == DECISION_WAKEUP && !decision->preempts && decision->cpu == wait->cpu &&
	       decision->ts_ns + TEST_BEFORE_NS >= wait->since_ns && !search->is_done && decision->next != TASK_NONE &&
	       states->tasks[decision->next].pid == wait->pid;
}

static bool is_of_task(struct decision_search *search, const struct task_states *states,
		       const struct rule_decision *decision)
{
	const uint64_t since_ns = since_start(search, decision->ts_ns);

	search->is_done = search->to_ns && since_ns >= search->to_ns;
	if (since_ns < search->from_ns || search->is_done)
		return false;
	if (rules_has_candidate(&search->rules, states, decision, TASK_NONE, search->task))
		return true;
	search->is_done =
	    search->part.last_ns && decision->ts_ns > search->part.last_ns &&
	    !queues_waits(&search->rules.machine.queues, machine_entity_of(&search->rules.machine, search->task_pid));
	return false;
}

/* A trial finds the number of the last one at or before the time. */
static bool is_of_time(struct decision_search *search, const struct task_states *states,
		       const struct rule_decision *decision)
{
	const bool is_after = since_start(search, decision->ts_ns) > search->at_ns + ROUNDING_NS;

	if (decision->kind == DECISION_STAY || !pass_wants_cpu(search->pass, decision->cpu) ||
	    (search->is_of && !search->is_of(search->is_of_context, &search->rules, states, decision)))
		return false;
	if (!search->is_trial)
		return search->first && search->number >= search->first;
	if (!is_after || !search->first)
		search->first = search->number;
	/* A test may come after a pick that is later. */
	search->is_done = since_start(search, decision->ts_ns) > search->at_ns + BREAK_WAIT_NS;
	return false;
}

static bool is_wanted(struct decision_search *search, const struct task_states *states,
		      const struct rule_decision *decision)
{
	if (search->has_time)
		return is_of_time(search, states, decision);
	if (search->decision)
		return search->number >= search->decision && pass_wants_cpu(search->pass, decision->cpu);
	if (search->wants_test)
		return is_test_of_wait(search, states, decision);
	if (decision->kind == DECISION_WAKEUP || (decision->kind == DECISION_STAY && !search->task) ||
	    !pass_wants_cpu(search->pass, decision->cpu))
		return false;
	if (search->switch_number && !search->part.is_partial)
		return decision->switch_number >= search->switch_number;
	const uint64_t since_ns = since_start(search, decision->ts_ns);
	if (search->switch_number)
		return since_ns > search->at_ns || (since_ns == search->at_ns && decision->cpu == search->part.at_cpu);
	if (search->task)
		return is_of_task(search, states, decision);
	return is_of_wait(search, states, decision);
}

/* The numbers of decisions are those of the whole trace. */
static bool has_numbers(const struct decision_search *search)
{
	return !search->part.is_partial && pass_begins_with_trace(search->pass);
}

static uint64_t number_of_switch(const struct decision_search *search, const struct rule_decision *decision)
{
	if (!search->part.is_partial)
		return has_numbers(search) ? decision->switch_number : 0;
	return search->part.is_passed && decision->switch_number
		   ? search->part.switches_before + decision->switch_number - search->part.counted_before
		   : 0;
}

static void decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	struct decision_search *search = context;
	struct found_decision found = {
	    .decision = decision, .rules = &search->rules, .wait = search->wait, .is_of_group = search->is_of_group};

	search->number++;
	if (search->is_done || !is_wanted(search, states, decision))
		return;
	found.number = has_numbers(search) ? search->number : 0;
	found.switch_number = number_of_switch(search, decision);
	found.since_ns = since_start(search, decision->ts_ns);
	if (!search->is_trial)
		search->found(search->context, states, &found);
	search->judged += decision->verdict != VERDICT_NOT_JUDGED;
	search->count++;
	search->is_done = search->count == search->max;
}

static void note_break(void *context, const struct sight *sight, const struct invariant_break *found)
{
	struct decision_search *search = context;
	const uint64_t since_ns = found->evidence.since_ns;

	(void)sight;
	if (search->has_time && !search->is_trial && search->found_break && since_ns + ROUNDING_NS >= search->at_ns &&
	    since_ns <= search->at_ns + ROUNDING_NS)
		search->found_break(search->context, found);
}

/* --- A pass --- */

static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct decision_search *search = context;

	rules_begin(&search->rules, &search->consumer, pass);
	if (search->part.is_partial)
		rules_apply_mark(&search->rules, &search->part.mark);
	return rules_need_keys(&search->rules, pass, err);
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *changes, struct error *err)
{
	struct decision_search *search = context;

	search->pass = pass;
	if (search->part.is_partial && !search->part.is_passed &&
	    since_start(search, event->ts_ns) >= search->part.boundary_ns) {
		search->part.is_passed = true;
		search->part.counted_before = search->rules.switches;
	}
	const enum status status = rules_step(&search->rules, pass, event, changes, err);
	if (since_start(search, event->ts_ns) > search->length_ns)
		search->length_ns = since_start(search, event->ts_ns);
	if (!search->part.is_partial && search->rules.switches > search->switches)
		search->switches = search->rules.switches;
	const bool is_over = !search->has_time || search->length_ns > search->at_ns + BREAK_WAIT_NS;
	return search->is_done && is_over ? STATUS_END : status;
}

void decision_search_begin(struct decision_search *search)
{
	const char *dash = search->task ? strrchr(search->task, '-') : NULL;

	search->task_pid = dash ? (int32_t)strtol(dash + 1, NULL, 10) : 0;
	search->consumer = (struct rules_consumer){
	    .context = search, .decide = decide, .broken = note_break, .invariants = &search->invariants};
}

void decision_search_free(struct decision_search *search)
{
	rules_free(&search->rules);
}

void decision_search_restart(struct decision_search *search, bool is_trial)
{
	/* No decision is at a time after the end. */
	if (!is_trial && search->length_ns + ROUNDING_NS < search->at_ns)
		search->first = 0;
	search->is_trial = is_trial;
	search->number = search->count = search->judged = 0;
	search->is_done = search->part.is_passed = false;
}

struct pass_consumer decision_search_consumer(struct decision_search *search)
{
	return (struct pass_consumer){.context = search, .begin = begin, .step = step};
}

/* --- Parts of a trace --- */

static bool names_task(const struct sched_event *event, int32_t pid)
{
	switch (event->kind) {
	case SCHED_SWITCH:
		return event->switched.prev.pid == pid || event->switched.next.pid == pid;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		return event->wakeup.task.pid == pid;
	case SCHED_MIGRATE:
		return event->migrate.task.pid == pid;
	default:
		return false;
	}
}

static bool is_asked_for(const struct decision_search *search, const struct sched_event *event, uint64_t switches)
{
	if (search->switch_number)
		return switches == search->switch_number;
	if (search->task_pid)
		return names_task(event, search->task_pid);
	return search->length_ns + ROUNDING_NS >= search->at_ns;
}

/* at_ns is given, not found. */
static bool knows_time(const struct decision_search *search)
{
	return search->has_time || search->wait;
}

static void set_boundary(struct decision_search *search, const struct sched_event *event, uint64_t switches_before)
{
	search->part.boundary_ns = search->length_ns;
	search->part.switches_before = switches_before;
	search->part.at_cpu = event->cpu;
	if (!knows_time(search))
		search->at_ns = search->length_ns;
}

/* Reads without judging: the time of the first event, the mark that follows it, and where what is asked for begins. */
static enum status find_beginning(struct decision_search *search, struct input *input, struct error *err)
{
	enum { MARK_EVENTS_MAX = 1000 };
	bool is_known = !search->switch_number && !search->task_pid && !knows_time(search);
	uint64_t switches = 0, before = 0, last_ns = 0; /* switches before the last time */
	struct sched_source *source;
	struct sched_event event = {.ts_ns = 0};
	enum status status = input_source(input, &source, err);

	if (status != STATUS_OK)
		return status;
	for (uint64_t i = 0; !is_known || (i < MARK_EVENTS_MAX && !search->part.mark.hz); i++) {
		status = sched_source_next(source, &event, err);
		if (status == STATUS_OK)
			status = input_step(input, err);
		if (status != STATUS_OK)
			break;
		if (i == 0)
			search->part.first_ns = event.ts_ns;
		if (i < MARK_EVENTS_MAX && event.kind == SCHED_MARK)
			key_mark_read(event.mark.text, event.mark.length, &search->part.mark);
		before = event.ts_ns == last_ns ? before : switches;
		last_ns = event.ts_ns;
		switches += event.kind == SCHED_SWITCH;
		search->length_ns = event.ts_ns - search->part.first_ns;
		if (is_known || !is_asked_for(search, &event, switches))
			continue;
		if (!search->part.last_ns)
			set_boundary(search, &event, before);
		if (search->task_pid)
			search->part.last_ns = event.ts_ns;
		else
			is_known = true;
	}
	/* None: no decision is after the end. */
	if (!is_known && !search->part.last_ns && !knows_time(search))
		search->at_ns = event.ts_ns - search->part.first_ns;
	search->switches = switches;
	sched_source_close(source);
	return status == STATUS_END ? STATUS_OK : status;
}

/* Reads from this long before what is asked for; all if that is the beginning. */
static enum status read_from(struct decision_search *search, const struct pass_options *options, struct input *input,
			     uint64_t span_ns, struct pass *pass, struct error *err)
{
	const struct pass_consumer consumer = decision_search_consumer(search);
	const struct tracedat whole = input->trace;
	const size_t size = whole.cpu_count * sizeof(*whole.cpus);
	struct tracedat_cpu *cpus = xmalloc(size + 1);

	if (size)
		memcpy(cpus, whole.cpus, size);
	if (search->part.is_partial)
		tracedat_skip_before(&input->trace, search->part.first_ns + search->at_ns - span_ns);
	decision_search_restart(search, search->is_trial);
	pass_free(pass);
	const enum status status = pass_read_inputs(options, input, 1, &consumer, pass, err);
	if (size)
		memcpy(whole.cpus, cpus, size);
	free(cpus);
	if (search->part.is_partial) {
		pass->summary.is_of_part = true;
		pass->run.first_ns = search->part.first_ns;
	}
	return status;
}

/* Reads from a short time before on, or else from a longer one, until a longer one does not judge more. */
static enum status read_near(struct decision_search *search, const struct pass_options *options, struct input *input,
			     struct pass *pass, struct error *err)
{
	enum status status = STATUS_OK;
	uint64_t judged = UINT64_MAX;

	/* Whether an invariant holds may depend on all that came before. */
	search->is_trial = search->has_time;
	if (search->has_time)
		status = read_from(search, options, input, 0, pass, err);
	for (uint64_t span_ns = UINT64_C(100000000); status == STATUS_OK; span_ns *= 10) {
		search->part.is_partial = search->is_trial =
		    input->kind == INPUT_DAT && span_ns < search->at_ns && !search->has_time;
		status = read_from(search, options, input, span_ns, pass, err);
		const bool is_found = search->judged == search->count || search->judged == judged;
		judged = search->judged;
		if (!search->is_trial || status != STATUS_OK)
			return status;
		if (is_found) {
			search->is_trial = false;
			return read_from(search, options, input, span_ns, pass, err);
		}
	}
	return status;
}

enum status decision_search_read(struct decision_search *search, const struct pass_options *options,
				 struct input *input, struct pass *pass, struct error *err)
{
	search->is_of_group = false;
	if (search->wait)
		search->at_ns = search->wait->since_start_ns;
	enum status status = input->kind == INPUT_DAT ? find_beginning(search, input, err) : STATUS_OK;

	if (status == STATUS_OK)
		status = read_near(search, options, input, pass, err);
	if (status != STATUS_OK || !search->wait || search->wants_test || search->count)
		return status;
	search->is_of_group = true;
	return read_near(search, options, input, pass, err);
}
