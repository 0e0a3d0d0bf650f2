/* SPDX-License-Identifier: MIT */
#include "compare/run_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/own_tasks.h"
#include "sched/comm_table.h"

/* Running totals, saved at each event of the workload's tasks: time after the last of these events does not count. */
struct sums {
	uint64_t cpu_ns;    /* of all CPUs whose current task is known */
	uint64_t idle_ns;   /* the idle part of cpu_ns */
	uint64_t queued_ns; /* time multiplied by the number of tasks that run or wait there */
	uint64_t switches;
	uint64_t idle_waiting_ns;
};

/* Equal tasks: tasks with the same name. */
struct peers {
	uint32_t comm;
	uint32_t tasks;
	double fairness; /* when the first of them ended; NaN before */
};

struct task_time {
	uint64_t ns;  /* counted CPU time */
	uint32_t cpu; /* of the latest counted slice */
};

struct run_metrics_work {
	struct run_metrics_scope scope;
	struct run_metrics metrics;
	struct distribution preempted;
	struct idle_waiting waiting;
	struct descendants descendants; /* descendants of the scope's roots */
	uint32_t first_task;            /* first task of the run, in the machine */
	bool has_begun;                 /* a task of the workload was seen */
	bool failed;
	uint64_t begin_ns, last_ns; /* first and latest event of such a task */
	uint64_t now_ns;            /* end time of the running totals */
	struct sums now, settled, before;
	uint32_t cpus, idle, queued; /* since now_ns */
	uint64_t out, involuntary;
	uint64_t migrations[MIGRATION_CAUSES], all_migrations;
	/* Events of any task. A kind that was not recorded gives NaN, not 0. */
	bool has_wakeups, has_migrations;
	bool is_part;       /* events of followed tasks only: values that depend on other tasks are unknown */
	bool was_moved;     /* a task of the workload ran on two CPUs */
	uint8_t *is_worker; /* by comm: 0 unchecked, 1 no, 2 yes */
	uint32_t comm_count;
	struct task_time *task_times; /* by task number - first_task */
	uint32_t task_count;
	struct peers *peers;
	uint32_t peers_count;
};

static bool wants_cpu(const struct run_metrics_work *work, uint32_t cpu)
{
	return !work->scope.cpus || (cpu < TASK_CPUS_MAX && work->scope.cpus[cpu / 64] >> cpu % 64 & 1);
}

static bool is_worker_name(const struct run_metrics_work *work, const struct sched_comm *comm)
{
	if (work->scope.task_names)
		return comm_is_one_of(comm, work->scope.task_names);
	return !comm_is_kernel_thread(comm) && !comm_is_one_of(comm, OWN_TASKS " <idle>") &&
	       !(comm->length >= 8 && memcmp(comm->bytes, "swapper/", 8) == 0);
}

/* Tests by the name that the task had during the counted time, or by descendants. */
static bool is_worker(struct run_metrics_work *work, const struct task_states *states, uint32_t task, uint32_t comm)
{
	if (work->descendants.root_count)
		return descendants_has(&work->descendants, task);
	if (states->tasks[task].is_idle || (!work->scope.task_names && states->tasks[task].is_kernel))
		return false;
	if (comm >= work->comm_count) {
		uint32_t count = states->comms.count + 16;
		uint8_t *grown = realloc(work->is_worker, count);
		if (!grown) {
			work->failed = true;
			return false;
		}
		memset(grown + work->comm_count, 0, count - work->comm_count);
		work->is_worker = grown;
		work->comm_count = count;
	}
	if (!work->is_worker[comm])
		work->is_worker[comm] = is_worker_name(work, &states->comms.comms[comm]) ? 2 : 1;
	return work->is_worker[comm] == 2;
}

static bool waiting_counts(void *context, const struct task_states *states, uint32_t task)
{
	return is_worker(context, states, task, states->tasks[task].comm);
}

struct run_metrics_work *run_metrics_begin(const struct run_metrics_scope *scope)
{
	struct run_metrics_work *work = calloc(1, sizeof(*work));

	if (!work)
		return NULL;
	work->scope = *scope;
	if (!scope->task_names)
		work->descendants = (struct descendants){.roots = scope->roots, .root_count = scope->root_count};
	work->waiting.cpus = scope->cpus;
	work->waiting.counts = waiting_counts;
	work->waiting.context = work;
	work->first_task = UINT32_MAX;
	return work;
}

/* Updates the numbers of CPUs, idle CPUs and queued tasks after an event. */
static void count_cpus(struct run_metrics_work *work, const struct task_states *states)
{
	work->cpus = work->idle = work->queued = 0;
	for (uint32_t i = 0; i < states->seen_cpus; i++) {
		const struct task_cpu *cpu = &states->cpus[i];
		if (!wants_cpu(work, i) || !cpu->seen || cpu->in_gap || cpu->current == TASK_NONE)
			continue;
		bool is_idle = states->tasks[cpu->current].is_idle;
		work->cpus++;
		work->idle += is_idle;
		work->queued += cpu->runnable + !is_idle;
	}
}

static void advance_totals(struct run_metrics_work *work, uint64_t ts_ns)
{
	uint64_t elapsed = ts_ns > work->now_ns ? ts_ns - work->now_ns : 0;

	work->now.cpu_ns += elapsed * work->cpus;
	work->now.idle_ns += elapsed * work->idle;
	work->now.queued_ns += elapsed * work->queued;
	work->now_ns = ts_ns;
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

/* Saves the totals: a task of the workload is seen at now_ns. */
static void save_totals(struct run_metrics_work *work)
{
	uint64_t ts_ns = work->now_ns;

	work->now.idle_waiting_ns = idle_waiting_so_far(work);
	if (!work->has_begun) {
		work->has_begun = true;
		work->begin_ns = ts_ns;
		work->before = work->now;
	}
	work->last_ns = ts_ns;
	work->settled = work->now;
}

static struct task_time *task_time(struct run_metrics_work *work, uint32_t task)
{
	if (task < work->first_task)
		return NULL;
	uint32_t index = task - work->first_task;
	if (index >= work->task_count) {
		uint32_t count = index + index / 2 + 64;
		struct task_time *grown = realloc(work->task_times, count * sizeof(*grown));
		if (!grown) {
			work->failed = true;
			return NULL;
		}
		memset(grown + work->task_count, 0, (count - work->task_count) * sizeof(*grown));
		work->task_times = grown;
		work->task_count = count;
	}
	return &work->task_times[index];
}

/* CPU time up to ts_ns, including the current slice. */
static uint64_t time_up_to(const struct run_metrics_work *work, const struct task_states *states, uint32_t task,
			   uint64_t ts_ns)
{
	const struct task *it = &states->tasks[task];
	uint32_t index = task - work->first_task;
	uint64_t time_ns = index < work->task_count ? work->task_times[index].ns : 0;

	if (task_state_of(states, it) == TASK_RUNNING && it->cpu < states->cpu_count &&
	    states->cpus[it->cpu].current == task && ts_ns > states->cpus[it->cpu].since_ns)
		time_ns += ts_ns - states->cpus[it->cpu].since_ns;
	return time_ns;
}

static double jain(const struct run_metrics_work *work, const struct task_states *states, uint32_t comm, uint64_t ts_ns,
		   uint32_t *tasks)
{
	double sum = 0;
	double squares = 0;

	*tasks = 0;
	for (uint32_t i = work->first_task; i < states->task_count; i++) {
		const struct task *task = &states->tasks[i];
		if (task->comm != comm || !task->was_seen || task->is_idle)
			continue;
		double time = (double)time_up_to(work, states, i, ts_ns);
		sum += time;
		squares += time * time;
		++*tasks;
	}
	return *tasks >= 2 && squares > 0 ? sum * sum / (*tasks * squares) : NAN;
}

static struct peers *peers_of(struct run_metrics_work *work, uint32_t comm)
{
	for (uint32_t i = 0; i < work->peers_count; i++)
		if (work->peers[i].comm == comm)
			return &work->peers[i];
	struct peers *grown = realloc(work->peers, (work->peers_count + 1) * sizeof(*grown));
	if (!grown) {
		work->failed = true;
		return NULL;
	}
	work->peers = grown;
	grown[work->peers_count] = (struct peers){.comm = comm, .fairness = NAN};
	return &grown[work->peers_count++];
}

static void take_slice(struct run_metrics_work *work, const struct task_states *states, const struct task_slice *slice)
{
	if (!wants_cpu(work, slice->cpu) || !is_worker(work, states, slice->task, slice->comm))
		return;
	uint64_t length = slice->end_ns - slice->start_ns;
	/* A slice whose end was lost ended before this event, for an unknown reason. */
	if (slice->end_ns == work->now_ns)
		save_totals(work);
	struct task_time *time = task_time(work, slice->task);
	if (time) {
		work->was_moved |= time->ns && time->cpu != slice->cpu;
		time->ns += length;
		time->cpu = slice->cpu;
	}
	if (slice->end_cut)
		return;
	work->out++;
	work->involuntary += leave_reason_is_runnable(slice->out);
	if (!slice->start_cut)
		distribution_add(&work->metrics.slices, length);
	if (slice->out != LEAVE_DEAD || !work->scope.task_names)
		return;
	struct peers *peers = peers_of(work, slice->comm);
	if (peers && isnan(peers->fairness))
		peers->fairness = jain(work, states, slice->comm, slice->end_ns, &peers->tasks);
}

static void take_wait(struct run_metrics_work *work, const struct task_states *states, const struct task_wait *wait)
{
	if (!wants_cpu(work, wait->cpu) || !is_worker(work, states, wait->task, wait->comm))
		return;
	bool is_wakeup = wait->cause == WAIT_WAKEUP || wait->cause == WAIT_NEW;
	distribution_add(is_wakeup ? &work->metrics.wakeup_latencies : &work->preempted, wait->end_ns - wait->since_ns);
}

bool run_metrics_step(struct run_metrics_work *work, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step)
{
	if (work->first_task == UINT32_MAX) {
		/* The first event may have created tasks of this run already; tasks of earlier runs precede them. */
		uint32_t first = states->task_count;
		while (first > 0 && states->tasks[first - 1].run == states->run)
			first--;
		work->first_task = first;
		work->now_ns = event->ts_ns;
		work->is_part = trace_scope_is_part(states->scope);
	}
	advance_totals(work, event->ts_ns);
	if (work->descendants.root_count && !descendants_step(&work->descendants, states, step))
		return false;
	if (event->kind == SCHED_SWITCH && wants_cpu(work, event->cpu))
		work->now.switches++;
	if (!idle_waiting_step(&work->waiting, states, event, step))
		return false;
	for (unsigned int i = 0; i < step->slice_count && step->what & (STEP_SLICE | STEP_LOSS); i++)
		take_slice(work, states, &step->slices[i]);
	work->has_wakeups |= (step->what & STEP_WAKEUP) != 0;
	work->has_migrations |= (step->what & STEP_MIGRATION) != 0;
	if (step->what & STEP_WAIT)
		take_wait(work, states, &step->wait);
	if (step->what & STEP_RUN && wants_cpu(work, event->cpu) &&
	    is_worker(work, states, step->started, states->tasks[step->started].comm))
		save_totals(work);
	if (step->what & STEP_WAKEUP &&
	    is_worker(work, states, step->wakeup.task, states->tasks[step->wakeup.task].comm))
		save_totals(work);
	count_cpus(work, states);
	return !work->failed;
}

void run_metrics_migration(struct run_metrics_work *work, const struct task_states *states,
			   const struct migration *migration)
{
	if (migration->number >= states->task_count ||
	    !is_worker(work, states, migration->number, states->tasks[migration->number].comm))
		return;
	work->migrations[migration->cause]++;
	work->all_migrations++;
}

bool run_metrics_cut(struct run_metrics_work *work, const struct task_states *states, const struct task_slice *slice)
{
	idle_waiting_cut(&work->waiting, states, slice);
	if (work->first_task != UINT32_MAX) {
		advance_totals(work, slice->end_ns);
		take_slice(work, states, slice);
	}
	return !work->failed;
}

/* With several names: the mean weighted by number of tasks. */
static double fairness(struct run_metrics_work *work, const struct task_states *states)
{
	double sum = 0;
	uint64_t tasks = 0;

	if (!work->scope.task_names)
		return NAN;
	/* Names of which no task has ended. */
	for (uint32_t i = work->first_task; i < states->task_count; i++)
		if (states->tasks[i].was_seen && is_worker(work, states, i, states->tasks[i].comm) &&
		    !peers_of(work, states->tasks[i].comm))
			return NAN;
	for (uint32_t i = 0; i < work->peers_count; i++) {
		struct peers *peers = &work->peers[i];
		if (isnan(peers->fairness))
			peers->fairness = jain(work, states, peers->comm, work->last_ns, &peers->tasks);
		if (isnan(peers->fairness))
			continue;
		sum += peers->fairness * peers->tasks;
		tasks += peers->tasks;
	}
	return tasks ? sum / (double)tasks : NAN;
}

static double percentile_us(const struct distribution *distribution, unsigned int per_mille)
{
	return distribution->count ? (double)distribution_percentile(distribution, per_mille) / 1e3 : NAN;
}

static void take_times(struct run_metrics_work *work, double *values)
{
	const struct distribution *slices = &work->metrics.slices;
	const struct distribution *wakeups = &work->metrics.wakeup_latencies;

	if (slices->count)
		values[METRIC_SLICE_MEAN] = (double)slices->sum / (double)slices->count / 1e3;
	values[METRIC_SLICE_P50] = percentile_us(slices, 500);
	values[METRIC_SLICE_P90] = percentile_us(slices, 900);
	values[METRIC_SLICE_P99] = percentile_us(slices, 990);
	values[METRIC_WAKEUP_P50] = percentile_us(wakeups, 500);
	values[METRIC_WAKEUP_P90] = percentile_us(wakeups, 900);
	values[METRIC_WAKEUP_P99] = percentile_us(wakeups, 990);
	if (wakeups->count)
		values[METRIC_WAKEUP_MAX] = (double)wakeups->max / 1e3;
	values[METRIC_PREEMPTED_P50] = percentile_us(&work->preempted, 500);
	values[METRIC_PREEMPTED_P99] = percentile_us(&work->preempted, 990);
}

static void take_rates(struct run_metrics_work *work, double *values)
{
	static const uint8_t causes[][2] = {{METRIC_MIGRATIONS_WAKEUP, MIGRATION_WAKEUP},
					    {METRIC_MIGRATIONS_FORK, MIGRATION_FORK},
					    {METRIC_MIGRATIONS_PULL, MIGRATION_PULL},
					    {METRIC_MIGRATIONS_ACTIVE, MIGRATION_ACTIVE}};
	const struct sums *end = &work->settled;
	const struct sums *begin = &work->before;
	double seconds = (double)(work->last_ns - work->begin_ns) / 1e9;
	double cpu_ns = (double)(end->cpu_ns - begin->cpu_ns);
	uint64_t other = work->all_migrations;

	if (work->out)
		values[METRIC_INVOLUNTARY_SHARE] = 100.0 * (double)work->involuntary / (double)work->out;
	if (work->is_part)
		return;
	if (cpu_ns > 0) {
		if (work->has_wakeups)
			values[METRIC_RUN_QUEUE] = (double)(end->queued_ns - begin->queued_ns) / cpu_ns;
		values[METRIC_IDLE_SHARE] = 100.0 * (double)(end->idle_ns - begin->idle_ns) / cpu_ns;
	}
	if (seconds <= 0)
		return;
	values[METRIC_SWITCHES] = (double)(end->switches - begin->switches) / seconds;
	if (work->has_wakeups)
		values[METRIC_IDLE_WAITING] = (double)(end->idle_waiting_ns - begin->idle_waiting_ns) / 1e6 / seconds;
	if (work->was_moved && !work->has_migrations)
		return;
	values[METRIC_MIGRATIONS] = (double)work->all_migrations / seconds;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		values[causes[i][0]] = (double)work->migrations[causes[i][1]] / seconds;
		other -= work->migrations[causes[i][1]];
	}
	values[METRIC_MIGRATIONS_OTHER] = (double)other / seconds;
}

bool run_metrics_end(struct run_metrics_work *work, const struct task_states *states, struct run_metrics *metrics)
{
	if (!work)
		return true;
	double *values = work->metrics.values;
	for (size_t i = 0; i < METRIC_COUNT; i++)
		values[i] = NAN;
	values[METRIC_THROUGHPUT] = work->scope.throughput;
	if (metrics && work->has_begun) {
		work->metrics.duration_ns = work->last_ns - work->begin_ns;
		take_times(work, values);
		take_rates(work, values);
		values[METRIC_FAIRNESS] = fairness(work, states);
	}
	bool is_good = !work->failed && !work->metrics.slices.failed && !work->metrics.wakeup_latencies.failed &&
		       !work->preempted.failed;
	if (metrics)
		*metrics = work->metrics;
	else
		run_metrics_free(&work->metrics);
	distribution_free(&work->preempted);
	idle_waiting_free(&work->waiting);
	descendants_free(&work->descendants);
	free(work->is_worker);
	free(work->task_times);
	free(work->peers);
	free(work);
	return is_good;
}

void run_metrics_free(struct run_metrics *metrics)
{
	distribution_free(&metrics->wakeup_latencies);
	distribution_free(&metrics->slices);
}
