/* SPDX-License-Identifier: MIT
 *
 * The cgroup and the process of each task of this machine, as /proc shows them. */
#ifndef RECORD_HOST_TASKS_H
#define RECORD_HOST_TASKS_H

#include "base/buffer.h"
#include "runs/metadata.h"
#include "trace/format/event_format.h"

/* Texts, each with its tasks: "1-3,17". */
struct host_task_list {
	struct run_tunable *items;
	size_t count;
	/* Internal. */
	struct host_task_row *rows;
	size_t capacity;
};

struct host_tasks {
	struct host_task_list cgroups;   /* by the path of the cpu controller's cgroup */
	struct host_task_list processes; /* by "PID NAME"; processes with one thread: by RUN_SINGLE_THREADED */
};

/* Reads them anew. None in a PID namespace other than the initial one: traces have other PIDs then. */
void host_tasks_read(struct host_tasks *tasks);
void host_tasks_free(struct host_tasks *tasks);

/* The path in the text of /proc/PID/cgroup: of the hierarchy with the cpu controller, else of cgroup v2; length 0 if
 * there is neither. */
struct text_span task_cgroup_path(const char *text);

#endif
