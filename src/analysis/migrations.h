/* SPDX-License-Identifier: MIT
 *
 * The migrations of a trace, each with its cause. Where the trace has stacks (record --migration-stacks) the kernel
 * function tells it; else it is told from what happened around it, and what cannot be told is unknown:
 */
#ifndef ANALYSIS_MIGRATIONS_H
#define ANALYSIS_MIGRATIONS_H

#include "analysis/migration.h"

struct migrations;

/* has_stacks: each migration is held until its stack may have come. stacks_only (live): nothing but stacks tells, and
 * a migration is given as soon as its stack is there. STATUS_SYSTEM when memory runs out. */
enum status migrations_open(bool has_stacks, bool stacks_only, struct migrations **migrations, struct error *err);
void migrations_close(struct migrations *migrations);
/* How many bytes it takes on a machine of so many CPUs. */
uint64_t migrations_memory(const struct migrations *migrations, uint32_t cpus);

/* From what the task state machine said of the event. False where it is of an idle task, which is damage: not to be
 * handed on. */
bool migration_moment_of(const struct task_states *states, const struct sched_event *event,
			 const struct task_step *step, struct migration_moment *moment);

/* Takes the next event, of whatever kind. STATUS_SYSTEM when memory runs out. Then migrations_next() until false. */
enum status migrations_event(struct migrations *migrations, const struct sched_event *event,
			     const struct migration_moment *moment, struct error *err);
/* In its place, for a sched_waking of this task. */
enum status migrations_waking(struct migrations *migrations, const struct sched_event *event,
			      const struct sched_task *task, uint32_t target_cpu, struct error *err);
/* In its place, for the stack behind the event before on this CPU. */
void migrations_stack(struct migrations *migrations, const struct sched_event *event,
		      const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count);
/* Nothing more comes: what is not decided yet stays unknown. */
void migrations_end(struct migrations *migrations);

/* The next migration, in the order of time; false where none is decided. */
bool migrations_next(struct migrations *migrations, struct migration *migration);

#endif
