/* SPDX-License-Identifier: MIT
 *
 * The charts of one workload, each with its table. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "report/chart/chart.h"
#include "report/html.h"

struct report_view {
	const struct report *report;
	const struct report_workload *workload;
	uint32_t set;  /* for charts of one set */
	uint32_t item; /* for kinds with several charts per set */
};

struct report_chart {
	const char *name; /* part of its file name and id, such as "wakeup" */
	bool per_set;     /* one for each set */
	bool is_wide;
	uint32_t item;  /* item of its view */
	uint32_t items; /* 0: not of waits; otherwise one chart for each of the longest waits of each set, folded */
	/* Fills title and description; the caller has set the other members. Returns false, and adds nothing, if there
	 * is nothing to draw. */
	bool (*draw)(const struct report_view *view, struct chart *chart);
	/* Writes the values of the chart as a table. */
	void (*write_table)(const struct report_view *view, struct buffer *out);
};

/* Each ends with a row without a name. */
extern const struct report_chart report_curves[], report_timelines[];

/* The longest waits of all sets, with links to their charts. */
void report_wait_table(const struct report *report, const struct report_workload *workload, size_t number,
		       struct buffer *out);

/* Who preempted whom and who woke whom in the first run of each set. */
void report_pair_tables(const struct report *report, const struct report_workload *workload, struct buffer *out);

static inline struct chart_text report_label_text(const struct report *report, uint32_t set)
{
	return chart_string(report->sets.items[set].label);
}

static inline struct chart_text report_comm_text(const struct sched_comm *comm)
{
	return (struct chart_text){comm->bytes, comm->length};
}

#endif
