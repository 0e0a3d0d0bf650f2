/* SPDX-License-Identifier: MIT
 *
 * The options --comm and --pid. */
#ifndef OUTPUT_TASK_CHOICE_H
#define OUTPUT_TASK_CHOICE_H

#include <stddef.h>

#include "analysis/task_choice.h"

/* Rows of an option table; member is the struct task_choice within type. */
#define TASK_CHOICE_ROWS(type, member, what)                                                                           \
	OPTION(type, member.comms, "comm", .argument = "NAME",                                                         \
	       .help = what "from or to tasks of this name (wildcards * and ?);\nrepeatable"),                         \
	    OPTION(type, member.pids, "pid", .letter = 'p', .argument = "P",                                           \
		   .help = what "from or to this PID; repeatable")

#endif
