/* SPDX-License-Identifier: MIT */
#include "measure/migration_reader.h"

static enum status hand_on(struct migration_reader *reader, const struct pass *pass, struct error *err)
{
	struct migration migration;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && migrations_next(reader->migrations, &migration))
		if (pass_wants_cpu(pass, migration.from_cpu) || pass_wants_cpu(pass, migration.to_cpu))
			status = reader->consumer.take(reader->consumer.pass.context, pass, &migration, err);
	return status;
}

static enum status step_migrations(void *context, const struct pass *pass, const struct sched_event *event,
				   const struct task_step *step, struct error *err)
{
	struct migration_reader *reader = context;
	const struct pass_consumer *to = &reader->consumer.pass;
	enum status status = to->step ? to->step(to->context, pass, event, step, err) : STATUS_OK;

	if (status == STATUS_OK)
		status = migrations_step(reader->migrations, &pass->states, event, step, err);
	return status == STATUS_OK ? hand_on(reader, pass, err) : status;
}

static enum status hand_on_cut(void *context, const struct pass *pass, const struct task_slice *slice,
			       struct error *err)
{
	const struct pass_consumer *to = &((struct migration_reader *)context)->consumer.pass;

	return to->cut ? to->cut(to->context, pass, slice, err) : STATUS_OK;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct migration_reader *reader = context;
	const struct pass_consumer *to = &reader->consumer.pass;

	migrations_close(reader->migrations);
	reader->migrations = migrations_open(sched_source_stream(pass->run.source), NULL, false);
	return to->begin ? to->begin(to->context, pass, err) : STATUS_OK;
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct migration_reader *reader = context;
	const struct pass_consumer *to = &reader->consumer.pass;

	migrations_end(reader->migrations);
	enum status status = hand_on(reader, pass, err);
	return status == STATUS_OK && to->end ? to->end(to->context, pass, err) : status;
}

struct pass_consumer migration_reader_consumer(struct migration_reader *reader)
{
	return (struct pass_consumer){
	    .context = reader,
	    .step = step_migrations,
	    .cut = hand_on_cut,
	    .begin = begin_trace,
	    .end = end_trace,
	    .warn = reader->consumer.pass.warn,
	};
}

void migration_reader_free(struct migration_reader *reader)
{
	migrations_close(reader->migrations);
}

enum status migration_reader_read(struct migration_reader *reader, const struct pass_options *options,
				  char *const *paths, size_t count, struct pass *pass, struct error *err)
{
	const struct pass_consumer consumer = migration_reader_consumer(reader);
	enum status status = pass_read(options, paths, count, &consumer, pass, err);

	migration_reader_free(reader);
	return status;
}
