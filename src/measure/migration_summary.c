/* SPDX-License-Identifier: MIT */
#include "measure/migration_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The counter of a pair of CPUs. */
static uint64_t *pair_of(struct migration_summary *summary, uint32_t from, uint32_t to)
{
	uint32_t need = (from > to ? from : to) + 1;
	uint32_t cpus = (need + 15) / 16 * 16;

	if (need > summary->pair_cpus) {
		uint64_t *pairs = xcalloc((size_t)cpus * cpus, sizeof(*pairs));
		for (uint32_t i = 0; i < summary->pair_cpus; i++)
			memcpy(pairs + (size_t)i * cpus, summary->pairs + (size_t)i * summary->pair_cpus,
			       summary->pair_cpus * sizeof(*pairs));
		free(summary->pairs);
		summary->pairs = pairs;
		summary->pair_cpus = cpus;
	}
	return &summary->pairs[(size_t)from * summary->pair_cpus + to];
}

static enum status count_migration(void *context, const struct pass *pass, const struct migration *migration,
				   struct error *err)
{
	struct migration_summary *summary = context;

	(void)pass;
	(void)err;
	summary->tasks =
	    array_reserve(summary->tasks, &summary->task_capacity, migration->number + 1, sizeof(*summary->tasks));
	struct migrating_task *account = &summary->tasks[migration->number];
	account->task = migration->number;
	summary->all++;
	summary->causes[migration->cause]++;
	summary->exact[migration->cause] += migration->exact;
	account->moves++;
	account->causes[migration->cause]++;
	if (migration->cause == MIGRATION_PULL) {
		summary->pulls[migration->pull]++;
		summary->exact_pulls[migration->pull] += migration->exact;
		account->pulls[migration->pull]++;
	}
	if (migration->from_cpu < MIGRATION_PAIR_CPUS_MAX && migration->to_cpu < MIGRATION_PAIR_CPUS_MAX)
		++*pair_of(summary, migration->from_cpu, migration->to_cpu);
	return STATUS_OK;
}

struct migration_consumer migration_summary_consumer(struct migration_summary *summary)
{
	return (struct migration_consumer){.pass.context = summary, .take = count_migration};
}

static int by_moves(const void *a, const void *b)
{
	const struct migrating_task *first = a;
	const struct migrating_task *second = b;

	if (first->moves != second->moves)
		return first->moves > second->moves ? -1 : 1;
	return first->task < second->task ? -1 : first->task > second->task;
}

void migration_summary_sort(struct migration_summary *summary)
{
	if (summary->task_capacity)
		qsort(summary->tasks, summary->task_capacity, sizeof(*summary->tasks), by_moves);
}

static int by_count(const void *a, const void *b)
{
	const struct migration_pair *first = a;
	const struct migration_pair *second = b;

	if (first->count != second->count)
		return first->count > second->count ? -1 : 1;
	if (first->from != second->from)
		return first->from < second->from ? -1 : 1;
	return first->to < second->to ? -1 : first->to > second->to;
}

struct migration_pair *migration_summary_pairs(const struct migration_summary *summary, size_t *count)
{
	size_t all = (size_t)summary->pair_cpus * summary->pair_cpus;
	struct migration_pair *pairs = xcalloc(all + 1, sizeof(*pairs));

	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (summary->pairs[i])
			pairs[(*count)++] = (struct migration_pair){
			    summary->pairs[i], (uint32_t)(i / summary->pair_cpus), (uint32_t)(i % summary->pair_cpus)};
	qsort(pairs, *count, sizeof(*pairs), by_count);
	return pairs;
}

void migration_summary_free(struct migration_summary *summary)
{
	free(summary->tasks);
	free(summary->pairs);
}
