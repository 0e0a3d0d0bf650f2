/* SPDX-License-Identifier: MIT */
#include "measure/inversions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "cmd/commands.h"
#include "print/analysis_print.h"

struct inversions_options {
	struct analysis_options analysis;
	const char *by;
	uint64_t threshold_us, top;
	bool nice;
};

static const struct option options[] = {
    OPTION(struct inversions_options, threshold_us, "threshold", .argument = "US", .unit = "us",
	   .help = "only inversions of US microseconds (or 1ms) or more", .fallback = "1000", .max = 1000000000),
    OPTION(struct inversions_options, nice, "nice",
	   .help =
	       "also count inversions between nice levels of the fair class; valid\nonly for tasks of one autogroup "
	       "and cgroup, which a trace does not\nshow"),
    OPTION_CHOICES(struct inversions_options, by, "by", "task|comm", .argument = "WHAT",
		   .help = "one row for each pair of tasks, or of names", .fallback = "task"),
    OPTION(struct inversions_options, top, "top", .letter = 'n', .argument = "N",
	   .help = "number of rows of each table, longest first; 0 for all", .fallback = "20"),
    ANALYSIS_OPTION_ROWS(struct inversions_options, analysis),
    {.name = NULL},
};

static const struct table_column columns[] = {
    {"waiting_comm", "waited", TABLE_TEXT, TABLE_ALWAYS},
    {"waiting_pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"waiting_prio", "prio", TABLE_SIGNED, TABLE_ALWAYS},
    {"running_comm", "while ran", TABLE_TEXT, TABLE_ALWAYS},
    {"running_pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"running_prio", "prio", TABLE_SIGNED, TABLE_ALWAYS},
    {"times", "times", TABLE_NUMBER, TABLE_ALWAYS},
    {"total_ns", "total\nms", TABLE_MS, TABLE_ALWAYS},
    {"mean_ns", "mean\nus", TABLE_US, TABLE_WIDE},
    {"longest_ns", "longest\nus", TABLE_US, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column longest_columns[] = {
    {"at_ns", "at\ns", TABLE_SECONDS, TABLE_ALWAYS},
    {"duration_ns", "for\nus", TABLE_US, TABLE_ALWAYS},
    {"waiting_comm", "waited", TABLE_TEXT, TABLE_ALWAYS},
    {"waiting_pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"running_comm", "while ran", TABLE_TEXT, TABLE_ALWAYS},
    {"running_pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"cpu", "on CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"run", "run", TABLE_NUMBER, TABLE_WIDE},
    {.key = NULL},
};

static void add_task(struct table *table, const struct task_states *states, bool is_comm, uint32_t number)
{
	if (!is_comm) {
		table_task(table, states, number, states->tasks[number].comm);
		return;
	}
	table_text(table, states->comms.comms[number].bytes, states->comms.comms[number].length);
	table_none(table);
}

static void add_pair(struct table *table, const struct task_states *states, bool by_comm, bool is_known,
		     const struct inversion_pair *pair)
{
	add_task(table, states, by_comm, pair->waiting);
	table_signed(table, pair->waiting_prio);
	add_task(table, states, by_comm, pair->running);
	table_signed(table, pair->running_prio);
	const uint64_t values[] = {pair->times, pair->total_ns, pair->total_ns / pair->times, pair->max_ns};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		TABLE_NUMBER_IF(table, is_known, values[i]);
}

static void add_longest(struct table *table, const struct task_states *states, const struct longest_episode *it)
{
	TABLE_NUMBERS(table, it->since_ns, it->duration_ns);
	table_task(table, states, it->task, it->comm);
	table_task(table, states, it->blamed, it->blamed_comm);
	TABLE_NUMBERS(table, it->cpu, it->run);
}

static enum status print_tables(void *state, const void *given, const struct pass *pass, struct error *err)
{
	const struct inversions_options *values = given;
	struct inversions *inversions = state;
	uint64_t hidden_ns;
	bool is_known = pass_shows_waiting(pass, 0, UINT32_MAX, &hidden_ns);
	char none[128];

	snprintf(none, sizeof(none), "Inversions of at least %" PRIu64 " us%s", values->threshold_us,
		 is_known ? "" : ", in the time in which the waiting tasks are known");
	struct analysis_table tables[] = {
	    analysis_table_of("longest", "The longest inversions", longest_columns),
	    analysis_table_of("pairs", inversions->pair_count ? "All inversions, by waiting and running task" : none,
			      columns)};

	inversions_sort(inversions);
	tables[0].is_extra = tables[0].needs_rows = true;
	for (uint32_t i = 0; i < inversions->pair_count && (values->top == 0 || i < values->top); i++)
		add_pair(&tables[1].table, &pass->states, inversions->by_comm, is_known, &inversions->pairs[i]);
	for (uint32_t i = 0; i < inversions->longest.count && (values->top == 0 || i < values->top); i++)
		add_longest(&tables[0].table, &pass->states, &inversions->longest.list[i]);
	return analysis_print(&values->analysis, pass, tables, 2, err);
}

static int run_inversions(const struct call *call)
{
	const struct inversions_options *values = call->values;
	struct inversions inversions = {0};
	const struct pass_consumer consumer = inversions_consumer(&inversions);

	inversions.threshold_ns = values->threshold_us * 1000;
	inversions.real_time_only = !values->nice;
	inversions.by_comm = strcmp(values->by, "comm") == 0;
	const int code = analysis_run(call, &consumer, print_tables, &inversions);
	inversions_free(&inversions);
	return code;
}

const struct command command_inversions = {
    .name = "inversions",
    .summary = "tasks that waited while a task of lower priority ran",
    ANALYSIS_COMMAND(struct inversions_options, run_inversions),
    .details = ANALYSIS_DETAILS
    "\n\n"
    "An inversion is a time in which a task waits to run while a task of lower priority runs on a CPU that it\n"
    "may use: the CPU it waits for, or one that it was seen on before. prio is the kernel's effective priority,\n"
    "including inheritance; lower is more urgent: -1 deadline, 0 to 99 real time (99 - sched_priority), 100 to\n"
    "139 nice -20 to 19. A change of it ends an inversion; time in which a change happened that the trace does\n"
    "not record (sched_pi_setprio records inheritance) counts only if the order was the same before and after.\n"
    "By default only real-time and deadline tasks are counted as waiting: no fair task has a right to run before\n"
    "them, in whatever group it is. --nice also counts fair tasks; use it for tasks that are known to be in one\n"
    "group. Tasks in different autogroups (sessions) or cgroups share CPUs by the weights of the groups, not by\n"
    "their nice levels, and a trace does not show groups. The fair class shares a CPU between nice levels, so\n"
    "short waits there are normal. If several tasks ran meanwhile, the one that ran longest is named. After lost\n"
    "events, the tasks that wait for a CPU are unknown until it has been idle: if this is more than 5 % of the\n"
    "time, the pairs have no numbers.",
    .examples = "  picknext inversions trace.dat                        # 1 ms or longer\n"
		"  picknext inversions --threshold 50 out/eevdf        # real-time tasks kept waiting for 50 us\n"
		"  picknext inversions --by comm --json trace.dat",
};
