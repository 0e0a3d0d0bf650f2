/* SPDX-License-Identifier: MIT
 *
 * The names of picknext's own processes in a trace. They are never tasks of a workload. */
#ifndef BASE_OWN_TASKS_H
#define BASE_OWN_TASKS_H

#define OWN_TASK_TRACER    "picknext"       /* records, and starts the leader */
#define OWN_TASK_LEADER    "picknext-lead"  /* makes the tasks of a workload, opens their barrier and reaps them */
#define OWN_TASK_COMMAND   "picknext-cmd"   /* a command until it executes its program */
#define OWN_TASK_SCHEDULER "picknext-sched" /* holds a scheduler of sched_ext */
#define OWN_TASKS          OWN_TASK_TRACER " " OWN_TASK_LEADER " " OWN_TASK_SCHEDULER /* for comm_is_one_of() */

#endif
