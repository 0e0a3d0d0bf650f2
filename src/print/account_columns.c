/* SPDX-License-Identifier: MIT */
#include "print/account_columns.h"

#include <string.h>

enum { COLUMN_PID = RUN_COLUMN_COUNT, COLUMN_COMM, COLUMN_ROLE, COLUMN_CGROUP, COLUMN_KIND, COLUMN_CPU, COLUMN_TASKS };

void run_columns_fill(const struct pass *pass, uint32_t run, struct table *table)
{
	const char *path = pass->paths[run], *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
		   *dot = strrchr(name, '.');

	table_number(table, run);
	table_string(table, path);
	table_text(table, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

void group_run_fill(const struct groups *groups, const struct pass *pass, uint32_t key, uint32_t other,
		    struct table *table)
{
	uint32_t run;

	if (groups_have_pids(groups) &&
	    (groups_run(groups, &pass->states, key, &run) || groups_run(groups, &pass->states, other, &run)))
		run_columns_fill(pass, run, table);
	else
		for (int i = 0; i < RUN_COLUMN_COUNT; i++)
			table_none(table);
}

/* True if a column of GROUP_COLUMNS is shown. */
static bool is_shown(const struct group_columns *columns, const struct groups *groups, unsigned int column)
{
	if (column < COLUMN_PID)
		return columns->has_runs;
	switch (column) {
	case COLUMN_PID:
		return groups_have_pids(groups);
	case COLUMN_KIND:
		return groups->by == GROUP_TASK;
	case COLUMN_COMM:
		return groups_have_pids(groups) || groups->by == GROUP_COMM;
	case COLUMN_ROLE:
		return groups->by == GROUP_ROLE;
	case COLUMN_CGROUP:
		return groups->by == GROUP_CGROUP;
	case COLUMN_CPU:
		return groups->by == GROUP_CPU;
	case COLUMN_TASKS:
		return groups->by != GROUP_TASK || groups->options->merge_kworkers;
	default: /* lifespans */
		return groups->by == GROUP_COMM && groups->has_lives;
	}
}

struct table_column bounds_column(const struct table_column *column, const struct pass *pass)
{
	struct table_column shown = *column;

	if (shown.use == TABLE_BOUNDS)
		shown.use = pass->states.faults.switches_missing ? TABLE_ALWAYS : TABLE_DATA;
	return shown;
}

static bool ends_with(const char *key, const char *ending)
{
	const size_t length = strlen(key), end = strlen(ending);

	return length >= end && strcmp(key + length - end, ending) == 0;
}

bool is_throttled_column(const struct table_column *column)
{
	return ends_with(column->key, THROTTLED_KEY);
}

void group_columns_choose(struct group_columns *columns, const struct groups *groups, const struct pass *pass,
			  const struct table_column *all)
{
	unsigned int count = 0;

	columns->has_runs = groups_have_pids(groups) && pass->summary.runs > 1;
	for (unsigned int i = 0; all[i].key && count < TABLE_COLUMNS_MAX - 1; i++) {
		if (i < GROUP_COLUMN_COUNT && !is_shown(columns, groups, i))
			continue;
		columns->columns[count] = bounds_column(&all[i], pass);
		if (is_throttled_column(&all[i]) && !groups_show_throttled(groups))
			columns->columns[count].use = TABLE_DATA;
		if (groups->has_unknown_waits && ends_with(all[i].key, UNKNOWN_WAITS_KEY))
			columns->columns[count].use = TABLE_ALWAYS;
		count++;
	}
	columns->columns[count] = (struct table_column){0};
}

static void add_kworkers(const struct groups *groups, struct table *table)
{
	if (groups_have_pids(groups))
		table_none(table);
	table_text(table, "kworker", 7);
	if (groups->by == GROUP_TASK)
		table_string(table, "kernel");
}

static void add_task(const struct groups *groups, const struct task_states *states, uint32_t key, struct table *table)
{
	const struct task *task = &states->tasks[key - groups->first_key];
	const uint32_t name = groups->first_key ? groups->tasks[key].comm : task->comm;
	const struct sched_comm *comm = &states->comms.comms[name];

	table_number(table, (uint32_t)task->pid);
	table_text(table, comm->bytes, comm->length);
	table_string(table, task->is_idle ? "idle" : task->is_kernel ? "kernel" : "user");
}

void process_name_fill(const struct groups *groups, const struct task_states *states, uint32_t number,
		       struct table *table)
{
	const uint32_t leader = groups->leaders[number];

	if (leader == TASK_NONE)
		table_string(table, groups_label_text(groups, number));
	else
		table_text(table, task_comm(states, leader)->bytes, task_comm(states, leader)->length);
}

static void add_process(const struct groups *groups, const struct task_states *states, uint32_t number,
			struct table *table)
{
	TABLE_NUMBER_IF(table, groups_process(groups, number), groups_process(groups, number));
	process_name_fill(groups, states, number, table);
}

void group_columns_fill(const struct group_columns *columns, const struct groups *groups, const struct pass *pass,
			uint32_t key, struct table *table)
{
	const struct task_states *states = &pass->states;
	const struct group_tasks *tasks = &groups->tasks[key];
	const uint32_t number = key - groups->first_key;

	if (columns->has_runs)
		group_run_fill(groups, pass, key, key, table);
	if (groups_is_kworkers(groups, key))
		add_kworkers(groups, table);
	else if (groups->by == GROUP_TASK)
		add_task(groups, states, key, table);
	else if (groups->by == GROUP_PROCESS)
		add_process(groups, states, number, table);
	else if (groups->by == GROUP_CPU)
		table_number(table, number);
	else if (groups->by == GROUP_ROLE || groups->by == GROUP_CGROUP)
		table_string(table, groups_label_text(groups, number));
	else
		table_text(table, states->comms.comms[number].bytes, states->comms.comms[number].length);
	if (is_shown(columns, groups, COLUMN_TASKS))
		table_number(table, tasks->count);
	if (!is_shown(columns, groups, GROUP_COLUMN_COUNT - 1))
		return;
	table_number(table, tasks->ended);
	TABLE_NUMBER_IF(table, tasks->ended, tasks->lifespans_ns / tasks->ended);
}

void throttled_cell_fill(uint64_t throttled_ns, uint64_t waits, uint64_t unknown, struct table *table)
{
	TABLE_NUMBER_IF(table, waits > unknown && quality_has_enough(waits - unknown, unknown), throttled_ns);
}

void wait_columns_fill(const struct wait_account *account, struct table *table)
{
	static const unsigned int shares[] = {500, 900, 990, 999};
	const struct distribution *waits = &account->waits;

	const bool is_known = quality_has_enough(waits->count, account->unknown);

	TABLE_NUMBERS(table, waits->count, account->unknown);
	for (int i = 0; !(waits->count && is_known) && i < 9; i++)
		table_none(table);
	if (waits->count && is_known) {
		table_number(table, distribution_mean(waits));
		for (int i = 0; i < 4; i++)
			table_number(table, distribution_percentile(waits, shares[i]));
		TABLE_NUMBERS(table, waits->max, account->longest_at_ns, account->longest_ts_ns, account->longest_run);
	}
	TABLE_NUMBER_IF(table, is_known, waits->sum);
	throttled_cell_fill(account->throttled_ns, waits->count, account->throttled_unknown, table);
}

void wait_columns_leave_empty(struct table *table)
{
	for (int i = 0; i < WAIT_COLUMN_COUNT; i++)
		table_none(table);
}
