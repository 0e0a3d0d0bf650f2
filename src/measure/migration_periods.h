/* SPDX-License-Identifier: MIT
 *
 * Migrations counted in periods of equal length, one line per period, in the format of the light-weight migration trace
 * (migration_stat/stat): a header of "# " lines that describes the fields, then numbers. Only one period is kept in
 * memory. */
#ifndef MEASURE_MIGRATION_PERIODS_H
#define MEASURE_MIGRATION_PERIODS_H

#include "base/buffer.h"
#include "measure/migrations.h"

enum migration_period_fields {
	PERIOD_ALL = 1,      /* migrate: the sum of the causes */
	PERIOD_CAUSES = 2,   /* one field per cause */
	PERIOD_CPUS = 4,     /* from and to each CPU */
	PERIOD_CPU_PAIRS = 8 /* one field per pair of CPUs */
};

/* Max number of CPUs with PERIOD_CPU_PAIRS, to limit the number of fields. */
#define PERIOD_PAIR_CPUS_MAX 256

struct migration_periods {
	/* Set by the caller: */
	uint64_t period_ms; /* not 0 */
	unsigned int fields;
	const uint32_t *cpus; /* CPUs with fields, in order; not copied */
	uint32_t cpu_count;
	/* Internal. */
	uint64_t start_ns; /* of the current period */
	uint64_t lost;     /* counts of the current period */
	uint64_t causes[MIGRATION_CAUSES];
	uint64_t *from, *to, *pairs;
	uint64_t lines;
};

/* STATUS_USAGE if there are too many CPUs for pairs. */
enum status migration_periods_begin(struct migration_periods *periods, uint64_t start_ns, struct error *err);
/* Memory used, in bytes. */
uint64_t migration_periods_memory(const struct migration_periods *periods);
void migration_periods_free(struct migration_periods *periods);

/* The header. wall_us: time of day at start_ns in microseconds since 1970, 0 if unknown. */
void migration_periods_header(const struct migration_periods *periods, uint64_t wall_us, struct buffer *out);
/* False if there would be too many lines: the times of a damaged trace may jump by centuries. */
bool migration_periods_reach(const struct migration_periods *periods, uint64_t ts_ns);
/* Adds the lines of all periods that have ended by ts_ns. */
void migration_periods_until(struct migration_periods *periods, uint64_t ts_ns, struct buffer *out);
/* Counts the migration in its period, after adding the lines of earlier periods. */
void migration_periods_add(struct migration_periods *periods, const struct migration *migration, struct buffer *out);
void migration_periods_lost(struct migration_periods *periods, uint64_t events);
/* Adds the incomplete last period, which ends at ts_ns, as a comment: a line would show wrong rates. */
void migration_periods_end(struct migration_periods *periods, uint64_t ts_ns, struct buffer *out);

#endif
