/* SPDX-License-Identifier: MIT
 *
 * The quality of a trace: what was found in it, and the rules that judge it. picknext check shows every finding, the
 * other analyses the worst. Pure. */
#ifndef TRACE_QUALITY_H
#define TRACE_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/task_states.h"

/* Of one trace, or of the window of it that was read. */
struct trace_quality {
	const char *clock; /* "mono"; "" if the file does not name it; NULL for a text trace */
	uint64_t events, switches, wakeups, migrations, marks;
	uint64_t duration_ns;   /* of the window */
	uint64_t observed_ns;   /* of all CPUs together */
	uint64_t unknown_ns;    /* of that, the task is unknown */
	uint64_t lost_places;   /* in the window, with events missing between others */
	uint64_t lost_events;   /* there, as far as the trace says */
	uint64_t whole_from_ns; /* the longest stretch without such a place; since the trace's first event */
	uint64_t whole_to_ns;
	uint64_t refused_events; /* by a full buffer, as far as known; not among lost_events */
	uint32_t open_gaps;      /* CPUs whose last events are missing */
	uint32_t late_cpus;      /* whose first events were overwritten */
	uint64_t late_ns;        /* how long after the window the last of them begins */
	uint64_t late_until_ns;  /* the same since the trace's first event */
	bool ends_early;         /* the file is cut, and the window reaches to its end */
	uint64_t end_ns;         /* up to where no CPU's events are cut off, since the first event */
	uint64_t backward_events, backward_max_ns;
	uint64_t malformed_lines; /* of a text trace */
	struct task_faults faults;
};

enum quality_grade {
	QUALITY_GOOD,
	QUALITY_NOTE, /* worth knowing, too little to spoil results */
	QUALITY_BAD,
};

struct quality_finding {
	const char *name; /* "lost" */
	enum quality_grade grade;
	uint64_t count;   /* of what was found; 0 for what is good */
	char text[256];   /* without a full stop */
	char remedy[192]; /* "" if there is nothing to do */
};

enum { QUALITY_FINDINGS = 9 };

/* The limits. Shares are of the trace's switches, lines or events. */
#define QUALITY_MISSING_MAX    0.05    /* switches that the kernel left out */
#define QUALITY_UNKNOWN_MAX    0.02    /* share of CPU time whose task is unknown */
#define QUALITY_IMPOSSIBLE_MAX 0.005   /* of switches: tasks on two CPUs and the like; or one for each left out */
#define QUALITY_BACKWARD_MAX   0.001   /* of events: times that went back */
#define QUALITY_BACKWARD_NS    1000000 /* and by how much */
#define QUALITY_LATE_MAX       0.01    /* of the duration: a CPU that begins later */
#define QUALITY_MALFORMED_MAX  0.01    /* of lines */

void quality_judge(const struct trace_quality *quality, struct quality_finding findings[QUALITY_FINDINGS]);
/* The first of the worst grade. */
const struct quality_finding *quality_worst(const struct quality_finding findings[QUALITY_FINDINGS]);
/* "good", "usable", "not to be trusted" */
const char *quality_grade_text(enum quality_grade grade);

#endif
