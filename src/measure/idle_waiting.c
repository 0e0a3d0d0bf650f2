/* SPDX-License-Identifier: MIT */
#include "measure/idle_waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool takes_part(const struct idle_waiting *waiting, uint32_t cpu)
{
	return !waiting->cpus || waiting->cpus[cpu / 64] >> cpu % 64 & 1;
}

static bool grow(void **array, size_t size, uint32_t from, uint32_t to)
{
	char *grown = realloc(*array, to * size);

	if (!grown)
		return false;
	memset(grown + from * size, 0, (to - from) * size);
	*array = grown;
	return true;
}

static __attribute__((noinline, cold)) bool make_room(struct idle_waiting *waiting, uint32_t cpus)
{
	uint32_t have = waiting->cpu_count;

	if (cpus <= have)
		return true;
	if (!grow((void **)&waiting->by_cpu, sizeof(*waiting->by_cpu), have, cpus) ||
	    !grow((void **)&waiting->idle_ns, sizeof(*waiting->idle_ns), have, cpus) ||
	    !grow((void **)&waiting->is_idle, sizeof(*waiting->is_idle), have, cpus))
		return false;
	waiting->cpu_count = cpus;
	return true;
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

	if (ended.duration_ns > 0 && ended.duration_ns >= waiting->threshold_ns) {
		distribution_add(&waiting->by_cpu[ended.cpu], ended.duration_ns);
		distribution_add(&waiting->all, ended.duration_ns);
		longest_episodes_offer(&waiting->longest, &ended);
	}
	episodes_close(&waiting->episodes, episode->task);
}

/* The first idle CPU that the task may use besides the one it waits for, or UINT32_MAX. */
static uint32_t idle_elsewhere(const struct idle_waiting *waiting, const struct task_states *states, uint32_t task)
{
	uint32_t waits_for = states->tasks[task].cpu;

	for (uint32_t cpu = 0; cpu < states->seen_cpus; cpu++)
		if (waiting->is_idle[cpu] && cpu != waits_for &&
		    (waiting->any_cpu || cpu_sets_have(&waiting->used, task, cpu)))
			return cpu;
	return UINT32_MAX;
}

/* Opens or ends the task's stretch according to the current state. */
static bool update_stretch(struct idle_waiting *waiting, const struct task_states *states, uint32_t task,
			   uint64_t now_ns)
{
	const struct task *it = &states->tasks[task];
	struct episode *episode = episodes_find(&waiting->episodes, task);
	uint32_t idle = UINT32_MAX;

	if (waiting->idle_count > 0 && task_state_of(states, it) == TASK_RUNNABLE && it->cpu < waiting->cpu_count &&
	    takes_part(waiting, it->cpu) && !it->is_idle &&
	    (!waiting->counts || waiting->counts(waiting->context, states, task)))
		idle = idle_elsewhere(waiting, states, task);
	if (episode && (idle == UINT32_MAX || episode->cpu != it->cpu)) {
		end_stretch(waiting, states, episode, now_ns);
		episode = NULL;
	}
	if (episode || idle == UINT32_MAX)
		return true;
	episode = episodes_open(&waiting->episodes, task, now_ns);
	if (!episode)
		return false;
	episode->cpu = it->cpu;
	episode->blamed = idle;
	return true;
}

static bool update_all_stretches(struct idle_waiting *waiting, const struct task_states *states, uint64_t now_ns)
{
	if (waiting->idle_count == 0) { /* from the end, because ending one moves the last one into its position */
		while (waiting->episodes.count > 0)
			end_stretch(waiting, states, &waiting->episodes.open[waiting->episodes.count - 1], now_ns);
		return true;
	}
	for (uint32_t i = waiting->episodes.count; i-- > 0;)
		if (!update_stretch(waiting, states, waiting->episodes.open[i].task, now_ns))
			return false;
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		for (uint32_t task = states->cpus[cpu].runnable_first; task != TASK_NONE;
		     task = states->tasks[task].next)
			if (!update_stretch(waiting, states, task, now_ns))
				return false;
	return true;
}

/* True if the CPU became idle or busy. */
static inline bool idleness_changed(struct idle_waiting *waiting, const struct task_states *states, uint32_t cpu)
{
	uint32_t current = states->cpus[cpu].current;
	bool is_idle = current != TASK_NONE && states->tasks[current].is_idle && takes_part(waiting, cpu);

	if (is_idle == waiting->is_idle[cpu])
		return false;
	waiting->is_idle[cpu] = is_idle;
	waiting->idle_count += is_idle ? 1u : -1u;
	return true;
}

static inline bool note_use(struct idle_waiting *waiting, const struct task_step *step, uint32_t cpu)
{
	bool ok = true;

	for (unsigned int i = 0; step->what & STEP_SLICE && i < step->slice_count; i++)
		ok = ok && cpu_sets_add(&waiting->used, step->slices[i].task, step->slices[i].cpu);
	if (step->what & STEP_RUN)
		ok = ok && cpu_sets_add(&waiting->used, step->started, cpu);
	if (step->what & STEP_WAKEUP && step->wakeup.target_cpu < TASK_CPUS_MAX)
		ok = ok && cpu_sets_add(&waiting->used, step->wakeup.task, step->wakeup.target_cpu);
	if (step->what & STEP_MIGRATION && step->migration.to_cpu < TASK_CPUS_MAX)
		ok = ok && cpu_sets_add(&waiting->used, step->migration.task, step->migration.to_cpu);
	return ok;
}

void idle_waiting_cut(struct idle_waiting *waiting, const struct task_states *states, const struct task_slice *slice)
{
	if (states->tasks[slice->task].is_idle && slice->cpu < waiting->cpu_count && takes_part(waiting, slice->cpu))
		waiting->idle_ns[slice->cpu] += slice->end_ns - slice->start_ns;
}

bool idle_waiting_step(struct idle_waiting *waiting, const struct task_states *states, const struct sched_event *event,
		       const struct task_step *step)
{
	uint64_t now_ns = event->ts_ns;
	bool changed = !waiting->started;
	bool ok = true;

	if ((waiting->cpu_count < states->cpu_count && !make_room(waiting, states->cpu_count)) ||
	    !note_use(waiting, step, event->cpu))
		return false;
	waiting->started = true;
	waiting->run = states->run;
	for (unsigned int i = 0; step->what & STEP_SLICE && i < step->slice_count; i++)
		idle_waiting_cut(waiting, states, &step->slices[i]);
	if (step->what & STEP_LOSS) /* the state of waiting tasks is unknown */
		episodes_close_all(&waiting->episodes);
	if (changed || step->what & STEP_LOSS) {
		for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
			idleness_changed(waiting, states, cpu);
		return update_all_stretches(waiting, states, now_ns);
	}
	if (event->cpu < states->cpu_count && idleness_changed(waiting, states, event->cpu))
		changed = true;
	if (waiting->idle_count == 0 && waiting->episodes.count == 0)
		return true;
	/* The current task is no longer in a queue, so the loop over waiting tasks does not find it; the switch to it
	 * may be missing. */
	if (waiting->episodes.count > 0 && event->cpu < states->cpu_count &&
	    states->cpus[event->cpu].current != TASK_NONE)
		ok = update_stretch(waiting, states, states->cpus[event->cpu].current, now_ns);
	for (unsigned int i = 0; step->what & STEP_SLICE && i < step->slice_count; i++)
		ok = ok && update_stretch(waiting, states, step->slices[i].task, now_ns);
	if (step_ends_wait_alone(step))
		ok = ok && update_stretch(waiting, states, step->wait.task, now_ns);
	if (step->what & STEP_WAKEUP)
		ok = ok && update_stretch(waiting, states, step->wakeup.task, now_ns);
	if (step->what & STEP_MIGRATION)
		ok = ok && update_stretch(waiting, states, step->migration.task, now_ns);
	return ok && (!changed || update_all_stretches(waiting, states, now_ns));
}

void idle_waiting_end(struct idle_waiting *waiting, const struct task_states *states, uint64_t ts_ns)
{
	while (waiting->episodes.count > 0)
		end_stretch(waiting, states, &waiting->episodes.open[waiting->episodes.count - 1], ts_ns);
	if (waiting->cpu_count)
		memset(waiting->is_idle, 0, waiting->cpu_count * sizeof(*waiting->is_idle));
	waiting->idle_count = 0;
	waiting->started = false;
}

static enum status count_step(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	struct idle_waiting *waiting = context;
	struct sched_event relative = *event;

	if (!pass->all_cpus)
		waiting->cpus = pass->cpu_set;
	relative.ts_ns = pass_since_start(pass, event->ts_ns); /* the clocks of several runs are unrelated */
	if (!idle_waiting_step(waiting, &pass->states, &relative, step))
		return error_system(err, ENOMEM, "idle-waiting", "out of memory");
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
