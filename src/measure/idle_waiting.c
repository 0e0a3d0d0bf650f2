/* SPDX-License-Identifier: MIT */
#include "measure/idle_waiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static __attribute__((noinline, cold)) void make_room(struct idle_waiting *waiting, uint32_t cpus)
{
	uint32_t have = waiting->cpu_count;

	waiting->by_cpu = array_extend(waiting->by_cpu, have, cpus, sizeof(*waiting->by_cpu));
	waiting->idle_ns = array_extend(waiting->idle_ns, have, cpus, sizeof(*waiting->idle_ns));
	waiting->is_idle = array_extend(waiting->is_idle, have, cpus, sizeof(*waiting->is_idle));
	waiting->cpu_count = cpus;
}

/* The time up to now_ns in which the nearest idle CPU shared a cache with the CPU that the task waits for; 0 if it does
 * not. */
static uint64_t cache_time(const struct idle_waiting *waiting, const struct episode *episode, uint64_t now_ns)
{
	return cpu_levels_between(waiting->levels, episode->cpu, episode->blamed_cpu) <= CPU_LEVEL_LLC
		   ? now_ns - episode->blamed_since_ns
		   : 0;
}

static void end_stretch(struct idle_waiting *waiting, const struct task_states *states, struct episode *episode,
			uint64_t now_ns)
{
	const struct longest_episode ended = {
	    .duration_ns = now_ns - episode->since_ns,
	    .since_ns = episode->since_ns,
	    .run = waiting->run,
	    .task = episode->task,
	    .comm = states->tasks[episode->task].comm,
	    .cpu = episode->cpu,
	    .blamed = episode->blamed,
	};

	if (waiting->levels)
		waiting->cache_ns += cache_time(waiting, episode, now_ns);
	if (ended.duration_ns > 0 && ended.duration_ns >= waiting->threshold_ns) {
		distribution_add(&waiting->by_cpu[ended.cpu], ended.duration_ns);
		distribution_add(&waiting->all, ended.duration_ns);
		waiting->long_sum_ns += ended.duration_ns >= IDLE_WAITING_LONG_NS ? ended.duration_ns : 0;
		longest_episodes_offer(&waiting->longest, &ended);
	}
	episodes_close(&waiting->episodes, episode->task);
}

bool idle_waiting_any_cpu(void *context, const struct task_states *states, uint32_t task, uint32_t cpu)
{
	(void)context, (void)states, (void)task, (void)cpu;
	return true;
}

bool idle_waiting_may_use(const struct idle_waiting *waiting, const struct task_states *states, uint32_t task,
			  uint32_t cpu)
{
	return waiting->may_use ? waiting->may_use(waiting->context, states, task, cpu)
				: cpu_sets_have(&waiting->used, task, cpu);
}

/* The nearest idle CPU that the task may use, other than the one it waits for; the first of equal ones; UINT32_MAX if
 * none. */
static uint32_t idle_elsewhere(const struct idle_waiting *waiting, const struct task_states *states, uint32_t task)
{
	uint32_t waits_for = states->tasks[task].cpu, found = UINT32_MAX;
	enum cpu_level nearest = CPU_LEVELS;

	for (uint32_t cpu = 0; cpu < states->seen_cpus; cpu++) {
		if (!waiting->is_idle[cpu] || cpu == waits_for || !idle_waiting_may_use(waiting, states, task, cpu))
			continue;
		if (!waiting->levels)
			return cpu;
		const enum cpu_level level = cpu_levels_between(waiting->levels, waits_for, cpu);
		if (level < nearest) {
			nearest = level;
			found = cpu;
		}
	}
	return found;
}

/* The idle CPU because of which the task's wait counts now, or UINT32_MAX. */
static uint32_t waits_beside(const struct idle_waiting *waiting, const struct task_states *states, uint32_t task)
{
	const struct task *it = &states->tasks[task];

	if (waiting->idle_count == 0 || task_state_of(states, it) != TASK_RUNNABLE || it->is_idle ||
	    it->cpu >= waiting->cpu_count || !cpu_mask_has(waiting->cpus, it->cpu) ||
	    (waiting->counts && !waiting->counts(waiting->context, states, task)))
		return UINT32_MAX;
	return idle_elsewhere(waiting, states, task);
}

/* Opens or ends the task's stretch according to the current state. */
static void update_stretch(struct idle_waiting *waiting, const struct task_states *states, uint32_t task,
			   uint64_t now_ns)
{
	uint32_t cpu = states->tasks[task].cpu, idle = waits_beside(waiting, states, task);
	struct episode *episode = episodes_find(&waiting->episodes, task);

	if (episode && (idle == UINT32_MAX || episode->cpu != cpu)) {
		end_stretch(waiting, states, episode, now_ns);
		episode = NULL;
	}
	if (episode && waiting->levels && episode->blamed_cpu != idle) {
		waiting->cache_ns += cache_time(waiting, episode, now_ns);
		episode->blamed_cpu = idle;
		episode->blamed_since_ns = now_ns;
	}
	if (episode || idle == UINT32_MAX)
		return;
	episode = episodes_open(&waiting->episodes, task, now_ns);
	episode->cpu = cpu;
	episode->blamed = episode->blamed_cpu = idle;
	episode->blamed_since_ns = now_ns;
}

/* Goes from the end, because ending a stretch moves the last one into its position. */
static void end_all_stretches(struct idle_waiting *waiting, const struct task_states *states, uint64_t now_ns)
{
	while (waiting->episodes.count > 0)
		end_stretch(waiting, states, &waiting->episodes.open[waiting->episodes.count - 1], now_ns);
}

static void update_all_stretches(struct idle_waiting *waiting, const struct task_states *states, uint64_t now_ns)
{
	if (waiting->idle_count == 0) {
		end_all_stretches(waiting, states, now_ns);
		return;
	}
	for (uint32_t i = waiting->episodes.count; i-- > 0;)
		update_stretch(waiting, states, waiting->episodes.open[i].task, now_ns);
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		for (uint32_t task = states->cpus[cpu].runnable_first; task != TASK_NONE;
		     task = states->tasks[task].next)
			update_stretch(waiting, states, task, now_ns);
}

/* True if the CPU became idle or busy. */
static inline bool idleness_changed(struct idle_waiting *waiting, const struct task_states *states, uint32_t cpu)
{
	uint32_t current = states->cpus[cpu].current;
	bool is_idle = current != TASK_NONE && states->tasks[current].is_idle && cpu_mask_has(waiting->cpus, cpu) &&
		       !task_cpu_may_be_busy(&states->cpus[cpu]);

	if (is_idle == waiting->is_idle[cpu])
		return false;
	waiting->is_idle[cpu] = is_idle;
	waiting->idle_count += is_idle ? 1u : -1u;
	return true;
}

static inline void note_use(struct idle_waiting *waiting, const struct task_step *step, uint32_t cpu)
{
	for (unsigned int i = 0; step->changes & STEP_SLICE && i < step->slice_count; i++)
		cpu_sets_add(&waiting->used, step->slices[i].task, step->slices[i].cpu);
	if (step->changes & STEP_RUN)
		cpu_sets_add(&waiting->used, step->started, cpu);
	if (step->changes & STEP_WAKEUP)
		cpu_sets_add(&waiting->used, step->wakeup.task, step->wakeup.target_cpu);
	if (step->changes & STEP_MIGRATION)
		cpu_sets_add(&waiting->used, step->migration.task, step->migration.to_cpu);
}

void idle_waiting_cut(struct idle_waiting *waiting, const struct task_states *states, const struct task_slice *slice)
{
	if (states->tasks[slice->task].is_idle && slice->cpu < waiting->cpu_count &&
	    cpu_mask_has(waiting->cpus, slice->cpu))
		waiting->idle_ns[slice->cpu] += slice->end_ns - slice->start_ns;
}

/* Forgets all waits: at the first event of a run, or after a loss, the state of waiting tasks is unknown. */
static __attribute__((noinline, cold)) void start_over(struct idle_waiting *waiting, const struct task_states *states,
						       uint64_t now_ns)
{
	waiting->started = true;
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		idleness_changed(waiting, states, cpu);
	update_all_stretches(waiting, states, now_ns);
}

/* Updates the stretches of the tasks whose state the event may have changed. */
static void update_touched(struct idle_waiting *waiting, const struct task_states *states, uint32_t cpu,
			   uint64_t now_ns, const struct task_step *step)
{
	uint32_t current = states->cpus[cpu].current, tasks[STEP_TASKS_MAX];
	unsigned int count = step_tasks(step, tasks);

	/* The switch to the current task may be missing; then it is not among the tasks of the step. */
	if (waiting->episodes.count > 0 && current != TASK_NONE)
		update_stretch(waiting, states, current, now_ns);
	for (unsigned int i = 0; i < count; i++)
		update_stretch(waiting, states, tasks[i], now_ns);
}

/* Ends the stretch of a task whose switch in is missing at the earliest possible time of that switch. */
static void end_missing(struct idle_waiting *waiting, const struct task_states *states,
			const struct task_missing_switch *missing, uint64_t now_ns)
{
	struct episode *episode = episodes_find(&waiting->episodes, missing->after);
	const uint64_t end_ns = now_ns - (missing->until_ns - missing->since_ns);

	if (episode)
		end_stretch(waiting, states, episode, end_ns > episode->since_ns ? end_ns : episode->since_ns);
}

void idle_waiting_step(struct idle_waiting *waiting, const struct task_states *states, uint32_t cpu, uint64_t now_ns,
		       const struct task_step *step)
{
	if (waiting->cpu_count < states->cpu_count)
		make_room(waiting, states->cpu_count);
	note_use(waiting, step, cpu);
	waiting->run = states->run;
	for (unsigned int i = 0; step->changes & STEP_SLICE && i < step->slice_count; i++)
		idle_waiting_cut(waiting, states, &step->slices[i]);
	if (step->changes & STEP_LOSS)
		episodes_close_all(&waiting->episodes);
	if (step->changes & STEP_SWITCH_MISSING)
		end_missing(waiting, states, &step->missing, now_ns);
	if (!waiting->started || step->changes & STEP_LOSS) {
		start_over(waiting, states, now_ns);
		return;
	}
	bool changed = idleness_changed(waiting, states, cpu);
	if (step->changes & STEP_WAKEUP)
		changed |= idleness_changed(waiting, states, step->wakeup.target_cpu);
	if (step->changes & STEP_MIGRATION) {
		changed |= idleness_changed(waiting, states, step->migration.from_cpu);
		changed |= idleness_changed(waiting, states, step->migration.to_cpu);
	}
	if (waiting->idle_count == 0 && waiting->episodes.count == 0)
		return;
	update_touched(waiting, states, cpu, now_ns, step);
	if (changed)
		update_all_stretches(waiting, states, now_ns);
}

void idle_waiting_end(struct idle_waiting *waiting, const struct task_states *states, uint64_t ts_ns)
{
	end_all_stretches(waiting, states, ts_ns);
	if (waiting->cpu_count)
		memset(waiting->is_idle, 0, waiting->cpu_count * sizeof(*waiting->is_idle));
	waiting->idle_count = 0;
	waiting->started = false;
}

static enum status count_step(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct idle_waiting *waiting = context;

	if (!pass->all_cpus)
		waiting->cpus = pass->cpu_set;
	(void)err;
	/* The clocks of several runs are unrelated. */
	idle_waiting_step(waiting, &pass->states, event->cpu, pass_since_start(pass, event->ts_ns), step);
	return STATUS_OK;
}

static enum status count_cut(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	(void)err;
	idle_waiting_cut(context, &pass->states, slice);
	return STATUS_OK;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	(void)context;
	return pass_need_all_tasks(pass, "waits beside idle CPUs", err);
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	(void)err;
	idle_waiting_end(context, &pass->states, pass_end(pass));
	return STATUS_OK;
}

struct pass_consumer idle_waiting_consumer(struct idle_waiting *waiting)
{
	return (struct pass_consumer){
	    .context = waiting, .begin = begin_trace, .step = count_step, .cut = count_cut, .end = end_trace};
}

bool idle_waiting_has_cpu(const struct idle_waiting *waiting, const struct pass *pass, uint32_t cpu)
{
	return pass_wants_cpu(pass, cpu) &&
	       (waiting->by_cpu[cpu].count || waiting->idle_ns[cpu] || pass->states.cpus[cpu].observed_ns);
}

uint64_t idle_waiting_cache_ns(const struct idle_waiting *waiting, uint64_t now_ns)
{
	uint64_t sum = waiting->cache_ns;

	for (uint32_t i = 0; waiting->levels && i < waiting->episodes.count; i++)
		sum += cache_time(waiting, &waiting->episodes.open[i], now_ns);
	return sum;
}

void idle_waiting_free(struct idle_waiting *waiting)
{
	for (uint32_t cpu = 0; cpu < waiting->cpu_count; cpu++)
		distribution_free(&waiting->by_cpu[cpu]);
	distribution_free(&waiting->all);
	free(waiting->by_cpu);
	free(waiting->idle_ns);
	free(waiting->is_idle);
	cpu_sets_free(&waiting->used);
	episodes_free(&waiting->episodes);
}
