/* SPDX-License-Identifier: MIT
 *
 * The processes of the tasks of a host, from the lists of its threads before and after the recording. A task that
 * neither list has, such as one that was created and ended in between, is of an unknown process. Pure. */
#ifndef MEASURE_PROCESSES_H
#define MEASURE_PROCESSES_H

#include "measure/task_texts.h"
#include "trace/pass.h"

/* Reads the lists of a trace. */
void processes_begin(struct task_texts *processes, const struct pass *pass);
/* The PID of the task's process; 0: unknown. *name: of the leader of a process with several threads, else "". */
int32_t processes_find(const struct task_texts *processes, const struct task *task, const char **name);

#endif
