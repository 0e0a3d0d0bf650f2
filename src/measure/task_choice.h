/* SPDX-License-Identifier: MIT
 *
 * The tasks that a listing or a comparison is limited to, by name and by PID. */
#ifndef MEASURE_TASK_CHOICE_H
#define MEASURE_TASK_CHOICE_H

#include "base/options.h"
#include "trace/stream.h"

/* A zeroed struct selects all tasks. */
struct task_choice {
	struct option_list comms, pids;
	int32_t pid_numbers[OPTION_LIST_MAX];
};

/* Reads the PIDs; STATUS_USAGE if one is not a number. */
enum status task_choice_check(struct task_choice *choice, struct error *err);
/* True if the task is one of them. */
bool task_choice_has_task(const struct task_choice *choice, int32_t pid, const struct sched_comm *comm);
/* True if the switch is from or to one of the tasks. */
bool task_choice_has(const struct task_choice *choice, const struct sched_event *switched);

/* Rows of an option table; member is the struct task_choice within type. */
#define TASK_CHOICE_ROWS(type, member, what)                                                                           \
	OPTION(type, member.comms, "comm", .argument = "NAME",                                                         \
	       .help = what "tasks of this name (wildcards * and ?); repeatable"),                                     \
	    OPTION(type, member.pids, "pid", .letter = 'p', .argument = "P",                                           \
		   .help = what "tasks with this PID; repeatable")

#endif
