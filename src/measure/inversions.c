/* SPDX-License-Identifier: MIT */
#include "measure/inversions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static struct inversion_pair *find_pair(struct inversions *inversions, const struct inversion_pair *key)
{
	const uint64_t tasks = id_map_add(&inversions->tasks, (uint64_t)key->waiting << 32 | key->running);
	const uint32_t priorities = id_map_add(&inversions->priorities, (uint64_t)(uint32_t)key->waiting_prio << 32 |
									    (uint32_t)key->running_prio);
	const uint32_t number = id_map_add(&inversions->numbers, tasks << 32 | priorities);

	inversions->pairs =
	    array_grow(inversions->pairs, &inversions->pair_capacity, number + 1, sizeof(*inversions->pairs));
	if (number == inversions->pair_count)
		inversions->pairs[inversions->pair_count++] = *key;
	return &inversions->pairs[number];
}

/* A thread of the stop class has priority 0, but outranks even deadline tasks, which have -1. */
static bool outranks_all(const struct task_states *states, uint32_t task)
{
	return states->tasks[task].prio == 0 &&
	       comm_is_cpu_thread(task_comm(states, task), "migration", states->tasks[task].cpu);
}

/* The lowest priority of all running tasks; -2 if none runs. */
static int32_t lowest_priority(const struct inversions *inversions, const struct task_states *states)
{
	int32_t lowest = -2;

	for (uint32_t cpu = 0; cpu < states->seen_cpus; cpu++) {
		uint32_t current = states->cpus[cpu].current;
		if (current != TASK_NONE && !states->tasks[current].is_idle && cpu_mask_has(inversions->cpus, cpu) &&
		    states->tasks[current].prio > lowest)
			lowest = states->tasks[current].prio;
	}
	return lowest;
}

/* The running task with the lowest priority among the CPUs that this task may use, if its priority is lower than the
 * task's. Among equals: the one on the task's CPU, then the one on the lowest CPU. */
static uint32_t lower_running(const struct inversions *inversions, const struct task_states *states, uint32_t task)
{
	const struct task *it = &states->tasks[task];
	uint32_t found = TASK_NONE;
	int32_t lowest = it->prio;

	for (uint32_t i = 0; i <= states->seen_cpus; i++) {
		uint32_t cpu = i == 0 ? it->cpu : i - 1;
		if (cpu >= states->cpu_count || !cpu_mask_has(inversions->cpus, cpu))
			continue;
		uint32_t current = states->cpus[cpu].current;
		if (current == TASK_NONE || states->tasks[current].is_idle || states->tasks[current].prio <= lowest)
			continue;
		if (it->prio < 0 && outranks_all(states, current))
			continue;
		if (i > 0 && !cpu_sets_have(&inversions->used, task, cpu))
			continue;
		found = current;
		lowest = states->tasks[current].prio;
	}
	return found;
}

static void settle_blame(struct episode *episode, uint64_t now_ns)
{
	uint64_t blamed_ns = now_ns > episode->blamed_since_ns ? now_ns - episode->blamed_since_ns : 0;

	if (blamed_ns > episode->longest_blamed_ns || episode->longest_blamed == TASK_NONE) {
		episode->longest_blamed = episode->blamed;
		episode->longest_blamed_ns = blamed_ns;
		episode->cpu = episode->blamed_cpu;
		episode->longest_blamed_prio = episode->blamed_prio;
	}
	episode->blamed_since_ns = now_ns;
}

/* Adds an inversion to the results. */
static void count_episode(struct inversions *inversions, const struct task_states *states, struct episode *episode,
			  uint64_t end_ns)
{
	uint64_t duration_ns = end_ns > episode->since_ns ? end_ns - episode->since_ns : 0;
	uint32_t waiting = episode->task;

	if (duration_ns == 0 || duration_ns < inversions->threshold_ns)
		return;
	settle_blame(episode, end_ns);
	uint32_t running = episode->longest_blamed;
	const struct task *waiter = &states->tasks[waiting], *runner = &states->tasks[running];
	const struct longest_episode ended = {
	    .duration_ns = duration_ns,
	    .since_ns = episode->since_ns,
	    .run = inversions->run,
	    .task = waiting,
	    .comm = waiter->comm,
	    .cpu = episode->cpu,
	    .blamed = running,
	    .blamed_comm = runner->comm,
	};
	const struct inversion_pair key = {
	    .waiting = inversions->by_comm ? waiter->comm : waiting,
	    .running = inversions->by_comm ? runner->comm : running,
	    .waiting_prio = episode->prio,
	    .running_prio = episode->longest_blamed_prio,
	};
	struct inversion_pair *pair = find_pair(inversions, &key);
	pair->times++;
	pair->total_ns += duration_ns;
	if (duration_ns > pair->max_ns)
		pair->max_ns = duration_ns;
	inversions->times++;
	inversions->total_ns += duration_ns;
	longest_episodes_offer(&inversions->longest, &ended);
}

/* The time until which the previous priority of the task is known to have held, at an event that shows another one.
 * now_ns may be relative to the start of the run. */
static uint64_t held_until(const struct task_states *states, const struct task *task, uint64_t now_ns)
{
	uint64_t doubt_ns = states->last_ns - task->prio_before_ns;

	if (task->prio_before_ns > states->last_ns)
		return now_ns;
	return now_ns > doubt_ns ? now_ns - doubt_ns : 0;
}

/* The latest certain end of the inversion, at most end_ns. Called when an event has shown the priority of task, which
 * is one of its two tasks. */
static uint64_t certain_end(const struct task_states *states, const struct episode *episode, uint32_t task,
			    uint64_t end_ns, uint64_t now_ns)
{
	const struct task *it = &states->tasks[task];
	bool certain = task == episode->task ? it->prio_was < episode->blamed_prio : it->prio_was > episode->prio;
	uint64_t held_ns = certain ? end_ns : held_until(states, it, now_ns);

	/* Before blamed_since_ns, another task was the running one. */
	if (task == episode->blamed && held_ns < episode->blamed_since_ns)
		held_ns = episode->blamed_since_ns;
	return held_ns < end_ns ? held_ns : end_ns;
}

static bool is_shown(const struct task_states *states, uint32_t task)
{
	return states->tasks[task].prio_seen_ns == states->last_ns;
}

static __attribute__((noinline, cold)) void make_room(struct inversions *inversions, const struct task_states *states)
{
	uint32_t have = inversions->counted_tasks, tasks = states->task_count + 64;

	inversions->counted = array_extend(inversions->counted, have, tasks, sizeof(*inversions->counted));
	inversions->unshown = array_extend(inversions->unshown, have, tasks, sizeof(*inversions->unshown));
	inversions->counted_tasks = tasks;
}

static inline void reserve_task(struct inversions *inversions, const struct task_states *states, uint32_t task)
{
	if (task >= inversions->counted_tasks)
		make_room(inversions, states);
}

static void end_episode(struct inversions *inversions, const struct task_states *states, const struct episode *episode,
			uint64_t now_ns)
{
	struct ended_inversion ended = {
	    .episode = *episode,
	    .end_ns = now_ns,
	    .waiting_shown = is_shown(states, episode->task),
	    .running_shown = is_shown(states, episode->blamed),
	};

	episodes_close(&inversions->episodes, ended.episode.task);
	if (ended.waiting_shown)
		ended.end_ns = certain_end(states, &ended.episode, ended.episode.task, ended.end_ns, now_ns);
	if (ended.running_shown)
		ended.end_ns = certain_end(states, &ended.episode, ended.episode.blamed, ended.end_ns, now_ns);
	if ((ended.waiting_shown && ended.running_shown) || inversions->ended_count == INVERSION_ENDED_MAX) {
		count_episode(inversions, states, &ended.episode, ended.end_ns);
		return;
	}
	if (!inversions->ended)
		inversions->ended = xcalloc(INVERSION_ENDED_MAX, sizeof(*inversions->ended));
	reserve_task(inversions, states, ended.episode.blamed);
	inversions->unshown[ended.episode.task] += !ended.waiting_shown;
	inversions->unshown[ended.episode.blamed] += !ended.running_shown;
	inversions->ended[inversions->ended_count++] = ended;
}

/* Updates ended inversions of this task, whose priority an event has just shown. */
static void show_ended(struct inversions *inversions, const struct task_states *states, uint32_t task, uint64_t now_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < inversions->ended_count; i++) {
		struct ended_inversion *it = &inversions->ended[i];
		if (it->episode.task == task || it->episode.blamed == task)
			it->end_ns = certain_end(states, &it->episode, task, it->end_ns, now_ns);
		it->waiting_shown |= it->episode.task == task;
		it->running_shown |= it->episode.blamed == task;
		if (it->waiting_shown && it->running_shown)
			count_episode(inversions, states, &it->episode, it->end_ns);
		else
			inversions->ended[kept++] = *it;
	}
	inversions->ended_count = kept;
	inversions->unshown[task] = 0;
}

static inline bool is_waiting(const struct inversions *inversions, const struct task_states *states, uint32_t task)
{
	const struct task *it = &states->tasks[task];

	return task_state_of(states, it) == TASK_RUNNABLE && !it->is_idle && cpu_mask_has(inversions->cpus, it->cpu) &&
	       it->prio >= -1 && it->prio < INVERSION_PRIORITIES - 1 && (!inversions->real_time_only || it->prio < 100);
}

/* Counts waiting tasks by priority, so that most events need no loop over the queues. reserve_task() was called. */
static inline void count_waiting(struct inversions *inversions, const struct task_states *states, uint32_t task,
				 bool is_waiting_now)
{
	uint8_t before = inversions->counted[task];
	uint8_t now = is_waiting_now ? (uint8_t)(states->tasks[task].prio + 2) : 0;
	if (before == now)
		return;
	inversions->counted[task] = now;
	if (before && --inversions->waiting[before - 1] == 0)
		inversions->waiting_at[(before - 1) / 64] &= ~(UINT64_C(1) << (before - 1) % 64);
	if (now && inversions->waiting[now - 1]++ == 0)
		inversions->waiting_at[(now - 1) / 64] |= UINT64_C(1) << (now - 1) % 64;
}

/* True if the task still runs on a CPU that the waiting task may use, and has a lower priority. */
static inline bool still_lower(const struct inversions *inversions, const struct task_states *states,
			       const struct episode *episode)
{
	const struct task *waiter = &states->tasks[episode->task], *runner = &states->tasks[episode->blamed];
	uint32_t cpu = episode->blamed_cpu;

	return states->cpus[cpu].current == episode->blamed && runner->prio > waiter->prio &&
	       cpu_mask_has(inversions->cpus, cpu) &&
	       (cpu == waiter->cpu || cpu_sets_have(&inversions->used, episode->task, cpu));
}

/* True if update_episode() would change nothing. */
static inline bool goes_on(const struct inversions *inversions, const struct task_states *states,
			   const struct episode *episode)
{
	const struct task *runner = &states->tasks[episode->blamed];

	return runner->prio == episode->blamed_prio && runner->cpu == episode->blamed_cpu &&
	       states->tasks[episode->task].prio == episode->prio && still_lower(inversions, states, episode) &&
	       is_waiting(inversions, states, episode->task);
}

/* The running task that is inverted with this task now, or TASK_NONE. episode: the task's open episode, or NULL. */
static uint32_t find_inverted(const struct inversions *inversions, const struct task_states *states, uint32_t task,
			      const struct episode *episode)
{
	if (states->tasks[task].prio >= inversions->lowest || !is_waiting(inversions, states, task))
		return TASK_NONE;
	if (episode && still_lower(inversions, states, episode))
		return episode->blamed;
	return lower_running(inversions, states, task);
}

static struct episode *begin_episode(struct inversions *inversions, const struct task_states *states, uint32_t task,
				     uint32_t lower, uint64_t now_ns)
{
	struct episode *episode = episodes_open(&inversions->episodes, task, now_ns);

	episode->prio = states->tasks[task].prio;
	episode->blamed = lower;
	episode->blamed_cpu = states->tasks[lower].cpu;
	episode->blamed_since_ns = now_ns;
	episode->longest_blamed = TASK_NONE;
	return episode;
}

static void update_episode(struct inversions *inversions, const struct task_states *states, uint32_t task,
			   uint64_t now_ns)
{
	struct episode *episode = episodes_find(&inversions->episodes, task);
	bool has_other_prio = episode && (states->tasks[task].prio != episode->prio ||
					  states->tasks[episode->blamed].prio != episode->blamed_prio);
	uint32_t lower = find_inverted(inversions, states, task, has_other_prio ? NULL : episode);

	/* The episode ends if the blamed task changes before an event has shown the priority of the old one. */
	bool is_over = has_other_prio || lower == TASK_NONE ||
		       (episode && episode->blamed != lower && !is_shown(states, episode->blamed));
	if (episode && is_over) {
		end_episode(inversions, states, episode, now_ns);
		episode = NULL;
	}
	if (lower == TASK_NONE)
		return;
	if (!episode)
		episode = begin_episode(inversions, states, task, lower, now_ns);
	if (episode->blamed != lower || episode->blamed_cpu != states->tasks[lower].cpu)
		settle_blame(episode, now_ns);
	episode->blamed = lower;
	episode->blamed_cpu = states->tasks[lower].cpu;
	episode->blamed_prio = states->tasks[lower].prio;
}

/* The number of waiting tasks with a higher priority than prio. */
static uint32_t count_waiting_above(const struct inversions *inversions, int32_t prio)
{
	uint32_t count = 0;

	for (int32_t word = 0; word * 64 <= prio && word * 64 < INVERSION_PRIORITIES; word++)
		for (uint64_t left = inversions->waiting_at[word]; left; left &= left - 1) {
			int32_t at = word * 64 + __builtin_ctzll(left);
			if (at - 1 < prio)
				count += inversions->waiting[at];
		}
	return count;
}

static void update_all_episodes(struct inversions *inversions, const struct task_states *states, uint64_t now_ns)
{
	for (uint32_t i = inversions->episodes.count; i-- > 0;) {
		const struct episode *episode = &inversions->episodes.open[i];
		if (!goes_on(inversions, states, episode))
			update_episode(inversions, states, episode->task, now_ns);
	}
	/* Now each open episode is of a waiting task above the lowest running one. */
	int32_t lowest = inversions->lowest;
	if (count_waiting_above(inversions, lowest) <= inversions->episodes.count)
		return;
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		for (uint32_t task = states->cpus[cpu].runnable_first; task != TASK_NONE;
		     task = states->tasks[task].next)
			if (states->tasks[task].prio < lowest && !episodes_find(&inversions->episodes, task))
				update_episode(inversions, states, task, now_ns);
}

/* Updates a task whose state may have changed. */
static inline void touch(struct inversions *inversions, const struct task_states *states, uint32_t task,
			 uint64_t now_ns)
{
	bool is_waiting_now = is_waiting(inversions, states, task);

	reserve_task(inversions, states, task);
	count_waiting(inversions, states, task, is_waiting_now);
	if (inversions->unshown[task])
		show_ended(inversions, states, task, now_ns);
	bool may_invert = is_waiting_now && states->tasks[task].prio < inversions->lowest;
	if (may_invert || episodes_find(&inversions->episodes, task))
		update_episode(inversions, states, task, now_ns);
}

static void start_over(struct inversions *inversions, const struct task_states *states)
{
	inversions->started = true;
	episodes_close_all(&inversions->episodes);
	memset(inversions->waiting, 0, sizeof(inversions->waiting));
	memset(inversions->waiting_at, 0, sizeof(inversions->waiting_at));
	if (inversions->counted_tasks)
		memset(inversions->counted, 0, inversions->counted_tasks);
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++) {
		for (uint32_t task = states->cpus[cpu].runnable_first; task != TASK_NONE;
		     task = states->tasks[task].next) {
			reserve_task(inversions, states, task);
			count_waiting(inversions, states, task, is_waiting(inversions, states, task));
		}
	}
}

void inversions_step(struct inversions *inversions, const struct task_states *states, uint32_t cpu, uint64_t now_ns,
		     const struct task_step *step)
{
	uint32_t tasks[STEP_TASKS_MAX];

	if (!inversions->started || step->changes & STEP_LOSS)
		start_over(inversions, states);
	if (step->changes & STEP_SWITCH_MISSING) /* the task may have run all the time */
		episodes_close(&inversions->episodes, step->missing.after);
	inversions->run = states->run;
	inversions->lowest = lowest_priority(inversions, states);
	for (unsigned int i = 0; i < step->slice_count; i++)
		cpu_sets_add(&inversions->used, step->slices[i].task, step->slices[i].cpu);
	if (step->changes & STEP_RUN)
		cpu_sets_add(&inversions->used, step->started, cpu);
	unsigned int count = step_tasks(step, tasks);
	for (unsigned int i = 0; i < count; i++)
		touch(inversions, states, tasks[i], now_ns);
	if (step->changes & (STEP_SLICE | STEP_RUN | STEP_LOSS | STEP_SPURIOUS | STEP_SET_PRIO))
		update_all_episodes(inversions, states, now_ns);
}

void inversions_end(struct inversions *inversions, const struct task_states *states, uint64_t ts_ns)
{
	while (inversions->episodes.count > 0)
		end_episode(inversions, states, &inversions->episodes.open[inversions->episodes.count - 1], ts_ns);
	for (uint32_t i = 0; i < inversions->ended_count; i++)
		count_episode(inversions, states, &inversions->ended[i].episode, inversions->ended[i].end_ns);
	inversions->ended_count = 0;
	if (inversions->counted_tasks)
		memset(inversions->unshown, 0, inversions->counted_tasks * sizeof(*inversions->unshown));
	inversions->started = false;
}

static enum status count_step(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct inversions *inversions = context;

	if (!pass->all_cpus)
		inversions->cpus = pass->cpu_set;
	(void)err;
	/* The clocks of several runs are unrelated. */
	inversions_step(inversions, &pass->states, event->cpu, pass_since_start(pass, event->ts_ns), step);
	return STATUS_OK;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	(void)context;
	return pass_need_all_tasks(pass, "priority inversions", err);
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	(void)err;
	inversions_end(context, &pass->states, pass_end(pass));
	return STATUS_OK;
}

struct pass_consumer inversions_consumer(struct inversions *inversions)
{
	return (struct pass_consumer){
	    .context = inversions, .begin = begin_trace, .step = count_step, .end = end_trace};
}

static int by_total(const void *a, const void *b)
{
	const struct inversion_pair *one = a, *other = b;

	if (one->total_ns != other->total_ns)
		return one->total_ns > other->total_ns ? -1 : 1;
	if (one->waiting != other->waiting)
		return one->waiting < other->waiting ? -1 : 1;
	return one->running < other->running ? -1 : one->running > other->running;
}

void inversions_sort(struct inversions *inversions)
{
	if (inversions->pair_count)
		qsort(inversions->pairs, inversions->pair_count, sizeof(*inversions->pairs), by_total);
}

void inversions_free(struct inversions *inversions)
{
	free(inversions->pairs);
	id_map_free(&inversions->tasks);
	id_map_free(&inversions->priorities);
	id_map_free(&inversions->numbers);
	free(inversions->counted);
	free(inversions->unshown);
	free(inversions->ended);
	cpu_sets_free(&inversions->used);
	episodes_free(&inversions->episodes);
}
