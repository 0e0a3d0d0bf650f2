/* SPDX-License-Identifier: MIT
 *
 * The quality of traces: findings, places and CPUs of each as text or JSON; the findings of all as CSV. */
#ifndef PRINT_CHECK_REPORT_H
#define PRINT_CHECK_REPORT_H

#include "measure/trace_check.h"
#include "print/analysis_print.h"
#include "rules/key_events.h"

struct check_report {
	const struct analysis_options *wanted;
	struct trace_check trace; /* the caller sets places_max */
	struct buffer out;        /* text, or JSON */
	struct json_writer json;
	struct table findings;         /* CSV */
	bool several, brief;           /* several: traces; brief: print only bad findings */
	struct pass_consumer counting; /* the consumer of trace */
	struct key_events keys;        /* key events of the current trace */
};

/* Reads each trace and prints the parts that wanted selects; a trace that cannot be read is part of the result. Free
 * the report also after errors. */
enum status check_report_print(struct check_report *report, const struct operands *operands, struct pass *pass,
			       struct error *err);
void check_report_free(struct check_report *report);

#endif
