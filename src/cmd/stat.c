/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "cmd/commands.h"
#include "measure/pairs.h"
#include "measure/task_stat.h"
#include "print/account_columns.h"
#include "print/analysis_print.h"
#include "print/pairs_print.h"

struct stat_options {
	struct analysis_options analysis;
	struct group_options group;
	bool waits, pairs;
};

static const struct option options[] = {
    GROUP_OPTION_ROWS(struct stat_options, group),
    OPTION(struct stat_options, waits, "waits", .help = "add the columns of picknext latency, in the same pass"),
    OPTION(struct stat_options, pairs, "pairs",
	   .help = "who preempted whom and who woke whom instead: one row per pair of tasks,\nnames, roles, cgroups or "
		   "processes (--by)"),
    ANALYSIS_OPTION_ROWS(struct stat_options, analysis),
    {.name = NULL},
};

static const struct table_column cpu_columns[] = {
    {"cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"switches", "switches", TABLE_NUMBER, TABLE_ALWAYS},
    {"switches_per_s", "switches\n/s", TABLE_RATE, TABLE_ALWAYS},
    {"busy_ns", "busy\nms", TABLE_MS, TABLE_ALWAYS},
    {"idle_ns", "idle\nms", TABLE_MS, TABLE_ALWAYS},
    {"unknown_ns", "unknown\nms", TABLE_MS, TABLE_ALWAYS},
    {"either_ns", "either\nms", TABLE_MS, TABLE_BOUNDS},
    {"offline_ns", "offline\nms", TABLE_MS, TABLE_DATA},
    {"others_ns", "others\nms", TABLE_MS, TABLE_DATA},
    {"busy_share", "busy\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column columns[] = {
    GROUP_COLUMNS,
    {"cpu_time_ns", "CPU time\nms", TABLE_MS, TABLE_ALWAYS},
    {"cpu_time_max_ns", "at most\nms", TABLE_MS, TABLE_BOUNDS},
    {"cpu_share", "of a\nCPU %", TABLE_PERCENT, TABLE_ALWAYS},
    {"switches_voluntary", "left\nasleep", TABLE_NUMBER, TABLE_ALWAYS},
    {"switches_runnable", "left\nR", TABLE_NUMBER, TABLE_ALWAYS},
    {"switches_preempted", "left\nR+", TABLE_NUMBER, TABLE_ALWAYS},
    {"slices", "whole\nslices", TABLE_NUMBER, TABLE_WIDE},
    {"slice_mean_ns", "mean\nus", TABLE_US, TABLE_WIDE},
    {"slice_min_ns", "min\nus", TABLE_US, TABLE_WIDE},
    {"slice_p50_ns", "p50\nus", TABLE_US, TABLE_WIDE},
    {"slice_p95_ns", "p95\nus", TABLE_US, TABLE_WIDE},
    {"slice_p99_ns", "p99\nus", TABLE_US, TABLE_WIDE},
    {"slice_max_ns", "max\nus", TABLE_US, TABLE_WIDE},
    {"wakeups", "woken", TABLE_NUMBER, TABLE_WIDE},
    {"spurious_wakeups", "woken\nawake", TABLE_NUMBER, TABLE_DATA},
    {"migrations", "moved", TABLE_NUMBER, TABLE_WIDE},
    {"pull_newidle", "newidle\npulls", TABLE_NUMBER, TABLE_WIDE},
    {"pull_periodic", "periodic\npulls", TABLE_NUMBER, TABLE_WIDE},
    {"pull_nohz", "nohz\npulls", TABLE_NUMBER, TABLE_WIDE},
    {"pull_unknown", "unknown\npulls", TABLE_NUMBER, TABLE_WIDE},
    {"active_balance", "active\nbalance", TABLE_NUMBER, TABLE_WIDE},
    WAIT_COLUMNS("wakeup_", "woken\n", TABLE_WIDE),
    WAIT_COLUMNS("preempted_", "preempted\n", TABLE_WIDE),
    {.key = NULL},
};

#define COLUMNS_WITHOUT_WAITS (sizeof(columns) / sizeof(*columns) - 1 - 2 * WAIT_COLUMN_COUNT)

static void add_slices(const struct stat_account *account, struct table *table)
{
	const struct distribution *slices = &account->slices;

	table_number(table, slices->count);
	if (slices->count == 0 || !quality_has_enough(slices->count, account->starts_missing)) {
		for (int i = 0; i < 6; i++)
			table_none(table);
		return;
	}
	TABLE_NUMBERS(table, distribution_mean(slices), slices->min, distribution_percentile(slices, 500),
		      distribution_percentile(slices, 950), distribution_percentile(slices, 990), slices->max);
}

/* Moves of followed tasks by others are not recorded. */
static void fill_migrations(const struct stat_account *account, bool is_known, struct table *table)
{
	const uint64_t counts[] = {account->migrations,           account->pulls[PULL_NEWIDLE],
				   account->pulls[PULL_PERIODIC], account->pulls[PULL_NOHZ],
				   account->pulls[PULL_UNKNOWN],  account->active_balances};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		TABLE_NUMBER_IF(table, is_known, counts[i]);
}

static uint64_t sort_key(const void *account)
{
	return ((const struct stat_account *)account)->cpu_ns;
}

static void fill_groups(const struct task_stat *stat, const struct group_columns *shown, const struct pass *pass,
			const struct group_list *list, struct table *table)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct stat_account *account = groups_at(&stat->groups, list->keys[i]);
		group_columns_fill(shown, &stat->groups, pass, list->keys[i], table);
		TABLE_NUMBERS(table, account->cpu_ns, account->cpu_ns + account->either_ns,
			      table_share(account->cpu_ns, task_stat_duration(stat, pass, list->keys[i])),
			      account->voluntary, account->runnable, account->preempted);
		add_slices(account, table);
		TABLE_NUMBER_IF(table, pass_shows_wakeups(pass), account->wakeups);
		TABLE_NUMBER_IF(table, pass_shows_wakeups(pass), account->spurious);
		fill_migrations(account, pass->summary.followed_runs == 0, table);
		for (int kind = 0; kind < WAIT_KINDS && stat->has_waits; kind++)
			if (kind != AFTER_WAKEUP || pass_shows_wakeups(pass))
				wait_columns_fill(&account->waits[kind], table);
			else
				wait_columns_leave_empty(table);
	}
}

static void fill_cpus(const struct task_stat *stat, const struct pass *pass, struct table *table)
{
	bool is_part = pass->summary.followed_runs > 0;

	for (uint32_t i = 0; i < stat->cpu_count; i++) {
		const struct stat_cpu *cpu = &stat->cpus[i];
		const struct task_cpu *known = &pass->states.cpus[i];
		if (known->observed_ns == 0 || !pass_wants_cpu(pass, i))
			continue;
		const uint64_t *absent_ns = known->observed_absent_ns;
		uint64_t online_ns = known->observed_ns - absent_ns[CPU_OFFLINE];
		const bool is_known = pass_shows_running(pass, i, i);
		TABLE_NUMBERS(table, i, cpu->switches);
		TABLE_NUMBER_IF(table, is_known,
				online_ns ? (uint64_t)((double)cpu->switches * 1e12 / (double)online_ns + 0.5) : 0);
		table_number(table, cpu->busy_ns);
		/* The time of other tasks includes idle time. */
		TABLE_NUMBER_IF(table, !is_part, cpu->idle_ns);
		TABLE_NUMBERS(table, absent_ns[CPU_UNKNOWN], absent_ns[CPU_BETWEEN], absent_ns[CPU_OFFLINE],
			      absent_ns[CPU_OUTSIDE]);
		TABLE_NUMBER_IF(table, !is_part && is_known, table_share(cpu->busy_ns, online_ns));
	}
}

/* The key of the second table in JSON; that of the first one is "cpus". */
static const char *work_key(const struct groups *groups)
{
	return groups->by == GROUP_CPU ? "work_by_cpu" : group_key(groups);
}

static enum status print_tables(void *state, const void *given, const struct pass *pass, struct error *err)
{
	struct task_stat *stat = state;
	struct group_list list;
	struct table_column mine[sizeof(columns) / sizeof(*columns)];
	struct table_column cpu_mine[sizeof(cpu_columns) / sizeof(*cpu_columns)];
	struct group_columns shown;
	char title[128];

	groups_sort(&stat->groups, sort_key, NULL, &list);
	for (size_t i = 0; i < sizeof(cpu_columns) / sizeof(*cpu_columns); i++)
		cpu_mine[i] = bounds_column(&cpu_columns[i], pass);
	memcpy(mine, columns, sizeof(columns));
	if (!stat->has_waits)
		mine[COLUMNS_WITHOUT_WAITS] = (struct table_column){0};
	group_columns_choose(&shown, &stat->groups, pass, mine);
	struct analysis_table tables[] = {analysis_table_of("cpus", "Per CPU", cpu_mine),
					  analysis_table_of(work_key(&stat->groups), title, shown.columns)};
	tables[0].is_extra = true;
	fill_cpus(stat, pass, &tables[0].table);
	fill_groups(stat, &shown, pass, &list, &tables[1].table);
	group_title(&stat->groups, &list, "Work", "most CPU time", title, sizeof(title));
	enum status status = analysis_print(given, pass, tables, 2, err);
	free(list.keys);
	return status;
}

/* --- Pairs --- */

static enum status show_pairs(void *state, const void *given, const struct pass *pass, struct error *err)
{
	return pairs_print(state, given, pass, err);
}

static int run_pairs(const struct call *call)
{
	const struct stat_options *given = call->values;
	struct pairs pairs;
	struct error err = {0};

	if (strcmp(given->group.by, "cpu") == 0 || given->waits) {
		error_set(&err, STATUS_USAGE, "--pairs",
			  "needs --by task, comm, role, cgroup or process, without --waits");
		return message_error(&err);
	}
	pairs_begin(&pairs, &given->group);
	const struct pass_consumer consumer = pairs_consumer(&pairs);
	const int code = analysis_run(call, &consumer, show_pairs, &pairs);
	pairs_free(&pairs);
	return code;
}

static int run_stat(const struct call *call)
{
	struct stat_options *given = call->values;
	struct task_stat stat = {0};
	struct error err = {0};

	if (group_options_check(&given->group, &given->analysis.pass, &err) != STATUS_OK)
		return message_error(&err);
	given->analysis.tasks = &given->group.tasks;
	if (given->pairs)
		return run_pairs(call);
	task_stat_begin(&stat, &given->group, given->waits);
	const struct pass_consumer consumer = task_stat_consumer(&stat);
	const int code = analysis_run(call, &consumer, print_tables, &stat);
	task_stat_free(&stat);
	return code;
}

const struct command command_stat = {
    .name = "stat",
    .summary = "CPU time, switches and slices per task, name or CPU; who preempted and woke whom",
    ANALYSIS_COMMAND(struct stat_options, run_stat),
    .details = ANALYSIS_DETAILS
    "\n\n"
    "CPU time is all time that a task ran within the trace; its share is of the time of one CPU,\n"
    "in the trace of the row or, if a row is of several traces, in all of them. A slice is the\n"
    "time from being switched in to being switched out; slices cut by the beginning or end of the trace or by\n"
    "lost events count as CPU time, but not as whole slices. If the switch between two known tasks is missing\n"
    "(picknext help limits), the time between them may be of either task: CPU time is the certain time, at most\n"
    "is the time with all such time, and either is the sum of such time on a CPU. Slice columns are the mean, the\n"
    "minimum, percentiles (exact for up to 8,192 slices, else rounded to four digits) and the maximum; they are\n"
    "empty if more than 5 % of the task's starts are missing.\n\n"
    "--by cgroup, --by process and throttled time: see picknext latency --help.\n\n"
    "Left asleep: voluntary switches, to sleep, to wait or to exit. Left R: runnable, either preempted on the\n"
    "way back to user space or after sched_yield(); the trace does not distinguish these. Left R+: preempted\n"
    "inside the kernel. Woken awake: wakeups of a task that was already running or runnable; woken\n"
    "does not count them. Pulls, active balance: those of the moved that picknext migrations shows with these "
    "causes.\n"
    "A thread that calls exec takes over the PID of its process, and its account goes on\n"
    "under this PID.\n\n"
    "In JSON the table of CPUs is cpus; the other one is tasks, comms, roles, cgroups, processes or, with --by cpu,\n"
    "work_by_cpu.\n\n"
    "The rate and the busy share of a CPU are empty if its task is unknown for more than 5 % of the time, for example\n"
    "after lost events.\n\n"
    "CSV and JSON distinguish users' tasks, kernel threads (known by their names, such as kworker/, ksoftirqd/\n"
    "or rcu_, or by state I) and the idle tasks of the CPUs.\n\n"
    "--comm, --pid and --role limit the rows of tasks, not the table of CPUs; names are those at the time. Roles are\n"
    "the same in other runs and under other kernels: hog#2 is the second task by birth whose last name is hog.\n\n"
    "With --by comm: the tasks that ran or were woken under the name, and the mean lifespan of those that were "
    "created\n"
    "(sched_wakeup_new) and ended within the trace, under the name that they ended with.\n\n"
    "--pairs: a task preempts another one if it begins to run when that one is switched out runnable, R or R+ (in\n"
    "kernel); R may also be a sched_yield(). Ran: how long it then ran; waited: how long the other one waited to run\n"
    "again. A task wakes another one if it runs on the CPU that records the wakeup, which may also be the work of an\n"
    "interrupt; the idle task (swapper) stands for interrupts of an idle CPU. Waited: how long until the woken task\n"
    "ran. Spans cut by the end of the trace or by lost events are not added; CSV has the table of preemptions. With\n"
    "--comm, --pid and --role one of both tasks is chosen.",
    .examples = "  picknext stat trace.dat                       # the 20 tasks with most CPU time\n"
		"  picknext stat --by comm --merge-kworkers --no-idle trace.dat\n"
		"  picknext stat --comm 'hackbench*' --by cpu trace.dat # where these ran\n"
		"  picknext stat --role 'hackbench-recv#1' trace.dat # the same task in each run\n"
		"  picknext stat --waits --csv trace.dat         # with all that picknext latency counts\n"
		"  picknext stat --pairs --by role trace.dat     # who preempted whom, who woke whom\n"
		"  picknext stat --by cpu --csv traces           # all runs of a directory, counted together",
};
