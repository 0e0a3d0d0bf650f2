/* SPDX-License-Identifier: MIT
 *
 * The migrations of a trace, each with its cause. Where the trace has stacks (record --migration-stacks) the kernel
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

/* stream: where the events come from; NULL for a text trace, which has no stacks. symbols: the names for stacks, which
 * must outlive it; NULL: those of the trace. */
struct migrations *migrations_open(const struct sched_stream *stream, const struct kernel_symbols *symbols,
				   bool is_live);
void migrations_close(struct migrations *migrations);
/* Memory used with this number of CPUs, in bytes. */
uint64_t migrations_memory(const struct migrations *migrations, uint32_t cpus);
/* There are stacks, and names for them: each migration is held until its stack may have come. */
bool migrations_have_stacks(const struct migrations *migrations);

/* Processes the next event of any kind, after task_states_step(), whose result is step. Live, both are NULL, and there
 * are no switches: only stacks are used, and a migration is given as soon as its stack is there. STATUS_CORRUPT if the
 * event names an invalid CPU. Then call migrations_next() until it is false. */
enum status migrations_step(struct migrations *migrations, const struct task_states *states,
			    const struct sched_event *event, const struct task_step *step, struct error *err);
/* The stack that follows the previous event on this CPU. migrations_step() takes those of the stream itself. */
void migrations_stack(struct migrations *migrations, const struct sched_event *event, const uint64_t *addresses,
		      size_t count);
/* End of the events: undecided migrations stay unknown. */
void migrations_end(struct migrations *migrations);

/* The next migration in time order; false if none is decided. */
bool migrations_next(struct migrations *migrations, struct migration *migration);

#endif
