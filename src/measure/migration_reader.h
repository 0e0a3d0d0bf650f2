/* SPDX-License-Identifier: MIT
 *
 * The migrations of a pass, each with its cause. */
#ifndef MEASURE_MIGRATION_READER_H
#define MEASURE_MIGRATION_READER_H

#include "measure/migrations.h"
#include "trace/pass.h"

/* A consumer of a pass that also receives its migrations. */
struct migration_consumer {
	struct pass_consumer pass; /* each of its functions may be NULL; failed is not called */
	/* Each migration from or to one of the CPUs of --cpu. Called when its cause is known: after the step() of an
	 * event, or before end(), with the pass's context. */
	enum status (*take)(void *context, const struct pass *pass, const struct migration *migration,
			    struct error *err);
};

struct migration_reader {
	struct migration_consumer consumer; /* set by the caller */
	struct migrations *migrations;      /* of the current trace, from its begin() on */
};

/* The consumer that finds the migrations of a pass and passes events and migrations on to reader->consumer. */
struct pass_consumer migration_reader_consumer(struct migration_reader *reader);
void migration_reader_free(struct migration_reader *reader);
/* Calls pass_read() with this consumer and frees the reader. Fills *pass; call pass_free() even after a failure. */
enum status migration_reader_read(struct migration_reader *reader, const struct pass_options *options,
				  char *const *paths, size_t count, struct pass *pass, struct error *err);

#endif
