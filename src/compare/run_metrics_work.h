/* SPDX-License-Identifier: MIT
 *
 * A run while its metrics are computed (run_metrics.h): its periods and its tasks. */
#ifndef COMPARE_RUN_METRICS_WORK_H
#define COMPARE_RUN_METRICS_WORK_H

#include "compare/cpu_totals.h"
#include "compare/metric_period.h"
#include "compare/run_metrics_scope.h"
#include "measure/idle_waiting.h"

/* Equal tasks: tasks with the same name. */
struct peers {
	uint32_t comm;
	uint32_t tasks;
	double fairness; /* when the first of them ended; NaN before */
	uint32_t steady_tasks;
	double steady_fairness; /* over the steady part; NaN before its end */
};

struct task_time {
	uint64_t ns;                            /* counted CPU time */
	uint64_t unsteady_ns;                   /* of it, before the steady part */
	uint64_t waited_ns, unsteady_waited_ns; /* the same for its waits */
	uint32_t cpu;                           /* of the latest counted slice */
	bool has_run, has_died;
	bool is_child; /* of a task with one of the workload's names, which it has inherited: not one of its tasks */
	/* From its wakeup until it runs: the CPU on which it waits, the switches there when it came, and those that it
	 * has seen on other CPUs. */
	bool was_woken;
	uint32_t waits_on;
	uint64_t switches_then, switches_elsewhere;
	bool cpu_was_busy; /* with another task, when it was woken */
	uint64_t awake_ns; /* its last wakeup or birth; 0: not known */
};

/* The sums over the tasks of one name. */
struct name_periods {
	uint32_t comm;
	struct metric_period whole, steady;
};

struct run_metrics_work {
	struct run_metrics_scope scope;
	struct idle_waiting waiting;
	struct descendants descendants; /* descendants of the scope's roots */
	uint32_t first_task;            /* first task of the run, in the machine */
	uint64_t now_ns;                /* end time of the running totals */
	bool is_extended;               /* the periods last until now_ns */
	uint64_t now[MACHINE_SUMS];
	struct cpu_totals cpus; /* since now_ns */
	uint64_t *switches;     /* of each CPU so far */
	uint32_t switches_count;
	uint64_t misfits_due_ns[CPU_LEVELS_CPUS]; /* run_misfits.h: from then on they count */
	uint32_t misfit_count;
	uint16_t capacity_max;      /* of the workload's CPUs; 0: not known */
	struct metric_period whole; /* from the first event of the workload's tasks to the latest */
	struct metric_period steady;
	uint32_t absent_max;        /* tasks that may be missing in the steady part */
	uint32_t has_run, has_died; /* tasks of the workload */
	unsigned int knows;         /* bits of enum period_knowledge, from events of any task */
	bool was_moved;             /* a task of the workload ran on two CPUs */
	uint64_t missing_switches;
	uint8_t *is_worker; /* by comm: 0 unchecked, 1 no, 2 yes */
	uint32_t comm_count;
	struct task_time *task_times; /* by task number - first_task */
	uint32_t task_count;
	struct peers *peers;
	uint32_t peers_count;
	struct role_account *whole_roles, *steady_roles;
	enum role_binding *bindings; /* of the roles of scope.work */
	struct name_periods *names;  /* with scope.names */
	size_t name_count;
};

/* Checks a name that was not checked before. */
bool run_work_check_name(struct run_metrics_work *work, const struct task_states *states, uint32_t comm);

/* Tests by the name that the task had during the counted time, or by descendants. */
static inline bool run_work_has(struct run_metrics_work *work, const struct task_states *states, uint32_t task,
				uint32_t comm)
{
	const struct task *it = &states->tasks[task];

	if (work->descendants.root_count)
		return descendants_has(&work->descendants, task);
	if (it->is_idle || (!work->scope.task_names && it->is_kernel))
		return false;
	if (comm < work->comm_count && work->is_worker[comm])
		return work->is_worker[comm] == 2;
	return run_work_check_name(work, states, comm);
}

/* It is among the chosen ones. */
static inline bool run_work_chooses(const struct run_metrics_work *work, const struct task_states *states,
				    uint32_t task, uint32_t comm)
{
	return !work->scope.choice || task_choice_has(work->scope.choice, states, task, comm);
}

/* The role of a mix that the task has by its name; NULL: none. */
const struct run_role *run_work_role(const struct run_metrics_work *work, const struct task_states *states,
				     uint32_t task);
/* The periods of a name. */
struct name_periods *run_work_name(struct run_metrics_work *work, uint32_t comm);
/* CPU time up to ts_ns, including the current slice. */
uint64_t run_work_time(const struct run_metrics_work *work, const struct task_states *states, uint32_t task,
		       uint64_t ts_ns);
/* Its waits up to ts_ns, including one that has not ended: *open_ns. */
uint64_t run_work_waits(const struct run_metrics_work *work, const struct task_states *states, uint32_t task,
			uint64_t ts_ns, uint64_t *open_ns);

#endif
