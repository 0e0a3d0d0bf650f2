/* SPDX-License-Identifier: MIT
 *
 * The report's tables of one workload: where its time went, by name and CPU, and migrations between CPUs. All values
 * are of one run: means over the runs of a set. */
#include <string.h>

#include "report/html.h"
#include "report/view.h"

enum { NAMES_SHOWN = 12, CPUS_SHOWN = 32 };

const char *const report_time_uses[TIME_USES] = {"running", "waiting after wakeup", "waiting after preemption",
						 "blocked (S)", "blocked (D)"};

void report_time_table(const struct report_view *view, struct buffer *out)
{
	const struct report *report = view->report;
	const struct report_workload *workload = view->workload;
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>set");
	for (int use = 0; use < TIME_USES; use++)
		buffer_printf(out, "<th scope=col colspan=2>%s", report_time_uses[use]);
	buffer_text(out, "</thead><tbody>");
	for (uint32_t set = 0; set < report->set_count; set++) {
		double uses[TIME_USES], all = 0;
		if (!workload->works[set])
			continue;
		for (int use = 0; use < TIME_USES; use++)
			all += uses[use] = (double)report_names_time(&workload->names, set, (enum time_use)use) /
					   report_runs(workload, set);
		buffer_text(out, "<tr><th scope=row>");
		report_label(report, set, out);
		for (int use = 0; use < TIME_USES; use++) {
			report_cell_duration(out, uses[use]);
			report_cell_share(out, uses[use], all);
		}
	}
	report_table_end(out);
}

/* A range of sets shown side by side; a page does not have room for all sets. */
struct beside {
	uint32_t from, to;
};

/* Starts after {0}; false after the last. */
static bool next_beside(const struct report *report, struct beside *sets)
{
	enum { BESIDE = 3 };

	sets->from = sets->to;
	sets->to = report->set_count - sets->from > BESIDE ? sets->from + BESIDE : report->set_count;
	return sets->from < sets->to;
}

/* The start of a table: "CPU", then headings such as "idle" with a column per set. */
static void begin_beside(const struct report *report, struct beside sets, const char *first,
			 const char *const *headings, size_t count, struct buffer *out)
{
	bool is_one = report->set_count == 1;

	report_table_begin(out, sets.to - sets.from > 2 ? "many" : NULL);
	buffer_printf(out, "<th scope=col%s class=t>%s", is_one ? "" : " rowspan=2", first);
	for (size_t i = 0; i < count; i++)
		buffer_printf(out, "<th scope=colgroup colspan=%u>%s", (unsigned int)(sets.to - sets.from),
			      headings[i]);
	buffer_text(out, is_one ? "" : "<tr>");
	for (size_t i = is_one ? count : 0; i < count; i++)
		for (uint32_t set = sets.from; set < sets.to; set++) {
			buffer_text(out, "<th scope=col>");
			report_tag(report, set, out);
		}
	buffer_text(out, "</thead><tbody>");
}

static double of_run(const struct report_workload *workload, uint32_t set, uint64_t ns)
{
	return (double)ns / report_runs(workload, set);
}

static void add_name_row(const struct report_workload *workload, const struct report_name *name, struct beside sets,
			 struct buffer *out)
{
	buffer_printf(out, "<tr><th scope=row>");
	report_comm(out, &name->comm);
	if (name->is_kernel)
		buffer_text(out, " <span class=dim>kernel</span>");
	else if (!name->is_own)
		buffer_text(out, " <span class=dim>other</span>");
	for (uint32_t set = sets.from; set < sets.to; set++) {
		double tasks = name->accounts[set].tasks / report_runs(workload, set);
		buffer_printf(out, "<td>%.*f", tasks == (double)(uint64_t)tasks ? 0 : 1, tasks);
	}
	for (int kind = 0; kind < 3; kind++) {
		for (uint32_t set = sets.from; set < sets.to; set++) {
			const uint64_t *time_ns = name->accounts[set].time_ns;
			uint64_t ns = kind == 0   ? time_ns[TIME_RUNNING]
				      : kind == 1 ? time_ns[TIME_AFTER_WAKEUP] + time_ns[TIME_AFTER_PREEMPTION]
						  : time_ns[TIME_BLOCKED] + time_ns[TIME_UNINTERRUPTIBLE];
			report_cell_duration(out, of_run(workload, set, ns));
		}
	}
}

void report_name_table(const struct report_view *view, struct buffer *out)
{
	static const char *const headings[] = {"tasks", "running", "waiting", "blocked"};
	const struct report_names *names = &view->workload->names;
	struct beside sets = {0};
	uint32_t left_out = 0;

	while (next_beside(view->report, &sets)) {
		uint32_t shown = 0;
		left_out = 0;
		begin_beside(view->report, sets, "task name", headings, 4, out);
		for (uint32_t i = 0; i < names->count; i++) {
			if (names->names[i].is_idle)
				continue;
			if (shown++ < NAMES_SHOWN)
				add_name_row(view->workload, &names->names[i], sets, out);
			else
				left_out++;
		}
		report_table_end(out);
	}
	if (left_out)
		buffer_printf(out, "<p class=\"dim small\">%u more names with less running time are not shown.\n",
			      (unsigned int)left_out);
}

void report_cpu_table(const struct report_view *view, struct buffer *out)
{
	const struct report_workload *workload = view->workload;
	static const char *const headings[] = {"the workload", "other tasks", "idle"};
	struct beside sets = {0};

	while (next_beside(view->report, &sets)) {
		begin_beside(view->report, sets, "CPU", headings, 3, out);
		for (uint32_t cpu = 0; cpu < workload->names.cpu_count && cpu < CPUS_SHOWN; cpu++) {
			buffer_printf(out, "<tr><th scope=row>%u", (unsigned int)cpu);
			for (uint32_t i = 0, count = sets.to - sets.from; i < 3 * count; i++) {
				double uses[3];
				report_cpu_uses(workload, sets.from + i % count, cpu, uses);
				report_cell_duration(out, uses[i / count]);
			}
		}
		report_table_end(out);
	}
}

void report_matrix_table(const struct report_view *view, struct buffer *out)
{
	enum { BESIDE = 16 };
	const struct report_workload *workload = view->workload;
	const struct run_account *account = &workload->works[view->set]->account;
	uint32_t cpus = workload->names.cpu_count < CPUS_SHOWN ? workload->names.cpu_count : CPUS_SHOWN;

	for (uint32_t begin = 0; begin < cpus; begin += BESIDE) {
		uint32_t end = cpus - begin > BESIDE ? begin + BESIDE : cpus;
		report_table_begin(out, NULL);
		buffer_text(out, "<th scope=col>from CPU");
		for (uint32_t to = begin; to < end; to++)
			buffer_printf(out, "<th scope=col>to %u", (unsigned int)to);
		buffer_text(out, "</thead><tbody>");
		for (uint32_t from = 0; from < cpus; from++) {
			buffer_printf(out, "<tr><th scope=row>%u", (unsigned int)from);
			for (uint32_t to = begin; to < end; to++)
				report_cell_count(out, account->pairs[from * RUN_ACCOUNT_CPUS + to]);
		}
		report_table_end(out);
	}
}

void report_cause_table(const struct report_view *view, struct buffer *out)
{
	const struct report *report = view->report;
	const struct report_workload *workload = view->workload;

	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>cause");
	for (uint32_t set = 0; set < report->set_count; set++)
		report_set_heading(report, set, "", out);
	buffer_text(out, "</thead><tbody>");
	for (int cause = 0; cause <= MIGRATION_CAUSES; cause++) {
		uint64_t counts[REPORT_SETS_MAX], all = 0;
		for (uint32_t set = 0; set < report->set_count; set++) {
			const struct report_work *work = workload->works[set];
			counts[set] = !work                       ? 0
				      : cause == MIGRATION_CAUSES ? work->account.migrations
								  : work->causes[cause];
			all += counts[set];
		}
		if (all == 0 && cause < MIGRATION_CAUSES)
			continue;
		buffer_printf(out, "<tr><th scope=row>%s",
			      cause == MIGRATION_CAUSES ? "all" : migration_cause_name((enum migration_cause)cause));
		for (uint32_t set = 0; set < report->set_count; set++)
			report_cell_count(out, counts[set]);
	}
	report_table_end(out);
}
