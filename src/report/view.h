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
	uint32_t item; /* for kinds of charts of which there are several */
};

struct report_chart {
	const char *name; /* part of its file name and id, such as "wakeup" */
	bool per_set;     /* one for each set */
	bool is_wide;
	uint32_t item;  /* of its view */
	uint32_t items; /* one for each of the longest waits of each set; folded; 0: not so */
	/* Fills title and description; the caller has set the rest. Returns false, and adds nothing, if there is
	 * nothing to draw. */
	bool (*draw)(const struct report_view *view, struct chart *chart);
	/* Writes its values as a table. */
	void (*write_table)(const struct report_view *view, struct buffer *out);
};

/* A row without a name ends each. */
extern const struct report_chart report_curves[], report_timelines[], report_times[], report_migrations[];

/* The longest waits of all sets, with links to their charts. */
void report_wait_table(const struct report *report, const struct report_workload *workload, size_t number,
		       struct buffer *out);

static inline struct chart_text report_label_text(const struct report *report, uint32_t set)
{
	return chart_string(report->sets.items[set].label);
}

static inline struct chart_text report_comm_text(const struct sched_comm *comm)
{
	return (struct chart_text){comm->bytes, comm->length};
}

#endif
