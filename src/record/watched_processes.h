/* SPDX-License-Identifier: MIT
 *
 * The processes of record --pid: their threads, and whether they are still there. */
#ifndef RECORD_WATCHED_PROCESSES_H
#define RECORD_WATCHED_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/options.h"

struct watched_processes {
	pid_t pids[OPTION_LIST_MOST];
	int fds[OPTION_LIST_MOST]; /* pidfds; -1 where it has ended, or before Linux 5.3 */
	size_t count;
	pid_t *threads; /* of all of them, when they were listed last */
	size_t thread_count;
};

/* STATUS_USAGE where one is no number or not there, STATUS_SYSTEM in a PID namespace of its own. */
enum status watched_processes_open(const struct option_list *list, struct watched_processes *processes,
				   struct error *err);
/* Their threads as they are now; *changed: others than before. */
enum status watched_processes_list_again(struct watched_processes *processes, bool *changed, struct error *err);
/* Whether all of them have ended. */
bool watched_processes_are_gone(struct watched_processes *processes);
void watched_processes_close(struct watched_processes *processes);

#endif
