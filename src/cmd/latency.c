/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "cmd/commands.h"
#include "measure/latency.h"
#include "print/account_columns.h"
#include "print/analysis_print.h"
#include "print/terminal.h"
#include "print/waits_print.h"

struct latency_options {
	struct analysis_options analysis;
	struct group_options group;
	const char *of;
	uint64_t worst;
	bool no_histogram;
};

static const struct option options[] = {
    GROUP_OPTION_ROWS(struct latency_options, group),
    OPTION_CHOICES(struct latency_options, of, "of", "wakeup|preempted|both", .argument = "WAITS",
		   .help = "waits after wakeups, after preemptions, or both", .fallback = "both"),
    OPTION(struct latency_options, worst, "worst", .argument = "N",
	   .help = "the N longest single waits instead, with what happened meanwhile", .min = 1,
	   .max = WORST_WAITS_MAX),
    OPTION(struct latency_options, no_histogram, "no-histogram", .help = "leave out the histograms"),
    ANALYSIS_OPTION_ROWS(struct latency_options, analysis),
    {.name = NULL},
};

static const struct {
	const char *word, *histogram, *title, *histogram_title;
} kinds[WAIT_KINDS] = {
    {"wakeup", "wakeup_histogram", "Wakeup to running", "Wakeup to running, all"},
    {"preempted", "preempted_histogram", "Preempted to running again", "Preempted to running again, all"},
};

/* CSV has both kinds of waits in one table; the last column names the kind. */
static const struct table_column columns[] = {
    GROUP_COLUMNS,
    WAIT_COLUMNS("", "", TABLE_ALWAYS),
    {"wait", "wait", TABLE_TEXT, TABLE_DATA},
    {.key = NULL},
};

/* Groups without known waits come last. */
static uint64_t longest_known(const struct wait_account *account)
{
	const bool is_known = account->waits.count && quality_has_enough(account->waits.count, account->unknown);

	return is_known ? account->waits.max + 1 : 0;
}

static uint64_t longest_wakeup(const void *account)
{
	return longest_known(&((const struct wait_account *)account)[AFTER_WAKEUP]);
}

static uint64_t longest_preemption(const void *account)
{
	return longest_known(&((const struct wait_account *)account)[AFTER_PREEMPTION]);
}

static bool has_wakeups(const void *account)
{
	const struct wait_account *waits = &((const struct wait_account *)account)[AFTER_WAKEUP];

	return waits->waits.count + waits->unknown > 0;
}

static bool has_preemptions(const void *account)
{
	const struct wait_account *waits = &((const struct wait_account *)account)[AFTER_PREEMPTION];

	return waits->waits.count + waits->unknown > 0;
}

/* Adds the groups that waited, sorted by longest wait, descending. */
static void fill_waits(struct latency *latency, const struct group_columns *shown, const struct pass *pass,
		       enum wait_kind kind, struct table *table, char *title, size_t size)
{
	bool is_wakeup = kind == AFTER_WAKEUP;
	struct group_list list;

	groups_sort(&latency->groups, is_wakeup ? longest_wakeup : longest_preemption,
		    is_wakeup ? has_wakeups : has_preemptions, &list);
	for (uint32_t i = 0; i < list.count; i++) {
		const struct wait_account *waits = groups_at(&latency->groups, list.keys[i]);
		group_columns_fill(shown, &latency->groups, pass, list.keys[i], table);
		wait_columns_fill(&waits[kind], table);
		table_string(table, kinds[kind].word);
	}
	group_title(&latency->groups, &list, kinds[kind].title, "longest waits", title, size);
	free(list.keys);
}

static const struct table_column histogram_columns[] = {
    {"from_us", "from\nus", TABLE_NUMBER, TABLE_ALWAYS}, {"to_us", "to\nus", TABLE_NUMBER, TABLE_ALWAYS},
    {"waits", "waits", TABLE_NUMBER, TABLE_ALWAYS},      {"share", "%", TABLE_PERCENT, TABLE_ALWAYS},
    {"bar", "drawn", TABLE_VERDICT, TABLE_PEOPLE},       {.key = NULL},
};

static void fill_histogram(const uint64_t *octaves, uint64_t count, const struct analysis_options *given,
			   struct table *table)
{
	unsigned int first = 0;
	unsigned int last = LATENCY_OCTAVES;
	uint64_t max = 0;
	char bar[BAR_SIZE];

	while (first < LATENCY_OCTAVES && octaves[first] == 0)
		first++;
	while (last > first && octaves[last - 1] == 0)
		last--;
	for (unsigned int i = first; i < last; i++)
		max = octaves[i] > max ? octaves[i] : max;
	for (unsigned int i = first; i < last; i++) {
		TABLE_NUMBERS(table, i ? UINT64_C(1) << (i - 1) : 0, UINT64_C(1) << i, octaves[i],
			      table_share(octaves[i], count));
		bar_text(octaves[i], max, given->json || given->pass.output, bar);
		table_string(table, bar);
	}
}

/* Waits after wakeups that were not recorded are left out. */
static bool is_known(const struct pass *pass, enum wait_kind kind)
{
	return kind != AFTER_WAKEUP || pass_shows_wakeups(pass);
}

static enum status show_waits(void *state, const void *values, const struct pass *pass, struct error *err)
{
	const struct latency_options *given = values;
	struct latency *latency = state;
	struct analysis_table tables[2 * WAIT_KINDS];
	struct group_columns shown;
	char titles[WAIT_KINDS][128];
	size_t count = 0;

	group_columns_choose(&shown, &latency->groups, pass, columns);
	for (int kind = 0; kind < WAIT_KINDS; kind++) {
		if (strcmp(given->of, "both") != 0 && strcmp(given->of, kinds[kind].word) != 0)
			continue;
		const size_t at = given->analysis.csv ? 0 : count;
		if (at == count)
			tables[count++] = analysis_table_of(kinds[kind].word, titles[kind], shown.columns);
		tables[at].needs_rows = !is_known(pass, (enum wait_kind)kind);
		if (tables[at].needs_rows)
			continue;
		fill_waits(latency, &shown, pass, (enum wait_kind)kind, &tables[at].table, titles[kind],
			   sizeof(titles[kind]));
		if (given->no_histogram || given->analysis.csv || latency->counts[kind] == 0)
			continue;
		tables[count] =
		    analysis_table_of(kinds[kind].histogram, kinds[kind].histogram_title, histogram_columns);
		fill_histogram(latency->octaves[kind], latency->counts[kind], &given->analysis, &tables[count++].table);
	}
	return analysis_print(&given->analysis, pass, tables, count, err);
}

/* --- The longest waits --- */

static enum status show_worst(void *state, const void *values, const struct pass *pass, struct error *err)
{
	return waits_print(state, values, pass, err);
}

static int run_worst(const struct call *call)
{
	const struct latency_options *given = call->values;
	const bool wakeup = strcmp(given->of, "preempted") != 0, preempted = strcmp(given->of, "wakeup") != 0;
	struct worst_waits waits = {
	    .max = (uint32_t)given->worst,
	    .tasks = &given->group.tasks,
	    .without = {[WAIT_WAKEUP] = !wakeup,
			[WAIT_NEW] = !wakeup,
			[WAIT_PREEMPTED] = !preempted,
			[WAIT_RUNNABLE] = !preempted},
	};
	const struct pass_consumer consumer = worst_waits_consumer(&waits);
	const int code = analysis_run(call, &consumer, show_worst, &waits);

	worst_waits_free(&waits);
	return code;
}

static int run_latency(const struct call *call)
{
	struct latency_options *given = call->values;
	struct latency latency = {0};
	struct error err = {0};

	if (group_options_check(&given->group, &given->analysis.pass, &err) != STATUS_OK)
		return message_error(&err);
	given->analysis.tasks = &given->group.tasks;
	if (given->worst)
		return run_worst(call);
	latency_begin(&latency, &given->group);
	const struct pass_consumer consumer = latency_consumer(&latency);
	const int code = analysis_run(call, &consumer, show_waits, &latency);
	latency_free(&latency);
	return code;
}

const struct command command_latency = {
    .name = "latency",
    .summary = "how long tasks waited for a CPU after wakeups and preemptions",
    ANALYSIS_COMMAND(struct latency_options, run_latency),
    .details = ANALYSIS_DETAILS
    "\n\n"
    "Wakeup to running: from sched_wakeup or sched_wakeup_new to the sched_switch to the task. Preempted to\n"
    "running again: from being switched out while runnable (R or R+) to being switched in. A wakeup of a task\n"
    "that is running or runnable begins no wait. Only whole waits count: none across lost events, none cut by\n"
    "the end of the trace. A wait that ended with a missing switch (picknext help limits) has an unknown\n"
    "length: if more than 5 % of a task's waits have, only counts are given, and histograms have the known waits. With "
    "--cpu and "
    "--by cpu, a wait belongs to the CPU that it ended on.\n\n"
    "Time in which a cgroup of the task was throttled (it has used its quota, cpu.max) is no part of its waits, and a\n"
    "column of its own, if the trace has keys (picknext help rules); else it is unknown, the cells are empty, and it\n"
    "counts as waiting. --by cgroup: \"/\" is the root, as keys show it; other paths are those in the\n"
    "JSON beside the trace: of the roles of a mix, or of the tasks that picknext record found in /proc/PID/cgroup "
    "before\n"
    "and after the recording (keys add the tasks on the same queues). Tasks of which neither says it, such as those "
    "that\n"
    "began and ended in between, are in a row without a path.\n\n"
    "--by process: a row per process (thread group), with its PID and the name of its leader. picknext record lists\n"
    "the threads of all processes before and after the recording, in the JSON beside the trace. Threads that began\n"
    "and ended in between, such as those of the recorded command, and all tasks of other traces are in a row\n"
    "without a PID.\n\n"
    "--worst lists the longest waits, each with its start (seconds from the first event, as for --from), the name\n"
    "of the task at that time, the task that woke it, the number of other tasks that waited for the CPU at the\n"
    "start, and the tasks that ran meanwhile on that CPU, longest first, with their times. If the task was moved\n"
    "during the wait, the CPU is that of the longest part. A wait that is not over at the end of the trace is\n"
    "included; its end_ts_ns is empty.\n\n"
    "Percentiles of up to 8,192 waits are exact, those of more are rounded to four digits; count, sum, mean and\n"
    "max are exact. The end of the longest wait is given in seconds from the first event of its trace, as for\n"
    "--from; wait_max_ts_ns in CSV and JSON is the time on the trace's clock, as in picknext export.",
    .examples = "  picknext latency trace.dat                      # tasks with the longest waits, and histograms\n"
		"  picknext latency --by comm --of wakeup trace.dat\n"
		"  picknext latency --worst 5 --comm 'hackbench*' trace.dat # who ran while these waited longest\n"
		"  picknext latency --by cgroup raw/cgroup_quota_run1.dat # waits and throttled time of each cgroup\n"
		"  picknext latency --by cpu --json traces         # all runs of a directory, counted together",
};
