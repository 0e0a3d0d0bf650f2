/* SPDX-License-Identifier: MIT
 *
 * How the times, PIDs, CPUs and tracks of one trace are numbered in a Perfetto file that may have several. */
#ifndef EXPORT_PERFETTO_GROUP_H
#define EXPORT_PERFETTO_GROUP_H

#include <stdint.h>

#include "trace/pass.h"

/* Larger than any PID of Linux. */
#define GROUP_PIDS (INT32_C(1) << 22)

enum group_track {
	TRACK_OF_GROUP,
	TRACK_OF_MARKS,
	TRACK_OF_CPU,
	TRACK_OF_TASK,
	TRACK_OF_ENTITY, /* a group of tasks */
};

struct perfetto_group {
	uint32_t number;   /* of the trace, from 0 */
	const char *label; /* NULL: the trace is the only one; times, PIDs and CPUs are its own */
	uint64_t shift_ns; /* is added to times, modulo 2^64 */
	int32_t pid_base;  /* is added to PIDs, other than 0 */
	uint32_t cpu_base; /* is added to CPUs */
};

static inline uint64_t group_time(const struct perfetto_group *group, uint64_t ts_ns)
{
	return ts_ns + group->shift_ns;
}

static inline int32_t group_pid(const struct perfetto_group *group, int32_t pid)
{
	return pid == 0 ? 0 : (int32_t)((uint32_t)pid + (uint32_t)group->pid_base);
}

/* The process of a task: its group, else itself. */
static inline int32_t group_process(const struct perfetto_group *group, int32_t pid)
{
	return group->label ? group->pid_base : pid;
}

/* Never 0; part: below 16. Small, as each value of a counter has it. */
static inline uint64_t group_uuid(const struct perfetto_group *group, enum group_track kind, uint32_t number,
				  unsigned int part)
{
	return (((uint64_t)number << 4 | group->number) << 3 | (kind + 1u)) << 4 | part;
}

/* "hog#2" of several traces, "hog-217" of one. */
#define GROUP_LABEL_SIZE 48
void group_label_task(const struct perfetto_group *group, const struct task_states *states, uint32_t task,
		      char label[GROUP_LABEL_SIZE]);

#endif
