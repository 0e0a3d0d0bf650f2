/* SPDX-License-Identifier: MIT
 *
 * A trace of a directory by its number and its workload. */
#ifndef CMD_RUN_CHOICE_H
#define CMD_RUN_CHOICE_H

#include "base/options.h"
#include "runs/run.h"

struct run_choice {
	bool has_run;
	uint64_t run;         /* its number; without has_run, that of the first one */
	const char *workload; /* NULL: the only one */
};

/* Sets the number; run NULL: none. */
enum status run_choice_parse(struct run_choice *choice, const char *run, struct error *err);
/* The run of a trace, or the one of a directory that is chosen. Call run_free() even after a failure. */
enum status run_choice_open(const char *operand, const struct run_choice *choice, struct run *run, struct error *err);

/* Rows of an option table; both members are texts. what: for which it is, or "". */
#define RUN_CHOICE_ROWS(type, run_member, workload_member, what)                                                       \
	OPTION(type, run_member, "run", .argument = "N", .help = what "of a directory, the trace of this run"),        \
	    OPTION(type, workload_member, "workload", .letter = 'w', .argument = "NAME", .once = true,                 \
		   .help = what "of a directory, the trace of this workload")

#endif
