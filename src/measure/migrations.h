/* SPDX-License-Identifier: MIT
 *
 * The migrations of a trace, each with its cause. If the trace has stacks (record --migration-stacks), the kernel
 * function shows the cause. Otherwise the cause is derived from nearby events; if that is not possible, it is unknown:
 * see migration_rules.h. */
#ifndef MEASURE_MIGRATIONS_H
#define MEASURE_MIGRATIONS_H

#include "base/error.h"
#include "trace/format/kernel_symbols.h"
#include "trace/migration_cause.h"
#include "trace/stream.h"
#include "trace/task_states.h"

struct migrations;

/* stream: source of the events; NULL for a text trace, which has no stacks. symbols: the names for addresses of stacks;
 * must outlive the result; NULL: those of the trace. */
struct migrations *migrations_open(const struct sched_stream *stream, const struct kernel_symbols *symbols,
				   bool is_live);
void migrations_close(struct migrations *migrations);
/* Memory used with this number of CPUs, in bytes. */
uint64_t migrations_memory(const struct migrations *migrations, uint32_t cpus);
/* True if there are stacks and names for them: each migration is then held until its stack may have come. */
bool migrations_have_stacks(const struct migrations *migrations);

/* Processes the next event of any kind, after task_states_step(); step is its result. For a live trace, states and step
 * are NULL and there are no switches: only stacks are used, and a migration is returned when its stack has come.
 * STATUS_CORRUPT if the event names an invalid CPU. Then call migrations_next() until it is false. */
enum status migrations_step(struct migrations *migrations, const struct task_states *states,
			    const struct sched_event *event, const struct task_step *step, struct error *err);
/* Adds the stack that follows the previous event on this CPU. migrations_step() itself takes stacks of the stream. */
void migrations_stack(struct migrations *migrations, const struct sched_event *event, const uint64_t *addresses,
		      size_t count);
/* End of the events: undecided migrations stay unknown. */
void migrations_end(struct migrations *migrations);

/* Returns the next decided migration, in time order; false if there is none. */
bool migrations_next(struct migrations *migrations, struct migration *migration);

#endif
