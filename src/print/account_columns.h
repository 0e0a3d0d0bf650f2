/* SPDX-License-Identifier: MIT
 *
 * The options and columns that stat and latency share: choice of tasks, grouping of rows, and columns of waits. */
#ifndef PRINT_ACCOUNT_COLUMNS_H
#define PRINT_ACCOUNT_COLUMNS_H

#include "base/options.h"
#include "measure/group_by.h"
#include "measure/latency.h"
#include "print/table.h"

/* Rows of an option table; member is the struct group_options within type. */
#define GROUP_OPTION_ROWS(type, member)                                                                                \
	OPTION_CHOICES(type, member.by, "by", "task|comm|role|cgroup|process|cpu", .argument = "WHAT",                 \
		       .help = "one row per task, task name, role, cgroup, process or CPU", .fallback = "task"),       \
	    OPTION(type, member.top, "top", .letter = 'n', .argument = "N", .help = "number of rows; 0: all",          \
		   .fallback = "20"),                                                                                  \
	    TASK_CHOICE_ROWS(type, member.tasks, "only "), TASK_CHOICE_ROLE_ROW(type, member.tasks, "only "),          \
	    OPTION(type, member.no_idle, "no-idle", .help = "leave out the idle tasks of the CPUs (swapper)"),         \
	    OPTION(type, member.merge_kworkers, "merge-kworkers",                                                      \
		   .help = "count all kworker/... threads as one, kworker")

/* The trace of a row, if there are several: in data its number in the order of reading and its path, and the name of
 * its file, "hackbench_run3". */
#define RUN_COLUMNS                                                                                                    \
	{"run", "", TABLE_NUMBER, TABLE_DATA}, {"trace", "", TABLE_TEXT, TABLE_DATA},                                  \
	{                                                                                                              \
		"run_name", "run", TABLE_TEXT, TABLE_ALWAYS                                                            \
	}
#define RUN_COLUMN_COUNT 3
void run_columns_fill(const struct pass *pass, uint32_t run, struct table *table);

/* The columns that name a group. They are the first columns of a command. */
#define GROUP_COLUMNS                                                                                                  \
	RUN_COLUMNS, {"pid", "PID", TABLE_NUMBER, TABLE_ALWAYS}, {"comm", "name", TABLE_TEXT, TABLE_ALWAYS},           \
	    {"role", "role", TABLE_TEXT, TABLE_ALWAYS}, {"cgroup", "cgroup", TABLE_TEXT, TABLE_ALWAYS},                \
	    {"kind", "kind", TABLE_TEXT, TABLE_DATA}, {"cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},                      \
	    {"tasks", "tasks", TABLE_NUMBER, TABLE_ALWAYS}, {"ended_tasks", "whole\nlives", TABLE_NUMBER, TABLE_WIDE}, \
	{                                                                                                              \
		"mean_lifespan_ns", "mean life\nms", TABLE_MS, TABLE_WIDE                                              \
	}
#define GROUP_COLUMN_COUNT 12

/* The columns of one grouping. */
struct group_columns {
	struct table_column columns[TABLE_COLUMNS_MAX];
	bool has_runs; /* the column run is shown */
};

/* A TABLE_BOUNDS column as shown: for people only if switches are missing in the trace. */
struct table_column bounds_column(const struct table_column *column, const struct pass *pass);
/* Selects the columns for this grouping from all, which starts with GROUP_COLUMNS. */
void group_columns_choose(struct group_columns *columns, const struct groups *groups, const struct pass *pass,
			  const struct table_column *all);
/* Adds the cells of RUN_COLUMNS: the run of a group, or of the other one, if one of them is of one run. */
void group_run_fill(const struct groups *groups, const struct pass *pass, uint32_t key, uint32_t other,
		    struct table *table);
/* Adds the name of a process, which is that of its leader; empty if it is unknown. */
void process_name_fill(const struct groups *groups, const struct task_states *states, uint32_t number,
		       struct table *table);
/* Adds the cells that name a group. */
void group_columns_fill(const struct group_columns *columns, const struct groups *groups, const struct pass *pass,
			uint32_t key, struct table *table);

/* prefix: start of the keys; word: a line of the headings. */
#define WAIT_COLUMNS(prefix, word, wide)                                                                               \
	{prefix "waits", word "waits", TABLE_NUMBER, wide},                                                            \
	    {prefix UNKNOWN_WAITS_KEY, word "not\nknown", TABLE_NUMBER, TABLE_BOUNDS},                                 \
	    {prefix "wait_mean_ns", word "mean\nus", TABLE_US, wide},                                                  \
	    {prefix "wait_p50_ns", word "p50\nus", TABLE_US, wide},                                                    \
	    {prefix "wait_p90_ns", word "p90\nus", TABLE_US, TABLE_WIDE},                                              \
	    {prefix "wait_p99_ns", word "p99\nus", TABLE_US, wide},                                                    \
	    {prefix "wait_p999_ns", word "p99.9\nus", TABLE_US, TABLE_WIDE},                                           \
	    {prefix "wait_max_ns", word "max\nus", TABLE_US, wide},                                                    \
	    {prefix "wait_max_at_ns", word "max ended\nat s", TABLE_SECONDS, wide},                                    \
	    {prefix "wait_max_ts_ns", "", TABLE_NUMBER, TABLE_DATA},                                                   \
	    {prefix "wait_max_run", "", TABLE_NUMBER, TABLE_DATA},                                                     \
	    {prefix "wait_sum_ns", word "sum\nms", TABLE_MS, TABLE_WIDE},                                              \
	{                                                                                                              \
		prefix THROTTLED_KEY, word "throttled\nms", TABLE_MS, wide                                             \
	}
#define WAIT_COLUMN_COUNT 13
/* Shown to people if there are such waits. */
#define UNKNOWN_WAITS_KEY "waits_unknown"
/* Shown to people if a task was throttled, or of cgroups. */
#define THROTTLED_KEY "throttled_ns"
bool is_throttled_column(const struct table_column *column);
/* A time of waits of which it is known; empty if it is unknown of too many. */
void throttled_cell_fill(uint64_t throttled_ns, uint64_t waits, uint64_t unknown, struct table *table);

/* Adds the cells of WAIT_COLUMNS. Waits that end with a missing switch are only counted. */
void wait_columns_fill(const struct wait_account *account, struct table *table);
/* Adds as many empty cells. */
void wait_columns_leave_empty(struct table *table);

#endif
