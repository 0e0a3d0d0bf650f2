/* SPDX-License-Identifier: MIT
 *
 * The tasks to which a listing or a comparison is limited, by name, PID and role. A task is selected if it is in any of
 * the lists. Pure. */
#ifndef MEASURE_TASK_CHOICE_H
#define MEASURE_TASK_CHOICE_H

#include "base/options.h"
#include "trace/pass.h"

/* A zeroed struct selects all tasks. */
struct task_choice {
	struct option_list comms, pids, roles;
	int32_t pid_numbers[OPTION_LIST_MAX];
};

static inline bool task_choice_is_all(const struct task_choice *choice)
{
	return choice->comms.count + choice->pids.count + choice->roles.count == 0;
}

/* Reads the PIDs; STATUS_USAGE if one is not a number. If the choice needs roles, makes a pass with these options
 * compute them; options NULL: there is no pass, and no --role. */
enum status task_choice_check(struct task_choice *choice, struct pass_options *options, struct error *err);
/* True if the task, under its name comm (a number in states->comms), is selected. Roles need a pass with_roles. */
bool task_choice_has(const struct task_choice *choice, const struct task_states *states, uint32_t task, uint32_t comm);
/* The same, by PID and name alone. */
bool task_choice_has_named(const struct task_choice *choice, int32_t pid, const struct sched_comm *comm);
/* True if a task of these states has, or had, a name that matches the pattern; and the same of a PID. */
bool task_choice_knows_name(const struct task_states *states, const char *pattern);
bool task_choice_knows_pid(const struct task_states *states, int32_t pid);
/* True if the switch is from or to a selected task; step: result of task_states_step() for the event. */
bool task_choice_has_switch(const struct task_choice *choice, const struct task_states *states,
			    const struct sched_event *event, const struct task_step *step);

/* Rows of an option table; member is the struct task_choice within type. Roles are those of trace/role_table.h. */
#define TASK_CHOICE_ROLE_ROW(type, member, what)                                                                       \
	OPTION(type, member.roles, "role", .argument = "ROLE",                                                         \
	       .help = what "tasks of this role: a name (that at the task's end) such as hog,\nor hog#2, the second "  \
			    "task of the name; wildcards * and ?; repeatable")
#define TASK_CHOICE_ROWS(type, member, what)                                                                           \
	OPTION(type, member.comms, "comm", .argument = "NAME",                                                         \
	       .help = what "tasks of this name (wildcards * and ?); repeatable"),                                     \
	    OPTION(type, member.pids, "pid", .letter = 'p', .argument = "P",                                           \
		   .help = what "tasks with this PID; repeatable")

#endif
