/* SPDX-License-Identifier: MIT */
#include "measure/workload_descendants.h"

#include <stdlib.h>

#include "base/memory.h"

static int compare_pids(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left;
	int32_t b = *(const int32_t *)right;

	return a < b ? -1 : a > b;
}

/* A task with a reused PID is new and not a root; its birth is in the trace. */
static bool is_root(const struct descendants *descendants, const struct task *task)
{
	return descendants->root_count && !task->is_born && task->pid > 0 &&
	       bsearch(&task->pid, descendants->roots, descendants->root_count, sizeof(*descendants->roots),
		       compare_pids);
}

void descendants_step(struct descendants *descendants, const struct task_states *states, const struct task_step *step)
{
	if (states->task_count > descendants->capacity)
		descendants->is_in = array_grow(descendants->is_in, &descendants->capacity, states->task_count, 1);
	for (; descendants->task_count < states->task_count; descendants->task_count++)
		descendants->is_in[descendants->task_count] =
		    is_root(descendants, &states->tasks[descendants->task_count]);
	if (step->changes & STEP_WAKEUP && step->wakeup.is_new)
		descendants->is_in[step->wakeup.task] = descendants_has(descendants, step->wakeup.waker);
}

void descendants_free(struct descendants *descendants)
{
	free(descendants->is_in);
	*descendants = (struct descendants){0};
}
