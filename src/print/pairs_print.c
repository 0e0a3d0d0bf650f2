/* SPDX-License-Identifier: MIT */
#include "print/pairs_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/account_columns.h"

/* The columns of a pair: of the first task and of the second one. */
#define PAIR_COLUMNS(first, first_heading, second, second_heading)                                                     \
	RUN_COLUMNS, {first, first_heading, TABLE_TEXT, TABLE_KEPT}, {first "_pid", "PID", TABLE_SIGNED, TABLE_WIDE},  \
	    {second, second_heading, TABLE_TEXT, TABLE_KEPT}, {second "_pid", "PID", TABLE_SIGNED, TABLE_WIDE},        \
	{                                                                                                              \
		"times", "times", TABLE_NUMBER, TABLE_ALWAYS                                                           \
	}
/* Spans; after PAIR_COLUMNS and a column. */
#define SPAN_COLUMNS(key, word)                                                                                        \
	{key "s", "", TABLE_NUMBER, TABLE_DATA}, {key "_sum_ns", word "\nms", TABLE_MS, TABLE_ALWAYS},                 \
	    {key "_mean_ns", "mean\nus", TABLE_US, TABLE_ALWAYS},                                                      \
	{                                                                                                              \
		key "_max_ns", "max\nus", TABLE_US, TABLE_ALWAYS                                                       \
	}

static const struct table_column preempted_columns[] = {
    PAIR_COLUMNS("preempting", "preempts", "preempted", "whom"),
    {"in_kernel", "in\nkernel", TABLE_NUMBER, TABLE_WIDE},
    SPAN_COLUMNS("run", "ran"),
    SPAN_COLUMNS("wait", "waited"),
    {THROTTLED_KEY, "throttled\nms", TABLE_MS, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct table_column woken_columns[] = {
    PAIR_COLUMNS("waker", "wakes", "woken", "whom"),
    {"forks", "forks", TABLE_NUMBER, TABLE_WIDE},
    SPAN_COLUMNS("wait", "waited"),
    {THROTTLED_KEY, "throttled\nms", TABLE_MS, TABLE_ALWAYS},
    {.key = NULL},
};

static const struct {
	const char *name, *title;
	const struct table_column *columns;
} kinds[PAIR_KINDS] = {
    {"preemptions", "Who preempted whom", preempted_columns},
    {"wakeups", "Who woke whom, and how long until it ran", woken_columns},
};

/* Adds the name of a group, and the PID of a task or process. */
static void add_key(const struct groups *groups, const struct task_states *states, uint32_t key, struct table *table)
{
	const uint32_t number = key - groups->first_key;
	const struct sched_comm *comm = NULL;

	if (groups_is_kworkers(groups, key))
		table_string(table, "kworker");
	else if (groups->by == GROUP_ROLE || groups->by == GROUP_CGROUP)
		table_string(table, groups_label_text(groups, number));
	else if (groups->by == GROUP_PROCESS)
		process_name_fill(groups, states, number, table);
	else
		comm = &states->comms.comms[groups->by == GROUP_TASK ? states->tasks[number].comm : number];
	if (comm)
		table_text(table, comm->bytes, comm->length);
	if (groups->by == GROUP_PROCESS && !groups_is_kworkers(groups, key))
		TABLE_SIGNED_IF(table, groups_process(groups, number), groups_process(groups, number));
	else
		TABLE_SIGNED_IF(table, comm && groups->by == GROUP_TASK, states->tasks[number].pid);
}

static void add_spans(const struct pair_spans *spans, struct table *table)
{
	TABLE_NUMBERS(table, spans->count, spans->sum_ns);
	TABLE_NUMBER_IF(table, spans->count, (spans->sum_ns + spans->count / 2) / spans->count);
	TABLE_NUMBER_IF(table, spans->count, spans->max_ns);
}

static void set_title(const struct pairs *pairs, const char *title, uint32_t shown, uint32_t all, char *text,
		      size_t size)
{
	static const char *const by[] = {"", ", by name", ", by role", ", by cgroup", ", by process"};
	char which[64] = "";

	if (shown < all)
		snprintf(which, sizeof(which), ": the %u pairs with the longest waits, of %u", shown, all);
	snprintf(text, size, "%s%s%s", title, by[pairs->groups.by], which);
}

/* Runs and PIDs are of tasks and processes. */
static void choose_columns(const struct pairs *pairs, const struct pass *pass, const struct table_column *all,
			   struct table_column *shown)
{
	const bool has_pids = groups_have_pids(&pairs->groups);
	unsigned int i = 0;

	for (; all[i].key; i++) {
		shown[i] = all[i];
		if (strcmp(all[i].key, "run_name") == 0 && !(has_pids && pass->summary.runs > 1))
			shown[i].use = TABLE_DATA;
		if (!has_pids && strcmp(all[i].heading, "PID") == 0)
			shown[i].use = TABLE_DATA;
		if (is_throttled_column(&all[i]) && !groups_show_throttled(&pairs->groups))
			shown[i].use = TABLE_DATA;
	}
	shown[i] = all[i];
}

struct analysis_table pairs_table(const struct pairs *pairs, const struct pass *pass, enum pair_kind kind,
				  struct pairs_shown *shown)
{
	const struct pair_list *list = &pairs->kinds[kind];
	const uint64_t top = pairs->groups.options->top;
	const uint32_t count = top && top < list->ids.count ? (uint32_t)top : list->ids.count;
	uint32_t *order = pairs_sort(list);

	choose_columns(pairs, pass, kinds[kind].columns, shown->columns);
	struct analysis_table made = analysis_table_of(kinds[kind].name, shown->title, shown->columns);
	for (uint32_t i = 0; i < count; i++) {
		const struct pair_account *account = &list->accounts[order[i]];
		const uint32_t first = pair_first(list, order[i]), second = pair_second(list, order[i]);
		group_run_fill(&pairs->groups, pass, first, second, &made.table);
		add_key(&pairs->groups, &pass->states, first, &made.table);
		add_key(&pairs->groups, &pass->states, second, &made.table);
		TABLE_NUMBERS(&made.table, account->count, account->special);
		if (kind == PAIR_PREEMPTED)
			add_spans(&account->runs, &made.table);
		add_spans(&account->waits, &made.table);
		throttled_cell_fill(account->throttled_ns, account->waits.count, account->throttled_unknown,
				    &made.table);
	}
	set_title(pairs, kinds[kind].title, count, list->ids.count, shown->title, sizeof(shown->title));
	free(order);
	return made;
}

enum status pairs_print(const struct pairs *pairs, const struct analysis_options *options, const struct pass *pass,
			struct error *err)
{
	struct pairs_shown shown[PAIR_KINDS];
	struct analysis_table tables[PAIR_KINDS];

	for (int kind = 0; kind < PAIR_KINDS; kind++)
		tables[kind] = pairs_table(pairs, pass, (enum pair_kind)kind, &shown[kind]);
	return analysis_print(options, pass, tables, PAIR_KINDS, err);
}
