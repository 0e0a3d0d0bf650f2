/* SPDX-License-Identifier: MIT
 *
 * The options of picknext migrations, and its forms, one file per form. */
#ifndef CMD_MIGRATIONS_FORMS_H
#define CMD_MIGRATIONS_FORMS_H

#include "measure/migration_reader.h"
#include "print/analysis_print.h"

struct migrations_options {
	struct analysis_options analysis;
	bool list;
	uint64_t top;
	uint64_t period_ms; /* 0: no periods */
	bool period_all, period_cause, period_cpu, period_cpu_pair;
	bool live, reset, no_stacks;
	double hours;
	uint64_t buffer_size_kb;
};

/* Each reads the traces and prints its form. */
enum status migrations_summary(const struct migrations_options *values, const struct operands *operands,
			       struct pass *pass, struct error *err);
enum status migrations_list(const struct migrations_options *values, const struct operands *operands, struct pass *pass,
			    struct error *err);

extern const struct command command_migrations_extract;

#endif
