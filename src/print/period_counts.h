/* SPDX-License-Identifier: MIT
 *
 * Statistics of the migrations of a trace, one line per period (measure/migration_periods.h), written while the trace
 * is read. */
#ifndef PRINT_PERIOD_COUNTS_H
#define PRINT_PERIOD_COUNTS_H

#include "base/options.h"
#include "trace/pass.h"

/* fields: bits of enum migration_period_fields. STATUS_USAGE if there are several traces, or too many lines or
 * fields. */
enum status period_counts_print(uint64_t period_ms, unsigned int fields, const struct pass_options *options,
				const struct operands *operands, struct pass *pass, struct error *err);

#endif
