/* SPDX-License-Identifier: MIT
 *
 * One pass over traces that returns their migrations, each with its cause. */
#ifndef MEASURE_MIGRATION_READER_H
#define MEASURE_MIGRATION_READER_H

#include "measure/migrations.h"
#include "trace/pass.h"

/* True if the migration is from or to one of the CPUs of --cpu. */
static inline bool migration_wanted(const struct pass *pass, const struct migration *migration)
{
	return pass_wants_cpu(pass, migration->from_cpu) || pass_wants_cpu(pass, migration->to_cpu);
}

/* Gets each migration from or to one of the wanted CPUs. */
struct migration_taker {
	void *context;
	enum status (*begin)(void *context, const struct pass *pass, const struct migrations *migrations,
			     struct error *err); /* a trace; may be NULL */
	enum status (*take)(void *context, const struct pass *pass, const struct migration *migration,
			    struct error *err);
	enum status (*lost)(void *context, const struct pass *pass, const struct sched_event *event,
			    struct error *err);                                        /* may be NULL */
	enum status (*end)(void *context, const struct pass *pass, struct error *err); /* of a trace; or NULL */
};

/* pass_read() for migrations: fills *pass; call pass_free() even after a failure. */
enum status migration_reader_read(const struct pass_options *options, char *const *paths, size_t count,
				  const struct migration_taker *taker, struct pass *pass, struct error *err);

#endif
