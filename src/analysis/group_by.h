/* SPDX-License-Identifier: MIT
 *
 * What is counted per task, per name or per CPU, as --by says: accounts of any kind, one for each key. */
#ifndef ANALYSIS_GROUP_BY_H
#define ANALYSIS_GROUP_BY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/pass.h"

struct group_options {
	const char *by;
	uint64_t top;
	bool no_idle, merge_kworkers;
};

#define GROUP_OPTION_ROWS(type, member)                                                                                \
	{.name = "by",                                                                                                 \
	 .kind = OPTION_CHOICE,                                                                                        \
	 .offset = offsetof(type, member.by),                                                                          \
	 .argument = "WHAT",                                                                                           \
	 .help = "one row for each of what; comm is the task's name",                                                  \
	 .fallback = "task",                                                                                           \
	 .choices = "task|comm|cpu"},                                                                                  \
	    {.name = "top",                                                                                            \
	     .letter = 'n',                                                                                            \
	     .kind = OPTION_NUMBER,                                                                                    \
	     .offset = offsetof(type, member.top),                                                                     \
	     .argument = "N",                                                                                          \
	     .help = "how many rows; 0 is all",                                                                        \
	     .fallback = "20"},                                                                                        \
	    {.name = "no-idle",                                                                                        \
	     .kind = OPTION_FLAG,                                                                                      \
	     .offset = offsetof(type, member.no_idle),                                                                 \
	     .help = "leave the CPUs' idle tasks (swapper) out"},                                                      \
	{                                                                                                              \
		.name = "merge-kworkers", .kind = OPTION_FLAG, .offset = offsetof(type, member.merge_kworkers),        \
		.help = "count all kworker/... threads as one, kworker"                                                \
	}

enum group_by { GROUP_TASK, GROUP_COMM, GROUP_CPU };

struct group_tasks {
	bool is_used;
	uint32_t count; /* of tasks that were seen under the key */
	uint64_t ended, lifespans_ns;
};

struct groups {
	const struct group_options *options;
	enum group_by by;
	size_t account_size;
	/* By key (task number, name number, CPU): */
	char *accounts;
	struct group_tasks *tasks;
	uint32_t count;
	uint32_t kworker; /* the key of all kworkers, or UINT32_MAX */
	/* By task number: the key that it was seen under last, plus 1. */
	uint32_t *last_keys;
	uint32_t last_key_count;
	/* Which task was seen under which key, each once, in open addressing: key + 1 << 32 | task, or 0. */
	uint64_t *pairs;
	uint32_t pair_mask, pair_count;
	struct table_column columns[TABLE_COLUMNS_MOST];
	bool has_traces; /* the column trace is shown */
	bool has_lives;  /* groups_end_run() was called */
};

void groups_begin(struct groups *groups, const struct group_options *options, size_t account_size);
/* free_account frees what an account holds; may be NULL. */
void groups_free(struct groups *groups, void (*free_account)(void *account));

/* By CPU, what idle tasks do is no work. */
static inline bool groups_want(const struct groups *groups, const struct task *task)
{
	return !task->is_idle || (!groups->options->no_idle && groups->by != GROUP_CPU);
}

static inline void *groups_at(const struct groups *groups, uint32_t key)
{
	return groups->accounts + key * groups->account_size;
}

void *groups_make(struct groups *groups, const struct analysis *analysis, uint32_t task, uint32_t comm, uint32_t cpu);

/* The account for what task did as comm on cpu: zeroed the first time. NULL when memory runs out. */
static inline void *groups_find(struct groups *groups, const struct analysis *analysis, uint32_t task, uint32_t comm,
				uint32_t cpu)
{
	uint32_t key = groups->by == GROUP_TASK ? task : groups->by == GROUP_COMM ? comm : cpu;

	/* Under the same key as the last time. */
	if (task < groups->last_key_count && groups->last_keys[task] == key + 1)
		return groups_at(groups, key);
	return groups_make(groups, analysis, task, comm, cpu);
}
/* At the end of each run, for the columns of lives: takes the lifespans of its tasks. */
void groups_end_run(struct groups *groups, const struct analysis *analysis);

/* Keys in use that count (NULL: all do), those with the largest sort_key first, CPUs by their number, at most --top. */
struct group_list {
	uint32_t *keys; /* to be freed */
	uint32_t count, all;
};
bool groups_sort(const struct groups *groups, uint64_t (*sort_key)(const void *account),
		 bool (*counts)(const void *account), struct group_list *list);

/* The columns that tell a group: at the front of the command's own. */
#define GROUP_COLUMNS                                                                                                  \
	{"run", "run", TABLE_NUMBER, TABLE_ALWAYS}, {"pid", "PID", TABLE_NUMBER, TABLE_ALWAYS},                        \
	    {"comm", "name", TABLE_TEXT, TABLE_ALWAYS}, {"kind", "kind", TABLE_TEXT, TABLE_DATA},                      \
	    {"cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS}, {"tasks", "tasks", TABLE_NUMBER, TABLE_ALWAYS},                \
	    {"ended_tasks", "whole\nlives", TABLE_NUMBER, TABLE_WIDE},                                                 \
	{                                                                                                              \
		"mean_lifespan_ns", "mean life\nms", TABLE_MS, TABLE_WIDE                                              \
	}
#define GROUP_COLUMN_COUNT 8

/* The columns of this grouping out of all, which begin with GROUP_COLUMNS: kept in groups. */
const struct table_column *groups_columns(struct groups *groups, const struct analysis *analysis,
					  const struct table_column *all);
void groups_add_columns(const struct groups *groups, const struct analysis *analysis, uint32_t key,
			struct table *table);
/* "Work: the 20 tasks with the most CPU time, of 135", or "Work per task" where that is all */
void groups_title(const struct groups *groups, const struct group_list *list, const char *what, const char *most,
		  char *text, size_t size);
/* "tasks", "comms", "cpus": for JSON. */
const char *groups_name(const struct groups *groups);

#endif
