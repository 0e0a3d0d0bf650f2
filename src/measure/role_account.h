/* SPDX-License-Identifier: MIT
 *
 * CPU time of the roles and cgroups of a mix in one part of a run, compared with the weights, quotas and CPUs in its
 * metadata. A task has the role whose name it has at the time (also children that it forks), and that role's cgroup.
 *
 * Shares: a task that runs or waits for 90 % of the part always wants a CPU. The CPU time that all roles got, without
 * that of the other tasks, is divided among these in proportion to their weights, level by level of the cgroups; no
 * task can use more than one CPU, and no cgroup more than its quota. Real-time roles, and roles bound to their own
 * CPUs, are not divided: their fair share is the time that they got. The error is the part of the CPU time beyond the
 * fair shares. Pure. */
#ifndef MEASURE_ROLE_ACCOUNT_H
#define MEASURE_ROLE_ACCOUNT_H

#include "runs/metadata.h"
#include "trace/task.h"

struct role_results {
	double role_share_error;   /* %; NaN: fewer than two roles with tasks that always want a CPU */
	double cgroup_share_error; /* the same for cgroups with tasks */
	/* % of the periods in which the tasks of a cgroup wanted its quota and got it (95 % of it or more; time beyond
	 * the quota in a period counts for the next one). NaN: there was no such period. The first period begins with
	 * the part. */
	double quota_share;
	/* The longest time for which tasks of a cgroup with a quota waited and none of them ran: throttled, or while
	 * other tasks ran. */
	bool has_quota;
	uint64_t longest_quota_wait_ns;
	/* Number of times that a task began to run on a CPU that is not one of its role's. */
	bool has_masks;
	uint64_t runs_outside;
};

/* CPUs that tasks of the role may use: all CPUs of the run, the role's own CPUs, or changing ones, because the tasks
 * bind themselves (churn). */
enum role_binding { ROLE_FREE, ROLE_BOUND, ROLE_BINDS_ITSELF };
enum role_binding role_binding(const struct run_work *work, const struct run_role *role);
/* The weight of a fair task with this nice level; role may be NULL. With SCHED_IDLE the level has no effect. */
double role_weight(const struct run_role *role, int nice);

struct role_account;

/* NULL without roles; then the other functions do nothing. work must outlive the account. */
struct role_account *role_account_begin(const struct run_work *work);
/* Processes the result of task_states_step(). */
void role_account_step(struct role_account *account, const struct task_states *states, const struct sched_event *event,
		       const struct task_step *step);
/* Begins the part at ts_ns and forgets earlier counts. Without this call, it begins with the first event. */
void role_account_restart(struct role_account *account, uint64_t ts_ns);
/* The results of the part, which ends at ts_ns, not before the latest event. */
void role_account_end(struct role_account *account, uint64_t ts_ns, struct role_results *results);
void role_account_free(struct role_account *account);

#endif
