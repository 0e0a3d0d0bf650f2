/* SPDX-License-Identifier: MIT
 *
 * --comm and --pid: which tasks a listing is about. */
#ifndef CMD_TASK_CHOICE_H
#define CMD_TASK_CHOICE_H

#include "base/options.h"
#include "sched/stream.h"

/* Zeroed, it chooses all. */
struct task_choice {
	struct option_list comms, pids;
	int32_t pid_numbers[OPTION_LIST_MOST];
};

/* Rows of an option table; member is the struct task_choice within type. */
#define TASK_CHOICE_ROWS(type, member, what)                                                                           \
	{.name = "comm",                                                                                               \
	 .kind = OPTION_LIST,                                                                                          \
	 .offset = offsetof(type, member.comms),                                                                       \
	 .argument = "NAME",                                                                                           \
	 .help = what "from or to tasks of this name, in which * and ?\nare wildcards; may be given again"},           \
	{                                                                                                              \
		.name = "pid", .letter = 'p', .kind = OPTION_LIST, .offset = offsetof(type, member.pids),              \
		.argument = "P", .help = what "from or to this PID; may be given again"                                \
	}

/* STATUS_USAGE where a PID is none. */
enum status task_choice_check(struct task_choice *choice, struct error *err);
/* Whether a switch is from or to a task of the choice. */
bool task_choice_has(const struct task_choice *choice, const struct sched_event *switched);

#endif
