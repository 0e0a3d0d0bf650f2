/* SPDX-License-Identifier: MIT */
#include "measure/task_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A task and its sort keys. */
struct entry {
	uint64_t born_ns; /* 0: before the trace, or not seen */
	uint32_t pool, run, task;
	int32_t pid;
};

static int by_pool(const void *left, const void *right)
{
	const struct entry *a = left;
	const struct entry *b = right;

	if (a->pool != b->pool)
		return a->pool < b->pool ? -1 : 1;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->born_ns != b->born_ns)
		return a->born_ns < b->born_ns ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

static int by_pid(const void *left, const void *right)
{
	const struct task_life *a = left;
	const struct task_life *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/* The name of a kworker's pool: "kworker/u8:" for "kworker/u8:3", "kworker/0:H" for "kworker/0:1H". */
static uint32_t pool_of(struct comm_table *pools, const struct sched_comm *comm)
{
	struct sched_comm pool = *comm;
	char *colon = memchr(pool.bytes, ':', pool.length);

	if (pool.length > 8 && memcmp(pool.bytes, "kworker/", 8) == 0 && colon) {
		const char *from = colon + 1;
		const char *end = pool.bytes + pool.length;
		while (from < end && *from >= '0' && *from <= '9')
			from++;
		memmove(colon + 1, from, (size_t)(end - from));
		pool.length = (uint8_t)(pool.length - (from - colon - 1));
	}
	return comm_table_number(pools, &pool);
}

static uint32_t collect(const struct task_states *states, const bool *is_wanted, struct comm_table *pools,
			struct entry *entries)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < states->task_count; i++) {
		const struct task *task = &states->tasks[i];
		if (task->is_idle || (is_wanted && !is_wanted[i]))
			continue;
		uint32_t pool = pool_of(pools, &states->comms.comms[task->comm]);
		entries[count++] =
		    (struct entry){task->is_born ? task->born_ns + 1 : 0, pool, task->run != 0, i, task->pid};
	}
	qsort(entries, count, sizeof(*entries), by_pool);
	return count;
}

static void add_life(struct task_match *match, uint32_t run, struct task_life life)
{
	match->lives[run][match->life_count[run]++] = life;
}

/* A thread that called exec has two PIDs, one after the other. */
static void add_task(struct task_match *match, const struct task_states *states, const struct entry *entry,
		     const uint64_t *starts_ns, uint32_t pair)
{
	const struct task *task = &states->tasks[entry->task];
	uint64_t start_ns = starts_ns[entry->task];

	match->pairs[pair].tasks[entry->run] = entry->task;
	if (task->former_pid)
		add_life(match, entry->run, (struct task_life){start_ns, pair, task->former_pid});
	add_life(match, entry->run, (struct task_life){task->former_pid ? task->exec_ns : start_ns, pair, task->pid});
}

/* The tasks of one name: first those of run 0, then those of run 1. */
static void pair_pool(struct task_match *match, const struct task_states *states, const struct entry *entries,
		      const uint32_t counts[2], const uint64_t *starts_ns)
{
	uint32_t max = counts[0] > counts[1] ? counts[0] : counts[1];

	for (uint32_t i = 0; i < max; i++) {
		uint32_t pair = match->pair_count++;
		match->pairs[pair] = (struct task_pair){{TASK_NONE, TASK_NONE}, entries->pool, i + 1, max};
		if (i < counts[0])
			add_task(match, states, &entries[i], starts_ns, pair);
		if (i < counts[1])
			add_task(match, states, &entries[counts[0] + i], starts_ns, pair);
		match->only[0] += i >= counts[1];
		match->only[1] += i >= counts[0];
		if (i >= counts[0] || i >= counts[1])
			continue;
		match->matched++;
		match->renumbered += entries[i].pid != entries[counts[0] + i].pid;
	}
}

void task_match_make(const struct task_states *states, const uint64_t *starts_ns, const bool *is_wanted,
		     struct task_match *match)
{
	size_t room = (size_t)states->task_count + 1;
	struct comm_table pools = {0};
	struct entry *entries = xmalloc(room * sizeof(*entries));

	*match = (struct task_match){.pair_count = 1, .pairs = xmalloc(room * sizeof(*match->pairs))};
	for (int run = 0; run < 2; run++)
		match->lives[run] = xmalloc(2 * room * sizeof(*match->lives[run]));
	uint32_t count = collect(states, is_wanted, &pools, entries);
	comm_table_free(&pools);
	match->pairs[TASK_MATCH_IDLE] = (struct task_pair){{TASK_NONE, TASK_NONE}, UINT32_MAX, 1, 1};
	for (uint32_t first = 0, end = 0; first < count; first = end) {
		uint32_t counts[2] = {0};
		for (; end < count && entries[end].pool == entries[first].pool; end++)
			counts[entries[end].run]++;
		pair_pool(match, states, entries + first, counts, starts_ns);
	}
	for (int run = 0; run < 2; run++)
		qsort(match->lives[run], match->life_count[run], sizeof(*match->lives[run]), by_pid);
	free(entries);
}

void task_match_free(struct task_match *match)
{
	free(match->pairs);
	free(match->lives[0]);
	free(match->lives[1]);
	*match = (struct task_match){0};
}

uint32_t task_match_find(const struct task_match *match, int run, int32_t pid, uint64_t ts_ns)
{
	const struct task_life *lives = match->lives[run];
	uint32_t first = 0;
	uint32_t end = match->life_count[run];

	if (pid == 0)
		return TASK_MATCH_IDLE;
	/* The last one at or before (pid, ts_ns). */
	while (first < end) {
		uint32_t middle = first + (end - first) / 2;
		bool is_behind =
		    lives[middle].pid > pid || (lives[middle].pid == pid && lives[middle].start_ns > ts_ns);
		if (is_behind)
			end = middle;
		else
			first = middle + 1;
	}
	return first && lives[first - 1].pid == pid ? lives[first - 1].pair : UINT32_MAX;
}
