/* SPDX-License-Identifier: MIT */
#include "rules/rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/virtual_time.h"
#include "trace/scheduler_mark.h"

/* --- Beginning and end --- */

static uint32_t count_cpus(const struct pass *pass)
{
	const struct sched_stream *stream = sched_source_stream(pass->run.source);
	const struct tracedat *trace = stream ? sched_stream_trace(stream) : NULL;
	uint32_t count = 0;

	for (size_t i = 0; trace && i < trace->cpu_count; i++)
		if (trace->cpus[i].cpu < TASK_CPUS_MAX && trace->cpus[i].cpu >= count)
			count = trace->cpus[i].cpu + 1;
	return count;
}

void rules_begin_decoded(struct rules *rules, const struct rules_consumer *consumer, const struct pass *pass,
			 const struct key_events *keys, uint32_t cpu_count)
{
	rules_free(rules);
	rules->consumer = consumer;
	if (consumer->invariants)
		rules->before = *consumer->invariants;
	rules->watch = (struct invariant_watch){.broken = consumer->broken,
						.context = consumer->context,
						.wanted_cpus = pass->all_cpus ? NULL : pass->cpu_set};
	rules->keys = *keys;
	machine_begin(&rules->machine, &rules->keys, cpu_count, pass);
	rules->cpus = xcalloc(cpu_count, sizeof(*rules->cpus));
	if (rules->keys.is_known)
		rules->families = invariants_begin(&rules->machine, consumer->invariants);
}

void rules_begin(struct rules *rules, const struct rules_consumer *consumer, const struct pass *pass)
{
	struct key_events keys;

	key_events_begin(&keys, sched_source_stream(pass->run.source));
	rules_begin_decoded(rules, consumer, pass, &keys, count_cpus(pass));
}

void rules_apply_mark(struct rules *rules, const struct key_mark *mark)
{
	machine_apply_mark(&rules->machine, mark);
}

void rules_free(struct rules *rules)
{
	for (uint32_t i = 0; rules->cpus && i < rules->machine.cpu_count; i++)
		for (int j = 0; j < CHAIN_MAX; j++)
			pick_level_free(&rules->cpus[i].chain.levels[j]);
	free(rules->cpus);
	invariants_end(rules->families);
	machine_free(&rules->machine);
	*rules = (struct rules){.consumer = NULL};
}

bool rules_has_candidate(const struct rules *rules, const struct task_states *states,
			 const struct rule_decision *decision, uint32_t task, const char *label)
{
	char text[RULES_LABEL_SIZE];

	for (uint32_t i = 0; i < decision->level_count; i++)
		for (uint32_t j = 0; j < decision->levels[i].level.count; j++) {
			const uint64_t id = decision->levels[i].level.entities[j].id;
			if (!label && machine_task_state(&rules->machine, states, id) == task)
				return true;
			if (label) {
				machine_label_entity(&rules->machine, states, id, text);
				if (strcmp(text, label) == 0)
					return true;
			}
		}
	return false;
}

/* --- Callers --- */

static bool knows_caller(const struct rules *rules, enum caller kind, uint64_t caller)
{
	for (size_t i = 0; i < CALLERS_MAX; i++)
		if (rules->callers[kind][i] == caller)
			return true;
	return false;
}

static void learn_caller(struct rules *rules, enum caller kind, uint64_t caller)
{
	uint64_t *known = rules->callers[kind];

	if (knows_caller(rules, kind, caller))
		return;
	for (size_t i = 0; i < CALLERS_MAX; i++)
		if (known[i] == 0) {
			known[i] = caller;
			return;
		}
}

/* --- Sights --- */

static void clear_chain(struct pick_chain *chain)
{
	chain->count = 0;
	chain->throttled = 0;
	chain->is_cut = chain->is_repeated = chain->is_in_doubt = false;
}

static void forget(struct rules *rules)
{
	machine_forget(&rules->machine);
	if (rules->families)
		invariants_forget(rules->families);
	for (uint32_t i = 0; i < rules->machine.cpu_count; i++) {
		struct rules_cpu *cpu = &rules->cpus[i];
		clear_chain(&cpu->chain);
		cpu->wakeup.is_open = cpu->has_event = cpu->has_keys = cpu->has_begun = false;
		cpu->last_in_group.depth = 0;
		cpu->last_kind = KEY_NONE;
	}
}

/* CPUs stop: what depends on time is not judged in this trace, before or after. */
static void note_stops(struct rules *rules, enum clock_stops stops)
{
	if (stops <= rules->machine.stops)
		return;
	rules->machine.stops = stops;
	if (rules->consumer->invariants)
		invariants_restore_timed(rules->consumer->invariants, &rules->before, stops);
}

/* Under a scheduler of sched_ext the keys of tasks are those of before. */
static void look(struct rules *rules, const struct sight *sight)
{
	const bool is_judged = !rules->lacks_events && !rules->machine.has_extension;

	note_stops(rules,
		   invariants_look(rules->families, sight, is_judged, &rules->watch, rules->consumer->invariants));
}

static struct sight sight_of(const struct rules *rules, const struct pass *pass, enum sight_kind kind, uint32_t cpu,
			     const struct sched_event *event)
{
	return (struct sight){.kind = kind,
			      .machine = &rules->machine,
			      .states = &pass->states,
			      .cpu = cpu,
			      .event_cpu = event->cpu,
			      .event = event};
}

/* --- Picks --- */

static struct judgement judgement_of(const struct rules *rules, const struct pass *pass, uint32_t cpu)
{
	return (struct judgement){.consumer = rules->consumer,
				  .machine = &rules->machine,
				  .states = &pass->states,
				  .switches = rules->switches,
				  .lacks_events = rules->lacks_events,
				  .last_in_group = &rules->cpus[cpu].last_in_group};
}

static void look_at_wakeup(struct rules *rules, const struct pass *pass, enum sight_kind kind,
			   const struct wakeup *wakeup, const struct sched_event *event)
{
	struct sight sight = sight_of(rules, pass, kind, wakeup->event.cpu, event);

	sight.wakeup = wakeup;
	look(rules, &sight);
}

/* Another event than a switch follows the picks; NULL: a pick of another caller. */
static void end_chain(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu,
		      const struct sched_event *event)
{
	struct wakeup *wakeup = &cpu->wakeup;
	struct pick_chain *chain = &cpu->chain;
	const uint64_t resched = wakeup->resched_caller;
	const struct judgement judgement = judgement_of(rules, pass, chain->cpu);

	/* The wakeup's own event is recorded after its test, but for a fork. Without it, something else may have asked
	 * to reschedule: then who called shows it, as soon as one test is known. */
	wakeup->is_closed = wakeup->is_open && event && event->kind == SCHED_WAKEUP &&
			    event->wakeup.task.pid == wakeup->event.enqueued.pid;
	if (wakeup->is_closed && wakeup->is_resched)
		learn_caller(rules, CALLER_RESULT, resched);
	wakeup->has_result = wakeup->is_closed || rules->callers[CALLER_RESULT][0];
	wakeup->is_resched = wakeup->is_resched && (!wakeup->has_result || knows_caller(rules, CALLER_RESULT, resched));
	if (wakeup->is_closed)
		look_at_wakeup(rules, pass, SEEN_WOKEN, wakeup, event);
	if (chain->count && knows_caller(rules, CALLER_SCHEDULE, chain->caller)) {
		judge_stay(&judgement, chain);
		machine_stay(&rules->machine, chain->cpu);
	} else if (chain->count && wakeup->is_open && wakeup->event.enqueued.task.depth) {
		if (wakeup->is_closed)
			learn_caller(rules, CALLER_WAKEUP, chain->caller);
		if (knows_caller(rules, CALLER_WAKEUP, chain->caller))
			judge_wakeup(&judgement, chain, wakeup);
	}
	clear_chain(chain);
}

/* The same, and the wakeup is over. */
static void end_wakeup(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu,
		       const struct sched_event *event)
{
	end_chain(rules, pass, cpu, event);
	cpu->wakeup.is_open = false;
}

/* The picks of one schedule() can have several callers: of a function that is inlined twice. */
static bool continues_chain(struct rules *rules, const struct rules_cpu *cpu, uint64_t caller)
{
	if (cpu->chain.caller == caller)
		return true;
	const bool is_known = knows_caller(rules, CALLER_SCHEDULE, caller);
	if (cpu->wakeup.is_open && !(is_known && knows_caller(rules, CALLER_SCHEDULE, cpu->chain.caller)))
		return false;
	if (is_known)
		learn_caller(rules, CALLER_SCHEDULE, cpu->chain.caller);
	return true;
}

static void look_at_pick(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu,
			 const struct sched_event *event, const struct key_event *keys)
{
	const struct pick_chain *chain = &cpu->chain;
	const struct pick_level *level = &chain->levels[chain->count - 1];
	const bool is_schedule = knows_caller(rules, CALLER_SCHEDULE, chain->caller);
	struct wakeup *wakeup =
	    cpu->wakeup.is_open && cpu->wakeup.event.enqueued.task.depth && !is_schedule ? &cpu->wakeup : NULL;
	struct pick_sight pick = {.level = level,
				  .wakeup = wakeup,
				  .is_schedule = is_schedule,
				  .is_test = knows_caller(rules, CALLER_WAKEUP, chain->caller),
				  .is_placed = wakeup && !wakeup->is_placed &&
					       level->queue == wakeup->event.enqueued.task.queues[0],
				  .is_repeated = chain->is_repeated};
	struct sight sight = sight_of(rules, pass, SEEN_PICK, keys->cpu, event);

	if (level->level.running != RULE_NONE) {
		pick.running = &level->level.entities[level->level.running];
		pick.running_before = machine_keys(&rules->machine, pick.running->id);
		pick.runs_anew = queues_runs_anew(&rules->machine.queues, level->queue, pick.running);
	}
	sight.pick = &pick;
	sight.wakeup = wakeup;
	sight.keys = keys;
	look(rules, &sight);
	if (pick.is_placed)
		wakeup->is_placed = true;
}

static void step_pick(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu,
		      const struct sched_event *event, const struct key_event *keys)
{
	struct pick_chain *chain = &cpu->chain;

	if (chain->count && (chain->is_in_doubt || !continues_chain(rules, cpu, keys->caller)))
		end_wakeup(rules, pass, cpu, NULL);
	cpu->wakeup.is_resched = false; /* the end of a slice, found on the way to the test, is not its result */
	judge_repeat(&rules->machine.queues, chain, keys->pick.queue);
	if (chain->count == CHAIN_MAX) {
		chain->is_cut = true;
		chain->count--;
	}
	chain->ts_ns = event->ts_ns;
	chain->cpu = keys->cpu;
	chain->caller = keys->caller;
	queues_pick(&rules->machine.queues, &keys->pick, &chain->levels[chain->count++]);
	look_at_pick(rules, pass, cpu, event, keys);
	machine_pick(&rules->machine, keys->cpu, &chain->levels[chain->count - 1]);
	cpu->wakeup.is_tested = true;
}

/* --- Enqueues and requests --- */

/* The fair task that runs on the CPU, with its vruntime at the time of the event if that is recorded. */
static struct rule_entity find_running(const struct rules *rules, const struct task_states *states,
				       const struct key_event *keys)
{
	const uint32_t task = keys->cpu < states->cpu_count ? states->cpus[keys->cpu].current : TASK_NONE;

	if (task == TASK_NONE || states->tasks[task].is_idle || states->tasks[task].prio < 100)
		return (struct rule_entity){0};
	struct rule_entity running =
	    machine_keys(&rules->machine, machine_entity_of(&rules->machine, states->tasks[task].pid));
	if (keys->enqueued.has_current && running.weight) {
		const struct rule_entity *current = &keys->enqueued.current;
		running.vruntime = current->vruntime + cpu_to_virtual(current->slice, running.weight);
	}
	return running;
}

/* SCHED_IDLE, of the task or of a group: it does not preempt. */
static bool has_idle_level(const struct key_path *path)
{
	for (uint32_t i = 0; i < path->depth; i++)
		if (path->entities[i].weight <= rule_class_weight(120, POLICY_IDLE))
			return true;
	return false;
}

static void step_enqueue(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu,
			 const struct sched_event *event, const struct key_event *keys)
{
	const struct key_path *path = &keys->enqueued.task;
	const struct machine *machine = &rules->machine;
	const struct machine_cpu *target = &machine->cpus[keys->cpu];
	struct sight sight = sight_of(rules, pass, SEEN_ENQUEUE, keys->cpu, event);

	machine_name_entity(&rules->machine, path->entities[0].id, keys->enqueued.pid);
	cpu->wakeup = (struct wakeup){
	    .is_open = true,
	    .event = *keys,
	    .before = machine_keys(machine, path->entities[0].id),
	    .running = find_running(rules, &pass->states, keys),
	    .has_waited = queues_has_waited(&machine->queues, path->entities[0].id),
	    .is_same_queue = path->depth && path->queues[0] == target->queue,
	    .was_asked = target->is_asked || !target->queue || keys->enqueued.is_throttled || target->has_higher ||
			 machine_urgent_waits(machine, &pass->states, keys->cpu) || has_idle_level(path),
	    .had_request = target->is_asked || target->has_higher};
	if (path->depth > 1 && queues_waits(&machine->queues, path->entities[1].id) &&
	    queues_waiting(&machine->queues, path->queues[0]))
		cpu->wakeup.group_before = machine_keys(machine, path->entities[1].id);
	sight.wakeup = &cpu->wakeup;
	sight.keys = keys;
	look(rules, &sight);
	machine_enqueue(&rules->machine, keys);
}

/* A tick asks within this time. */
#define TICK_NS_MAX UINT64_C(50000)

/* The event of this CPU just before has asked, if it is about the CPU that is asked; else the caller shows it. */
static enum decision_cause cause_of_request(struct rules *rules, const struct rules_cpu *cpu,
					    const struct key_event *keys)
{
	const bool is_recent = cpu->last_cpu == keys->cpu && cpu->last_ns >= rules->machine.cpus[keys->cpu].began_ns;

	if (is_recent && cpu->last_kind == KEY_TICK && rules->machine.now_ns - cpu->last_ns < TICK_NS_MAX) {
		learn_caller(rules, CALLER_SLICE, keys->caller);
		return CAUSE_TICK;
	}
	if (knows_caller(rules, CALLER_SLICE, keys->caller))
		return CAUSE_SLICE;
	return is_recent && cpu->last_kind == KEY_ENQUEUE && cpu->wakeup.is_open ? CAUSE_WAKEUP : CAUSE_OTHER;
}

static void step_resched(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu,
			 const struct sched_event *event, const struct key_event *keys)
{
	struct wakeup *wakeup = &cpu->wakeup;
	const bool is_of_wakeup = wakeup->is_open && keys->cpu == wakeup->event.cpu;
	struct sight sight = sight_of(rules, pass, SEEN_ASKED, keys->cpu, event);

	wakeup->is_asked = wakeup->is_asked || is_of_wakeup;
	if (is_of_wakeup && cpu->chain.count && !wakeup->is_resched) {
		wakeup->is_resched = true;
		wakeup->resched_caller = keys->caller;
	}
	sight.keys = keys;
	sight.cause = cause_of_request(rules, cpu, keys);
	sight.wakeup = wakeup->is_open ? wakeup : NULL;
	look(rules, &sight);
	machine_ask(&rules->machine, keys->cpu, sight.cause, rules->cpus[keys->cpu].chain.count > 0);
}

/* --- Other key events --- */

static void look_at(struct rules *rules, const struct pass *pass, enum sight_kind kind, const struct sched_event *event,
		    const struct key_event *keys)
{
	struct sight sight = sight_of(rules, pass, kind, keys->cpu, event);

	sight.keys = keys;
	look(rules, &sight);
}

/* Whether the event may come between the picks of a schedule(), or between them and the switch: throttling begins for a
 * group, or the running task gets another affinity. Of the latter it is not known whether the task has stayed and has
 * asked for it, or schedule() sets it, as kernels before 7.0 do (migrate_disable_switch()). */
static bool keeps_chain(struct pick_chain *chain, const struct sched_event *event, const struct key_event *keys)
{
	const bool is_affinity = keys->kind == KEY_CHANGE && keys->change.what == CHANGE_AFFINITY;

	if (keys->kind == KEY_THROTTLE) {
		chain->throttled = chain->count ? keys->throttle.queue : 0;
		return true;
	}
	if (!is_affinity || !chain->count || keys->change.pid != event->common_pid)
		return false;
	chain->is_in_doubt = true;
	return true;
}

static void step_keys(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu,
		      const struct sched_event *event, const struct key_event *keys)
{
	struct machine *machine = &rules->machine;

	if (keys->kind == KEY_PICK) {
		step_pick(rules, pass, cpu, event, keys);
		return;
	}
	if (keys->kind == KEY_RESCHED || keys->kind == KEY_RESCHED_LAZY) {
		step_resched(rules, pass, cpu, event, keys);
		return;
	}
	if (keys->kind == KEY_PLACE) {
		look_at(rules, pass, SEEN_PLACE, event, keys);
		machine_place(machine, keys->place.pid);
		return;
	}
	if (keeps_chain(&cpu->chain, event, keys)) {
		look_at(rules, pass, SEEN_CHANGE, event, keys);
		machine_change(machine, keys, event->common_pid);
		return;
	}
	if (keys->kind == KEY_CHANGE && keys->change.what == CHANGE_DONE && cpu->wakeup.is_open &&
	    machine_is_changed_by(machine, cpu->wakeup.event.enqueued.pid, event->common_pid))
		look_at_wakeup(rules, pass, SEEN_GIVEN, &cpu->wakeup, event);
	end_wakeup(rules, pass, cpu, event);
	if (keys->kind == KEY_ENQUEUE) {
		step_enqueue(rules, pass, cpu, event, keys);
	} else if (keys->kind == KEY_TICK) {
		look_at(rules, pass, SEEN_TICK, event, keys);
		machine_tick(machine, keys->cpu, !rules->lacks_events);
		if (machine->stops == STOPS_LONG && rules->consumer->invariants)
			invariants_restore_timed(rules->consumer->invariants, &rules->before, STOPS_LONG);
	} else if (keys->kind == KEY_YIELD) {
		look_at(rules, pass, SEEN_YIELD, event, keys);
		machine_yield(machine, keys->cpu);
	} else if (keys->kind == KEY_YIELDED) {
		look_at(rules, pass, SEEN_YIELDED, event, keys);
	} else if (keys->kind == KEY_UNTHROTTLE) {
		look_at(rules, pass, SEEN_UNTHROTTLE, event, keys);
		machine_unthrottle(machine, keys);
	} else {
		look_at(rules, pass, SEEN_CHANGE, event, keys);
		machine_change(machine, keys, event->common_pid);
	}
	if (keys->kind == KEY_YIELDED || keys->kind == KEY_UNTHROTTLE)
		return;
	cpu->last_kind = keys->kind;
	cpu->last_cpu = keys->cpu;
	cpu->last_ns = machine->now_ns;
}

/* --- Switches --- */

/* The levels of prev's groups: whether each is still on its queue is known from the picks, or from what is left. */
static void find_groups_of_prev(const struct queues *queues, const struct pick_chain *chain, struct key_path *prev)
{
	for (uint32_t i = 1; i < prev->depth; i++) {
		struct rule_entity *group = &prev->entities[i];
		const struct pick_level *pick = NULL;

		for (uint32_t j = 0; j < chain->count; j++)
			if (chain->levels[j].queue == prev->queues[i])
				pick = &chain->levels[j];
		if (pick && pick->level.running != RULE_NONE && pick->entities[pick->level.running].id == group->id) {
			*group = pick->entities[pick->level.running];
			group->is_group = true;
		} else {
			queues_stop_group(queues, prev, i, pick);
		}
	}
}

/* Both events of a switch are there: all that they show, before it is judged. */
static void complete_sight(struct rules *rules, struct rules_cpu *cpu)
{
	struct switch_sight *sight = &cpu->sight;
	struct machine *machine = &rules->machine;
	const struct sched_event *event = &cpu->event;
	struct key_path *prev = &sight->keys.switched.prev, *next = &sight->keys.switched.next;
	const struct machine_cpu *running = &machine->cpus[event->cpu];

	sight->event = event;
	sight->picks = &cpu->chain;
	sight->keys = cpu->keys;
	sight->knows_schedule = rules->callers[CALLER_SCHEDULE][0] && !cpu->chain.is_in_doubt;
	sight->ran_ns = running->began_ns ? machine->now_ns - running->began_ns : 0;
	queues_extend(&machine->queues, next);
	sight->has_leaf_pick = false;
	for (uint32_t i = 0; i < cpu->chain.count; i++)
		sight->has_leaf_pick = sight->has_leaf_pick || cpu->chain.levels[i].queue == next->queues[0];
	cpu->chain.ts_ns = event->ts_ns;
	cpu->chain.cpu = event->cpu;
	machine_name_entity(machine, prev->entities[0].id, event->switched.prev.pid);
	machine_name_entity(machine, next->entities[0].id, event->switched.next.pid);
	if (rule_class_of(&event->switched.next) != CLASS_FAIR)
		next->depth = 0;
	sight->prev_before = machine_keys(machine, prev->entities[0].id);
	sight->next_before = machine_keys(machine, next->entities[0].id);
	sight->next_has_waited = queues_waits(&machine->queues, next->entities[0].id) &&
				 queues_home(&machine->queues, next->entities[0].id) == next->queues[0];
}

static void take_switch(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu)
{
	struct switch_sight *sight = &cpu->sight;
	struct machine *machine = &rules->machine;
	struct key_path *prev = &sight->keys.switched.prev;
	struct sight seen = sight_of(rules, pass, SEEN_SWITCH, cpu->event.cpu, &cpu->event);

	complete_sight(rules, cpu);
	const struct judgement judgement = judgement_of(rules, pass, cpu->event.cpu);
	judge_switch(&judgement, &cpu->chain, sight);
	sight->prev_group_weight = prev->depth > 1 ? prev->entities[1].weight : 0;
	const struct rule_entity last = machine_last_keys(machine, prev->entities[0].id);
	prev->entities[0].slice = last.slice;
	prev->entities[0].policy = last.weight ? last.policy : (uint32_t)POLICY_UNKNOWN;
	find_groups_of_prev(&machine->queues, &cpu->chain, prev);
	if (rule_class_of(&cpu->event.switched.prev) != CLASS_FAIR)
		prev->depth = 0;
	seen.switched = sight;
	look(rules, &seen);
	machine_switch(machine, sight);
	if (sight->keys.switched.next.depth > 1)
		cpu->last_in_group = sight->keys.switched.next;
}

/* The picks before a switch can be those of the test of a wakeup: by who calls, or, while that is not known, if no fair
 * task is switched to. */
static bool is_test(const struct rules *rules, const struct rules_cpu *cpu)
{
	return cpu->wakeup.is_open && !knows_caller(rules, CALLER_SCHEDULE, cpu->chain.caller) &&
	       (knows_caller(rules, CALLER_WAKEUP, cpu->chain.caller) ||
		rule_class_of(&cpu->event.switched.next) != CLASS_FAIR);
}

/* A switch is judged when both of its events are there. */
static void judge_whole_switch(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu)
{
	if (!cpu->has_keys || !cpu->has_event)
		return;
	/* CFS makes no pick that is not recorded: this switch would have had others. */
	if (cpu->chain.is_in_doubt && rules->machine.traits.has_deadline) {
		clear_chain(&cpu->chain);
		cpu->chain.is_in_doubt = true;
	}
	if (cpu->chain.count && is_test(rules, cpu))
		end_chain(rules, pass, cpu, NULL);
	if (cpu->chain.count)
		learn_caller(rules, CALLER_SCHEDULE, cpu->chain.caller);
	take_switch(rules, pass, cpu);
	clear_chain(&cpu->chain);
	cpu->wakeup.is_open = cpu->has_keys = cpu->has_event = false;
	cpu->has_begun = true;
	if (!cpu->lacks_switch)
		return;
	cpu->lacks_switch = false;
	rules->cpus_lacking_switch--;
	forget(rules);
}

static void step_switch(struct rules *rules, const struct pass *pass, struct rules_cpu *cpu,
			const struct sched_event *event, const struct task_step *step)
{
	const bool has_waited = step->changes & STEP_WAIT;

	rules->switches++;
	cpu->has_event = true;
	cpu->event = *event;
	cpu->sight.prev = task_states_find(&pass->states, event->switched.prev.pid, event->cpu);
	cpu->sight.next = task_states_find(&pass->states, event->switched.next.pid, event->cpu);
	cpu->sight.out = step->slice_count ? step->slices[step->slice_count - 1].out : LEAVE_UNKNOWN;
	cpu->sight.next_waits_since_ns = has_waited ? machine_since_start(&rules->machine, step->wait.since_ns) : 0;
	cpu->sight.next_was_woken = has_waited && step->wait.cause == WAIT_WAKEUP;
	cpu->sight.next_has_moved = has_waited && step->wait.migrations;
	judge_whole_switch(rules, pass, cpu);
}

/* A switch is missing, or half of one: until the next whole one of the CPU it is not known what runs and waits there.
 */
static void note_missing_switch(struct rules *rules, struct rules_cpu *cpu)
{
	rules->cpus_lacking_switch += !cpu->lacks_switch;
	cpu->lacks_switch = rules->lacks_events = true;
}

/* A switch holds the queue's lock between its two events; any other event of this queue in between means that one is
 * missing. */
static void end_half_switch(struct rules *rules, struct rules_cpu *cpu)
{
	/* The first one may be without keys, at the beginning of the recording or after a loss. */
	if (cpu->has_keys || (cpu->has_event && cpu->has_begun))
		note_missing_switch(rules, cpu);
	cpu->has_keys = cpu->has_event = false;
}

/* The other half of this one has come just before. */
static bool completes_switch(const struct rules *rules, const struct rules_cpu *cpu, const struct sched_event *event,
			     const struct key_event *keys)
{
	const int32_t next = keys                                                ? keys->switched.next_pid
			     : KEY_HAS(&rules->keys, SWITCH, switched, next_pid) ? cpu->keys.switched.next_pid
										 : event->switched.next.pid;

	if (keys)
		return cpu->has_event && !cpu->has_keys && next == cpu->event.switched.next.pid;
	return cpu->has_keys && !cpu->has_event && next == event->switched.next.pid;
}

/* --- Other events --- */

/* The task goes to the queue of another CPU. */
static void step_migration(struct rules *rules, const struct pass *pass, const struct sched_event *event,
			   const struct task_step *step)
{
	struct sight sight = sight_of(rules, pass, SEEN_MIGRATION, event->cpu, event);

	sight.step = step;
	look(rules, &sight);
	machine_migrate(&rules->machine, pass->states.tasks[step->migration.task].pid);
}

static void step_mark(struct rules *rules, const struct sched_event *event)
{
	struct scheduler_mark mark;
	struct key_mark keys;

	if (key_mark_read(event->mark.text, event->mark.length, &keys))
		machine_apply_mark(&rules->machine, &keys);
	if (scheduler_mark_read(event->mark.text, event->mark.length, &mark))
		rules->machine.has_extension = mark.is_enabled;
}

/* A wakeup puts its task on a queue, unless it runs: the event of that was missed by its probe. */
static bool lacks_enqueue(const struct rules *rules, const struct pass *pass, const struct sched_event *event,
			  const struct task_step *step)
{
	const struct wakeup *wakeup = &rules->cpus[event->cpu].wakeup;

	/* Enqueues are not read before the first switch. */
	return event->kind == SCHED_WAKEUP && (step->changes & STEP_WAKEUP) && rules->cpus[event->cpu].has_begun &&
	       !(wakeup->is_open && wakeup->event.enqueued.pid == event->wakeup.task.pid) &&
	       pass->states.tasks[step->wakeup.task].state != TASK_RUNNING &&
	       key_events_has(&rules->keys, "keys_enqueue");
}

static void step_other(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		       const struct task_step *step)
{
	if (lacks_enqueue(rules, pass, event, step))
		forget(rules);
	end_wakeup(rules, pass, &rules->cpus[event->cpu], event);
	if (event->kind == SCHED_MARK)
		step_mark(rules, event);
	if (event->kind == SCHED_PI_SETPRIO) {
		struct sight sight = sight_of(rules, pass, SEEN_CHANGE, event->cpu, event);
		look(rules, &sight);
		machine_set_prio(&rules->machine, event);
	}
	if (step->changes & STEP_MIGRATION)
		step_migration(rules, pass, event, step);
}

static void step_scheduler_event(struct rules *rules, const struct pass *pass, const struct sched_event *event,
				 const struct task_step *step)
{
	struct rules_cpu *cpu = &rules->cpus[event->cpu];

	if (event->kind != SCHED_SWITCH) {
		end_half_switch(rules, cpu);
		if (step->changes & (STEP_FROM_OTHER | STEP_SWITCH_MISSING))
			note_missing_switch(rules, cpu);
		step_other(rules, pass, event, step);
		return;
	}
	if (!completes_switch(rules, cpu, event, NULL))
		end_half_switch(rules, cpu);
	if (step->changes & (STEP_FROM_OTHER | STEP_SWITCH_MISSING))
		note_missing_switch(rules, cpu);
	step_switch(rules, pass, cpu, event, step);
}

static void step_key_event(struct rules *rules, const struct pass *pass, const struct sched_event *event,
			   const struct key_event *keys)
{
	struct rules_cpu *cpu = &rules->cpus[event->cpu];

	if (keys->kind != KEY_SWITCH) {
		end_half_switch(rules, &rules->cpus[keys->cpu]);
		step_keys(rules, pass, cpu, event, keys);
		return;
	}
	if (!completes_switch(rules, cpu, event, keys))
		end_half_switch(rules, cpu);
	cpu->keys = *keys;
	cpu->has_keys = true;
	judge_whole_switch(rules, pass, cpu);
}

void rules_take(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		const struct task_step *step, const struct key_event *keys)
{
	rules->machine.now_ns = pass_since_start(pass, event->ts_ns);
	rules->machine.first_ns = event->ts_ns - rules->machine.now_ns;
	rules->lacks_events = pass->states.open_gaps > 0 || rules->cpus_lacking_switch > 0;
	if (sched_event_is_loss(event)) {
		forget(rules);
		return;
	}
	const struct sight time = sight_of(rules, pass, SEEN_TIME, event->cpu, event);
	look(rules, &time);
	if (keys)
		step_key_event(rules, pass, event, keys);
	else
		step_scheduler_event(rules, pass, event, step);
}

enum status rules_step(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		       const struct task_step *step, struct error *err)
{
	const bool is_other = event->kind == SCHED_OTHER_EVENT;
	struct key_event keys = {.kind = KEY_NONE};

	if (!rules->keys.is_known)
		return key_events_check(&rules->keys, pass->run.path, err);
	if (is_other)
		key_events_read(&rules->keys, sched_stream_record(sched_source_stream(pass->run.source)), event->cpu,
				&keys);
	if (event->cpu >= rules->machine.cpu_count || (keys.kind != KEY_NONE && keys.cpu >= rules->machine.cpu_count))
		error_set(&rules->keys.damage, STATUS_CORRUPT, "events", "an event names a CPU beyond %" PRIu32,
			  rules->machine.cpu_count);
	else
		rules_take(rules, pass, event, step, keys.kind == KEY_NONE ? NULL : &keys);
	return key_events_check(&rules->keys, pass->run.path, err);
}

bool rules_label_choice(const struct rules *rules, const struct task_states *states,
			const struct rule_decision *decision, char label[RULES_LABEL_SIZE])
{
	const uint32_t level = decision->level;

	if (decision->verdict != VERDICT_BREAKS)
		return false;
	if (decision->rule_task != TASK_NONE)
		machine_label_task(states, decision->rule_task, label);
	else if (decision->level_count && decision->choices[level].entity != RULE_NONE)
		machine_label_entity(&rules->machine, states,
				     decision->levels[level].level.entities[decision->choices[level].entity].id, label);
	else
		return false;
	return true;
}
