/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "cmd/account_columns.h"
#include "cmd/analysis_print.h"
#include "cmd/commands.h"

struct values {
	struct analysis_options analysis;
	struct group_options group;
	bool waits;
};

static const struct option options[] = {
    GROUP_OPTION_ROWS(struct values, group),
    {.name = "waits",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct values, waits),
     .help = "add what picknext latency says of each, in the same pass"},
    ANALYSIS_OPTION_ROWS(struct values, analysis),
    {.name = NULL},
};

/* What is counted of a task, a name or a CPU. */
struct account {
	uint64_t cpu_ns;
	uint64_t voluntary, runnable, preempted; /* switches out */
	uint64_t wakeups, spurious, migrations;
	struct distribution slices;            /* whole ones */
	struct wait_account waits[WAIT_KINDS]; /* with --waits; else not there */
};

struct cpu_account {
	uint64_t switches, idle_ns, busy_ns;
};

struct stat {
	struct groups groups;
	bool has_waits;
	struct cpu_account *cpus;
	uint32_t cpu_count;
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot count so many tasks");
}

static struct cpu_account *cpu_account(struct stat *stat, uint32_t cpu)
{
	if (cpu >= stat->cpu_count) {
		struct cpu_account *cpus = realloc(stat->cpus, (cpu + 1) * sizeof(*cpus));
		if (!cpus)
			return NULL;
		memset(cpus + stat->cpu_count, 0, (cpu + 1 - stat->cpu_count) * sizeof(*cpus));
		stat->cpus = cpus;
		stat->cpu_count = cpu + 1;
	}
	return &stat->cpus[cpu];
}

static enum status take_slice(struct stat *stat, const struct pass *pass, const struct task_slice *slice,
			      struct error *err)
{
	const struct task *task = &pass->machine.tasks[slice->task];
	uint64_t length = slice->end_ns - slice->start_ns;

	if (!pass_wants_cpu(pass, slice->cpu))
		return STATUS_OK;
	struct cpu_account *cpu = cpu_account(stat, slice->cpu);
	if (!cpu)
		return no_memory(err);
	cpu->switches += !slice->end_cut;
	*(task->is_idle ? &cpu->idle_ns : &cpu->busy_ns) += length;
	if (!groups_want(&stat->groups, task))
		return STATUS_OK;
	struct account *account = groups_find(&stat->groups, pass, slice->task, slice->comm, slice->cpu);
	if (!account)
		return no_memory(err);
	account->cpu_ns += length;
	if (slice->end_cut)
		return STATUS_OK;
	/* An idle task always shows R, and always leaves for work that has come. */
	account->voluntary += task->is_idle || !leave_reason_is_runnable(slice->out);
	account->runnable += !task->is_idle && slice->out == LEAVE_RUNNABLE;
	account->preempted += !task->is_idle && slice->out == LEAVE_PREEMPTED;
	if (!slice->start_cut)
		distribution_add(&account->slices, length);
	return STATUS_OK;
}

static enum status take_cut(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	return take_slice(context, pass, slice, err);
}

static enum status take_wakeup(struct stat *stat, const struct pass *pass, const struct task_step *step,
			       struct error *err)
{
	const struct task *task = &pass->machine.tasks[step->wakeup.task];

	if (!pass_wants_cpu(pass, step->wakeup.target_cpu))
		return STATUS_OK;
	struct account *account =
	    groups_find(&stat->groups, pass, step->wakeup.task, task->comm, step->wakeup.target_cpu);
	if (!account)
		return no_memory(err);
	if (step->what & STEP_SPURIOUS)
		account->spurious++;
	else
		account->wakeups++;
	return STATUS_OK;
}

static enum status take_migration(struct stat *stat, const struct pass *pass, const struct task_step *step,
				  struct error *err)
{
	const struct task *task = &pass->machine.tasks[step->migration.task];

	if (!pass_wants_cpu(pass, step->migration.to_cpu))
		return STATUS_OK;
	struct account *account =
	    groups_find(&stat->groups, pass, step->migration.task, task->comm, step->migration.to_cpu);
	if (!account)
		return no_memory(err);
	account->migrations++;
	return STATUS_OK;
}

static enum status take_wait(struct stat *stat, const struct pass *pass, const struct task_wait *wait,
			     struct error *err)
{
	if (!pass_wants_cpu(pass, wait->cpu))
		return STATUS_OK;
	struct account *account = groups_find(&stat->groups, pass, wait->task, wait->comm, wait->cpu);
	if (!account)
		return no_memory(err);
	wait_account_add(account->waits, pass, wait);
	return STATUS_OK;
}

static enum status take_step(void *context, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err)
{
	struct stat *stat = context;
	enum status status = STATUS_OK;

	(void)event;
	for (unsigned int i = 0; i < step->slice_count && status == STATUS_OK; i++)
		status = take_slice(stat, pass, &step->slices[i], err);
	if (status == STATUS_OK && step->what & STEP_WAIT && stat->has_waits)
		status = take_wait(stat, pass, &step->wait, err);
	if (status == STATUS_OK && step->what & STEP_WAKEUP)
		status = take_wakeup(stat, pass, step, err);
	if (status == STATUS_OK && step->what & STEP_MIGRATION)
		status = take_migration(stat, pass, step, err);
	return status;
}

static enum status take_end(void *context, const struct pass *pass, struct error *err)
{
	struct stat *stat = context;

	(void)err;
	groups_end_run(&stat->groups, pass);
	return STATUS_OK;
}

static const struct table_column cpu_columns[] = {
    {"cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"switches", "switches", TABLE_NUMBER, TABLE_ALWAYS},
    {"switches_per_s", "switches\n/s", TABLE_RATE, TABLE_ALWAYS},
    {"busy_ns", "busy\nms", TABLE_MS, TABLE_ALWAYS},
    {"idle_ns", "idle\nms", TABLE_MS, TABLE_ALWAYS},
    {"unknown_ns", "unknown\nms", TABLE_MS, TABLE_ALWAYS},
    {"busy_share", "busy\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

static const struct table_column columns[] = {
    GROUP_COLUMNS,
    {"cpu_time_ns", "CPU time\nms", TABLE_MS, TABLE_ALWAYS},
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
    WAIT_COLUMNS("wakeup_", "woken\n", TABLE_WIDE),
    WAIT_COLUMNS("preempted_", "preempted\n", TABLE_WIDE),
    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
};

#define COLUMNS_WITHOUT_WAITS (sizeof(columns) / sizeof(*columns) - 1 - 2 * WAIT_COLUMN_COUNT)

/* part / whole in parts of 10000. */
static uint64_t share(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)part * 1e4 / (double)whole + 0.5) : 0;
}

static void add_slices(const struct distribution *slices, struct table *table)
{
	table_number(table, slices->count);
	if (slices->count == 0) {
		for (int i = 0; i < 6; i++)
			table_none(table);
		return;
	}
	table_number(table, distribution_mean(slices));
	table_number(table, slices->least);
	table_number(table, distribution_percentile(slices, 500));
	table_number(table, distribution_percentile(slices, 950));
	table_number(table, distribution_percentile(slices, 990));
	table_number(table, slices->most);
}

static uint64_t sort_key(const void *account)
{
	return ((const struct account *)account)->cpu_ns;
}

static void fill(const struct stat *stat, const struct group_columns *shown, const struct pass *pass,
		 const struct group_list *list, struct table *table)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct account *account = groups_at(&stat->groups, list->keys[i]);
		group_columns_fill(shown, &stat->groups, pass, list->keys[i], table);
		table_number(table, account->cpu_ns);
		table_number(table, share(account->cpu_ns, pass->summary.duration_ns));
		table_number(table, account->voluntary);
		table_number(table, account->runnable);
		table_number(table, account->preempted);
		add_slices(&account->slices, table);
		table_number(table, account->wakeups);
		table_number(table, account->spurious);
		table_number(table, account->migrations);
		for (int kind = 0; kind < WAIT_KINDS && stat->has_waits; kind++)
			wait_columns_fill(&account->waits[kind], table);
	}
}

static void fill_cpus(const struct stat *stat, const struct pass *pass, struct table *table)
{
	for (uint32_t i = 0; i < stat->cpu_count; i++) {
		const struct cpu_account *cpu = &stat->cpus[i];
		const struct task_cpu *known = &pass->machine.cpus[i];
		if (known->observed_ns == 0 || !pass_wants_cpu(pass, i))
			continue;
		table_number(table, i);
		table_number(table, cpu->switches);
		table_number(table, (uint64_t)((double)cpu->switches * 1e12 / (double)known->observed_ns + 0.5));
		table_number(table, cpu->busy_ns);
		table_number(table, cpu->idle_ns);
		table_number(table, known->observed_unknown_ns);
		table_number(table, share(cpu->busy_ns, known->observed_ns));
	}
}

static enum status print(struct stat *stat, const struct analysis_options *given, const struct pass *pass,
			 struct error *err)
{
	struct table cpu_table;
	struct table table;
	struct group_list list;
	struct table_column mine[sizeof(columns) / sizeof(*columns)];
	struct group_columns shown;
	char title[128];

	if (!groups_sort(&stat->groups, sort_key, NULL, &list))
		return no_memory(err);
	table_begin(&cpu_table, cpu_columns);
	fill_cpus(stat, pass, &cpu_table);
	memcpy(mine, columns, sizeof(columns));
	if (!stat->has_waits)
		mine[COLUMNS_WITHOUT_WAITS] = (struct table_column){0};
	group_columns_choose(&shown, &stat->groups, pass, mine);
	table_begin(&table, shown.columns);
	fill(stat, &shown, pass, &list, &table);
	group_title(&stat->groups, &list, "Work", "most CPU time", title, sizeof(title));
	const struct analysis_table tables[] = {
	    {"cpus", "Per CPU", &cpu_table},
	    {group_key(&stat->groups), title, &table},
	};
	/* CSV is the table that was asked for alone. */
	bool csv = given->csv;
	enum status status = analysis_print(given, pass, tables + csv, 2 - csv, err);
	table_free(&cpu_table);
	table_free(&table);
	free(list.keys);
	return status;
}

static void free_account(void *account)
{
	distribution_free(&((struct account *)account)->slices);
}

static void free_account_with_waits(void *account)
{
	struct account *mine = account;

	free_account(account);
	for (int kind = 0; kind < WAIT_KINDS; kind++)
		distribution_free(&mine->waits[kind].waits);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct values given = {0};
	struct operands operands;
	int exit_code;
	struct stat stat = {0};
	struct pass pass;
	struct error err = {0};

	if (!options_begin(command, &given, argc, argv, &operands, &exit_code))
		return exit_code;
	const struct pass_consumer consumer = {.context = &stat, .step = take_step, .cut = take_cut, .end = take_end};
	stat.has_waits = given.waits;
	groups_begin(&stat.groups, &given.group,
		     given.waits ? sizeof(struct account) : offsetof(struct account, waits));
	enum status status = analysis_read(&given.analysis, &operands, &consumer, &pass, &err);
	if (status == STATUS_OK)
		status = print(&stat, &given.analysis, &pass, &err);
	groups_free(&stat.groups, given.waits ? free_account_with_waits : free_account);
	free(stat.cpus);
	return analysis_exit(&pass, status, &err);
}

const struct command command_stat = {
    .name = "stat",
    .summary = "CPU time, switches and slices per task, name or CPU",
    .operands = ANALYSIS_OPERANDS,
    .most_operands = SIZE_MAX,
    .details = ANALYSIS_DETAILS
    "\n\n"
    "CPU time is all that a task ran within the trace; its share is of the time of one CPU. A slice is the time from\n"
    "being switched in to being switched out; those cut by the trace's beginning, its end or lost events count as\n"
    "CPU time, but not as whole slices. Slice columns are the mean, the least, percentiles (within 0.8 %) and the\n"
    "most.\n\n"
    "Left asleep: voluntary switches, to sleep, to wait or to exit. Left R: still able to run, either preempted on\n"
    "the way back to user space or after sched_yield(); the trace does not tell these apart. Left R+: preempted\n"
    "inside the kernel. Woken awake: wakeups of a task that was running or waiting to run already.\n\n"
    "CSV and JSON tell users' tasks from kernel threads (by the names that the kernel gives its own, such as\n"
    "kworker/, ksoftirqd/, rcu_, or as they were seen in state I) and from the CPUs' idle tasks.\n\n"
    "By name: tasks that ran or were woken under the name, and the mean lifespan of those whose birth\n"
    "(sched_wakeup_new) and death lie in the trace, by the name that they died with.",
    .examples = "  picknext stat trace.dat                       # the 20 tasks with most CPU time\n"
		"  picknext stat --by comm --merge-kworkers --no-idle trace.dat\n"
		"  picknext stat --waits --csv trace.dat         # with all that picknext latency counts\n"
		"  picknext stat --by cpu --csv traces           # a directory of runs, taken together",
    .options = options,
    .run = run,
};
