/* SPDX-License-Identifier: MIT
 *
 * The quality of a trace: its findings and the rules that grade them. picknext check shows every finding, the other
 * analyses the worst one. Pure. */
#ifndef TRACE_QUALITY_H
#define TRACE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/scheduler_mark.h"
#include "trace/task_states.h"

/* Counts for one trace, or for its window. */
struct trace_quality {
	const char *clock;   /* "mono"; "" if unknown; NULL for a text trace */
	bool has_time_shift; /* times of a guest; the shift to its host's is left out */
	uint64_t events, switches, wakeups, migrations, marks;
	uint64_t duration_ns;      /* of the window */
	uint64_t observed_ns;      /* sum over all CPUs */
	uint64_t unknown_ns;       /* of observed_ns, time with an unknown task */
	uint64_t between_ns;       /* of observed_ns, time of one of two known tasks: the switch between is missing */
	uint64_t offline_ns;       /* of observed_ns, time in which CPUs were offline */
	uint32_t offline_cpus;     /* CPUs with such time */
	uint64_t outside_ns;       /* of observed_ns, time of tasks that are not followed */
	bool followed_only;        /* the trace has events of followed tasks only: trace_scope.h */
	uint64_t followed;         /* tasks followed from the beginning */
	uint64_t lost_places;      /* places in the window with events missing between others */
	uint64_t lost_events;      /* known number of events lost there */
	uint64_t uncounted_places; /* of lost_places, those whose number of events is unknown */
	uint64_t whole_from_ns;    /* longest span without such a place; since the trace's first event */
	uint64_t whole_to_ns;
	uint64_t dropped_events; /* dropped by a full buffer, if known; not included in lost_events */
	uint64_t drops_between;  /* number of these before a CPU's last event: their places are unknown */
	uint32_t open_gaps;      /* CPUs whose last events are missing */
	uint32_t absent_cpus;    /* CPUs whose events are all missing */
	uint32_t late_cpus;      /* CPUs whose first events were overwritten */
	uint64_t late_events;    /* number of these events, if known */
	uint64_t late_ns;        /* delay of the last such CPU's start after the window's */
	uint64_t late_until_ns;  /* that start, since the trace's first event */
	bool ends_early;         /* the file is truncated, and the window extends to its end */
	uint64_t end_ns;         /* time up to which all CPUs are complete, since the first event */
	uint64_t backward_events, backward_max_ns;
	/* For a text trace. */
	const char *text_kind; /* "trace-cmd report"; NULL: the kernel's own text */
	uint64_t malformed_lines;
	uint64_t absent_lines;             /* events that its header counts, and that are not in it; 0 of a window */
	uint64_t sorted_lines, text_parts; /* lines moved up; files in one that were merged by time, or 1 */
	bool has_recordings;               /* several ones, of the same CPUs, one after another */
	uint64_t late_lines;               /* lines too late to be moved; included in backward_events */
	uint64_t missed_keys;              /* key events that the kernel's probes missed */
	struct task_faults faults;
	/* From the marks of the sched_ext scheduler. */
	bool has_scheduler, scheduler_changed;
	struct scheduler_mark scheduler, later_scheduler; /* the first one; the first other one */
};

enum quality_grade {
	QUALITY_GOOD,
	QUALITY_NOTE, /* minor: does not affect results */
	QUALITY_BAD,
};

struct quality_finding {
	const char *name; /* "lost" */
	enum quality_grade grade;
	uint64_t count;   /* number of occurrences; 0 if good */
	char text[256];   /* without a full stop */
	char remedy[192]; /* or "" */
};

enum { QUALITY_FINDINGS = 12 };

/* The limits. Shares are of the trace's switches, lines or events. */
#define QUALITY_MISSING_MAX 0.05 /* switches omitted by the kernel: see quality_has_enough() */
#define QUALITY_UNKNOWN_MAX 0.02 /* share of CPU time whose task is unknown */
#define QUALITY_IMPOSSIBLE_MAX                                                                                         \
	0.005 /* of switches: contradictions such as a task on two CPUs; or one per omitted switch */
#define QUALITY_SLEPT_MAX     0.02    /* of wakeups: tasks that slept and run without one */
#define QUALITY_BACKWARD_MAX  0.001   /* of events: with a time before their predecessor's */
#define QUALITY_BACKWARD_NS   1000000 /* minimum size of that step */
#define QUALITY_LATE_MAX      0.01    /* of the duration: late start of a CPU */
#define QUALITY_MALFORMED_MAX 0.01    /* of lines */

void quality_judge(const struct trace_quality *quality, struct quality_finding findings[QUALITY_FINDINGS]);
/* True if the number of lost events is known: in all gaps between events, and after the last event of each CPU. */
static inline bool quality_counts_losses(const struct trace_quality *quality)
{
	return quality->uncounted_places == 0 && (quality->open_gaps == 0 || quality->dropped_events);
}

/* True if values that need each switch can be computed from the recorded ones. Otherwise they are unknown: the missing
 * switches differ from the others, because they are the switches from idle. */
static inline bool quality_has_enough(uint64_t there, uint64_t missing)
{
	return (double)missing <= QUALITY_MISSING_MAX * (double)(there + missing);
}
/* The first finding of the worst grade. */
const struct quality_finding *quality_worst(const struct quality_finding *findings, size_t count);
/* The error for a trace that is not to be trusted because of this finding: STATUS_LOST, with the remedy. */
enum status quality_error(const struct quality_finding *finding, const char *path, struct error *err);
/* "good", "usable", "not to be trusted" */
const char *quality_grade_text(enum quality_grade grade);
/* "good", "note", "bad" */
const char *quality_grade_name(enum quality_grade grade);

#endif
