/* SPDX-License-Identifier: MIT
 *
 * The built-in workloads: for compare and report, with the common options of both, and for those who read single runs.
 */
#ifndef CMD_KNOWN_WORKLOADS_H
#define CMD_KNOWN_WORKLOADS_H

#include "base/options.h"
#include "compare/run_set.h"
#include "measure/trace_diff.h"

/* Sets known and known_count. */
void run_set_options_add_known(struct run_set_options *options);
/* Calls run_set_options_add_known() and checks the options. STATUS_LOST: runs contradict what was recorded of them,
 * such as one that was copied into a set, or whose trace was deleted; or the operands lack runs that vm.json asks for,
 * a warning with ALLOW_INCOMPLETE. */
enum status run_set_options_check(struct run_set_options *options, const struct operands *operands, struct error *err);

/* The tasks of the run's workload; zeroed if they are not known. */
struct diff_workload known_tasks_of(const struct run *run);

/* Rows of an option table; member is the struct run_set_options within type. */
#define RUN_SET_OPTION_ROWS(type, member)                                                                              \
	OPTION(type, member.workloads, "workload", .letter = 'w', .argument = "NAME",                                  \
	       .help = "only these workloads, separated by commas; * matches any\ntext, ? any character"),             \
	    OPTION(type, member.as, "as", .argument = "WORKLOAD",                                                      \
		   .help = "lone traces are runs of WORKLOAD, whatever their names"),                                  \
	    TASK_CHOICE_ROWS(type, member.tasks, "only "), TASK_CHOICE_ROLE_ROW(type, member.tasks, "only "),          \
	    OPTION(type, member.better, "better", .argument = "VALUE=WHICH",                                           \
		   .help =                                                                                             \
		       "for a number of vm --value, lower or higher is better: the\nverdict on latency_us=lower is "   \
		       "better or worse, not different"),                                                              \
	    OPTION(type, member.allowed, "allow", .argument = "WHAT,...", .choices = ALLOW_OF_SETS,                    \
		   .help = "include what is refused otherwise, and report it: runs that\n"                             \
			   "lost events, runs whose command failed or was killed, sets of\n"                           \
			   "picknext vm that lack runs, runs of a workload whose commands\n"                           \
			   "have other arguments")

#endif
