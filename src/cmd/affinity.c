/* SPDX-License-Identifier: MIT */
#include "measure/affinity.h"

#include <string.h>

#include "base/message.h"
#include "cmd/commands.h"
#include "print/analysis_print.h"

struct affinity_options {
	struct analysis_options analysis;
	const char *by;
	uint64_t top;
};

static const struct option options[] = {
    OPTION_CHOICES(struct affinity_options, by, "by", "task|comm", .argument = "WHAT",
		   .help = "one row per task, or per name", .fallback = "task"),
    OPTION(struct affinity_options, top, "top", .letter = 'n', .argument = "N",
	   .help = "number of rows, most changes first; 0 for all", .fallback = "20"),
    ANALYSIS_OPTION_ROWS(struct affinity_options, analysis),
    {.name = NULL},
};

static const struct table_column columns[] = {
    {"pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"comm", "name", TABLE_TEXT, TABLE_ALWAYS},
    {"tasks", "tasks", TABLE_NUMBER, TABLE_WIDE},
    {"cpus", "CPUs", TABLE_TEXT, TABLE_ALWAYS},
    {"mask", "mask", TABLE_TEXT, TABLE_ALWAYS},
    {"cpu_time_ns", "CPU time\nms", TABLE_MS, TABLE_ALWAYS},
    {"runs", "runs", TABLE_NUMBER, TABLE_ALWAYS},
    {"changes", "changes", TABLE_NUMBER, TABLE_ALWAYS},
    {"changes_per_s", "changes\nper s", TABLE_RATE, TABLE_ALWAYS},
    {"affinity", "affinity\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {.key = NULL},
};

/* duration_ns: 0 if it is unknown. */
static void add_line(struct table *table, const struct task_states *states, const struct affinity_lines *lines,
		     const struct affinity_line *line, uint64_t duration_ns)
{
	const struct sched_comm *comm = &states->comms.comms[line->comm];
	char text[64];
	int score = affinity_score(line->runs, line->tasks, line->changes);

	TABLE_SIGNED_IF(table, !lines->by_comm, line->pid);
	table_text(table, comm->bytes, comm->length);
	table_number(table, line->tasks);
	cpu_sets_list(lines->sets, line->sets_index, text, sizeof(text));
	table_string(table, text);
	cpu_sets_mask(lines->sets, line->sets_index, text, sizeof(text));
	table_string(table, text);
	TABLE_NUMBERS(table, line->cpu_time_ns, line->runs, line->changes);
	TABLE_NUMBER_IF(table, duration_ns, (uint64_t)((double)line->changes * 1e12 / (double)duration_ns + 0.5));
	TABLE_NUMBER_IF(table, score >= 0, (uint64_t)score);
}

static enum status print_table(void *state, const void *given, const struct pass *pass, struct error *err)
{
	const struct affinity_options *values = given;
	struct affinity_lines lines;
	struct analysis_table printed = analysis_table_of("tasks", NULL, columns);
	const uint64_t duration_ns = pass_shows_running(pass, 0, UINT32_MAX) ? pass->summary.duration_ns : 0;

	affinity_make_lines(state, &pass->states, strcmp(values->by, "comm") == 0, &lines);
	for (size_t i = 0; i < lines.count && (values->top == 0 || i < values->top); i++)
		add_line(&printed.table, &pass->states, &lines, &lines.lines[i], duration_ns);
	enum status status = analysis_print(&values->analysis, pass, &printed, 1, err);
	affinity_free_lines(&lines);
	return status;
}

static int run_affinity(const struct call *call)
{
	struct affinity affinity = {0};
	const struct pass_consumer consumer = affinity_consumer(&affinity);
	const int code = analysis_run(call, &consumer, print_table, &affinity);

	affinity_free(&affinity);
	return code;
}

const struct command command_affinity = {
    .name = "affinity",
    .summary = "the CPUs that tasks ran on, and how often they changed",
    ANALYSIS_COMMAND(struct affinity_options, run_affinity),
    .details = ANALYSIS_DETAILS
    "\n\n"
    "CPUs and mask show the CPUs that the task ran on, not those that it was allowed to use; mask has the format\n"
    "of Cpus_allowed in /proc/PID/status. runs counts how often the task was switched in, or ran when the trace\n"
    "began, without the run in which a stopper (migration/N) takes its CPU offline. changes counts the runs on\n"
    "another CPU than the previous run, also per second of the trace. affinity is the share of runs on the same\n"
    "CPU as the previous run, without the first run: 100 % means that the task never changed its CPU. --by comm\n"
    "adds up the runs and changes of all tasks with one name. Idle tasks are left out.",
    .examples = "  picknext affinity raw/io_mixed_run1.dat       # the 20 tasks that changed most\n"
		"  picknext affinity --by comm --top 0 out/eevdf # all names, over all runs of a collection\n"
		"  picknext affinity --csv --top 0 trace.dat    # for a spreadsheet",
};
