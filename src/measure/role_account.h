/* SPDX-License-Identifier: MIT
 *
 * What the roles and cgroups of a mix got of the CPUs in one part of a run, against what its metadata say: weights,
 * quotas, CPUs. A task has the role that is its name at the time (children that it forks too), and the cgroup of the
 * role.
 *
 * Shares: a task that runs or waits for 90 % of the part always wants a CPU. The CPU time that all roles got, without
 * that of the other tasks, is divided among these in proportion to the weights, level by level of the cgroups; no task
 * can use more than one CPU, and no cgroup more than its quota. Real-time roles, and those bound to CPUs of their own,
 * are not divided: they got what they wanted. The error is the part of the CPU time that went to others than that.
 * Pure. */
#ifndef MEASURE_ROLE_ACCOUNT_H
#define MEASURE_ROLE_ACCOUNT_H

#include "runs/metadata.h"
#include "trace/task.h"

struct role_results {
	double role_share_error;   /* %; NaN: there are not two roles with tasks that always want a CPU */
	double cgroup_share_error; /* the same of cgroups that have tasks */
	/* % of the periods in which the tasks of a cgroup with a quota wanted it, and got it (95 % of it or more, or
	 * owed it from the period before, in which it got more); NaN: there was none. The first period begins with the
	 * part. */
	double quota_share;
	/* The longest time that tasks of such a cgroup waited and none of them ran: throttled, or while others ran. */
	bool has_quota;
	uint64_t longest_quota_wait_ns;
	/* Times that a task began to run on none of its role's own CPUs. */
	bool has_masks;
	uint64_t runs_outside;
};

/* The role with this name; NULL: none. */
const struct run_role *role_find(const struct run_role *roles, size_t count, const struct sched_comm *comm);
/* What is known of the CPUs that tasks of the role may use: all of the run's, the role's own, or others from time to
 * time, since they bind themselves (churn). */
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
/* The part begins now (at first: with the first event): what was counted is forgotten. */
void role_account_restart(struct role_account *account, uint64_t ts_ns);
/* The results of the part up to ts_ns, the latest event or later. */
void role_account_end(struct role_account *account, uint64_t ts_ns, struct role_results *results);
void role_account_free(struct role_account *account);

#endif
