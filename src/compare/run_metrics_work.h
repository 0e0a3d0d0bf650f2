/* SPDX-License-Identifier: MIT
 *
 * A run while its metrics are computed (run_metrics.h): its periods, its tasks and its CPUs. run_metrics.c fills it;
 * its accounts (run_accounts.h) read it, and add to sums, distributions and results of the periods. */
#ifndef COMPARE_RUN_METRICS_WORK_H
#define COMPARE_RUN_METRICS_WORK_H

#include "compare/cpu_totals.h"
#include "compare/metric.h"
#include "compare/metric_period.h"
#include "compare/run_metrics_scope.h"

enum period_kind { PERIOD_WHOLE, PERIOD_STEADY, PERIOD_KINDS };

struct task_time {
	uint64_t ns, waited_ns;                   /* CPU time and waits that were counted */
	uint64_t unsteady_ns, unsteady_waited_ns; /* of these, before the steady part */
	uint32_t cpu;                             /* of the latest counted slice */
	bool has_run, has_died;
	bool is_child; /* of a task with one of the workload's names, which it has inherited: not one of its tasks */
};

/* The sums over the tasks of one name. */
struct name_periods {
	uint32_t comm;
	struct metric_period periods[PERIOD_KINDS];
};

struct run_metrics_work {
	struct run_metrics_scope scope;
	const struct task_states *states;
	/* The whole run is from the first event of the workload's tasks to the latest. */
	struct metric_period periods[PERIOD_KINDS];
	bool is_extended;           /* they last until now_ns */
	struct name_periods *names; /* with scope.names */
	size_t name_count;
	/* Accounts: NULL if no chosen metric needs them. */
	struct idle_account *idle;
	struct order_account *order;
	struct share_account *shares;
	struct role_account *roles[PERIOD_KINDS]; /* of a mix */
	/* Tasks. */
	struct descendants descendants; /* of the scope's roots */
	uint8_t *is_worker;             /* by comm: 0 unchecked, 1 no, 2 yes */
	uint32_t comm_count;
	uint32_t first_task;          /* first task of the run, in the machine */
	struct task_time *task_times; /* by task number - first_task */
	uint32_t task_count;
	uint32_t absent_max;        /* tasks that may be missing in the steady part */
	uint32_t has_run, has_died; /* tasks of the workload */
	/* CPUs. */
	uint64_t now_ns;            /* end time of the running totals */
	uint64_t now[MACHINE_SUMS]; /* those of accounts: when the periods were extended */
	struct cpu_totals cpus;     /* since now_ns */
	uint16_t capacity_max;      /* of the workload's CPUs; 0: not known */
	uint32_t capacity;          /* of all of them together */
	uint32_t capacity_seen;     /* since now_ns: of those whose current task is known */
	uint32_t capacity_used;     /* of those that run a task of the workload */
	uint64_t missing_switches;
	unsigned int knows; /* bits of enum period_knowledge, from events of any task */
	bool was_moved;     /* a task of the workload ran on two CPUs */
};

/* Checks a name that was not checked before. */
bool run_work_check_name(struct run_metrics_work *work, uint32_t comm);

/* Tests by the name that the task had during the counted time, or by descendants. */
static inline bool run_work_has(struct run_metrics_work *work, uint32_t task, uint32_t comm)
{
	const struct task *it = &work->states->tasks[task];

	if (work->descendants.root_count)
		return descendants_has(&work->descendants, task);
	if (it->is_idle || (!work->scope.task_names && it->is_kernel))
		return false;
	if (comm < work->comm_count && work->is_worker[comm])
		return work->is_worker[comm] == 2;
	return run_work_check_name(work, comm);
}

/* It is among the chosen ones. */
static inline bool run_work_chooses(const struct run_metrics_work *work, uint32_t task, uint32_t comm)
{
	return !work->scope.choice || task_choice_has(work->scope.choice, work->states, task, comm);
}

static inline bool run_work_wants_cpu(const struct run_metrics_work *work, uint32_t cpu)
{
	return cpu_totals_wants(&work->cpus, cpu);
}

/* The task of the workload after this one, of those that were seen; the first one after TASK_NONE, TASK_NONE after the
 * last one. */
uint32_t run_work_next(struct run_metrics_work *work, uint32_t task);
/* The role of a mix that the task has by its name; NULL: none. */
const struct run_role *run_work_role(const struct run_metrics_work *work, uint32_t task);
/* The periods of a name. */
struct name_periods *run_work_name(struct run_metrics_work *work, uint32_t comm);
/* The times of the task; zeroed if it has not been counted. */
static inline struct task_time run_work_task(const struct run_metrics_work *work, uint32_t task)
{
	const uint32_t number = task - work->first_task;

	return number < work->task_count ? work->task_times[number] : (struct task_time){0};
}

/* CPU time in a period up to ts_ns, including the current slice. */
uint64_t run_work_time(const struct run_metrics_work *work, uint32_t task, uint64_t ts_ns, enum period_kind kind);
/* The same of its waits, including one that has not ended: *open_ns. */
uint64_t run_work_waits(const struct run_metrics_work *work, uint32_t task, uint64_t ts_ns, enum period_kind kind,
			uint64_t *open_ns);
/* It died before the steady part ended; false in the whole run. */
static inline bool run_work_left(const struct run_metrics_work *work, uint32_t task, enum period_kind kind)
{
	return kind == PERIOD_STEADY && run_work_task(work, task).has_died;
}

#endif
