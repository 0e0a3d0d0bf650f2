/* SPDX-License-Identifier: MIT
 *
 * The longest waits for a CPU, as a table. */
#ifndef PRINT_WAITS_PRINT_H
#define PRINT_WAITS_PRINT_H

#include "measure/worst_waits.h"
#include "print/analysis_print.h"

/* Call it after the pass. Prints the waits in the form that the options choose. */
enum status waits_print(const struct worst_waits *waits, const struct analysis_options *options,
			const struct pass *pass, struct error *err);

#endif
