/* SPDX-License-Identifier: MIT */
#include "measure/migration_reader.h"

#include <stdlib.h>

struct reading {
	const struct migration_taker *taker;
	struct migration_feed feed;
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

static enum status step_migrations(void *context, const struct pass *pass, const struct sched_event *event,
				   const struct task_step *step, struct error *err)
{
	struct reading *reading = context;
	struct migration_context surroundings;
	enum status status = STATUS_OK;

	if (!migration_context_of(&pass->states, event, step, &surroundings))
		return STATUS_OK;
	if (event->kind == SCHED_LOST && reading->taker->lost)
		status = reading->taker->lost(reading->taker->context, pass, event, err);
	if (status == STATUS_OK)
		status = migration_feed_event(&reading->feed, sched_source_stream(pass->run.source), event,
					      &surroundings, err);
	return status == STATUS_OK ? hand_on(reading, pass, err) : status;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
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

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;

	migrations_end(reading->feed.migrations);
	enum status status = hand_on(reading, pass, err);
	if (status == STATUS_OK && reading->taker->end)
		status = reading->taker->end(reading->taker->context, pass, err);
	return status;
}

enum status migration_reader_read(const struct pass_options *options, char *const *paths, size_t count,
				  const struct migration_taker *taker, struct pass *pass, struct error *err)
{
	struct reading reading = {.taker = taker};
	const struct pass_consumer consumer = {
	    .context = &reading, .step = step_migrations, .begin = begin_trace, .end = end_trace};
	enum status status = pass_read(options, paths, count, &consumer, pass, err);

	migration_feed_close(&reading.feed);
	return status;
}
