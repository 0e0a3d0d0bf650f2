/* SPDX-License-Identifier: MIT
 *
 * The virtual time of tasks: slices and deadlines, when they are set and how long they stay; the end of a slice's
 * protection; that vruntime advances as a task runs, and not while it waits; and what a yield forfeits. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

/* A running task that yields. */
struct yield {
	struct key_yield before;    /* charged_ns 0: it does not, or this is not recorded */
	struct rule_entity yielded; /* its keys before, until the next pick; id 0: it has not yielded */
};

/* Knowledge of the task that runs on a CPU. */
struct running_task {
	struct yield yield;
	/* The entity whose protection was over at a pick of the run that began then; 0: none. */
	uint64_t unprotected, began_ns;
};

/* CPU time of a task, and the time that it was charged with, since these were looked at. */
struct service {
	uint64_t served_ns, charged_ns;
};

struct deadlines {
	uint64_t base_slice_ns; /* at the latest wakeup; 0: not recorded */
};

/* --- A task is put on a queue --- */

static enum invariant_result check_deadline_placed(const struct sight *sight, const struct family_state *state,
						   struct evidence *evidence)
{
	const struct rule_entity *task = enqueued_task(sight), *before = &sight->wakeup->before;
	const struct key_event *keys = &sight->wakeup->event;
	const uint32_t flags = keys->enqueued.flags;
	/* A delayed sleeper that would have gained lag is placed without. */
	const bool is_again = (flags & WAKEUP_OF_SLEEPER) && has_keys(before) && before->is_delayed &&
			      queues_home(&sight->machine->queues, task->id) == keys->enqueued.task.queues[0] &&
			      has_feature(sight, FEATURE_DELAY_ZERO) && task->protect == 0 &&
			      task->vruntime != before->vruntime;

	(void)state;
	if (!(is_placed_anew(sight->wakeup) || is_again) || !is_eevdf(sight) || !sight->machine->mark.features[0] ||
	    !task->slice || !task->weight || task->is_delayed || keys->enqueued.is_throttled)
		return INVARIANT_NOT_JUDGED;
	/* One that has left the fair class while it ran, and was brought back asleep, has its deadline of then. */
	if (!is_again && !(flags & WAKEUP_OF_FORK) && deadline_ahead(task) == (int64_t)before->deadline)
		return INVARIANT_NOT_JUDGED;
	const uint64_t slice = virtual_slice(sight, task, task->slice);
	const bool is_half = (flags & WAKEUP_OF_FORK) && has_feature(sight, FEATURE_PLACE_DEADLINE_INITIAL);
	const uint64_t expected = is_half ? slice / 2 : slice;
	return expect(evidence, "deadline - vruntime of a placed task", UNIT_VIRTUAL_NS, deadline_ahead(task),
		      (int64_t)expected, inverse_rounding(expected));
}

static enum invariant_result check_slice_placed(const struct sight *sight, const struct family_state *state,
						struct evidence *evidence)
{
	const struct deadlines *deadlines = state_of_trace(state);
	const struct key_event *keys = &sight->wakeup->event;
	const struct rule_entity *task = enqueued_task(sight);
	const uint64_t base_ns = keys->enqueued.base_slice_ns;

	/* The tunable may just be written. */
	if (!is_eevdf(sight) || !keys->enqueued.has_custom_slice || keys->enqueued.is_custom_slice ||
	    !is_placed_anew(sight->wakeup) || task->is_delayed || !base_ns || base_ns != deadlines->base_slice_ns ||
	    !task->slice)
		return INVARIANT_NOT_JUDGED;
	return expect(evidence, "slice of a placed task", UNIT_CPU_NS, (int64_t)task->slice, (int64_t)base_ns, 0);
}

static enum invariant_result check_custom_slice_kept(const struct sight *sight, const struct family_state *state,
						     struct evidence *evidence)
{
	const struct rule_entity *before = &sight->wakeup->before, *task = enqueued_task(sight);
	const struct key_event *keys = &sight->wakeup->event;

	(void)state;
	if (!is_eevdf(sight) || !keys->enqueued.has_custom_slice || !keys->enqueued.is_custom_slice ||
	    keys->enqueued.flags & WAKEUP_OF_FORK || !has_keys(before) || !before->slice || !task->slice)
		return INVARIANT_NOT_JUDGED;
	return expect(evidence, "slice that a task asked for", UNIT_CPU_NS, (int64_t)task->slice,
		      (int64_t)before->slice, 0);
}

static enum invariant_result check_deadline_kept(const struct sight *sight, const struct family_state *state,
						 struct evidence *evidence)
{
	const struct rule_entity *before = &sight->wakeup->before, *task = enqueued_task(sight);
	const struct key_event *keys = &sight->wakeup->event;

	(void)state;
	if (!has_feature(sight, FEATURE_PLACE_REL_DEADLINE) || !has_keys(before) || !sight->wakeup->has_waited ||
	    keys->enqueued.flags & (WAKEUP_OF_FORK | WAKEUP_OF_SLEEPER) || before->is_delayed ||
	    before->weight != task->weight || keys->enqueued.is_throttled)
		return INVARIANT_NOT_JUDGED;
	return expect(evidence, "deadline - vruntime of a moved task", UNIT_VIRTUAL_NS, deadline_ahead(task),
		      deadline_ahead(before), ROUNDING_NS);
}

/* --- A task runs --- */

static enum invariant_result check_deadline_in_slice(const struct sight *sight, const struct family_state *state,
						     struct evidence *evidence)
{
	const struct key_path *next = &sight->switched->keys.switched.next;
	const struct rule_entity *task = &next->entities[0];
	const uint64_t slice_max = next->depth ? queues_slice_max(&sight->machine->queues, task) : 0;

	(void)state;
	if (!next->depth || !is_eevdf(sight) || !slice_max || !task->weight || sight->machine->has_shares)
		return INVARIANT_NOT_JUDGED;
	return expect_max(evidence, "deadline - vruntime", UNIT_VIRTUAL_NS, deadline_ahead(task),
			  with_rounding(cpu_to_virtual(slice_max, task->weight)));
}

static enum invariant_result check_waiting(const struct sight *sight, const struct family_state *state,
					   struct evidence *evidence)
{
	static const char *const steps[] = {"step of vruntime while it waits", "step of deadline while it waits"};
	const struct switch_sight *at = sight->switched;
	const struct rule_entity *before = &at->next_before, *task = &at->keys.switched.next.entities[0];

	(void)state;
	if (!at->keys.switched.next.depth || !has_keys(before) || !at->next_has_waited ||
	    before->weight != task->weight || !before->slice || !is_eevdf(sight))
		return INVARIANT_NOT_JUDGED;
	return expect_same_keys(evidence, steps, before, task);
}

static enum invariant_result check_forward(const struct sight *sight, struct evidence *evidence,
					   const struct rule_entity *before, const struct rule_entity *task,
					   bool has_stayed)
{
	(void)sight;
	if (!has_keys(before) || before->weight != task->weight || !has_stayed)
		return INVARIANT_NOT_JUDGED;
	return expect_min(evidence, "step of vruntime", UNIT_VIRTUAL_NS,
			  rule_difference(task->vruntime, before->vruntime), 0);
}

static enum invariant_result check_vruntime_forward(const struct sight *sight, const struct family_state *state,
						    struct evidence *evidence)
{
	const struct switch_sight *at = sight->switched;
	const struct key_path *prev = &at->keys.switched.prev, *next = &at->keys.switched.next;

	(void)state;
	if (sight->kind == SEEN_OUT)
		return prev->depth ? check_forward(sight, evidence, &at->prev_before, &prev->entities[0],
						   prev->queues[0] == sight_cpu(sight)->queue)
				   : INVARIANT_NOT_JUDGED;
	return next->depth ? check_forward(sight, evidence, &at->next_before, &next->entities[0], at->next_has_waited)
			   : INVARIANT_NOT_JUDGED;
}

/* Since the keys of the running task were recorded last, but for those of picks. */
static uint64_t known_for(const struct sight *sight, const struct rule_entity *running)
{
	const struct machine_task *task = machine_task_of(sight->machine, machine_pid_of(sight->machine, running->id));
	const uint64_t began_ns = sight_cpu(sight)->began_ns;

	return sight->machine->now_ns - (task && task->enqueued_ns > began_ns ? task->enqueued_ns : began_ns);
}

static enum invariant_result check_deadline_renewed(const struct sight *sight, const struct family_state *state,
						    struct evidence *evidence)
{
	const struct rule_entity *task = sight->pick->running, *before = &sight->pick->running_before;

	(void)state;
	/* Groups get new weights, and with them deadlines, without an event. */
	if (!task || !machine_pid_of(sight->machine, task->id) || !is_eevdf(sight) || !task->on_rq ||
	    task->is_delayed || !task->weight)
		return INVARIANT_NOT_JUDGED;
	/* With another weight the kernel limits the lag, which moves vruntime alone, beyond the deadline perhaps. */
	if (deadline_ahead(task) <= 0 && sight->machine->has_shares &&
	    !(has_keys(before) && before->weight == task->weight))
		return INVARIANT_NOT_JUDGED;
	if (deadline_ahead(task) <= 0)
		return expect_min(evidence, "deadline - vruntime of a task that ran", UNIT_VIRTUAL_NS,
				  deadline_ahead(task), 1);
	/* The deadline is ahead, which holds; more is known only with the keys before. Kernels differ in what a yield
	 * does to the deadline. */
	if (!has_keys(before) || queues_home(&sight->machine->queues, task->id) != sight->pick->level->queue ||
	    before->weight != task->weight || sight_cpu(sight)->has_other_weight || !task->slice ||
	    sight_cpu(sight)->has_yielded)
		return INVARIANT_HOLDS;
	/* A task whose affinity or group changes is placed again, with what is left of its request. With the same lag
	 * it is where it was, but for rounding. */
	const uint64_t slice = virtual_slice(sight, task, task->slice), rounding = inverse_rounding(slice);
	if (is_within(rule_difference(task->deadline, before->deadline), 0, slice / 2))
		return INVARIANT_HOLDS;
	const uint64_t ran = cpu_to_virtual(known_for(sight, task), task->weight);
	if (is_within(deadline_ahead(task), (int64_t)((uint64_t)deadline_ahead(before) - ran),
		      ran / 8 + cpu_to_virtual(CLOCK_NS, task->weight)))
		return INVARIANT_HOLDS;
	/* Else it is a slice after a vruntime that had reached the deadline. A share of a group may have been another
	 * one meanwhile, and has moved the deadline then by a part of what the task ran. */
	const uint64_t renewed = task->deadline - slice;
	const int64_t slack = (int64_t)(rounding + (sight->machine->has_shares ? ran / 8 : 0));
	if (expect_min(evidence, "deadline less a slice, after the former deadline", UNIT_VIRTUAL_NS,
		       rule_difference(renewed, before->deadline), -slack) == INVARIANT_BROKEN)
		return INVARIANT_BROKEN;
	return expect_max(evidence, "deadline less a slice, after vruntime", UNIT_VIRTUAL_NS,
			  rule_difference(renewed, task->vruntime), slack);
}

static bool is_running_task(const struct sight *sight, const struct rule_entity *entity)
{
	return entity && entity->on_rq && !entity->is_delayed && is_eevdf(sight) &&
	       sight->machine->traits.has_protect && sight_cpu(sight)->began_ns &&
	       machine_entity_of(sight->machine, sight_cpu(sight)->pid) == entity->id;
}

static enum invariant_result check_protection_ends(const struct sight *sight, const struct family_state *state,
						   struct evidence *evidence)
{
	const struct running_task *running = state_of_cpu(state, sight->cpu);
	const struct rule_entity *task = sight->pick->running;

	if (!is_running_task(sight, task) || running->unprotected != task->id ||
	    running->began_ns != sight_cpu(sight)->began_ns)
		return INVARIANT_NOT_JUDGED;
	if (!sight->machine->traits.has_vprot)
		return expect(evidence, "number of times that the protection begins again", UNIT_COUNT,
			      rule_is_protected(&sight->machine->traits, task), 0, 0);
	const int64_t since = rule_difference(task->vruntime, task->protect);
	if (is_within(since, 0, ROUNDING_NS))
		return INVARIANT_HOLDS;
	return expect_min(evidence, "vruntime - end of the protection that was over", UNIT_VIRTUAL_NS, since, 0);
}

static void note_protection(struct running_task *running, const struct sight *sight)
{
	const struct rule_entity *task = sight->pick->running;

	if (!is_running_task(sight, task))
		return;
	running->unprotected = rule_is_protected(&sight->machine->traits, task) ? 0 : task->id;
	running->began_ns = sight_cpu(sight)->began_ns;
}

/* In another group a task is placed anew. */
static void forget_protection(const struct family_state *state, const struct sight *sight)
{
	for (uint32_t cpu = 0; cpu < sight->machine->cpu_count; cpu++)
		if (sight->machine->cpus[cpu].pid == sight->keys->change.pid)
			((struct running_task *)state_of_cpu(state, cpu))->unprotected = 0;
}

/* For so long a task runs until what it was charged with is looked at. */
#define SERVICE_NS UINT64_C(20000000)
/* A task may be charged with the end of the one before, as after a yield, which counts in a shorter time. */
#define SERVICE_PART_NS UINT64_C(1000000)

/* The task that stops to run, with this run added. False if it is not known what it was charged with. */
static bool add_service(const struct sight *sight, const struct family_state *state, struct service *sum)
{
	const struct key_path *prev = &sight->switched->keys.switched.prev;
	const struct machine_cpu *cpu = sight_cpu(sight);
	const struct service *service = state_of_task(state, sight->machine, cpu->pid);
	const uint64_t ran_ns = sight->switched->ran_ns;

	/* At its exit, or if it yields, its vruntime is set. Weights that are shares change while a task runs. */
	if (!service || !prev->depth || !cpu->began.weight || cpu->began.id != prev->entities[0].id ||
	    cpu->began.weight != prev->entities[0].weight || prev->queues[0] != cpu->queue || cpu->has_yielded ||
	    sight->switched->out == LEAVE_DEAD || sight->machine->has_shares || ran_ns < SERVICE_PART_NS ||
	    !machine_is_same_since(sight->machine, cpu->pid, cpu->began_ns))
		return false;
	*sum = *service;
	sum->served_ns += ran_ns;
	sum->charged_ns += (uint64_t)virtual_to_cpu(rule_difference(prev->entities[0].vruntime, cpu->began.vruntime),
						    prev->entities[0].weight);
	return true;
}

static enum invariant_result check_service(const struct sight *sight, const struct family_state *state,
					   struct evidence *evidence)
{
	struct service sum;

	if (!add_service(sight, state, &sum) || sum.served_ns < SERVICE_NS)
		return INVARIANT_NOT_JUDGED;
	/* By an older clock a task is charged with the end of the one before. Interrupts are not charged: among the
	 * CPUs of a deterministic guest, which take turns, the turns of others within an interrupt are not, either. */
	const int64_t ran = (int64_t)sum.served_ns, charged = (int64_t)sum.charged_ns;
	if (charged < ran / 64)
		return expect_min(evidence, "CPU time charged", UNIT_CPU_NS, charged, ran / 64);
	return expect_max(evidence, "CPU time charged", UNIT_CPU_NS, charged, ran + ran / 2);
}

/* --- Yields --- */

/* Another task, that does not sleep, is on the queue: alone a task yields to nothing. */
static bool has_rival(const struct pick_level *pick)
{
	for (uint32_t i = 0; i < pick->level.count; i++) {
		const struct rule_entity *other = &pick->level.entities[i];
		if (i != pick->level.running && !other->is_delayed && !other->is_group)
			return true;
	}
	return false;
}

/* Whether the running entity of the pick would be eligible with this vruntime. */
static bool was_eligible(const struct sight *sight, uint64_t vruntime)
{
	const struct pick_level *pick = sight->pick->level;
	const struct rule_entity *running = sight->pick->running;
	const uint64_t weight = counted_weight(sight, pick, running);
	const struct virtual_time now = virtual_time_of(&sight->machine->traits, &pick->level);
	const struct virtual_time others = virtual_time_without(&now, running->vruntime, weight);
	const struct virtual_time then = virtual_time_with(&others, vruntime, weight);

	return virtual_time_eligible(&then, vruntime);
}

/* Whether the task would be eligible with this vruntime, beside what waits. */
static bool is_eligible_beside(const struct sight *sight, const struct key_yield *yield, uint64_t vruntime)
{
	const struct queue_sums *sums = &yield->sums;
	const struct virtual_time others = {
	    .base = sums->zero, .weighted = (int64_t)sums->weighted, .weight = sums->weight};
	const uint64_t weight = virtual_time_weight(&sight->machine->traits, yield->task.weight, sums->shift);
	const struct virtual_time all = virtual_time_with(&others, vruntime, weight);

	return virtual_time_eligible(&all, vruntime);
}

/* A task that is eligible forfeits: its vruntime is the deadline. */
static enum invariant_result expect_forfeit(struct evidence *evidence, bool is_eligible, bool has_forfeited)
{
	return expect(evidence,
		      is_eligible ? "number of requests that an eligible task forfeits"
				  : "number of requests that a task without eligibility forfeits",
		      UNIT_COUNT, has_forfeited, is_eligible, 0);
}

/* The yield charges the task first: until when, both events have. */
static enum invariant_result check_yielded(const struct sight *sight, const struct yield *begun,
					   struct evidence *evidence)
{
	const struct key_yield *yield = &sight->keys->yielded;
	const struct rule_entity *before = &begun->before.task, *after = &yield->task;
	const int64_t ran = rule_difference(yield->charged_ns, begun->before.charged_ns);

	/* If no other task is there, nothing is charged. */
	if (!begun->before.charged_ns || !is_eevdf(sight) || !yield->sums.has_keys || ran <= 0 || !after->weight ||
	    before->weight != after->weight)
		return INVARIANT_NOT_JUDGED;
	const uint64_t charge = virtual_slice(sight, after, (uint64_t)ran);
	const uint64_t rounding = after->weight == RULE_NICE_0_WEIGHT ? 0 : inverse_rounding(charge);
	const uint64_t vruntime_min = before->vruntime + charge - rounding;
	/* A request that was used up is renewed before. */
	if (rule_difference(vruntime_min + 2 * rounding, before->deadline) >= 0)
		return INVARIANT_NOT_JUDGED;
	if (after->vruntime == before->deadline)
		return expect_forfeit(evidence, is_eligible_beside(sight, yield, vruntime_min), true);
	/* Some kernels move the deadline alone. */
	if (after->deadline != before->deadline)
		return INVARIANT_NOT_JUDGED;
	return expect_forfeit(evidence, is_eligible_beside(sight, yield, after->vruntime), false);
}

static enum invariant_result check_yield(const struct sight *sight, const struct family_state *state,
					 struct evidence *evidence)
{
	const struct running_task *task = state_of_cpu(state, sight->cpu);
	const struct yield *yield = &task->yield;
	const struct rule_entity *yielded = &yield->yielded;

	if (sight->kind == SEEN_YIELDED)
		return check_yielded(sight, yield, evidence);
	const struct rule_entity *running = sight->pick->running;
	if (!running || !yielded->id || yielded->id != running->id || !is_eevdf(sight) ||
	    !is_whole(sight->pick->level) || !yielded->deadline || sight->pick->is_repeated)
		return INVARIANT_NOT_JUDGED;
	/* It has forfeited the rest of its request: its vruntime when it yielded is not known, but it was at least
	 * this. */
	if (running->vruntime == yielded->deadline)
		return expect_forfeit(evidence, was_eligible(sight, yielded->vruntime), true);
	/* It has not: its vruntime is that of the yield, as the clock is not read again. */
	if (running->deadline != yielded->deadline || !has_rival(sight->pick->level) || !sight->pick->is_schedule)
		return INVARIANT_NOT_JUDGED;
	return expect_forfeit(evidence, was_eligible(sight, running->vruntime), false);
}

/* Time that a running task does not have for itself: that of interrupts. */
#define INTERRUPTS_PART   8
#define INTERRUPTS_MIN_NS UINT64_C(20000)

static void begin_yield(struct yield *yield, const struct sight *sight)
{
	const struct machine_cpu *cpu = sight_cpu(sight);
	const uint64_t ran = cpu->began_ns ? sight->machine->now_ns - cpu->began_ns : 0;
	const uint64_t spent = ran / INTERRUPTS_PART + INTERRUPTS_MIN_NS;

	yield->before = sight->keys->yielded;
	yield->yielded = sight->keys->yielded.task;
	yield->yielded.id = machine_entity_of(sight->machine, cpu->pid);
	/* With another weight since it began, as when tasks of its group come or leave, it has got other keys. */
	if (!cpu->began.weight || cpu->began.id != yield->yielded.id || ran <= spent ||
	    cpu->began.deadline != yield->yielded.deadline)
		return;
	const uint64_t vruntime = cpu->began.vruntime + cpu_to_virtual(ran - spent, cpu->began.weight);
	if (rule_difference(vruntime, yield->yielded.vruntime) > 0)
		yield->yielded.vruntime = vruntime;
}

static void note_service(struct family_state *state, const struct sight *sight)
{
	struct service *service = state_of_task(state, sight->machine, sight_cpu(sight)->pid), sum;

	if (add_service(sight, state, &sum))
		*service = sum.served_ns < SERVICE_NS ? sum : (struct service){0, 0};
}

static void note(struct family_state *state, const struct sight *sight)
{
	struct deadlines *deadlines = state_of_trace(state);
	struct running_task *running = state_of_cpu(state, sight->cpu);
	struct yield *yield = &running->yield;

	if (sight->kind == SEEN_SWITCH)
		note_service(state, sight);
	if (sight->kind == SEEN_PICK)
		note_protection(running, sight);
	if (sight->kind == SEEN_CHANGE && sight->keys && sight->keys->kind == KEY_CHANGE &&
	    sight->keys->change.what == CHANGE_GROUP)
		forget_protection(state, sight);
	if (sight->kind == SEEN_ENQUEUE)
		deadlines->base_slice_ns = sight->wakeup->event.enqueued.base_slice_ns;
	if (sight->kind == SEEN_YIELD)
		begin_yield(yield, sight);
	/* An entity that comes to the queue or leaves it changes V. */
	if (sight->kind == SEEN_SWITCH || (sight->kind == SEEN_ENQUEUE && sight->wakeup->event.enqueued.task.depth) ||
	    (sight->kind == SEEN_PICK && sight->pick->running && sight->pick->running->id == yield->yielded.id) ||
	    (sight->kind == SEEN_YIELDED && yield->before.charged_ns))
		yield->yielded.id = 0;
	if (sight->kind == SEEN_SWITCH || sight->kind == SEEN_YIELDED)
		yield->before.charged_ns = 0;
	if (sight->kind == SEEN_MIGRATION && sight->step->migration.from_cpu < sight->machine->cpu_count) {
		struct running_task *left = state_of_cpu(state, sight->step->migration.from_cpu);
		left->yield.yielded.id = 0;
	}
}

static const struct invariant_row rows[] = {
    {"deadline_in_slice", "deadline - vruntime <= slice / weight", "deadline",
     "Stoica and Abdel-Wahab 1995, (8): d = ve + r / w", "EEVDF", "keys_switch.next_slice", SEEN_IN, STOPS_NONE,
     check_deadline_in_slice},
    {"deadline_renewed", "a task that has used its slice, and only that, gets a deadline a slice later", "new deadline",
     FAIR_C "update_deadline", "EEVDF", "keys_pick.curr_slice", SEEN_PICK, STOPS_NONE, check_deadline_renewed},
    {"deadline_placed", "deadline - vruntime at wakeup is slice / weight; half at fork", "deadline at wakeup",
     FAIR_C "place_entity", "EEVDF", "keys_enqueue.deadline keys_enqueue.slice", SEEN_ENQUEUE, STOPS_NONE,
     check_deadline_placed},
    {"slice_placed", "a task without a slice of its own is placed with the base slice", "base slice",
     FAIR_C "place_entity", "Linux 6.12 and later", "keys_enqueue.custom_slice keys_enqueue.base_slice", SEEN_ENQUEUE,
     STOPS_NONE, check_slice_placed},
    {"custom_slice_kept", "a slice of its own stays that of a task until it asks for another one", "own slice",
     FAIR_C "__setparam_fair, place_entity", "Linux 6.12 and later", "keys_enqueue.custom_slice keys_setattr",
     SEEN_ENQUEUE, STOPS_NONE, check_custom_slice_kept},
    {"deadline_kept", "deadline - vruntime of a waiting task that is moved stays", "deadline of moved tasks",
     FAIR_C "place_entity", "EEVDF with PLACE_REL_DEADLINE", "keys_enqueue.deadline keys_affinity", SEEN_ENQUEUE,
     STOPS_NONE, check_deadline_kept},
    {"waits_with_its_keys", "vruntime and deadline of a waiting task do not change", "keys of waiting tasks",
     FAIR_C "update_curr, __enqueue_entity", "EEVDF", "keys_switch.next_deadline keys_affinity", SEEN_IN, STOPS_NONE,
     check_waiting},
    {"vruntime_forward", "vruntime never goes back while queued or running", "vruntime", FAIR_C "update_curr",
     "CFS, EEVDF", "keys_switch.prev_vruntime keys_affinity", SEEN_IN | SEEN_OUT, STOPS_NONE, check_vruntime_forward},
    {"service_counted", "vruntime advances by CPU time / weight while a task runs", "CPU time",
     FAIR_C "update_curr; Stoica and Abdel-Wahab 1995, (5)", "CFS, EEVDF; runs of 1 ms or longer, summed over 20 ms",
     "keys_switch.prev_vruntime", SEEN_OUT, STOPS_SHORT, check_service},
    {"protection_ends", "a slice's protection that is over does not begin again in the same run", "end of protection",
     FAIR_C "set_protect_slice, set_next_task_fair, reweight_eevdf", "EEVDF", "keys_pick.curr_deadline", SEEN_PICK,
     STOPS_NONE, check_protection_ends},
    {"yield_forfeits", "a task that yields forfeits the rest of its request if it is eligible, and only then", "yield",
     FAIR_C "yield_task_fair", "EEVDF", "keys_yield.deadline", SEEN_PICK | SEEN_YIELDED, STOPS_LONG, check_yield},
};

const struct invariant_family deadlines_family = {ROWS_OF(rows), sizeof(struct deadlines), sizeof(struct running_task),
						  sizeof(struct service), .note = note};
