/* SPDX-License-Identifier: MIT
 *
 * The options --comm and --pid. */
#ifndef PRINT_TASK_CHOICE_OPTIONS_H
#define PRINT_TASK_CHOICE_OPTIONS_H

#include <stddef.h>

#include "measure/task_choice.h"

/* Rows of an option table; member is the struct task_choice within type. */
#define TASK_CHOICE_ROWS(type, member, what)                                                                           \
	OPTION(type, member.comms, "comm", .argument = "NAME",                                                         \
	       .help = what "from or to tasks of this name (wildcards * and ?);\nrepeatable"),                         \
	    OPTION(type, member.pids, "pid", .letter = 'p', .argument = "P",                                           \
		   .help = what "from or to this PID; repeatable")

#endif
