/* SPDX-License-Identifier: MIT
 *
 * One pass over a trace with any events: counts and times of events per CPU, and losses reported by pages. */
#ifndef TRACE_TRACE_SURVEY_H
#define TRACE_TRACE_SURVEY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format/tracedat.h"

struct trace_survey_cpu {
	uint32_t cpu;
	uint64_t events;
	uint64_t first_ts, last_ts; /* in units of the trace clock; 0 without events */
	uint64_t missing;           /* number of missing events, if pages report it */
	uint64_t missing_places;
};

struct trace_survey {
	uint64_t events, switches, marks;
	uint64_t key_switches; /* keys_switch */
	size_t cpu_count;      /* those of the trace */
	struct trace_survey_cpu *cpus;
};

/* Receives each record, CPU by CPU. */
struct trace_survey_visitor {
	void (*visit)(void *context, const struct ring_record *record);
	void *context;
};

/* visitor may be NULL. STATUS_CORRUPT with CPU and page. After success, trace_survey_free(). */
enum status trace_survey_make(const struct tracedat *trace, const char *name,
			      const struct trace_survey_visitor *visitor, struct trace_survey *survey,
			      struct error *err);
void trace_survey_free(struct trace_survey *survey);

#endif
