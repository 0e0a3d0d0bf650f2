/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/run_accounts.h"

/* A task that always wants a CPU runs or waits for 90 % of the period. A nice level weighs 1.25 times the next one;
 * weights of cgroups are in roles. */
enum { WANTS_ALWAYS_PERCENT = 90, PRIO_FAIR_MIN = 100, PRIO_NICE_0 = 120, PRIO_FAIR_MAX = 139 };

/* Equal tasks: those with the same name. */
struct peers {
	uint32_t comm;
	uint32_t tasks[PERIOD_KINDS];  /* 0 until one of them ends, or the period */
	double fairness[PERIOD_KINDS]; /* NaN: they were not several then */
};

struct share_account {
	struct run_metrics_work *work;
	struct peers *peers;
	uint32_t peers_count;
};

struct share_account *share_account_begin(struct run_metrics_work *work)
{
	struct share_account *shares = xcalloc(1, sizeof(*shares));

	shares->work = work;
	return shares;
}

/* Tasks of one name are equals if the names or the roots of the workload's tasks are known. */
static bool has_peers(const struct run_metrics_work *work)
{
	return work->scope.task_names || work->descendants.root_count;
}

/* --- Against weights --- */

struct wanted {
	double ns, weight; /* of all tasks that count */
	uint32_t tasks;
};

/* The CPU time and the weight of the task in the period; false if it does not always want a CPU, or is bound to some.
 */
static bool wanted_always(const struct run_metrics_work *work, uint32_t task, enum period_kind kind, double *ns,
			  double *weight)
{
	const struct metric_period *period = &work->periods[kind];
	const struct run_role *role = run_work_role(work, task);
	const int32_t prio = work->states->tasks[task].prio;
	uint64_t open_ns;

	if (run_work_left(work, task, kind) || prio < PRIO_FAIR_MIN || prio > PRIO_FAIR_MAX)
		return false;
	if (role && role_binding(work->scope.work, role) != ROLE_FREE)
		return false;
	const uint64_t ran_ns = run_work_time(work, task, period->end_ns, kind);
	*ns = (double)ran_ns;
	*weight = role_weight(role, prio - PRIO_NICE_0);
	return (ran_ns + run_work_waits(work, task, period->end_ns, kind, &open_ns)) * 100 >=
	       (period->end_ns - period->begin_ns) * WANTS_ALWAYS_PERCENT;
}

static void add_error(struct metric_period *period, double error)
{
	period->share_error = isnan(period->share_error) ? error : period->share_error + error;
}

/* If all tasks count, what some have too much; if a part of them, what each of these has too much or too little. */
static void add_errors(struct run_metrics_work *work, uint32_t task, double error, enum period_kind kind)
{
	const uint32_t comm = work->states->tasks[task].comm;
	const bool is_chosen = run_work_chooses(work, task, comm);

	if (!work->scope.choice || is_chosen)
		add_error(&work->periods[kind], work->scope.choice ? fabs(error) : fmax(0, error));
	if (work->scope.names && is_chosen)
		add_error(&run_work_name(work, comm)->periods[kind], fabs(error));
}

static void set_errors(struct run_metrics_work *work, enum period_kind kind)
{
	struct wanted all = {0};
	double ns, weight;

	if (work->scope.work && work->scope.work->cgroup_count)
		return;
	for (uint32_t i = TASK_NONE; (i = run_work_next(work, i)) != TASK_NONE;)
		if (wanted_always(work, i, kind, &ns, &weight))
			all = (struct wanted){all.ns + ns, all.weight + weight, all.tasks + 1};
	if (all.tasks < 2 || !(all.ns > 0))
		return;
	for (uint32_t i = TASK_NONE; (i = run_work_next(work, i)) != TASK_NONE;)
		if (wanted_always(work, i, kind, &ns, &weight))
			add_errors(work, i, 100 * (ns / all.ns - weight / all.weight), kind);
}

/* --- Between equals --- */

static struct peers *peers_of(struct share_account *shares, uint32_t comm)
{
	for (uint32_t i = 0; i < shares->peers_count; i++)
		if (shares->peers[i].comm == comm)
			return &shares->peers[i];
	shares->peers = xreallocarray(shares->peers, shares->peers_count + 1, sizeof(*shares->peers));
	shares->peers[shares->peers_count] = (struct peers){.comm = comm, .fairness = {NAN, NAN}};
	return &shares->peers[shares->peers_count++];
}

/* Jain's index of their CPU time in the period up to ts_ns: in the steady part, of those that have not died before. */
static void set_fairness(struct run_metrics_work *work, struct peers *peers, uint64_t ts_ns, enum period_kind kind)
{
	double sum = 0, squares = 0;
	uint32_t tasks = 0;

	if (peers->tasks[kind])
		return;
	for (uint32_t i = TASK_NONE; (i = run_work_next(work, i)) != TASK_NONE;) {
		if (work->states->tasks[i].comm != peers->comm || !run_work_chooses(work, i, peers->comm) ||
		    run_work_task(work, i).is_child || run_work_left(work, i, kind))
			continue;
		const double time = (double)run_work_time(work, i, ts_ns, kind);
		sum += time;
		squares += time * time;
		tasks++;
	}
	peers->tasks[kind] = tasks;
	peers->fairness[kind] = tasks >= 2 && squares > 0 ? sum * sum / (tasks * squares) : NAN;
}

void share_account_death(struct share_account *shares, const struct task_slice *slice)
{
	if (has_peers(shares->work) && !run_work_task(shares->work, slice->task).is_child)
		set_fairness(shares->work, peers_of(shares, slice->comm), slice->end_ns, PERIOD_WHOLE);
}

/* With several names: the mean weighted by number of tasks. */
static void set_mean(const struct share_account *shares, enum period_kind kind)
{
	struct run_metrics_work *work = shares->work;
	double sum = 0;
	uint64_t weight = 0;

	for (uint32_t i = 0; i < shares->peers_count; i++) {
		const struct peers *peers = &shares->peers[i];
		if (work->scope.names)
			run_work_name(work, peers->comm)->periods[kind].fairness = peers->fairness[kind];
		if (isnan(peers->fairness[kind]))
			continue;
		sum += peers->fairness[kind] * peers->tasks[kind];
		weight += peers->tasks[kind];
	}
	work->periods[kind].fairness = weight ? sum / (double)weight : NAN;
}

void share_account_close(struct share_account *shares, enum period_kind kind)
{
	struct run_metrics_work *work = shares->work;

	set_errors(work, kind);
	for (uint32_t i = TASK_NONE; has_peers(work) && (i = run_work_next(work, i)) != TASK_NONE;)
		peers_of(shares, work->states->tasks[i].comm);
	for (uint32_t i = 0; i < shares->peers_count; i++)
		set_fairness(work, &shares->peers[i], work->periods[kind].end_ns, kind);
	set_mean(shares, kind);
}

void share_account_free(struct share_account *shares)
{
	if (shares)
		free(shares->peers);
	free(shares);
}
