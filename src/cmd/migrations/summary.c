/* SPDX-License-Identifier: MIT
 *
 * picknext migrations: how many of which cause, of which tasks, between which CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/migrations/values.h"

/* Pairs among further CPUs are only in the totals. */
enum { PAIR_CPUS_MOST = 1024 };

struct task_account {
	uint32_t task;
	uint64_t moves, causes[MIGRATION_CAUSES];
};

struct summary {
	uint64_t causes[MIGRATION_CAUSES], exact[MIGRATION_CAUSES];
	uint64_t all;
	struct task_account *tasks; /* by number */
	uint32_t task_capacity;
	uint64_t *pairs; /* pair_cpus * pair_cpus */
	uint32_t pair_cpus;
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot count so many tasks");
}

static struct task_account *account_of(struct summary *summary, uint32_t task)
{
	if (task >= summary->task_capacity) {
		uint32_t capacity = summary->task_capacity ? summary->task_capacity : 256;
		while (capacity <= task)
			capacity *= 2;
		struct task_account *tasks = realloc(summary->tasks, capacity * sizeof(*tasks));
		if (!tasks)
			return NULL;
		memset(tasks + summary->task_capacity, 0, (capacity - summary->task_capacity) * sizeof(*tasks));
		summary->tasks = tasks;
		summary->task_capacity = capacity;
	}
	summary->tasks[task].task = task;
	return &summary->tasks[task];
}

/* The count of a pair; NULL where memory runs out. */
static uint64_t *pair_of(struct summary *summary, uint32_t from, uint32_t to)
{
	uint32_t need = (from > to ? from : to) + 1;

	if (need > summary->pair_cpus) {
		uint32_t cpus = (need + 15) / 16 * 16;
		uint64_t *pairs = calloc((size_t)cpus * cpus, sizeof(*pairs));
		if (!pairs)
			return NULL;
		for (uint32_t i = 0; i < summary->pair_cpus; i++)
			memcpy(pairs + (size_t)i * cpus, summary->pairs + (size_t)i * summary->pair_cpus,
			       summary->pair_cpus * sizeof(*pairs));
		free(summary->pairs);
		summary->pairs = pairs;
		summary->pair_cpus = cpus;
	}
	return &summary->pairs[(size_t)from * summary->pair_cpus + to];
}

static enum status take(void *context, const struct pass *pass, const struct migration *migration, struct error *err)
{
	struct summary *summary = context;

	(void)pass;
	summary->all++;
	summary->causes[migration->cause]++;
	summary->exact[migration->cause] += migration->exact;
	struct task_account *account = account_of(summary, migration->number);
	if (!account)
		return no_memory(err);
	account->moves++;
	account->causes[migration->cause]++;
	if (migration->from_cpu >= PAIR_CPUS_MOST || migration->to_cpu >= PAIR_CPUS_MOST)
		return STATUS_OK;
	uint64_t *pair = pair_of(summary, migration->from_cpu, migration->to_cpu);
	if (!pair)
		return no_memory(err);
	(*pair)++;
	return STATUS_OK;
}

static const struct table_column cause_columns[] = {
    {"cause", "cause", TABLE_TEXT, false},       {"migrations", "migrations", TABLE_NUMBER, false},
    {"share", "share\n%", TABLE_PERCENT, false}, {"migrations_per_s", "migrations\n/s", TABLE_RATE, false},
    {"exact", "certain", TABLE_NUMBER, false},   {NULL, NULL, TABLE_TEXT, false},
};

/* People are told of the causes that there were. */
static void fill_causes(const struct summary *summary, const struct analysis_options *options, const struct pass *pass,
			struct table *table)
{
	uint64_t duration_us = pass->summary.duration_ns / 1000;
	bool is_for_people = !options->json && !options->csv;

	table_begin(table, cause_columns);
	for (int cause = 0; cause <= MIGRATION_CAUSES; cause++) {
		bool is_all = cause == MIGRATION_CAUSES;
		uint64_t count = is_all ? summary->all : summary->causes[cause];
		const char *name = is_all ? "all" : migration_cause_name((enum migration_cause)cause);
		uint64_t exact = 0;
		if (count == 0 && !is_all && is_for_people)
			continue;
		for (int i = 0; i < MIGRATION_CAUSES; i++)
			exact += is_all || i == cause ? summary->exact[i] : 0;
		table_text(table, name, strlen(name));
		table_number(table, count);
		table_number(table, summary->all ? (count * 10000 + summary->all / 2) / summary->all : 0);
		table_number(table, duration_us ? (count * 1000000000 + duration_us / 2) / duration_us : 0);
		table_number(table, exact);
	}
}

static const struct table_column task_columns[] = {
    {"pid", "PID", TABLE_SIGNED, false},
    {"comm", "name", TABLE_TEXT, false},
    {"migrations", "migrations", TABLE_NUMBER, false},
    {"wakeup", "wakeup", TABLE_NUMBER, false},
    {"fork", "fork", TABLE_NUMBER, false},
    {"pull", "pull", TABLE_NUMBER, false},
    {"active_balance", "active", TABLE_NUMBER, false},
    {"affinity", "affinity", TABLE_NUMBER, false},
    {"self", "self", TABLE_NUMBER, false},
    {"exec", "exec", TABLE_NUMBER, true},
    {"other", "other", TABLE_NUMBER, true},
    {"unknown", "unknown", TABLE_NUMBER, true},
    {NULL, NULL, TABLE_TEXT, false},
};

static int by_moves(const void *a, const void *b)
{
	const struct task_account *first = a;
	const struct task_account *second = b;

	if (first->moves != second->moves)
		return first->moves > second->moves ? -1 : 1;
	return first->task < second->task ? -1 : first->task > second->task;
}

static void fill_tasks(struct summary *summary, const struct pass *pass, uint64_t top, struct table *table)
{
	static const enum migration_cause own[] = {MIGRATION_WAKEUP,   MIGRATION_FORK, MIGRATION_PULL, MIGRATION_ACTIVE,
						   MIGRATION_AFFINITY, MIGRATION_SELF, MIGRATION_EXEC};
	const struct task_states *machine = &pass->machine;

	table_begin(table, task_columns);
	if (summary->task_capacity)
		qsort(summary->tasks, summary->task_capacity, sizeof(*summary->tasks), by_moves);
	for (uint32_t i = 0; i < summary->task_capacity && i < top && summary->tasks[i].moves; i++) {
		const struct task_account *account = &summary->tasks[i];
		const struct sched_comm *comm = task_comm(machine, account->task);
		uint64_t other = account->moves - account->causes[MIGRATION_UNKNOWN];
		table_signed(table, machine->tasks[account->task].pid);
		table_text(table, comm->bytes, comm->length);
		table_number(table, account->moves);
		for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++) {
			table_number(table, account->causes[own[k]]);
			other -= account->causes[own[k]];
		}
		table_number(table, other);
		table_number(table, account->causes[MIGRATION_UNKNOWN]);
	}
}

static const struct table_column pair_columns[] = {
    {"from_cpu", "from CPU", TABLE_NUMBER, false},
    {"to_cpu", "to CPU", TABLE_NUMBER, false},
    {"migrations", "migrations", TABLE_NUMBER, false},
    {NULL, NULL, TABLE_TEXT, false},
};

struct pair {
	uint64_t count;
	uint32_t from, to;
};

static int by_count(const void *a, const void *b)
{
	const struct pair *first = a;
	const struct pair *second = b;

	if (first->count != second->count)
		return first->count > second->count ? -1 : 1;
	if (first->from != second->from)
		return first->from < second->from ? -1 : 1;
	return first->to < second->to ? -1 : first->to > second->to;
}

static enum status fill_pairs(const struct summary *summary, uint64_t top, struct table *table, struct error *err)
{
	size_t all = (size_t)summary->pair_cpus * summary->pair_cpus;
	struct pair *pairs = calloc(all + 1, sizeof(*pairs));
	size_t count = 0;

	table_begin(table, pair_columns);
	if (!pairs)
		return no_memory(err);
	for (size_t i = 0; i < all; i++)
		if (summary->pairs[i])
			pairs[count++] = (struct pair){summary->pairs[i], (uint32_t)(i / summary->pair_cpus),
						       (uint32_t)(i % summary->pair_cpus)};
	qsort(pairs, count, sizeof(*pairs), by_count);
	for (size_t i = 0; i < count && i < top; i++) {
		table_number(table, pairs[i].from);
		table_number(table, pairs[i].to);
		table_number(table, pairs[i].count);
	}
	free(pairs);
	return STATUS_OK;
}

static enum status print(struct summary *summary, const struct migrations_values *values, const struct pass *pass,
			 struct error *err)
{
	struct table tables[3];
	struct analysis_table shown[] = {
	    {"causes", NULL, &tables[0]},
	    {"tasks", "Tasks that moved most", &tables[1]},
	    {"cpu_pairs", "From CPU to CPU", &tables[2]},
	};

	fill_causes(summary, &values->analysis, pass, &tables[0]);
	fill_tasks(summary, pass, values->top, &tables[1]);
	enum status status = fill_pairs(summary, values->top, &tables[2], err);
	if (status == STATUS_OK)
		status = analysis_print(&values->analysis, pass, shown, 3, err);
	for (size_t i = 0; i < 3; i++)
		table_free(&tables[i]);
	return status;
}

enum status migrations_summary(const struct migrations_values *values, const struct operands *operands,
			       struct pass *pass, struct error *err)
{
	struct summary *summary = calloc(1, sizeof(*summary));
	const struct migration_taker taker = {.context = summary, .take = take};

	if (!summary)
		return no_memory(err);
	enum status status =
	    migration_reader_read(&values->analysis.pass, operands->items, operands->count, &taker, pass, err);
	if (status == STATUS_OK)
		status = print(summary, values, pass, err);
	free(summary->tasks);
	free(summary->pairs);
	free(summary);
	return status;
}
