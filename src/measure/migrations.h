/* SPDX-License-Identifier: MIT
 *
 * The migrations of a trace, each with its cause. Where the trace has stacks (record --migration-stacks) the kernel
 * function shows the cause. Otherwise the cause is derived from nearby events; if that is not possible, it is unknown:
 * see migration_rules.h. */
#ifndef MEASURE_MIGRATIONS_H
#define MEASURE_MIGRATIONS_H

#include "measure/migration.h"

struct migrations;

/* has_stacks: each migration is held until its stack may have come. stacks_only (live): only stacks are used, and
 * a migration is returned as soon as its stack is available. STATUS_SYSTEM if memory runs out. */
enum status migrations_open(bool has_stacks, bool stacks_only, struct migrations **migrations, struct error *err);
/* The trace has events of followed tasks only: causes that events of other tasks would show are unknown. */
void migrations_follow(struct migrations *migrations);
void migrations_close(struct migrations *migrations);
/* Memory used with this number of CPUs, in bytes. */
uint64_t migrations_memory(const struct migrations *migrations, uint32_t cpus);

/* Fills *context from the step of the event. False for an idle task, which means a damaged trace: do not pass the event
 * on. */
bool migration_context_of(const struct task_states *states, const struct sched_event *event,
			  const struct task_step *step, struct migration_context *context);

/* Processes the next event of any kind. STATUS_SYSTEM if memory runs out. Then call migrations_next() until false. */
enum status migrations_event(struct migrations *migrations, const struct sched_event *event,
			     const struct migration_context *context, struct error *err);
/* Instead, for a sched_waking of this task. */
enum status migrations_waking(struct migrations *migrations, const struct sched_event *event,
			      const struct sched_task *task, uint32_t target_cpu, struct error *err);
/* Instead, for the stack that follows the previous event on this CPU. */
void migrations_stack(struct migrations *migrations, const struct sched_event *event,
		      const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count);
/* End of the events: undecided migrations stay unknown. */
void migrations_end(struct migrations *migrations);

/* The next migration in time order; false if none is decided. */
bool migrations_next(struct migrations *migrations, struct migration *migration);

#endif
