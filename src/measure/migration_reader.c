/* SPDX-License-Identifier: MIT */
#include "measure/migration_reader.h"

#include <stdlib.h>

struct reading {
	const struct migration_taker *taker;
	struct migrations *migrations;
};

static enum status hand_on(struct reading *reading, const struct pass *pass, struct error *err)
{
	struct migration migration;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && migrations_next(reading->migrations, &migration))
		if (migration_wanted(pass, &migration))
			status = reading->taker->take(reading->taker->context, pass, &migration, err);
	return status;
}

static enum status step_migrations(void *context, const struct pass *pass, const struct sched_event *event,
				   const struct task_step *step, struct error *err)
{
	struct reading *reading = context;
	enum status status = STATUS_OK;

	if (event->kind == SCHED_LOST && reading->taker->lost)
		status = reading->taker->lost(reading->taker->context, pass, event, err);
	if (status == STATUS_OK)
		status = migrations_step(reading->migrations, &pass->states, event, step, err);
	return status == STATUS_OK ? hand_on(reading, pass, err) : status;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;

	migrations_close(reading->migrations);
	reading->migrations = migrations_open(sched_source_stream(pass->run.source), NULL, false);
	if (!reading->taker->begin)
		return STATUS_OK;
	return reading->taker->begin(reading->taker->context, pass, reading->migrations, err);
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;

	migrations_end(reading->migrations);
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

	migrations_close(reading.migrations);
	return status;
}
