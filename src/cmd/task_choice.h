/* SPDX-License-Identifier: MIT
 *
 * The options --comm and --pid. */
#ifndef CMD_TASK_CHOICE_H
#define CMD_TASK_CHOICE_H

#include <stddef.h>

#include "analysis/task_choice.h"

/* Rows of an option table; member is the struct task_choice within type. */
#define TASK_CHOICE_ROWS(type, member, what)                                                                           \
	{.name = "comm",                                                                                               \
	 .kind = OPTION_LIST,                                                                                          \
	 .offset = offsetof(type, member.comms),                                                                       \
	 .argument = "NAME",                                                                                           \
	 .help = what "from or to tasks of this name (wildcards * and ?);\nmay be given several times"},               \
	{                                                                                                              \
		.name = "pid", .letter = 'p', .kind = OPTION_LIST, .offset = offsetof(type, member.pids),              \
		.argument = "P", .help = what "from or to this PID; may be given several times"                        \
	}

#endif
