/* SPDX-License-Identifier: MIT */
#include "measure/migration_reader.h"

#include <stdlib.h>

#include "trace/pass_runs.h"

struct reading {
	const struct migration_taker *taker;
	struct migration_feed feed;
	/* Of a branch: */
	struct migration_taker own;
	const struct migration_branches *branches;
};

static enum status hand_on(struct reading *reading, const struct pass *pass, struct error *err)
{
	struct migration migration;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && migrations_next(reading->feed.migrations, &migration))
		if (migration_wanted(pass, &migration))
			status = reading->taker->take(reading->taker->context, pass, &migration, err);
	return status;
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *step, struct error *err)
{
	struct reading *reading = context;
	struct migration_moment moment;
	enum status status = STATUS_OK;

	if (!migration_moment_of(&pass->states, event, step, &moment))
		return STATUS_OK;
	if (event->kind == SCHED_LOST && reading->taker->lost)
		status = reading->taker->lost(reading->taker->context, pass, event, err);
	if (status == STATUS_OK)
		status =
		    migration_feed_event(&reading->feed, sched_source_stream(pass->run.source), event, &moment, err);
	return status == STATUS_OK ? hand_on(reading, pass, err) : status;
}

static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;
	const struct sched_stream *stream = sched_source_stream(pass->run.source);

	migration_feed_close(&reading->feed);
	enum status status =
	    migration_feed_open(&reading->feed, stream ? sched_stream_trace(stream) : NULL, NULL, false, err);
	if (status == STATUS_OK && reading->taker->begin)
		status = reading->taker->begin(reading->taker->context, pass, &reading->feed, err);
	return status;
}

static enum status end(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;

	enum status status = STATUS_OK;
	if (reading->feed.migrations) { /* else the trace was read in a branch */
		migrations_end(reading->feed.migrations);
		status = hand_on(reading, pass, err);
	}
	if (status == STATUS_OK && reading->taker->end)
		status = reading->taker->end(reading->taker->context, pass, err);
	return status;
}

/* --- Side by side --- */

static bool make_branch(const void *context, struct pass_consumer *consumer)
{
	const struct reading *reading = context;
	struct reading *branch = calloc(1, sizeof(*branch));

	*consumer = (struct pass_consumer){.context = branch, .step = step, .begin = begin, .end = end};
	if (!branch)
		return false;
	branch->taker = &branch->own;
	branch->branches = reading->taker->branches;
	return reading->taker->branches->make(reading->taker->context, &branch->own);
}

static enum status join(void *context, const struct pass *pass, void *branch, const struct task_map *map,
			struct error *err)
{
	struct reading *reading = context, *more = branch;

	(void)pass;
	return reading->taker->branches->join(reading->taker->context, more->own.context, map, err);
}

static void drop_branch(void *branch)
{
	struct reading *reading = branch;

	migration_feed_close(&reading->feed);
	if (reading->own.context)
		reading->branches->drop(reading->own.context);
	free(reading);
}

static const struct pass_branches branches = {.make = make_branch, .join = join, .drop = drop_branch};

enum status migration_reader_read(const struct pass_options *options, char *const *paths, size_t count,
				  const struct migration_taker *taker, struct pass *pass, struct error *err)
{
	struct reading reading = {.taker = taker};
	const struct pass_consumer consumer = {.context = &reading,
					       .step = step,
					       .begin = begin,
					       .end = end,
					       .branches = taker->branches ? &branches : NULL};
	enum status status = pass_read(options, paths, count, &consumer, pass, err);

	migration_feed_close(&reading.feed);
	return status;
}
