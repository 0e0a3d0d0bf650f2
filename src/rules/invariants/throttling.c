/* SPDX-License-Identifier: MIT
 *
 * The tasks that a CPU's queue counts, and the groups that come back to it when throttling ends. The tasks of a
 * throttled group wait, and are not counted: so a task that is missing is judged at once only if none can be throttled,
 * else when it is counted again, if no throttling has ended meanwhile. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

/* A group that was throttled on a CPU: its queue, and the levels above on which it is since. More are not judged. */
#define FREED_MAX 16
struct freed_group {
	uint32_t cpu;
	struct key_path path; /* without a task */
};

/* Since then a task that runs or waits is not counted: what was put on the queue, and what ran. */
struct uncounted {
	bool is_pending;
	int32_t pid, running;
	uint64_t since_ns;
};

struct counted_task {
	bool is_seen;          /* on a queue, or not: since the beginning, or a loss, an event has shown it */
	bool is_moving;        /* to the queue of another CPU */
	bool is_off_queue;     /* throttled, though it is awake */
	bool may_change_class; /* its attributes were changed since it was seen to run */
};

struct throttling {
	bool has_throttles; /* of groups, so far */
	struct freed_group freed[FREED_MAX];
	uint32_t freed_count;
};

/* --- Tasks are counted --- */

/* The fair tasks of a CPU, with the one that is just put on its queue and not known to be awake yet. */
struct tally {
	uint32_t tasks;
	bool is_sure;
	bool may_be_throttled; /* one is in another group than what runs, and what is put on the queue */
};

/* The queues of the path are not throttled, and the root's never is. What runs may be: a task that ends is put on its
 * queue again, and goes on. */
static bool may_be_throttled(const struct sight *sight, int32_t pid)
{
	const struct key_path *path = &sight->wakeup->event.enqueued.task;
	const uint64_t queue = queues_home(&sight->machine->queues, machine_entity_of(sight->machine, pid));

	for (uint32_t i = 0; i < path->depth; i++)
		if (path->queues[i] == queue)
			return false;
	return !queue || queue != sight_cpu(sight)->root_queue;
}

static void add_task(const struct family_state *state, const struct sight *sight, const struct task *task,
		     struct tally *tally)
{
	const struct counted_task *counted = state_of_task(state, sight->machine, task->pid);

	if (task->is_idle || task->pid == sight->wakeup->event.enqueued.pid ||
	    (counted && (counted->is_moving || counted->is_off_queue)))
		return;
	tally->is_sure = tally->is_sure && task->prio != TASK_PRIO_UNKNOWN && counted && counted->is_seen &&
			 !counted->may_change_class;
	tally->tasks += task->prio >= 100;
	tally->may_be_throttled = tally->may_be_throttled || may_be_throttled(sight, task->pid);
}

static struct tally tally_cpu(const struct family_state *state, const struct sight *sight)
{
	const struct throttling *throttling = state_of_trace(state);
	const struct task_states *states = sight->states;
	const struct task_cpu *cpu = &states->cpus[sight->cpu];
	struct tally tally = {.tasks = 1,
			      .is_sure = !cpu->hides_waiting && !cpu->hides_idle_ends,
			      .may_be_throttled =
				  throttling->has_throttles || sight->wakeup->event.enqueued.is_throttled};

	add_task(state, sight, &states->tasks[cpu->current], &tally);
	for (uint32_t task = cpu->runnable_first; task != TASK_NONE; task = states->tasks[task].next)
		add_task(state, sight, &states->tasks[task], &tally);
	return tally;
}

enum count { COUNT_UNKNOWN, COUNT_RIGHT, COUNT_MISSING, COUNT_MAY_BE_MISSING };

static enum count count_tasks(const struct family_state *state, const struct sight *sight, uint32_t *tasks)
{
	const struct key_event *keys = &sight->wakeup->event;
	/* A CPU that looks for tasks to pull has taken the one that sleeps from its queue, before the switch. */
	const bool is_woken_here =
	    sight->event_cpu == sight->cpu && (keys->enqueued.flags & (WAKEUP_OF_FORK | WAKEUP_OF_SLEEPER));

	if (!is_woken_here || !keys->enqueued.task.depth || sight->cpu >= sight->states->cpu_count ||
	    sight->states->cpus[sight->cpu].current == TASK_NONE)
		return COUNT_UNKNOWN;
	const struct tally tally = tally_cpu(state, sight);
	const uint32_t seen = keys->enqueued.runnable;
	*tasks = tally.tasks;
	if (!tally.is_sure || seen > tally.tasks)
		return COUNT_UNKNOWN;
	/* From 6.18 on a task whose group is throttled takes itself off its queue, and asks, before it leaves. */
	if (seen < tally.tasks && (tally.may_be_throttled || sight_cpu(sight)->is_asked))
		return COUNT_MAY_BE_MISSING;
	return seen < tally.tasks ? COUNT_MISSING : COUNT_RIGHT;
}

static enum invariant_result check_counted(const struct sight *sight, const struct family_state *state,
					   struct evidence *evidence)
{
	const struct uncounted *uncounted = state_of_cpu(state, sight->cpu);
	uint32_t tasks = 0;
	const enum count count = count_tasks(state, sight, &tasks);

	if (count != COUNT_RIGHT && count != COUNT_MISSING)
		return INVARIANT_NOT_JUDGED;
	expect(evidence, "fair tasks counted by the CPU's queue", UNIT_COUNT, sight->wakeup->event.enqueued.runnable,
	       tasks, 0);
	if (count == COUNT_MISSING)
		return INVARIANT_BROKEN;
	if (!uncounted->is_pending)
		return INVARIANT_HOLDS;
	/* It was missing, and no throttling has ended since that could be why. */
	evidence->what = NULL;
	evidence->pid = uncounted->pid;
	evidence->since_ns = uncounted->since_ns;
	return INVARIANT_BROKEN;
}

static void note_count(struct family_state *state, const struct sight *sight)
{
	struct uncounted *uncounted = state_of_cpu(state, sight->cpu);
	uint32_t tasks;
	const enum count count = count_tasks(state, sight, &tasks);

	if (sight->event_cpu != sight->cpu)
		return;
	if (count != COUNT_MAY_BE_MISSING)
		uncounted->is_pending = false;
	else if (!uncounted->is_pending)
		*uncounted = (struct uncounted){true, sight->wakeup->event.enqueued.pid,
						sight->states->tasks[sight->states->cpus[sight->cpu].current].pid,
						sight->machine->now_ns};
}

/* A task that the machine does not know has no state. */
static void set_task(struct family_state *state, const struct sight *sight, int32_t pid, struct counted_task task)
{
	struct counted_task *known = state_of_task(state, sight->machine, pid);

	if (known)
		*known = task;
}

/* --- Throttling ends --- */

static void remove_freed(struct throttling *throttling, uint32_t at)
{
	throttling->freed[at] = throttling->freed[--throttling->freed_count];
}

/* Queues from `used` upwards are in use again: cut the path below. */
static void cut(struct freed_group *group, const struct queues *queues, uint64_t used)
{
	for (uint32_t i = 0; i < group->path.depth; i++)
		if (group->path.queues[i] == used || queues_is_inside(queues, used, group->path.queues[i]))
			group->path.depth = i + 1;
}

static void note_end(struct family_state *state, const struct sight *sight)
{
	struct throttling *throttling = state_of_trace(state);
	struct uncounted *uncounted = state_of_cpu(state, sight->cpu);
	const uint64_t queue = sight->keys->unthrottled.queue;
	struct freed_group group = {.cpu = sight->cpu, .path = {.depth = 1, .levels = 1, .queues = {queue}}};

	throttling->has_throttles = true;
	uncounted->is_pending = false;
	for (uint32_t i = throttling->freed_count; i-- > 0;)
		if (throttling->freed[i].path.queues[0] == queue)
			remove_freed(throttling, i);
	/* One of its parents may be throttled still. */
	if (!sight->keys->unthrottled.has_tasks || !sight->keys->unthrottled.is_last)
		return;
	queues_extend(&sight->machine->queues, &group.path);
	cut(&group, &sight->machine->queues, sight_cpu(sight)->queue);
	if (throttling->freed_count == FREED_MAX)
		remove_freed(throttling, 0);
	if (group.path.depth > 1)
		throttling->freed[throttling->freed_count++] = group;
}

/* A group that comes back to an empty queue may have the keys of the one that has left it, so the sums show the one for
 * the other: only tasks that are awake cannot leave without an event. */
static bool is_proved(const struct pick_level *pick)
{
	bool is_sure = is_whole(pick);

	for (uint32_t i = 0; i < pick->level.count; i++)
		is_sure = is_sure &&
			  (i == pick->level.running || !(pick->entities[i].is_group || pick->entities[i].is_delayed));
	return is_sure;
}

/* Whether the pick shows the group on its queue. */
static enum invariant_result check_pick(const struct freed_group *group, const struct pick_level *pick,
					struct evidence *evidence)
{
	for (uint32_t level = 1; level < group->path.depth; level++) {
		if (group->path.queues[level] != pick->queue)
			continue;
		evidence->group = group->path.entities[level].id;
		if (pick->gap == PICK_COMPLETE && pick_level_find(pick, evidence->group) != RULE_NONE)
			return INVARIANT_HOLDS;
		return is_proved(pick) ? INVARIANT_BROKEN : INVARIANT_NOT_JUDGED;
	}
	return INVARIANT_NOT_JUDGED;
}

/* The CPU becomes idle while the group should be on its root's queue. */
static enum invariant_result check_idle(const struct freed_group *group, const struct sight *sight,
					struct evidence *evidence)
{
	const uint32_t last = group->path.depth - 1;
	const uint64_t root = sight_cpu(sight)->root_queue;

	if (group->cpu != sight->cpu || !root || group->path.queues[last] != root)
		return INVARIANT_NOT_JUDGED;
	evidence->group = group->path.entities[last].id;
	return INVARIANT_BROKEN;
}

static bool becomes_idle(const struct sight *sight)
{
	return rule_class_of(&sight->switched->event->switched.next) == CLASS_IDLE;
}

static enum invariant_result check_freed(const struct sight *sight, const struct family_state *state,
					 struct evidence *evidence)
{
	const struct throttling *throttling = state_of_trace(state);
	enum invariant_result result = INVARIANT_NOT_JUDGED;

	evidence->pid = 0;
	for (uint32_t i = throttling->freed_count; i-- > 0 && result == INVARIANT_NOT_JUDGED;) {
		const struct freed_group *group = &throttling->freed[i];
		if (sight->kind == SEEN_PICK && group->cpu == sight->cpu &&
		    group->path.queues[0] != sight->pick->level->queue)
			result = check_pick(group, sight->pick->level, evidence);
		else if (sight->kind == SEEN_IN && becomes_idle(sight))
			result = check_idle(group, sight, evidence);
	}
	return result;
}

static void note_pick(struct throttling *throttling, const struct sight *sight)
{
	struct evidence evidence;

	for (uint32_t i = throttling->freed_count; i-- > 0;) {
		const struct freed_group *group = &throttling->freed[i];
		if (group->path.queues[0] == sight->pick->level->queue ||
		    (group->cpu == sight->cpu && check_pick(group, sight->pick->level, &evidence) == INVARIANT_BROKEN))
			remove_freed(throttling, i);
	}
}

/* The queues of the path are used again. */
static void note_use(struct throttling *throttling, const struct sight *sight, const struct key_path *path)
{
	for (uint32_t i = throttling->freed_count; path->depth && i-- > 0;) {
		cut(&throttling->freed[i], &sight->machine->queues, path->queues[0]);
		if (throttling->freed[i].path.depth < 2)
			remove_freed(throttling, i);
	}
}

/* A waiting task leaves this CPU, or the CPU becomes idle. */
static void note_leave(struct throttling *throttling, uint32_t cpu)
{
	for (uint32_t i = throttling->freed_count; i-- > 0;)
		if (throttling->freed[i].cpu == cpu)
			remove_freed(throttling, i);
}

/* --- Throttling begins --- */

static enum invariant_result check_quota_used(const struct sight *sight, const struct family_state *state,
					      struct evidence *evidence)
{
	struct key_path path = {.depth = 1, .levels = 1};

	(void)state;
	if (!sight->keys || sight->keys->kind != KEY_THROTTLE)
		return INVARIANT_NOT_JUDGED;
	path.queues[0] = sight->keys->throttle.queue;
	queues_extend(&sight->machine->queues, &path);
	evidence->pid = 0;
	evidence->group = path.depth > 1 ? path.entities[1].id : 0;
	return expect_max(evidence, "quota left on the CPU", UNIT_CPU_NS, sight->keys->throttle.left_ns, 0);
}

/* --- What is followed --- */

static void note_switch(struct family_state *state, const struct sight *sight)
{
	struct throttling *throttling = state_of_trace(state);
	const struct switch_sight *at = sight->switched;
	const int32_t pid = at->event->switched.prev.pid;
	const bool is_awake = leave_reason_is_runnable(at->out), is_queued = at->keys.switched.prev.entities[0].on_rq;
	/* Since a loss it is not known what has run, but by its own event. */
	const bool is_off_queue = is_awake && !is_queued && rule_class_of(&at->event->switched.prev) == CLASS_FAIR;
	struct uncounted *uncounted = state_of_cpu(state, sight->cpu);

	if ((!is_awake || !is_queued) && uncounted->running == pid)
		uncounted->is_pending = false;
	throttling->has_throttles = throttling->has_throttles || is_off_queue;
	set_task(state, sight, pid, (struct counted_task){.is_seen = true, .is_off_queue = is_off_queue});
	set_task(state, sight, at->event->switched.next.pid, (struct counted_task){.is_seen = true});
	if (becomes_idle(sight))
		note_leave(throttling, sight->cpu);
	note_use(throttling, sight, &at->keys.switched.next);
}

static void note_queued(struct family_state *state, const struct sight *sight)
{
	struct throttling *throttling = state_of_trace(state);
	struct counted_task *task = state_of_task(state, sight->machine, sight->wakeup->event.enqueued.pid);

	note_count(state, sight);
	throttling->has_throttles = throttling->has_throttles || sight->wakeup->event.enqueued.is_throttled;
	task->is_seen = true;
	task->is_moving = task->is_off_queue = false;
	note_use(throttling, sight, &sight->wakeup->event.enqueued.task);
}

static void note_migration(struct family_state *state, const struct sight *sight)
{
	const struct task_step *step = sight->step;
	struct counted_task *task =
	    state_of_task(state, sight->machine, sight->states->tasks[step->migration.task].pid);

	if (step->migration.state != TASK_RUNNABLE)
		return;
	if (task)
		task->is_moving = true;
	for (uint32_t i = 0; i < sight->machine->cpu_count; i++)
		if (i == step->migration.from_cpu || i == step->migration.to_cpu)
			((struct uncounted *)state_of_cpu(state, i))->is_pending = false;
	note_leave(state_of_trace(state), step->migration.from_cpu);
}

/* The group, or one that it is in, may leave its queue again. */
static void note_throttle(struct throttling *throttling, uint64_t queue)
{
	for (uint32_t i = throttling->freed_count; i-- > 0;)
		for (uint32_t level = 0; level < throttling->freed[i].path.depth; level++)
			if (throttling->freed[i].path.queues[level] == queue) {
				remove_freed(throttling, i);
				break;
			}
}

static void note_change(struct family_state *state, const struct sight *sight)
{
	struct throttling *throttling = state_of_trace(state);
	const enum key_kind kind = sight->keys ? sight->keys->kind : KEY_NONE;

	for (uint32_t i = 0; i < sight->machine->cpu_count; i++)
		((struct uncounted *)state_of_cpu(state, i))->is_pending = false;
	if (kind == KEY_THROTTLE)
		note_throttle(throttling, sight->keys->throttle.queue);
	/* Freed groups may have lost their tasks. */
	else if (kind != KEY_CHANGE || sight->keys->change.what == CHANGE_GROUP)
		throttling->freed_count = 0;
	struct counted_task *task =
	    kind == KEY_CHANGE ? state_of_task(state, sight->machine, sight->keys->change.pid) : NULL;
	if (task)
		task->may_change_class = true;
}

static void note(struct family_state *state, const struct sight *sight)
{
	switch (sight->kind) {
	case SEEN_SWITCH:
		note_switch(state, sight);
		break;
	case SEEN_ENQUEUE:
		note_queued(state, sight);
		break;
	case SEEN_PICK:
		note_pick(state_of_trace(state), sight);
		break;
	case SEEN_MIGRATION:
		note_migration(state, sight);
		break;
	case SEEN_UNTHROTTLE:
		note_end(state, sight);
		break;
	case SEEN_CHANGE:
		note_change(state, sight);
		break;
	default:
		break;
	}
}

static const struct invariant_row rows[] = {
    {"tasks_counted", "a CPU's queue counts each task that runs or waits there", "count of tasks",
     FAIR_C "set_delayed, enqueue_task_fair", "EEVDF of 6.12 and later", "keys_enqueue.nr_runnable keys_enqueue.prio",
     SEEN_ENQUEUE, STOPS_NONE, check_counted},
    {"unthrottled_queued", "a group with tasks is on its queue when its throttling ends, until one of them runs",
     "end of throttling", FAIR_C "unthrottle_cfs_rq", "CFS, EEVDF with a queue per group", "keys_unthrottle.load",
     SEEN_PICK | SEEN_IN, STOPS_NONE, check_freed},
    {"throttled_at_quota", "a group is throttled on a CPU when its quota there is used up",
     "throttling with quota left", FAIR_C "check_cfs_rq_runtime, check_enqueue_throttle", "groups with cpu.max",
     "keys_throttle.left", SEEN_CHANGE, STOPS_NONE, check_quota_used},
};

const struct invariant_family throttling_family = {ROWS_OF(rows), sizeof(struct throttling), sizeof(struct uncounted),
						   sizeof(struct counted_task), .note = note};
