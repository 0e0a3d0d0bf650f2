/* SPDX-License-Identifier: MIT
 *
 * picknext migrations: counts by cause, by task, and by pair of CPUs. */
#include <stdlib.h>
#include <string.h>

#include "cmd/migrations/forms.h"
#include "measure/migration_summary.h"

static const struct table_column cause_columns[] = {
    {"cause", "cause", TABLE_TEXT, TABLE_ALWAYS},
    {"migrations", "migrations", TABLE_NUMBER, TABLE_ALWAYS},
    {"share", "share\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"migrations_per_s", "migrations\n/s", TABLE_RATE, TABLE_ALWAYS},
    {"exact", "certain", TABLE_NUMBER, TABLE_ALWAYS},
    {.key = NULL},
};

/* Text leaves out causes without migrations. */
static void fill_causes(const struct migration_summary *summary, const struct analysis_options *options,
			const struct pass *pass, struct table *table)
{
	const bool is_known = pass_shows_running(pass, 0, UINT32_MAX);
	uint64_t duration_us = pass->summary.duration_ns / 1000;

	for (int cause = 0; cause <= MIGRATION_CAUSES; cause++) {
		bool is_all = cause == MIGRATION_CAUSES;
		uint64_t count = is_all ? summary->all : summary->causes[cause];
		const char *name = is_all ? "all" : migration_cause_name((enum migration_cause)cause);
		uint64_t exact = 0;
		if (count == 0 && !is_all && analysis_is_text(options))
			continue;
		for (int i = 0; i < MIGRATION_CAUSES; i++)
			exact += is_all || i == cause ? summary->exact[i] : 0;
		table_string(table, name);
		TABLE_NUMBERS(table, count, table_share(count, summary->all));
		TABLE_NUMBER_IF(table, is_known,
				duration_us ? (count * 1000000000 + duration_us / 2) / duration_us : 0);
		table_number(table, exact);
	}
}

static const struct table_column pull_columns[] = {
    {"kind", "kind", TABLE_TEXT, TABLE_ALWAYS},
    {"migrations", "migrations", TABLE_NUMBER, TABLE_ALWAYS},
    {"exact", "certain", TABLE_NUMBER, TABLE_ALWAYS},
    {.key = NULL},
};

static void fill_pulls(const struct migration_summary *summary, struct table *table)
{
	for (int kind = PULL_KINDS - 1; kind >= 0 && summary->causes[MIGRATION_PULL]; kind--) {
		table_string(table, pull_kind_name((enum pull_kind)kind));
		TABLE_NUMBERS(table, summary->pulls[kind], summary->exact_pulls[kind]);
	}
}

static const struct table_column task_columns[] = {
    {"pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"comm", "name", TABLE_TEXT, TABLE_ALWAYS},
    {"migrations", "migrations", TABLE_NUMBER, TABLE_ALWAYS},
    {"wakeup", "wakeup", TABLE_NUMBER, TABLE_ALWAYS},
    {"fork", "fork", TABLE_NUMBER, TABLE_ALWAYS},
    {"pull", "pull", TABLE_NUMBER, TABLE_ALWAYS},
    {"pull_newidle", "newidle", TABLE_NUMBER, TABLE_DATA},
    {"pull_periodic", "periodic", TABLE_NUMBER, TABLE_DATA},
    {"pull_nohz", "nohz", TABLE_NUMBER, TABLE_DATA},
    {"pull_unknown", "unknown", TABLE_NUMBER, TABLE_DATA},
    {"active_balance", "active\nbalance", TABLE_NUMBER, TABLE_ALWAYS},
    {"affinity", "affinity", TABLE_NUMBER, TABLE_ALWAYS},
    {"self", "self", TABLE_NUMBER, TABLE_ALWAYS},
    {"exec", "exec", TABLE_NUMBER, TABLE_WIDE},
    {"other", "other", TABLE_NUMBER, TABLE_WIDE},
    {"unknown", "unknown", TABLE_NUMBER, TABLE_WIDE},
    {.key = NULL},
};

static void fill_tasks(struct migration_summary *summary, const struct pass *pass, uint64_t top, struct table *table)
{
	static const enum migration_cause own[] = {MIGRATION_WAKEUP,   MIGRATION_FORK, MIGRATION_PULL, MIGRATION_ACTIVE,
						   MIGRATION_AFFINITY, MIGRATION_SELF, MIGRATION_EXEC};
	const struct task_states *states = &pass->states;

	migration_summary_sort(summary);
	for (uint32_t i = 0; i < summary->task_capacity && i < top && summary->tasks[i].moves; i++) {
		const struct migrating_task *account = &summary->tasks[i];
		const struct sched_comm *comm = task_comm(states, account->task);
		uint64_t other = account->moves - account->causes[MIGRATION_UNKNOWN];
		table_signed(table, states->tasks[account->task].pid);
		table_text(table, comm->bytes, comm->length);
		table_number(table, account->moves);
		for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++) {
			table_number(table, account->causes[own[k]]);
			if (own[k] == MIGRATION_PULL)
				TABLE_NUMBERS(table, account->pulls[PULL_NEWIDLE], account->pulls[PULL_PERIODIC],
					      account->pulls[PULL_NOHZ], account->pulls[PULL_UNKNOWN]);
			other -= account->causes[own[k]];
		}
		TABLE_NUMBERS(table, other, account->causes[MIGRATION_UNKNOWN]);
	}
}

static const struct table_column pair_columns[] = {
    {"from_cpu", "from CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"to_cpu", "to CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"migrations", "migrations", TABLE_NUMBER, TABLE_ALWAYS},
    {.key = NULL},
};

static void fill_pairs(const struct migration_summary *summary, uint64_t top, struct table *table)
{
	size_t count;
	struct migration_pair *pairs = migration_summary_pairs(summary, &count);

	for (size_t i = 0; i < count && i < top; i++)
		TABLE_NUMBERS(table, pairs[i].from, pairs[i].to, pairs[i].count);
	free(pairs);
}

static enum status print_tables(struct migration_summary *summary, const struct migrations_options *values,
				const struct pass *pass, struct error *err)
{
	const uint64_t top = values->top ? values->top : UINT64_MAX;
	struct analysis_table tables[] = {
	    analysis_table_of("causes", NULL, cause_columns),
	    analysis_table_of("pulls", "Pulls, by the balance that pulled", pull_columns),
	    analysis_table_of("tasks", "Tasks that moved most", task_columns),
	    analysis_table_of("cpu_pairs", "From CPU to CPU", pair_columns),
	};

	fill_causes(summary, &values->analysis, pass, &tables[0].table);
	tables[1].needs_rows = true;
	fill_pulls(summary, &tables[1].table);
	fill_tasks(summary, pass, top, &tables[2].table);
	fill_pairs(summary, top, &tables[3].table);
	return analysis_print(&values->analysis, pass, tables, 4, err);
}

enum status migrations_summary(const struct migrations_options *values, const struct operands *operands,
			       struct pass *pass, struct error *err)
{
	struct migration_summary summary = {0};
	struct migration_reader reader = {.consumer = migration_summary_consumer(&summary)};

	reader.consumer.pass.warn = analysis_warn;
	enum status status =
	    migration_reader_read(&reader, &values->analysis.pass, operands->items, operands->count, pass, err);

	if (status == STATUS_OK)
		status = print_tables(&summary, values, pass, err);
	migration_summary_free(&summary);
	return status;
}
