/* SPDX-License-Identifier: MIT
 *
 * The cgroups of all tasks of this machine, as /proc shows them: for traces without the scheduler's keys, which show
 * the cgroup of each task themselves. */
#ifndef RECORD_TASK_CGROUPS_H
#define RECORD_TASK_CGROUPS_H

#include "base/buffer.h"
#include "runs/metadata.h"
#include "trace/format/event_format.h"

struct task_cgroups {
	struct run_tunable *items; /* path of the cpu controller's cgroup, and its PIDs: "1-3,17" */
	size_t count;
	/* Internal. */
	struct task_cgroup *groups;
	size_t capacity;
};

/* Reads them anew. None in a PID namespace other than the initial one: traces have other PIDs then. */
void task_cgroups_read(struct task_cgroups *cgroups);
void task_cgroups_free(struct task_cgroups *cgroups);

/* The path in the text of /proc/PID/cgroup: of the hierarchy with the cpu controller, else of cgroup v2; length 0 if
 * there is neither. */
struct text_span task_cgroup_path(const char *text);

#endif
