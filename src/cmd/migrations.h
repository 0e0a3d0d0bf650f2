/* SPDX-License-Identifier: MIT
 *
 * The parts of picknext migrations. */
#ifndef CMD_MIGRATIONS_H
#define CMD_MIGRATIONS_H

#include "analysis/migration_periods.h"
#include "base/sink.h"
#include "cmd/analysis_print.h"
#include "trace/migration_feed.h"

struct migrations_values {
	struct analysis_options analysis;
	bool list, compare;
	uint64_t top;
	uint64_t period_ms; /* 0: no periods */
	bool period_all, period_cause, period_cpu, period_cpu_pair;
	bool live, reset, no_stacks;
	double hours;
	uint64_t buffer_size_kb;
};

/* Whether a migration is from or to one of the CPUs of --cpu. */
static inline bool migrations_want(const struct pass *pass, const struct migration *migration)
{
	return pass_wants_cpu(pass, migration->from_cpu) || pass_wants_cpu(pass, migration->to_cpu);
}

/* Called for each migration of the traces. */
struct migrations_taker {
	void *context;
	enum status (*begin)(void *context, const struct pass *pass, const struct migration_feed *feed,
			     struct error *err); /* a trace; may be NULL */
	enum status (*take)(void *context, const struct pass *pass, const struct migration *migration,
			    struct error *err);
	enum status (*lost)(void *context, const struct pass *pass, const struct sched_event *event,
			    struct error *err);                                        /* may be NULL */
	enum status (*end)(void *context, const struct pass *pass, struct error *err); /* of a trace; or NULL */
};

/* Reads all traces. Fills *pass, to be freed by the caller. */
enum status migrations_read(const struct migrations_values *values, const struct operands *operands,
			    const struct migrations_taker *taker, struct pass *pass, struct error *err);

/* What the options choose. Each reads the traces and prints. */
enum status migrations_summary(const struct migrations_values *values, const struct operands *operands,
			       struct pass *pass, struct error *err);
enum status migrations_list(const struct migrations_values *values, const struct operands *operands, struct pass *pass,
			    struct error *err);
enum status migrations_periods(const struct migrations_values *values, const struct operands *operands,
			       struct pass *pass, struct error *err);
/* --live: returns the exit code. */
int migrations_live(const struct migrations_values *values);

unsigned int migrations_period_fields(const struct migrations_values *values);

extern const struct command command_migrations_extract;

#endif
