/* SPDX-License-Identifier: MIT
 *
 * Running processes as a subject of the recorder: their threads are recorded until all of the processes have ended. */
#ifndef RECORD_PROCESS_SUBJECT_H
#define RECORD_PROCESS_SUBJECT_H

#include "base/options.h"
#include "record/recorder.h"

struct process_subject {
	struct subject subject;
	pid_t pids[OPTION_LIST_MAX];
	int fds[OPTION_LIST_MAX]; /* pidfds; -1: it has ended */
	size_t count;
	pid_t *threads; /* threads of all processes, as last listed */
	size_t thread_count;
};

/* list holds process ids. STATUS_USAGE if one is not a number or does not exist, STATUS_SYSTEM outside of the initial
 * PID namespace, because the trace has other ids. */
enum status process_subject_open(const struct option_list *list, struct process_subject *processes, struct error *err);
void process_subject_close(struct process_subject *processes);

#endif
