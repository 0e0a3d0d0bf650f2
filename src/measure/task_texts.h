/* SPDX-License-Identifier: MIT
 *
 * A text for each task of a host, before and after its recording: the path of its cgroup, or its process. Pure. */
#ifndef MEASURE_TASK_TEXTS_H
#define MEASURE_TASK_TEXTS_H

#include "base/id_map.h"
#include "runs/metadata.h"
#include "trace/task.h"

struct task_text_map {
	struct id_map pids;
	const char **texts; /* by number in pids; in the metadata */
	size_t capacity, listed;
};

struct task_texts {
	struct task_text_map before, after;
};

/* Adds rows of the metadata: texts, each with its PIDs, "1-3,17". */
void task_texts_add(struct task_text_map *map, const struct run_tunable *rows, size_t count);
/* NULL: not listed. *before is NULL, too, if the task was born in the trace: the PID was another task's. */
void task_texts_find(const struct task_texts *texts, const struct task *task, const char **before, const char **after);
void task_texts_free(struct task_texts *texts);

#endif
