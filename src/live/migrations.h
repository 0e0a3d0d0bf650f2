/* SPDX-License-Identifier: MIT
 *
 * Statistics of migrations as they happen, for hours, in a fixed amount of memory. They use measure/migrations.h like
 * the statistics of a trace, but without task states: these grow with every new task, and need the switches, which are
 * not recorded here to keep the cost low. So only causes that stacks show are known. */
#ifndef LIVE_MIGRATIONS_H
#define LIVE_MIGRATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct live_migrations {
	const char *output;      /* NULL or "-": standard output */
	bool reset;              /* empty a file that is not empty; otherwise such a file is an error */
	bool no_stacks;          /* count without causes */
	unsigned int fields;     /* enum migration_period_fields */
	uint64_t period_ms;      /* 0: 1000 */
	uint64_t buffer_size_kb; /* for each CPU */
	double hours;            /* 0: until a signal */
};

/* Counts migrations and writes a line for each period, until the end or a signal. Needs interrupt_catch(), and root. */
enum status live_migrations_run(const struct live_migrations *wanted, struct error *err);

#endif
