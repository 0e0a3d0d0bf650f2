/* SPDX-License-Identifier: MIT
 *
 * The charts of one workload, and their tables. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include <string.h>

#include "report/chart/chart.h"
#include "report/html.h"

/* The title and the description of a chart. */
struct report_words {
	char title[REPORT_TITLE_SIZE], description[512];
};

struct report_view {
	const struct report *report;
	const struct report_workload *workload;
	uint32_t set;  /* for charts of one set */
	uint32_t item; /* for kinds of charts of which there are several */
};

/* Functions that draw return false, and add nothing, if there is nothing to draw. The caller sets out, id and alone of
 * *chart.
 */

/* view.item: an enum run_distribution */
bool report_draw_curves(const struct report_view *view, struct chart *chart, struct report_words *words);
void report_curve_table(const struct report_view *view, struct buffer *out);

bool report_draw_timeline(const struct report_view *view, struct chart *chart, struct report_words *words);
void report_timeline_table(const struct report_view *view, struct buffer *out);
/* Around a wait; view.item: its place among the longest. */
bool report_draw_wait(const struct report_view *view, struct chart *chart, struct report_words *words);
/* The longest waits of all sets, with links to their charts. */
void report_wait_table(const struct report *report, const struct report_workload *workload, size_t number,
		       struct buffer *out);

/* A chart of one metric of all workloads. */
bool report_draw_changes(const struct report *report, uint32_t set, const struct metric *metric, struct chart *chart,
			 struct report_words *words);
bool report_draw_time(const struct report_view *view, struct chart *chart, struct report_words *words);
bool report_draw_names(const struct report_view *view, struct chart *chart, struct report_words *words);
bool report_draw_cpus(const struct report_view *view, struct chart *chart, struct report_words *words);

/* view.item: migrations of all causes, or the number of tasks that run or wait */
enum report_over_time { OVER_TIME_ALL = MIGRATION_CAUSES, OVER_TIME_LOAD };
bool report_draw_over_time(const struct report_view *view, struct chart *chart, struct report_words *words);
void report_over_time_table(const struct report_view *view, struct buffer *out);
bool report_draw_causes(const struct report_view *view, struct chart *chart, struct report_words *words);
bool report_draw_matrix(const struct report_view *view, struct chart *chart, struct report_words *words);

/* Tables of one workload. */
void report_time_table(const struct report_view *view, struct buffer *out);
void report_name_table(const struct report_view *view, struct buffer *out);
void report_cpu_table(const struct report_view *view, struct buffer *out);
void report_cause_table(const struct report_view *view, struct buffer *out);
void report_matrix_table(const struct report_view *view, struct buffer *out);

extern const char *const report_time_uses[TIME_USES];

static inline struct chart_text report_label_text(const struct report *report, uint32_t set)
{
	const char *label = report->sets.items[set].label;

	return (struct chart_text){label, strlen(label)};
}

static inline struct chart_text report_comm_text(const struct sched_comm *comm)
{
	return (struct chart_text){comm->bytes, comm->length};
}

#endif
