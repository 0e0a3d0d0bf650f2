/* SPDX-License-Identifier: MIT */
#include "compare/run_shares.h"

#include <math.h>

#include "base/memory.h"

/* A task that always wants a CPU runs or waits for 90 % of the period. */
enum { WANTS_ALWAYS_PERCENT = 90, PRIO_FAIR_MIN = 100, PRIO_NICE_0 = 120, PRIO_FAIR_MAX = 139 };

struct shares {
	double ns, weight; /* of all tasks that count */
	uint32_t tasks;
};

/* The CPU time and the weight of the task in the period; false if it does not always want a CPU, or is bound to some.
 */
static bool wanted_always(const struct run_metrics_work *work, const struct task_states *states, uint32_t task,
			  const struct metric_period *period, bool steady, double *ns, double *weight)
{
	const uint32_t index = task - work->first_task;
	const struct task_time *before = steady && index < work->task_count ? &work->task_times[index] : NULL;
	const struct run_role *role = run_work_role(work, states, task);
	const int32_t prio = states->tasks[task].prio;
	uint64_t open_ns;

	if ((before && before->has_died) || prio < PRIO_FAIR_MIN || prio > PRIO_FAIR_MAX)
		return false;
	if (role && role_binding(work->scope.work, role) != ROLE_FREE)
		return false;
	const uint64_t ran_ns = run_work_time(work, states, task, period->end_ns) - (before ? before->unsteady_ns : 0);
	const uint64_t waited_ns =
	    run_work_waits(work, states, task, period->end_ns, &open_ns) - (before ? before->unsteady_waited_ns : 0);
	*ns = (double)ran_ns;
	*weight = role_weight(role, prio - PRIO_NICE_0);
	return (ran_ns + waited_ns) * 100 >= (period->end_ns - period->begin_ns) * WANTS_ALWAYS_PERCENT;
}

/* If all tasks count, what some have too much; if a part of them, what each of these has too much or too little. */
static void add_share(struct metric_period *period, double error)
{
	period->share_error = isnan(period->share_error) ? error : period->share_error + error;
}

static void add_shares(struct run_metrics_work *work, const struct task_states *states, uint32_t task, double error,
		       bool steady)
{
	const uint32_t comm = states->tasks[task].comm;
	struct metric_period *of_all = steady ? &work->steady : &work->whole;

	if (!work->scope.choice)
		add_share(of_all, fmax(0, error));
	else if (run_work_chooses(work, states, task, comm))
		add_share(of_all, fabs(error));
	if (work->scope.names && run_work_chooses(work, states, task, comm))
		add_share(steady ? &run_work_name(work, comm)->steady : &run_work_name(work, comm)->whole, fabs(error));
}

void run_shares_set(struct run_metrics_work *work, const struct task_states *states, const struct metric_period *period,
		    bool steady)
{
	struct shares all = {0};
	double ns, weight;

	if (work->scope.work && work->scope.work->cgroup_count)
		return;

	for (int pass = 0; pass < 2 && (pass == 0 || (all.tasks >= 2 && all.ns > 0)); pass++)
		for (uint32_t i = work->first_task; i < states->task_count; i++) {
			if (!states->tasks[i].was_seen || !run_work_has(work, states, i, states->tasks[i].comm) ||
			    !wanted_always(work, states, i, period, steady, &ns, &weight))
				continue;
			if (pass)
				add_shares(work, states, i, 100 * (ns / all.ns - weight / all.weight), steady);
			else
				all = (struct shares){all.ns + ns, all.weight + weight, all.tasks + 1};
		}
}

double run_shares_jain(struct run_metrics_work *work, const struct task_states *states, uint32_t comm, uint64_t ts_ns,
		       bool steady, uint32_t *tasks)
{
	double sum = 0;
	double squares = 0;

	*tasks = 0;
	for (uint32_t i = work->first_task; i < states->task_count; i++) {
		const struct task *task = &states->tasks[i];
		const uint32_t index = i - work->first_task;
		if (task->comm != comm || !task->was_seen || !run_work_has(work, states, i, comm) ||
		    !run_work_chooses(work, states, i, comm))
			continue;
		uint64_t before = 0;
		if (index < work->task_count && work->task_times[index].is_child)
			continue;
		if (steady && index < work->task_count) {
			if (work->task_times[index].has_died)
				continue;
			before = work->task_times[index].unsteady_ns;
		}
		uint64_t time_ns = run_work_time(work, states, i, ts_ns);
		double time = time_ns > before ? (double)(time_ns - before) : 0;
		sum += time;
		squares += time * time;
		++*tasks;
	}
	return *tasks >= 2 && squares > 0 ? sum * sum / (*tasks * squares) : NAN;
}

struct peers *run_shares_peers(struct run_metrics_work *work, uint32_t comm)
{
	for (uint32_t i = 0; i < work->peers_count; i++)
		if (work->peers[i].comm == comm)
			return &work->peers[i];
	work->peers = xreallocarray(work->peers, work->peers_count + 1, sizeof(*work->peers));
	work->peers[work->peers_count] = (struct peers){.comm = comm, .fairness = NAN, .steady_fairness = NAN};
	return &work->peers[work->peers_count++];
}

bool run_shares_has_peers(const struct run_metrics_work *work)
{
	return work->scope.task_names || work->descendants.root_count;
}

struct weighted_mean {
	double sum;
	uint64_t weight;
};

static void add_weighted(struct weighted_mean *mean, double value, uint32_t weight)
{
	if (isnan(value))
		return;
	mean->sum += value * weight;
	mean->weight += weight;
}

static double mean_of(const struct weighted_mean *mean)
{
	return mean->weight ? mean->sum / (double)mean->weight : NAN;
}

void run_shares_set_fairness(struct run_metrics_work *work, const struct task_states *states)
{
	struct weighted_mean whole = {0}, steady = {0};

	/* Names of which no task has ended. */
	for (uint32_t i = work->first_task; i < states->task_count && run_shares_has_peers(work); i++)
		if (states->tasks[i].was_seen && run_work_has(work, states, i, states->tasks[i].comm))
			run_shares_peers(work, states->tasks[i].comm);
	for (uint32_t i = 0; i < work->peers_count; i++) {
		struct peers *peers = &work->peers[i];
		if (isnan(peers->fairness))
			peers->fairness =
			    run_shares_jain(work, states, peers->comm, work->whole.end_ns, false, &peers->tasks);
		if (work->scope.names) {
			run_work_name(work, peers->comm)->whole.fairness = peers->fairness;
			run_work_name(work, peers->comm)->steady.fairness = peers->steady_fairness;
		}
		add_weighted(&whole, peers->fairness, peers->tasks);
		add_weighted(&steady, peers->steady_fairness, peers->steady_tasks);
	}
	work->whole.fairness = mean_of(&whole);
	work->steady.fairness = mean_of(&steady);
}
