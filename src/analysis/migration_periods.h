/* SPDX-License-Identifier: MIT
 *
 * Migrations counted in periods of equal length, a line each, in the format of the light-weight migration trace
 * (migration_stat/stat): a header of "# " lines that says what the fields are, then numbers. Memory is that of one
 * period. */
#ifndef ANALYSIS_MIGRATION_PERIODS_H
#define ANALYSIS_MIGRATION_PERIODS_H

#include "analysis/migrations.h"
#include "base/buffer.h"

enum migration_period_fields {
	PERIOD_ALL = 1,      /* migrate: the sum of the causes */
	PERIOD_CAUSES = 2,   /* a field a cause */
	PERIOD_CPUS = 4,     /* from and to each CPU */
	PERIOD_CPU_PAIRS = 8 /* from each CPU to each other */
};

/* With pairs of CPUs; more would be too many fields to be of use. */
#define PERIOD_PAIR_CPUS_MAX 256

struct migration_periods {
	/* Given: */
	uint64_t period_ms; /* not 0 */
	unsigned int fields;
	const uint32_t *cpus; /* those with fields, in order; must outlive it */
	uint32_t cpu_count;
	/* Its own. */
	uint64_t start_ns; /* of the current period */
	uint64_t lost;     /* in it */
	uint64_t causes[MIGRATION_CAUSES];
	uint64_t *from, *to, *pairs;
	uint64_t lines;
};

/* STATUS_SYSTEM when memory runs out, STATUS_USAGE where there are too many CPUs for pairs. */
enum status migration_periods_begin(struct migration_periods *periods, uint64_t start_ns, struct error *err);
/* How many bytes it holds. */
uint64_t migration_periods_memory(const struct migration_periods *periods);
void migration_periods_free(struct migration_periods *periods);

/* The header. wall_us: time of day at start_ns in microseconds since 1970, 0 where it is not known. note: a further
 * line of comment, or NULL. */
void migration_periods_header(const struct migration_periods *periods, uint64_t wall_us, const char *note,
			      struct buffer *out);
/* Whether so many lines are still reasonable: a damaged trace may jump by centuries. */
bool migration_periods_reach(const struct migration_periods *periods, uint64_t ts_ns);
/* Adds the lines of all periods that are over by then. */
void migration_periods_until(struct migration_periods *periods, uint64_t ts_ns, struct buffer *out);
/* Counts it in its period, after the lines of those before. */
void migration_periods_add(struct migration_periods *periods, const struct migration *migration, struct buffer *out);
void migration_periods_lost(struct migration_periods *periods, uint64_t events);
/* The period that ts_ns, the end of everything, cut short, as a comment: a line would give wrong rates. */
void migration_periods_end(struct migration_periods *periods, uint64_t ts_ns, struct buffer *out);

#endif
