/* SPDX-License-Identifier: MIT */
#include "rules/counts.h"

/* What is known to be on the queue of a CPU. */
struct tally {
	uint32_t tasks;
	bool is_sure;
	bool may_be_throttled; /* one is in another group than what runs, and what is put on the queue */
};

/* The queues of the path are not throttled, and the root's never is. What runs may be: a task that ends is put on its
 * queue again, and goes on. */
static bool may_be_throttled(const struct rules *rules, const struct key_event *keys, int32_t pid)
{
	const struct key_path *path = &keys->enqueued.task;
	const uint64_t queue = queues_home(&rules->queues, rules_entity_of(rules, pid));

	for (uint32_t i = 0; i < path->depth; i++)
		if (path->queues[i] == queue)
			return false;
	return !queue || queue != rules->cpus[keys->cpu].root_queue;
}

static void add_task(struct rules *rules, const struct task *task, const struct key_event *keys, struct tally *tally)
{
	const struct rules_pid *row = rules_row_of(rules, task->pid);

	if (task->is_idle || task->pid == keys->enqueued.pid || (row && (row->is_moving || row->is_off_queue)))
		return;
	tally->is_sure = tally->is_sure && task->prio != TASK_PRIO_UNKNOWN && !(row && row->may_change_class);
	tally->tasks += task->prio >= 100;
	tally->may_be_throttled = tally->may_be_throttled || may_be_throttled(rules, keys, task->pid);
}

/* The fair tasks of the CPU, with the one that is just put on its queue and not known to be awake yet. */
static struct tally tally_cpu(struct rules *rules, const struct task_states *states, const struct key_event *keys)
{
	const struct task_cpu *state = &states->cpus[keys->cpu];
	struct tally tally = {.tasks = 1,
			      .is_sure = !state->hides_waiting && !state->hides_idle_ends,
			      .may_be_throttled = rules->has_throttles};

	add_task(rules, &states->tasks[state->current], keys, &tally);
	for (uint32_t task = state->runnable_first; task != TASK_NONE; task = states->tasks[task].next)
		add_task(rules, &states->tasks[task], keys, &tally);
	return tally;
}

static void check_count(struct rules *rules, const struct key_event *keys, bool is_missing)
{
	struct rules_cpu *cpu = &rules->cpus[keys->cpu];
	struct invariant_moment moment = {.when = WHEN_COUNTED, .is_missing = is_missing};

	rules_check(rules, &moment, rules->now_ns, keys->cpu, keys->enqueued.pid);
	if (cpu->uncounted.is_pending && !is_missing) {
		moment.is_missing = true;
		rules_check(rules, &moment, cpu->uncounted.since_ns, keys->cpu, cpu->uncounted.pid);
	}
	counts_forget(cpu);
}

static void note_missing(struct rules *rules, const struct key_event *keys, int32_t running)
{
	struct rules_cpu *cpu = &rules->cpus[keys->cpu];

	if (cpu->uncounted.is_pending)
		return;
	cpu->uncounted.is_pending = true;
	cpu->uncounted.pid = keys->enqueued.pid;
	cpu->uncounted.running = running;
	cpu->uncounted.since_ns = rules->now_ns;
}

void counts_enqueue(struct rules *rules, const struct task_states *states, const struct sched_event *event,
		    const struct key_event *keys)
{
	struct rules_pid *row = rules_row_of(rules, keys->enqueued.pid);
	/* A CPU that looks for tasks to pull has taken the one that sleeps from its queue, before the switch. */
	const bool is_woken_here =
	    event->cpu == keys->cpu && (keys->enqueued.flags & (WAKEUP_OF_FORK | WAKEUP_OF_SLEEPER));

	if (row)
		row->is_moving = row->is_off_queue = false;
	rules->has_throttles = rules->has_throttles || keys->enqueued.is_throttled;
	if (!keys->enqueued.has_runnable || !is_woken_here || !keys->enqueued.task.depth ||
	    keys->cpu >= states->cpu_count || states->cpus[keys->cpu].current == TASK_NONE || rules->has_extension)
		return;
	/* From 6.18 on a task whose group is throttled takes itself off its queue, and asks, before it leaves. */
	const bool may_have_left = rules->cpus[keys->cpu].has_cause;
	const struct tally tally = tally_cpu(rules, states, keys);
	if (!tally.is_sure || keys->enqueued.runnable > tally.tasks)
		counts_forget(&rules->cpus[keys->cpu]);
	else if (keys->enqueued.runnable < tally.tasks && (tally.may_be_throttled || may_have_left))
		note_missing(rules, keys, states->tasks[states->cpus[keys->cpu].current].pid);
	else
		check_count(rules, keys, keys->enqueued.runnable < tally.tasks);
}

void counts_migrate(struct rules *rules, int32_t pid, struct rules_cpu *from, struct rules_cpu *to)
{
	struct rules_pid *row = rules_row_of(rules, pid);

	if (row)
		row->is_moving = true;
	counts_forget(from);
	counts_forget(to);
}

void counts_switch(struct rules *rules, struct rules_cpu *cpu)
{
	const int32_t pid = cpu->event.switched.prev.pid;
	const bool is_awake = leave_reason_is_runnable(cpu->out);
	struct rules_pid *prev = rules_row_of(rules, pid), *next = rules_row_of(rules, cpu->event.switched.next.pid);

	if ((!is_awake || !cpu->keys.switched.prev.entities[0].on_rq) && cpu->uncounted.running == pid)
		counts_forget(cpu);
	if (prev) {
		prev->may_change_class = false;
		prev->is_off_queue = is_awake && !cpu->keys.switched.prev.entities[0].on_rq;
		rules->has_throttles = rules->has_throttles || prev->is_off_queue;
	}
	if (next)
		next->is_moving = next->is_off_queue = next->may_change_class = false;
}

void counts_change(struct rules *rules, int32_t pid)
{
	struct rules_pid *row = rules_row_of(rules, pid);

	if (row)
		row->may_change_class = true;
	counts_forget_all(rules);
}

void counts_forget(struct rules_cpu *cpu)
{
	cpu->uncounted.is_pending = false;
}

void counts_forget_all(struct rules *rules)
{
	for (uint32_t i = 0; i < rules->cpu_count; i++)
		counts_forget(&rules->cpus[i]);
}
