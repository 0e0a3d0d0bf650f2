/* SPDX-License-Identifier: MIT
 *
 * The tasks and CPUs of a run whose metrics are wanted (compare/run_metrics.h). */
#ifndef COMPARE_RUN_METRICS_SCOPE_H
#define COMPARE_RUN_METRICS_SCOPE_H

#include "measure/cgroups.h"
#include "measure/role_account.h"
#include "measure/task_choice.h"
#include "measure/workload_descendants.h"
#include "rules/reading.h"
#include "runs/cpu_levels.h"

struct run_names;

#define RUN_STEADY_ABSENT 20

struct run_metrics_scope {
	/* The comms of the workload's tasks, separated by a space. NULL: the roots and all their descendants;
	 * without roots, every task except idle tasks, kernel tasks and picknext's own. */
	const char *task_names;
	uint32_t tasks;       /* with task_names: the number of these tasks; 0: unknown, so no steady part */
	const int32_t *roots; /* PIDs, ascending; measure/workload_descendants.h */
	size_t root_count;
	const uint64_t *cpus; /* TASK_CPUS_MAX bits, one per CPU; NULL: all. Must outlive the work. */
	double throughput;    /* or NAN */
	unsigned int hz;      /* of the kernel's tick; 0: unknown */
	bool is_deterministic;
	const struct cpu_levels *levels;    /* NULL: not known, or all CPUs are equally near. Must outlive the work */
	unsigned int level_bits;            /* of pairs of CPUs of the workload */
	const struct run_work *work;        /* a mix's roles and cgroups; NULL: none. Must outlive the work */
	const struct cgroups *cgroups;      /* stepped before the work; NULL: throttling is not known */
	const struct rules_findings *rules; /* complete at the end of the run; NULL: no keys. Must outlive the work */
	const struct task_choice *choice;   /* the tasks that count, among those of the workload; NULL: all */
	const uint16_t *capacities;         /* by CPU; NULL: they are equal, or one is not known */
	unsigned int unneeded;              /* bits by enum metric_account: no chosen metric needs them */
	struct run_names *names;            /* run_metrics_end() adds all names; NULL: not wanted */
};

#endif
