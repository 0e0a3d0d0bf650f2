/* SPDX-License-Identifier: MIT */
#include "compare/run_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/run_misfits.h"
#include "compare/run_shares.h"
#include "trace/quality.h"

static inline bool wants_cpu(const struct run_metrics_work *work, uint32_t cpu)
{
	return cpu_totals_wants(&work->cpus, cpu);
}

static inline bool needs(const struct run_metrics_work *work, unsigned int account)
{
	return !(work->scope.unneeded & account);
}

/* --- Periods of tasks --- */

enum { PERIODS_MAX = 4 };

/* The periods to which something counts that a task of the workload does, or did while the steady part lasted. */
static size_t find_periods(struct run_metrics_work *work, const struct task_states *states, uint32_t task,
			   uint32_t comm, bool is_steady, struct metric_period *found[PERIODS_MAX])
{
	size_t count = 0;

	if (!run_work_chooses(work, states, task, comm))
		return 0;
	found[count++] = &work->whole;
	if (is_steady)
		found[count++] = &work->steady;
	if (!work->scope.names)
		return count;
	struct name_periods *name = run_work_name(work, comm);
	found[count++] = &name->whole;
	if (is_steady)
		found[count++] = &name->steady;
	return count;
}

/* Those of what happens now. */
static size_t open_periods(struct run_metrics_work *work, const struct task_states *states, uint32_t task,
			   uint32_t comm, struct metric_period *found[PERIODS_MAX])
{
	return find_periods(work, states, task, comm, metric_period_is_open(&work->steady), found);
}

/* Something that the task does now. */
static void count_one(struct run_metrics_work *work, const struct task_states *states, uint32_t task,
		      enum period_sum sum)
{
	struct metric_period *periods[PERIODS_MAX];
	const size_t count = open_periods(work, states, task, states->tasks[task].comm, periods);

	for (size_t i = 0; i < count; i++)
		periods[i]->sums[sum]++;
}

static bool waiting_counts(void *context, const struct task_states *states, uint32_t task)
{
	return run_work_has(context, states, task, states->tasks[task].comm);
}

/* A task that binds itself may use the CPUs on which it was seen. */
static bool waiting_may_use(void *context, const struct task_states *states, uint32_t task, uint32_t cpu)
{
	const struct run_metrics_work *work = context;
	const struct run_role *role = run_work_role(work, states, task);

	switch (role ? work->bindings[role - work->scope.work->roles] : ROLE_FREE) {
	case ROLE_BOUND:
		return cpu < CPU_SETSIZE && CPU_ISSET(cpu, &role->cpus);
	case ROLE_BINDS_ITSELF:
		return cpu_sets_have(&work->waiting.used, task, cpu);
	default:
		return true;
	}
}

struct run_metrics_work *run_metrics_begin(const struct run_metrics_scope *scope)
{
	struct run_metrics_work *work = xcalloc(1, sizeof(*work));

	work->scope = *scope;
	if (!scope->task_names)
		work->descendants = (struct descendants){.roots = scope->roots, .root_count = scope->root_count};
	work->waiting.cpus = work->cpus.mask = scope->cpus;
	work->waiting.counts = waiting_counts;
	work->waiting.may_use = scope->cpus ? waiting_may_use : NULL;
	work->bindings = xcalloc(scope->work ? scope->work->role_count + 1 : 1, sizeof(*work->bindings));
	for (size_t i = 0; scope->work && i < scope->work->role_count; i++)
		work->bindings[i] = role_binding(scope->work, &scope->work->roles[i]);
	for (uint32_t cpu = 0; scope->capacities && cpu < CPU_LEVELS_CPUS; cpu++)
		if (wants_cpu(work, cpu) && scope->capacities[cpu] > work->capacity_max)
			work->capacity_max = scope->capacities[cpu];
	work->waiting.levels = scope->levels;
	work->waiting.context = work;
	work->whole = work->steady = METRIC_PERIOD_NONE;
	if (scope->work && needs(work, KNOWS_ROLES)) {
		work->whole_roles = role_account_begin(scope->work);
		work->steady_roles = role_account_begin(scope->work);
	}
	work->first_task = UINT32_MAX;
	work->absent_max = scope->tasks / RUN_STEADY_ABSENT;
	return work;
}

static void advance_totals(struct run_metrics_work *work, uint64_t ts_ns)
{
	const struct cpu_totals *cpus = &work->cpus;
	const uint64_t elapsed = ts_ns > work->now_ns ? ts_ns - work->now_ns : 0;
	const uint32_t shown = cpus->cpus - cpus->hidden;

	run_misfits_advance(work, ts_ns);
	work->now[SUM_CPU_NS] += elapsed * cpus->cpus;
	work->now[SUM_IDLE_NS] += elapsed * cpus->idle;
	work->now[SUM_SHOWN_CPU_NS] += elapsed * shown;
	work->now[SUM_QUEUED_NS] += elapsed * cpus->queued;
	work->now[SUM_IMBALANCE_NS] += elapsed * cpus->imbalance;
	work->now[SUM_STRANDED_NS] += elapsed * cpus->stranded;
	work->now[SUM_SEVERAL_NS] += shown > 1 ? elapsed : 0;
	work->now[SUM_SHOWN_NS] += shown > 0 ? elapsed : 0;
	work->now_ns = ts_ns;
	work->is_extended = false;
}

/* The sum of completed and open episodes. Open episodes are only of tasks of the workload, so none begins before it. */
static uint64_t idle_waiting_so_far(const struct run_metrics_work *work)
{
	const struct episodes *episodes = &work->waiting.episodes;
	uint64_t sum = work->waiting.all.sum;

	for (uint32_t i = 0; i < episodes->count; i++)
		sum += work->now_ns - episodes->open[i].since_ns;
	return sum;
}

/* Begins the period, or extends it, up to now. Does nothing once it has ended. */
static void extend_period(struct metric_period *period, uint64_t ts_ns, const uint64_t totals[MACHINE_SUMS])
{
	if (period->has_ended)
		return;
	if (!period->has_begun) {
		period->has_begun = true;
		period->begin_ns = ts_ns;
		memcpy(period->begin, totals, sizeof(period->begin));
	}
	period->end_ns = ts_ns;
	for (int i = 0; i < MACHINE_SUMS; i++)
		period->sums[i] = totals[i] - period->begin[i];
}

/* A task of the workload is seen at now_ns: its periods last at least until now. */
static void extend_periods(struct run_metrics_work *work)
{
	if (work->is_extended)
		return;
	work->is_extended = true;
	work->now[SUM_IDLE_WAITING_NS] = idle_waiting_so_far(work);
	work->now[SUM_IDLE_WAITING_LONG_NS] = work->waiting.long_sum_ns;
	work->now[SUM_IDLE_WAITING_CACHE_NS] = idle_waiting_cache_ns(&work->waiting, work->now_ns);
	extend_period(&work->whole, work->now_ns, work->now);
	if (metric_period_is_open(&work->steady))
		extend_period(&work->steady, work->now_ns, work->now);
}

static struct task_time *task_time(struct run_metrics_work *work, uint32_t task)
{
	if (task < work->first_task)
		return NULL;
	work->task_times =
	    array_reserve(work->task_times, &work->task_count, task - work->first_task + 1, sizeof(*work->task_times));
	return &work->task_times[task - work->first_task];
}

static void note_wait(struct metric_period *period, uint64_t length_ns)
{
	if (length_ns > period->longest_wait_ns)
		period->longest_wait_ns = length_ns;
}

/* Adds the values that a period has at its end: waits that have not ended, and shares. */
static void close_period(struct run_metrics_work *work, const struct task_states *states, struct metric_period *period,
			 bool is_steady)
{
	uint64_t open_ns;

	role_account_end(is_steady ? work->steady_roles : work->whole_roles, work->now_ns, &period->roles);
	run_shares_set(work, states, period, is_steady);
	for (uint32_t i = work->first_task; i < states->task_count; i++) {
		const uint32_t comm = states->tasks[i].comm;
		if (!states->tasks[i].was_seen || !run_work_has(work, states, i, comm) ||
		    !run_work_chooses(work, states, i, comm))
			continue;
		run_work_waits(work, states, i, period->end_ns, &open_ns);
		note_wait(period, open_ns);
		if (!work->scope.names)
			continue;
		struct name_periods *name = run_work_name(work, comm);
		note_wait(is_steady ? &name->steady : &name->whole, open_ns);
	}
}

static void begin_steady(struct run_metrics_work *work, const struct task_states *states)
{
	if (!task_time(work, states->task_count - 1))
		return;
	for (uint32_t i = work->first_task; i < states->task_count; i++) {
		struct task_time *time = &work->task_times[i - work->first_task];
		uint64_t open_ns;
		time->unsteady_ns = run_work_time(work, states, i, work->now_ns);
		time->unsteady_waited_ns = run_work_waits(work, states, i, work->now_ns, &open_ns);
	}
	extend_period(&work->steady, work->now_ns, work->now);
	role_account_restart(work->steady_roles, work->now_ns);
}

static void end_steady(struct run_metrics_work *work, const struct task_states *states)
{
	work->steady.has_ended = true; /* and never begins, if it had not */
	if (work->steady.has_begun)
		close_period(work, states, &work->steady, true);
	for (uint32_t i = work->first_task; i < states->task_count && work->steady.has_begun; i++) {
		const struct task *task = &states->tasks[i];
		if (!task->was_seen || !run_work_has(work, states, i, task->comm))
			continue;
		struct peers *peers = run_shares_peers(work, task->comm);
		if (isnan(peers->steady_fairness))
			peers->steady_fairness =
			    run_shares_jain(work, states, task->comm, work->steady.end_ns, true, &peers->steady_tasks);
	}
}

/* Call it after extend_periods(). */
static void note_run(struct run_metrics_work *work, const struct task_states *states, struct task_time *time)
{
	if (!time || time->has_run || time->is_child)
		return;
	time->has_run = true;
	if (++work->has_run == work->scope.tasks - work->absent_max)
		begin_steady(work, states);
}

static void note_death(struct run_metrics_work *work, const struct task_states *states, uint32_t task)
{
	struct task_time *time = task_time(work, task);

	if (!time || time->has_died || time->is_child)
		return;
	if (++work->has_died == work->absent_max + 1)
		end_steady(work, states);
	time->has_died = true;
}

static void add_slice(struct metric_period *period, const struct task_slice *slice, bool is_on_largest)
{
	const uint64_t length_ns = slice->end_ns - slice->start_ns;

	period->sums[SUM_RAN_NS] += length_ns;
	period->sums[SUM_RAN_LARGEST_NS] += is_on_largest ? length_ns : 0;
	period->sums[SUM_LEFT]++;
	period->sums[SUM_INVOLUNTARY] += leave_reason_is_runnable(slice->out);
	if (!slice->start_cut)
		distribution_add(&period->distributions[RUN_SLICES], length_ns);
}

/* No CPU of the workload has a larger capacity. */
static bool is_largest(const struct run_metrics_work *work, uint32_t cpu)
{
	return work->scope.capacities && cpu < CPU_LEVELS_CPUS && work->scope.capacities[cpu] == work->capacity_max;
}

/* Tasks of a workload, or of a command, with the same name do the same. */
static void take_slice(struct run_metrics_work *work, const struct task_states *states, const struct task_slice *slice)
{
	if (!wants_cpu(work, slice->cpu) || !run_work_has(work, states, slice->task, slice->comm))
		return;
	/* A slice whose end was lost ended before this event, for an unknown reason: it is counted, but not seen now.
	 */
	bool is_seen = slice->end_ns == work->now_ns;
	if (is_seen)
		extend_periods(work);
	struct task_time *time = task_time(work, slice->task);
	if (time) {
		work->was_moved |= time->ns && time->cpu != slice->cpu;
		time->ns += slice->end_ns - slice->start_ns;
		time->cpu = slice->cpu;
	}
	if (is_seen)
		note_run(work, states, time);
	if (slice->end_cut)
		return;
	struct metric_period *periods[PERIODS_MAX];
	const size_t count = open_periods(work, states, slice->task, slice->comm, periods);
	for (size_t i = 0; i < count; i++)
		add_slice(periods[i], slice, is_largest(work, slice->cpu));
	if (slice->out != LEAVE_DEAD || !run_shares_has_peers(work) || (time && time->is_child))
		return;
	struct peers *peers = run_shares_peers(work, slice->comm);
	if (isnan(peers->fairness))
		peers->fairness = run_shares_jain(work, states, slice->comm, slice->end_ns, false, &peers->tasks);
	if (work->scope.task_names)
		note_death(work, states, slice->task);
}

/* The switches of the CPU so far. */
static uint64_t *switches_of(struct run_metrics_work *work, uint32_t cpu)
{
	work->switches = array_reserve(work->switches, &work->switches_count, cpu + 1, sizeof(*work->switches));
	return &work->switches[cpu];
}

static void note_wakeup(struct run_metrics_work *work, const struct task_states *states, uint32_t task, uint32_t cpu)
{
	struct task_time *time = task_time(work, task);

	if (!time)
		return;
	const uint32_t current = cpu < states->cpu_count ? states->cpus[cpu].current : TASK_NONE;
	time->cpu_was_busy = current != TASK_NONE && current != task && !states->tasks[current].is_idle;
	time->was_woken = true;
	time->waits_on = cpu;
	time->switches_then = *switches_of(work, cpu);
	time->switches_elsewhere = 0;
}

/* A task that a loss may hide the sleep of is not known to be awake. */
static void note_awake(struct run_metrics_work *work, const struct task_step *step, uint64_t ts_ns)
{
	for (uint32_t i = 0; step->changes & STEP_LOSS && i < work->task_count; i++)
		work->task_times[i].awake_ns = 0;
	struct task_time *time = step->changes & STEP_WAKEUP ? task_time(work, step->wakeup.task) : NULL;
	if (time && !(step->changes & STEP_SPURIOUS))
		time->awake_ns = ts_ns;
}

static void note_move(struct run_metrics_work *work, uint32_t task, uint32_t cpu)
{
	struct task_time *time = task_time(work, task);

	if (!time || !time->was_woken)
		return;
	time->switches_elsewhere += *switches_of(work, time->waits_on) - time->switches_then;
	time->cpu_was_busy = false; /* it waits for another one */
	time->waits_on = cpu;
	time->switches_then = *switches_of(work, cpu);
}

static void add_overtaken(struct metric_period *period, uint64_t others, bool was_busy, uint64_t length_ns)
{
	enum { AT_ONCE_NS = 100000 };

	distribution_add(&period->distributions[RUN_OVERTAKEN], others);
	period->sums[SUM_BUSY_WAKEUPS] += was_busy;
	period->sums[SUM_PREEMPTING_WAKEUPS] += was_busy && others == 0 && length_ns < AT_ONCE_NS;
}

/* Nothing if a move of the task is missing in the trace. */
static void take_overtaken(struct run_metrics_work *work, const struct task_wait *wait,
			   struct metric_period *const *periods, size_t count)
{
	struct task_time *time = task_time(work, wait->task);

	if (!time || !time->was_woken)
		return;
	time->was_woken = false;
	if (time->waits_on != wait->cpu)
		return;
	const uint64_t switches = time->switches_elsewhere + *switches_of(work, wait->cpu) - time->switches_then;
	const uint64_t others = switches > 0 ? switches - 1 : 0;
	const uint64_t length_ns = wait->end_ns - wait->since_ns;
	for (size_t i = 0; i < count; i++)
		add_overtaken(periods[i], others, time->cpu_was_busy, length_ns);
}

static inline void take_wait(struct run_metrics_work *work, const struct task_states *states,
			     const struct task_wait *wait)
{
	const uint64_t length = wait->end_ns - wait->since_ns;
	uint64_t throttled = 0;

	if (!wants_cpu(work, wait->cpu) || !run_work_has(work, states, wait->task, wait->comm))
		return;
	bool is_wakeup = wait->cause == WAIT_WAKEUP || wait->cause == WAIT_NEW;
	struct task_time *time = task_time(work, wait->task);
	if (time)
		time->waited_ns += length;
	struct metric_period *periods[PERIODS_MAX];
	const size_t count = open_periods(work, states, wait->task, wait->comm, periods);
	const bool is_known =
	    work->scope.cgroups && cgroups_throttled_ns(work->scope.cgroups, states, wait, &throttled);
	for (size_t i = 0; i < count; i++) {
		periods[i]->sums[SUM_THROTTLED_NS] += throttled;
		periods[i]->sums[is_known ? SUM_WAITED_NS : SUM_WAITED_UNKNOWN_NS] += length;
		distribution_add(&periods[i]->distributions[is_wakeup ? RUN_WAKEUPS : RUN_PREEMPTED],
				 length - throttled);
		note_wait(periods[i], length - throttled);
	}
	if (is_wakeup)
		take_overtaken(work, wait, periods, count);
}

static inline void take_run(struct run_metrics_work *work, const struct task_states *states, uint32_t task,
			    uint32_t cpu)
{
	if (!run_work_has(work, states, task, states->tasks[task].comm))
		return;
	if (!wants_cpu(work, cpu)) {
		count_one(work, states, task, SUM_RUNS_OUTSIDE);
		return;
	}
	extend_periods(work);
	note_run(work, states, task_time(work, task));
}

static void note_birth(struct run_metrics_work *work, const struct task_states *states, uint32_t task, uint32_t parent)
{
	struct task_time *time = task_time(work, task);

	if (time && work->scope.task_names && parent != TASK_NONE)
		time->is_child = run_work_has(work, states, parent, states->tasks[parent].comm);
}

void run_metrics_step(struct run_metrics_work *work, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step)
{
	if (work->first_task == UINT32_MAX) {
		/* The first event may have created tasks of this run already; tasks of earlier runs precede them. */
		uint32_t first = states->task_count;
		while (first > 0 && states->tasks[first - 1].run == states->run)
			first--;
		work->first_task = first;
		work->now_ns = event->ts_ns;
		work->knows = trace_scope_is_part(states->scope) ? 0 : KNOWS_ALL_TASKS;
	}
	advance_totals(work, event->ts_ns);
	if (work->descendants.root_count)
		descendants_step(&work->descendants, states, step);
	if (event->kind == SCHED_SWITCH && wants_cpu(work, event->cpu))
		work->now[SUM_SWITCHES]++;
	if (step->changes & STEP_SWITCH_MISSING && wants_cpu(work, event->cpu)) {
		work->now[SUM_SWITCHES]++;
		work->missing_switches++;
	}
	if (event->kind == SCHED_SWITCH)
		++*switches_of(work, event->cpu);
	if (needs(work, KNOWS_IDLE_WAITING))
		idle_waiting_step(&work->waiting, states, event->cpu, event->ts_ns, step);
	/* A wait belongs to the time before this event; the slice that ends now may end the steady part. */
	if (step->changes & STEP_WAIT)
		take_wait(work, states, &step->wait);
	for (unsigned int i = 0; i < step->slice_count && step->changes & (STEP_SLICE | STEP_LOSS); i++)
		take_slice(work, states, &step->slices[i]);
	work->knows |= step->changes & STEP_WAKEUP ? KNOWS_WAKEUPS : 0;
	work->knows |= step->changes & STEP_MIGRATION ? KNOWS_MIGRATIONS : 0;
	if (step->changes & STEP_RUN)
		take_run(work, states, step->started, event->cpu);
	if (step->changes & STEP_MIGRATION)
		note_move(work, step->migration.task, step->migration.to_cpu);
	if (step->changes & STEP_WAKEUP &&
	    run_work_has(work, states, step->wakeup.task, states->tasks[step->wakeup.task].comm)) {
		extend_periods(work);
		if (event->kind == SCHED_WAKEUP_NEW) {
			count_one(work, states, step->wakeup.task, SUM_FORKS);
			note_birth(work, states, step->wakeup.task, step->wakeup.waker);
		}
		if (!(step->changes & STEP_SPURIOUS))
			note_wakeup(work, states, step->wakeup.task, step->wakeup.target_cpu);
	}
	note_awake(work, step, event->ts_ns);
	run_misfits_find(work, states);
	cpu_totals_step(&work->cpus, states, event, step);
	role_account_step(work->whole_roles, states, event, step);
	role_account_step(work->steady_roles, states, event, step);
}

/* The difference of the capacities of its CPUs. */
static int find_rise(const struct run_metrics_work *work, const struct migration *migration)
{
	const uint16_t *capacities = work->scope.capacities;

	return capacities && migration->from_cpu < CPU_LEVELS_CPUS && migration->to_cpu < CPU_LEVELS_CPUS
		   ? capacities[migration->to_cpu] - capacities[migration->from_cpu]
		   : 0;
}

static void add_migration(struct metric_period *period, const struct migration *migration,
			  const struct cpu_levels *levels, int rise)
{
	static const unsigned int named_causes =
	    1u << MIGRATION_WAKEUP | 1u << MIGRATION_FORK | 1u << MIGRATION_PULL | 1u << MIGRATION_ACTIVE;
	const bool is_fork = migration->cause == MIGRATION_FORK;

	period->sums[SUM_MIGRATIONS] += !is_fork;
	period->sums[SUM_MIGRATIONS_UP] += !is_fork && rise > 0;
	period->sums[SUM_MIGRATIONS_DOWN] += !is_fork && rise < 0;
	period->sums[SUM_MIGRATIONS_CAUSES + migration->cause]++;
	if (migration->cause == MIGRATION_PULL)
		period->sums[SUM_PULLS + migration->pull]++;
	period->sums[SUM_MIGRATIONS_OTHER] += !(named_causes >> migration->cause & 1);
	period->sums[SUM_MIGRATIONS_ASLEEP] += migration_moves_sleeper(migration);
	if (levels && !is_fork)
		period->sums[SUM_MIGRATIONS_LEVELS +
			     cpu_levels_between(levels, migration->from_cpu, migration->to_cpu)]++;
}

void run_metrics_migration(struct run_metrics_work *work, const struct task_states *states,
			   const struct migration *migration)
{
	struct metric_period *periods[PERIODS_MAX];

	if (migration->number >= states->task_count ||
	    !run_work_has(work, states, migration->number, states->tasks[migration->number].comm))
		return;
	const size_t count = find_periods(work, states, migration->number, states->tasks[migration->number].comm,
					  metric_period_includes(&work->steady, migration->ts_ns), periods);
	for (size_t i = 0; i < count; i++)
		add_migration(periods[i], migration, work->scope.levels, find_rise(work, migration));
}

void run_metrics_cut(struct run_metrics_work *work, const struct task_states *states, const struct task_slice *slice)
{
	if (needs(work, KNOWS_IDLE_WAITING))
		idle_waiting_cut(&work->waiting, states, slice);
	if (work->first_task != UINT32_MAX) {
		advance_totals(work, slice->end_ns);
		take_slice(work, states, slice);
	}
}

static unsigned int find_knowledge(const struct run_metrics_work *work, const struct metric_period *period)
{
	const uint64_t shown_ns = period->sums[SUM_SHOWN_CPU_NS], cpu_ns = period->sums[SUM_CPU_NS];
	const uint64_t switches = work->now[SUM_SWITCHES];
	const unsigned int levels = work->scope.levels ? work->scope.level_bits : 0;
	unsigned int knows = work->knows | levels * KNOWS_LEVELS;

	knows |= work->was_moved ? 0 : KNOWS_MIGRATIONS;
	knows |= quality_has_enough(switches - work->missing_switches, work->missing_switches) ? KNOWS_ALL_SWITCHES : 0;
	knows |= shown_ns && quality_has_enough(shown_ns, cpu_ns - shown_ns) ? KNOWS_QUEUES : 0;
	knows |= work->scope.cgroups && work->scope.cgroups->knows_throttling &&
			 quality_has_enough(period->sums[SUM_WAITED_NS], period->sums[SUM_WAITED_UNKNOWN_NS])
		     ? KNOWS_THROTTLING
		     : 0;
	knows |= work->scope.capacities ? KNOWS_CAPACITIES : 0;
	knows |= levels & (1u << CPU_LEVEL_SMT | 1u << CPU_LEVEL_LLC) ? KNOWS_NEAR_CPUS : 0;
	return knows | ((KNOWS_IDLE_WAITING | KNOWS_ROLES) & ~work->scope.unneeded);
}

/* Moves the distributions into *metrics. is_part: of some tasks. */
static void set_metrics(const struct run_metrics_work *work, struct metric_period *period, bool is_part,
			struct run_metrics *metrics)
{
	period->knows = find_knowledge(work, period);
	period->throughput = work->scope.throughput;
	period->rules = work->scope.rules;
	period->guest_work = work->scope.is_deterministic ? work->scope.throughput : NAN;
	period->tick_ns = work->scope.hz ? (double)(1000000000 / work->scope.hz) : NAN;
	metrics->has_tasks = period->sums[SUM_LEFT] > 0;
	metrics->begin_ns = period->begin_ns;
	metrics->duration_ns = period->end_ns - period->begin_ns;
	for (const struct metric *metric = metric_table; metric->name; metric++)
		metrics->values[metric_index(metric)] =
		    is_part && metric->of_workload ? NAN : metric_value(metric, period);
	if (!(period->knows & KNOWS_ALL_SWITCHES))
		return;
	memcpy(metrics->distributions, period->distributions, sizeof(metrics->distributions));
	memset(period->distributions, 0, sizeof(period->distributions));
}

static void free_period(struct metric_period *period)
{
	for (int i = 0; i < RUN_DISTRIBUTIONS; i++)
		distribution_free(&period->distributions[i]);
	*period = METRIC_PERIOD_NONE;
}

static void free_work(struct run_metrics_work *work)
{
	free_period(&work->whole);
	free_period(&work->steady);
	cpu_totals_free(&work->cpus);
	idle_waiting_free(&work->waiting);
	descendants_free(&work->descendants);
	free(work->is_worker);
	free(work->bindings);
	free(work->task_times);
	for (size_t i = 0; i < work->name_count; i++) {
		free_period(&work->names[i].whole);
		free_period(&work->names[i].steady);
	}
	role_account_free(work->whole_roles);
	role_account_free(work->steady_roles);
	free(work->names);
	free(work->switches);
	free(work->peers);
	free(work);
}

/* The part of the workload, with the sums of the name. */
static void set_part(const struct run_metrics_work *work, const struct metric_period *part,
		     struct metric_period *period, struct run_metrics *metrics)
{
	period->has_begun = part->has_begun;
	period->begin_ns = part->begin_ns;
	period->end_ns = part->end_ns;
	memcpy(period->sums, part->sums, MACHINE_SUMS * sizeof(*part->sums));
	set_metrics(work, period, true, metrics);
	run_metrics_free(metrics);
}

static void set_names(struct run_metrics_work *work, const struct task_states *states)
{
	struct run_names *names = work->scope.names;

	if (!names)
		return;
	names->items = xcalloc(work->name_count + 1, sizeof(*names->items));
	for (; names->count < work->name_count; names->count++) {
		struct name_periods *from = &work->names[names->count];
		struct run_name *name = &names->items[names->count];
		const struct sched_comm *comm = &states->comms.comms[from->comm];
		memcpy(name->name, comm->bytes, comm->length);
		set_part(work, &work->whole, &from->whole, &name->whole);
		set_part(work, &work->steady, &from->steady, &name->steady);
	}
}

void run_metrics_end(struct run_metrics_work *work, const struct task_states *states, struct run_metrics *whole,
		     struct run_metrics *steady)
{
	if (!work)
		return;
	if (metric_period_is_open(&work->steady))
		end_steady(work, states);
	if (whole) {
		run_shares_set_fairness(work, states);
		if (work->whole.has_begun)
			close_period(work, states, &work->whole, false);
		/* More tasks than the workload has: several runs of it in one trace. */
		if (!work->steady.has_begun || work->has_run > work->scope.tasks)
			free_period(&work->steady);
		*whole = *steady = (struct run_metrics){0};
		set_names(work, states);
		set_metrics(work, &work->whole, work->scope.choice, whole);
		set_metrics(work, &work->steady, work->scope.choice, steady);
	}
	free_work(work);
}

void run_metrics_free(struct run_metrics *metrics)
{
	for (int i = 0; i < RUN_DISTRIBUTIONS; i++)
		distribution_free(&metrics->distributions[i]);
}
