/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/memory.h"
#include "compare/run_accounts.h"
#include "measure/idle_waiting.h"

/* Misfits: tasks that have not slept for so long and run on a CPU while one of larger capacity, which they may use, is
 * idle. The averages by which kernels decide have a half-life of 32 ms. */
#define MISFIT_AWAKE_NS UINT64_C(100000000)

struct idle_account {
	struct run_metrics_work *work;
	struct idle_waiting waiting;
	enum role_binding *bindings; /* of the roles of a mix */
	uint64_t *awake_ns;          /* by task: its last wakeup or birth; 0: not known. Only with capacities */
	uint32_t task_count;
	uint64_t due_ns[CPU_LEVELS_CPUS]; /* from then on the misfits of now count */
	uint32_t misfits;
	uint64_t now_ns, misfit_ns; /* the time of misfits up to now_ns */
};

static bool counts(void *context, const struct task_states *states, uint32_t task)
{
	const struct idle_account *idle = context;

	return run_work_has(idle->work, task, states->tasks[task].comm);
}

/* A task that binds itself may use the CPUs on which it was seen. */
static bool may_use(void *context, const struct task_states *states, uint32_t task, uint32_t cpu)
{
	const struct idle_account *idle = context;
	const struct run_role *role = run_work_role(idle->work, task);

	(void)states;
	switch (role ? idle->bindings[role - idle->work->scope.work->roles] : ROLE_FREE) {
	case ROLE_BOUND:
		return cpu < CPU_SETSIZE && CPU_ISSET(cpu, &role->cpus);
	case ROLE_BINDS_ITSELF:
		return cpu_sets_have(&idle->waiting.used, task, cpu);
	default:
		return true;
	}
}

struct idle_account *idle_account_begin(struct run_metrics_work *work)
{
	struct idle_account *idle = xcalloc(1, sizeof(*idle));
	const struct run_metrics_scope *scope = &work->scope;

	idle->work = work;
	idle->waiting = (struct idle_waiting){.cpus = scope->cpus,
					      .levels = scope->levels,
					      .counts = counts,
					      .may_use = scope->cpus ? may_use : NULL,
					      .context = idle};
	idle->bindings = xcalloc(scope->work ? scope->work->role_count + 1 : 1, sizeof(*idle->bindings));
	for (size_t i = 0; scope->work && i < scope->work->role_count; i++)
		idle->bindings[i] = role_binding(scope->work, &scope->work->roles[i]);
	return idle;
}

/* --- Misfits --- */

static void advance(struct idle_account *idle, uint64_t ts_ns)
{
	for (uint32_t i = 0; i < idle->misfits; i++) {
		const uint64_t since_ns = idle->due_ns[i] > idle->now_ns ? idle->due_ns[i] : idle->now_ns;
		idle->misfit_ns += ts_ns > since_ns ? ts_ns - since_ns : 0;
	}
	idle->now_ns = ts_ns;
}

/* A task that a loss may hide the sleep of is not known to be awake. */
static void note_awake(struct idle_account *idle, const struct task_step *step, uint64_t ts_ns)
{
	for (uint32_t i = 0; step->changes & STEP_LOSS && i < idle->task_count; i++)
		idle->awake_ns[i] = 0;
	if (!(step->changes & STEP_WAKEUP) || step->changes & STEP_SPURIOUS)
		return;
	idle->awake_ns =
	    array_reserve(idle->awake_ns, &idle->task_count, step->wakeup.task + 1, sizeof(*idle->awake_ns));
	idle->awake_ns[step->wakeup.task] = ts_ns;
}

static bool has_larger_idle(const struct idle_account *idle, uint32_t task, uint32_t cpu)
{
	const uint16_t *capacities = idle->work->scope.capacities;

	for (uint32_t i = 0; i < idle->waiting.cpu_count && i < CPU_LEVELS_CPUS; i++)
		if (idle->waiting.is_idle[i] && capacities[i] > capacities[cpu] &&
		    idle_waiting_may_use(&idle->waiting, idle->work->states, task, i))
			return true;
	return false;
}

static void step_misfits(struct idle_account *idle, uint64_t ts_ns, const struct task_step *step)
{
	const struct task_states *states = idle->work->states;

	advance(idle, ts_ns);
	note_awake(idle, step, ts_ns);
	idle->misfits = 0;
	for (uint32_t cpu = 0; idle->waiting.idle_count && cpu < states->seen_cpus && cpu < CPU_LEVELS_CPUS; cpu++) {
		const uint32_t task = states->cpus[cpu].current;
		if (task < idle->task_count && idle->awake_ns[task] && run_work_wants_cpu(idle->work, cpu) &&
		    !task_cpu_may_be_busy(&states->cpus[cpu]) &&
		    run_work_has(idle->work, task, states->tasks[task].comm) && has_larger_idle(idle, task, cpu))
			idle->due_ns[idle->misfits++] = idle->awake_ns[task] + MISFIT_AWAKE_NS;
	}
}

void idle_account_step(struct idle_account *idle, const struct sched_event *event, const struct task_step *step)
{
	idle_waiting_step(&idle->waiting, idle->work->states, event->cpu, event->ts_ns, step);
	if (idle->work->scope.capacities)
		step_misfits(idle, event->ts_ns, step);
}

/* Completed and open stretches. Open ones are only of tasks of the workload, so none begins before it. */
void idle_account_total(struct idle_account *idle)
{
	const struct episodes *episodes = &idle->waiting.episodes;
	const uint64_t now_ns = idle->work->now_ns;
	uint64_t sum = idle->waiting.all.sum, *now = idle->work->now;

	for (uint32_t i = 0; i < episodes->count; i++)
		sum += now_ns - episodes->open[i].since_ns;
	advance(idle, now_ns);
	now[SUM_IDLE_WAITING_NS] = sum;
	now[SUM_IDLE_WAITING_LONG_NS] = idle->waiting.long_sum_ns;
	now[SUM_IDLE_WAITING_CACHE_NS] = idle_waiting_cache_ns(&idle->waiting, now_ns);
	now[SUM_MISFIT_NS] = idle->misfit_ns;
}

void idle_account_free(struct idle_account *idle)
{
	if (!idle)
		return;
	idle_waiting_free(&idle->waiting);
	free(idle->bindings);
	free(idle->awake_ns);
	free(idle);
}
