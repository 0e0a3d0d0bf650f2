/* SPDX-License-Identifier: MIT */
#include "analysis/descent.h"

#include <stdlib.h>

static int compare_pids(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left;
	int32_t b = *(const int32_t *)right;

	return a < b ? -1 : a > b;
}

/* A PID that is used again means another task, whose birth is in the trace. */
static bool is_root(const struct descent *descent, const struct task *task)
{
	return descent->root_count && !task->is_born && task->pid > 0 &&
	       bsearch(&task->pid, descent->roots, descent->root_count, sizeof(*descent->roots), compare_pids);
}

static bool make_room(struct descent *descent, uint32_t need)
{
	if (need <= descent->capacity)
		return true;
	uint32_t capacity = need + need / 2 + 64;
	uint8_t *grown = realloc(descent->is_in, capacity);
	if (!grown)
		return false;
	descent->is_in = grown;
	descent->capacity = capacity;
	return true;
}

/* A thread that calls exec takes over the PID of its leader, which has died by then: where one of ours was known to
 * run, without a switch, a PID runs that was dead. The four events tell no more of it. TASK_NONE in all other steps. */
static uint32_t after_exec(const struct descent *descent, const struct task_states *machine,
			   const struct task_step *step)
{
	if (!(step->what & STEP_FROM_OTHER) || !descent_has(descent, step->slices[0].task))
		return TASK_NONE;
	uint32_t runs = step->slice_count > 1 ? step->slices[1].task : machine->cpus[step->slices[0].cpu].current;
	return runs >= descent->task_count && machine->tasks[runs].is_after_dead ? runs : TASK_NONE;
}

bool descent_step(struct descent *descent, const struct task_states *machine, const struct task_step *step)
{
	if (machine->task_count > descent->task_count && !make_room(descent, machine->task_count))
		return false;
	uint32_t again = after_exec(descent, machine, step);
	for (; descent->task_count < machine->task_count; descent->task_count++)
		descent->is_in[descent->task_count] = is_root(descent, &machine->tasks[descent->task_count]);
	if (again != TASK_NONE)
		descent->is_in[again] = true;
	if (step->what & STEP_WAKEUP && step->wakeup.is_new)
		descent->is_in[step->wakeup.task] = descent_has(descent, step->wakeup.waker);
	return true;
}

void descent_free(struct descent *descent)
{
	free(descent->is_in);
	*descent = (struct descent){0};
}
