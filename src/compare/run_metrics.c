/* SPDX-License-Identifier: MIT */
#include "compare/run_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/run_accounts.h"
#include "trace/quality.h"

static void begin_accounts(struct run_metrics_work *work)
{
	const struct run_work *mix = work->scope.work;
	const unsigned int unneeded = work->scope.unneeded;

	work->idle = unneeded >> METRIC_ACCOUNT_IDLE & 1 ? NULL : idle_account_begin(work);
	work->order = unneeded >> METRIC_ACCOUNT_ORDER & 1 ? NULL : order_account_begin();
	work->shares = unneeded >> METRIC_ACCOUNT_SHARES & 1 ? NULL : share_account_begin(work);
	for (int kind = 0; kind < PERIOD_KINDS && mix && !(unneeded >> METRIC_ACCOUNT_MIX & 1); kind++)
		work->roles[kind] = role_account_begin(mix);
}

struct run_metrics_work *run_metrics_begin(const struct run_metrics_scope *scope)
{
	struct run_metrics_work *work = xcalloc(1, sizeof(*work));

	work->scope = *scope;
	if (!scope->task_names)
		work->descendants = (struct descendants){.roots = scope->roots, .root_count = scope->root_count};
	work->cpus.mask = scope->cpus;
	for (uint32_t cpu = 0; scope->capacities && cpu < CPU_LEVELS_CPUS; cpu++) {
		if (!run_work_wants_cpu(work, cpu))
			continue;
		work->capacity += scope->capacities[cpu];
		if (scope->capacities[cpu] > work->capacity_max)
			work->capacity_max = scope->capacities[cpu];
	}
	work->periods[PERIOD_WHOLE] = work->periods[PERIOD_STEADY] = METRIC_PERIOD_NONE;
	work->first_task = UINT32_MAX;
	work->absent_max = scope->tasks / RUN_STEADY_ABSENT;
	begin_accounts(work);
	return work;
}

/* --- Periods of tasks --- */

enum { PERIODS_MAX = 2 * PERIOD_KINDS };

/* The periods to which something counts that a task of the workload does, or did while the steady part lasted. */
static size_t find_periods(struct run_metrics_work *work, uint32_t task, uint32_t comm, bool is_steady,
			   struct metric_period *found[PERIODS_MAX])
{
	const size_t count = is_steady ? PERIOD_KINDS : PERIOD_STEADY;

	if (!run_work_chooses(work, task, comm))
		return 0;
	for (size_t i = 0; i < count; i++)
		found[i] = &work->periods[i];
	if (!work->scope.names)
		return count;
	for (size_t i = 0; i < count; i++)
		found[count + i] = &run_work_name(work, comm)->periods[i];
	return 2 * count;
}

/* Those of what happens now. */
static size_t open_periods(struct run_metrics_work *work, uint32_t task, uint32_t comm,
			   struct metric_period *found[PERIODS_MAX])
{
	return find_periods(work, task, comm, metric_period_is_open(&work->periods[PERIOD_STEADY]), found);
}

/* Something that the task does now. */
static void count_one(struct run_metrics_work *work, uint32_t task, enum period_sum sum)
{
	struct metric_period *periods[PERIODS_MAX];
	const size_t count = open_periods(work, task, work->states->tasks[task].comm, periods);

	for (size_t i = 0; i < count; i++)
		periods[i]->sums[sum]++;
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
	memcpy(period->sums, totals, sizeof(period->begin));
}

/* A task of the workload is seen at now_ns: its periods last at least until now. */
static void extend_periods(struct run_metrics_work *work)
{
	if (work->is_extended)
		return;
	work->is_extended = true;
	if (work->idle)
		idle_account_total(work->idle);
	extend_period(&work->periods[PERIOD_WHOLE], work->now_ns, work->now);
	if (metric_period_is_open(&work->periods[PERIOD_STEADY]))
		extend_period(&work->periods[PERIOD_STEADY], work->now_ns, work->now);
}

static void note_wait(struct metric_period *period, uint64_t length_ns)
{
	if (length_ns > period->longest_wait_ns)
		period->longest_wait_ns = length_ns;
}

/* Adds the values that a period has at its end: waits that have not ended, and results of accounts. */
static void close_period(struct run_metrics_work *work, enum period_kind kind)
{
	struct metric_period *period = &work->periods[kind];
	uint64_t open_ns;

	for (int i = 0; i < MACHINE_SUMS; i++)
		period->sums[i] -= period->begin[i];
	role_account_end(work->roles[kind], work->now_ns, &period->roles);
	if (work->shares)
		share_account_close(work->shares, kind);
	for (uint32_t i = TASK_NONE; (i = run_work_next(work, i)) != TASK_NONE;) {
		const uint32_t comm = work->states->tasks[i].comm;
		if (!run_work_chooses(work, i, comm))
			continue;
		run_work_waits(work, i, period->end_ns, kind, &open_ns);
		note_wait(period, open_ns);
		if (work->scope.names)
			note_wait(&run_work_name(work, comm)->periods[kind], open_ns);
	}
}

/* --- Tasks --- */

static struct task_time *task_time(struct run_metrics_work *work, uint32_t task)
{
	if (task < work->first_task)
		return NULL;
	work->task_times =
	    array_reserve(work->task_times, &work->task_count, task - work->first_task + 1, sizeof(*work->task_times));
	return &work->task_times[task - work->first_task];
}

static void begin_steady(struct run_metrics_work *work)
{
	uint64_t open_ns;

	if (!task_time(work, work->states->task_count - 1))
		return;
	for (uint32_t i = work->first_task; i < work->states->task_count; i++) {
		struct task_time *time = &work->task_times[i - work->first_task];
		time->unsteady_ns = run_work_time(work, i, work->now_ns, PERIOD_WHOLE);
		time->unsteady_waited_ns = run_work_waits(work, i, work->now_ns, PERIOD_WHOLE, &open_ns);
	}
	extend_period(&work->periods[PERIOD_STEADY], work->now_ns, work->now);
	role_account_restart(work->roles[PERIOD_STEADY], work->now_ns);
}

static void end_steady(struct run_metrics_work *work)
{
	work->periods[PERIOD_STEADY].has_ended = true; /* and never begins, if it had not */
	if (work->periods[PERIOD_STEADY].has_begun)
		close_period(work, PERIOD_STEADY);
}

/* Call it after extend_periods(). */
static void note_run(struct run_metrics_work *work, struct task_time *time)
{
	if (!time || time->has_run || time->is_child)
		return;
	time->has_run = true;
	if (++work->has_run == work->scope.tasks - work->absent_max)
		begin_steady(work);
}

static void note_death(struct run_metrics_work *work, uint32_t task)
{
	struct task_time *time = task_time(work, task);

	if (!time || time->has_died || time->is_child)
		return;
	if (++work->has_died == work->absent_max + 1)
		end_steady(work);
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
static void take_slice(struct run_metrics_work *work, const struct task_slice *slice)
{
	if (!run_work_wants_cpu(work, slice->cpu) || !run_work_has(work, slice->task, slice->comm))
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
		note_run(work, time);
	if (slice->end_cut)
		return;
	struct metric_period *periods[PERIODS_MAX];
	const size_t count = open_periods(work, slice->task, slice->comm, periods);
	for (size_t i = 0; i < count; i++)
		add_slice(periods[i], slice, is_largest(work, slice->cpu));
	if (slice->out != LEAVE_DEAD)
		return;
	if (work->shares)
		share_account_death(work->shares, slice);
	if (work->scope.task_names)
		note_death(work, slice->task);
}

static inline void take_wait(struct run_metrics_work *work, const struct task_wait *wait)
{
	const uint64_t length = wait->end_ns - wait->since_ns;
	uint64_t throttled = 0;

	if (!run_work_wants_cpu(work, wait->cpu) || !run_work_has(work, wait->task, wait->comm))
		return;
	const bool is_wakeup = wait->cause == WAIT_WAKEUP || wait->cause == WAIT_NEW;
	struct task_time *time = task_time(work, wait->task);
	if (time)
		time->waited_ns += length;
	struct metric_period *periods[PERIODS_MAX];
	const size_t count = open_periods(work, wait->task, wait->comm, periods);
	const bool is_known =
	    work->scope.cgroups && cgroups_throttled_ns(work->scope.cgroups, work->states, wait, &throttled);
	for (size_t i = 0; i < count; i++) {
		periods[i]->sums[SUM_THROTTLED_NS] += throttled;
		periods[i]->sums[is_known ? SUM_WAITED_NS : SUM_WAITED_UNKNOWN_NS] += length;
		distribution_add(&periods[i]->distributions[is_wakeup ? RUN_WAKEUPS : RUN_PREEMPTED],
				 length - throttled);
		note_wait(periods[i], length - throttled);
	}
	if (is_wakeup && work->order)
		order_account_wait(work->order, wait, periods, count);
}

static inline void take_run(struct run_metrics_work *work, uint32_t task, uint32_t cpu)
{
	if (!run_work_has(work, task, work->states->tasks[task].comm))
		return;
	if (!run_work_wants_cpu(work, cpu)) {
		count_one(work, task, SUM_RUNS_OUTSIDE);
		return;
	}
	extend_periods(work);
	note_run(work, task_time(work, task));
}

/* The capacities that are seen and used until the next event. Call it after cpu_totals_step(). */
static void find_capacity(struct run_metrics_work *work)
{
	const struct cpu_totals *cpus = &work->cpus;

	work->capacity_seen = work->capacity_used = 0;
	if (!work->scope.capacities)
		return;
	for (uint32_t cpu = 0; cpu < cpus->share_count && cpu < CPU_LEVELS_CPUS; cpu++) {
		const uint32_t task = work->states->cpus[cpu].current;
		if (cpus->shares[cpu].state == CPU_SHARE_NONE)
			continue;
		work->capacity_seen += work->scope.capacities[cpu];
		if (cpus->shares[cpu].state == CPU_SHARE_BUSY &&
		    run_work_has(work, task, work->states->tasks[task].comm))
			work->capacity_used += work->scope.capacities[cpu];
	}
}

static void note_birth(struct run_metrics_work *work, uint32_t task, uint32_t parent)
{
	struct task_time *time = task_time(work, task);

	count_one(work, task, SUM_FORKS);
	if (time && work->scope.task_names && parent != TASK_NONE)
		time->is_child = run_work_has(work, parent, work->states->tasks[parent].comm);
}

static void take_wakeup(struct run_metrics_work *work, const struct task_step *step)
{
	const struct task_states *states = work->states;
	const uint32_t task = step->wakeup.task, cpu = step->wakeup.target_cpu;
	const uint32_t current = cpu < states->cpu_count ? states->cpus[cpu].current : TASK_NONE;

	if (!run_work_has(work, task, states->tasks[task].comm))
		return;
	extend_periods(work);
	if (step->wakeup.is_new)
		note_birth(work, task, step->wakeup.waker);
	if (work->order && !(step->changes & STEP_SPURIOUS))
		order_account_wakeup(work->order, task, cpu,
				     current != TASK_NONE && current != task && !states->tasks[current].is_idle);
}

/* --- Events --- */

static void advance_totals(struct run_metrics_work *work, uint64_t ts_ns)
{
	const struct cpu_totals *cpus = &work->cpus;
	const uint64_t elapsed = ts_ns > work->now_ns ? ts_ns - work->now_ns : 0;
	const uint32_t shown = cpus->cpus - cpus->hidden;

	work->now[SUM_CPU_NS] += elapsed * cpus->cpus;
	work->now[SUM_IDLE_NS] += elapsed * cpus->idle;
	work->now[SUM_SHOWN_CPU_NS] += elapsed * shown;
	work->now[SUM_QUEUED_NS] += elapsed * cpus->queued;
	work->now[SUM_IMBALANCE_NS] += elapsed * cpus->imbalance;
	work->now[SUM_STRANDED_NS] += elapsed * cpus->stranded;
	work->now[SUM_CAPACITY] += elapsed * work->capacity_seen;
	work->now[SUM_CAPACITY_USED] += elapsed * work->capacity_used;
	work->now[SUM_SEVERAL_NS] += shown > 1 ? elapsed : 0;
	work->now[SUM_SHOWN_NS] += shown > 0 ? elapsed : 0;
	work->now_ns = ts_ns;
	work->is_extended = false;
}

/* The first event may have created tasks of this run already; tasks of earlier runs precede them. */
static void begin_tasks(struct run_metrics_work *work, uint64_t ts_ns)
{
	const struct task_states *states = work->states;
	uint32_t first = states->task_count;

	while (first > 0 && states->tasks[first - 1].run == states->run)
		first--;
	work->first_task = first;
	work->now_ns = ts_ns;
	work->knows = trace_scope_is_part(states->scope) ? 0 : KNOWS_ALL_TASKS;
}

void run_metrics_step(struct run_metrics_work *work, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step)
{
	work->states = states;
	if (work->first_task == UINT32_MAX)
		begin_tasks(work, event->ts_ns);
	advance_totals(work, event->ts_ns);
	if (work->descendants.root_count)
		descendants_step(&work->descendants, states, step);
	if (run_work_wants_cpu(work, event->cpu)) {
		const unsigned int missing = (step->changes & STEP_SWITCH_MISSING) != 0;
		work->now[SUM_SWITCHES] += (event->kind == SCHED_SWITCH) + missing;
		work->missing_switches += missing;
	}
	if (event->kind == SCHED_SWITCH && work->order)
		order_account_switch(work->order, event->cpu);
	if (work->idle)
		idle_account_step(work->idle, event, step);
	/* A wait belongs to the time before this event; the slice that ends now may end the steady part. */
	if (step->changes & STEP_WAIT)
		take_wait(work, &step->wait);
	for (unsigned int i = 0; i < step->slice_count && step->changes & (STEP_SLICE | STEP_LOSS); i++)
		take_slice(work, &step->slices[i]);
	work->knows |= step->changes & STEP_WAKEUP ? KNOWS_WAKEUPS : 0;
	work->knows |= step->changes & STEP_MIGRATION ? KNOWS_MIGRATIONS : 0;
	if (step->changes & STEP_RUN)
		take_run(work, step->started, event->cpu);
	if (step->changes & STEP_MIGRATION && work->order)
		order_account_move(work->order, step->migration.task, step->migration.to_cpu);
	if (step->changes & STEP_WAKEUP)
		take_wakeup(work, step);
	cpu_totals_step(&work->cpus, states, event, step);
	find_capacity(work);
	for (int kind = 0; kind < PERIOD_KINDS; kind++)
		role_account_step(work->roles[kind], states, event, step);
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
	const uint32_t task = migration->number;
	struct metric_period *periods[PERIODS_MAX];

	work->states = states;
	if (task >= states->task_count || !run_work_has(work, task, states->tasks[task].comm))
		return;
	const size_t count =
	    find_periods(work, task, states->tasks[task].comm,
			 metric_period_includes(&work->periods[PERIOD_STEADY], migration->ts_ns), periods);
	for (size_t i = 0; i < count; i++)
		add_migration(periods[i], migration, work->scope.levels, find_rise(work, migration));
}

void run_metrics_cut(struct run_metrics_work *work, const struct task_states *states, const struct task_slice *slice)
{
	work->states = states;
	if (work->first_task == UINT32_MAX)
		return;
	advance_totals(work, slice->end_ns);
	take_slice(work, slice);
}

static unsigned int find_knowledge(const struct run_metrics_work *work, const struct metric_period *period)
{
	const uint64_t shown_ns = period->sums[SUM_SHOWN_CPU_NS], cpu_ns = period->sums[SUM_CPU_NS];
	const uint64_t switches = work->now[SUM_SWITCHES];
	const unsigned int levels = work->scope.levels ? work->scope.level_bits : 0;
	const uint64_t all = work->capacity * (period->end_ns - period->begin_ns), seen = period->sums[SUM_CAPACITY];
	unsigned int knows = work->knows | levels * KNOWS_LEVELS;

	knows |= work->was_moved ? 0 : KNOWS_MIGRATIONS;
	knows |= quality_has_enough(switches - work->missing_switches, work->missing_switches) ? KNOWS_ALL_SWITCHES : 0;
	knows |= shown_ns && quality_has_enough(shown_ns, cpu_ns - shown_ns) ? KNOWS_QUEUES : 0;
	knows |= work->scope.cgroups && work->scope.cgroups->knows_throttling &&
			 quality_has_enough(period->sums[SUM_WAITED_NS], period->sums[SUM_WAITED_UNKNOWN_NS])
		     ? KNOWS_THROTTLING
		     : 0;
	knows |= work->scope.capacities ? KNOWS_CAPACITIES : 0;
	knows |= seen && quality_has_enough(seen, all > seen ? all - seen : 0) ? KNOWS_CAPACITY_USED : 0;
	return knows | (levels & (1u << CPU_LEVEL_SMT | 1u << CPU_LEVEL_LLC) ? KNOWS_NEAR_CPUS : 0);
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
	for (const struct metric *metric = metric_table(); metric->name; metric++) {
		const bool is_left_out =
		    (is_part && metric->of_workload) || work->scope.unneeded >> metric->account & 1;
		metrics->values[metric_index(metric)] = is_left_out ? NAN : metric_value(metric, period);
	}
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

static void free_periods(struct metric_period periods[PERIOD_KINDS])
{
	for (int kind = 0; kind < PERIOD_KINDS; kind++)
		free_period(&periods[kind]);
}

static void free_work(struct run_metrics_work *work)
{
	idle_account_free(work->idle);
	order_account_free(work->order);
	share_account_free(work->shares);
	for (int kind = 0; kind < PERIOD_KINDS; kind++)
		role_account_free(work->roles[kind]);
	free_periods(work->periods);
	for (size_t i = 0; i < work->name_count; i++)
		free_periods(work->names[i].periods);
	free(work->names);
	cpu_totals_free(&work->cpus);
	descendants_free(&work->descendants);
	free(work->is_worker);
	free(work->task_times);
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

static void set_names(struct run_metrics_work *work)
{
	struct run_names *names = work->scope.names;

	if (!names)
		return;
	names->items = xcalloc(work->name_count + 1, sizeof(*names->items));
	for (; names->count < work->name_count; names->count++) {
		struct name_periods *from = &work->names[names->count];
		struct run_name *name = &names->items[names->count];
		const struct sched_comm *comm = &work->states->comms.comms[from->comm];
		memcpy(name->name, comm->bytes, comm->length);
		set_part(work, &work->periods[PERIOD_WHOLE], &from->periods[PERIOD_WHOLE], &name->whole);
		set_part(work, &work->periods[PERIOD_STEADY], &from->periods[PERIOD_STEADY], &name->steady);
	}
}

static void set_results(struct run_metrics_work *work, struct run_metrics *whole, struct run_metrics *steady)
{
	struct metric_period *periods = work->periods;

	if (periods[PERIOD_WHOLE].has_begun)
		close_period(work, PERIOD_WHOLE);
	/* More tasks than the workload has: several runs of it in one trace. */
	if (!periods[PERIOD_STEADY].has_begun || work->has_run > work->scope.tasks)
		free_period(&periods[PERIOD_STEADY]);
	*whole = *steady = (struct run_metrics){0};
	set_names(work);
	set_metrics(work, &periods[PERIOD_WHOLE], work->scope.choice, whole);
	set_metrics(work, &periods[PERIOD_STEADY], work->scope.choice, steady);
}

void run_metrics_end(struct run_metrics_work *work, const struct task_states *states, struct run_metrics *whole,
		     struct run_metrics *steady)
{
	if (!work)
		return;
	work->states = states;
	if (metric_period_is_open(&work->periods[PERIOD_STEADY]))
		end_steady(work);
	if (whole)
		set_results(work, whole, steady);
	free_work(work);
}

void run_metrics_free(struct run_metrics *metrics)
{
	for (int i = 0; i < RUN_DISTRIBUTIONS; i++)
		distribution_free(&metrics->distributions[i]);
}
