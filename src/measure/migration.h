/* SPDX-License-Identifier: MIT
 *
 * One migration. */
#ifndef MEASURE_MIGRATION_H
#define MEASURE_MIGRATION_H

#include "trace/event.h"
#include "trace/migration_cause.h"

struct migration {
	uint64_t ts_ns;
	uint32_t cpu; /* where it happened */
	uint32_t from_cpu, to_cpu;
	struct sched_task task;
	uint32_t number;            /* task number, given with the event */
	int32_t by_pid;             /* PID of the task that ran there */
	enum migration_cause cause; /* from the stack if it shows the cause, otherwise traced */
	enum migration_cause traced;
	bool exact;           /* by the stack, or a fork */
	const char *function; /* function in the stack that shows the cause; or NULL */
};

#endif
