/* SPDX-License-Identifier: MIT
 *
 * A pass over the operands of a command: traces, and directories of them. Traces are read side by side if the options
 * and the consumer allow it; the consumer and its caller see the same as if they were read one after the other. */
#ifndef TRACE_PASS_RUNS_H
#define TRACE_PASS_RUNS_H

#include "trace/pass.h"

/* Reads traces, directories of traces (DIR/raw if it exists, else DIR), and "-", standard input; the default is
 * picknext.dat. options NULL: whole traces. Call pass_free() even after a failure. Errors name the trace. */
enum status pass_read(const struct pass_options *options, char *const *paths, size_t count,
		      const struct pass_consumer *consumer, struct pass *pass, struct error *err);

#endif
