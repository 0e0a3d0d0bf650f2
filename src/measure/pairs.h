/* SPDX-License-Identifier: MIT
 *
 * Who preempted whom, and who woke whom: an account per pair of tasks, names, roles, cgroups or processes (--by).
 * Memory grows with the number of pairs. Pure. */
#ifndef MEASURE_PAIRS_H
#define MEASURE_PAIRS_H

#include "measure/group_by.h"

enum pair_kind {
	PAIR_PREEMPTED, /* the second task was switched out while runnable, and the first one began to run */
	PAIR_WOKEN,     /* the first task ran when the second one was woken or forked */
	PAIR_KINDS
};

/* Spans of time whose length is known. */
struct pair_spans {
	uint64_t count, sum_ns, max_ns;
};

struct pair_account {
	uint64_t count;
	uint64_t special;                         /* of count: preempted inside the kernel (R+), or forked */
	struct pair_spans runs;                   /* of the first task, each from the preemption on */
	struct pair_spans waits;                  /* of the second one, until it ran; without throttled_ns */
	uint64_t throttled_ns, throttled_unknown; /* as in struct wait_account */
};

struct pair_list {
	struct id_map ids; /* numbers of pairs: first key << 32 | second key */
	struct pair_account *accounts;
	size_t capacity;
};

struct pairs {
	struct groups groups; /* for its keys, without accounts */
	struct pair_list kinds[PAIR_KINDS];
	/* Internal: by task number. */
	struct pair_open *open;
	uint32_t open_count;
};

/* options->by is not "cpu". */
void pairs_begin(struct pairs *pairs, const struct group_options *options);
struct pass_consumer pairs_consumer(struct pairs *pairs);
/* Numbers of the pairs, longest sum of waits first; to be freed. */
uint32_t *pairs_sort(const struct pair_list *list);
static inline uint32_t pair_first(const struct pair_list *list, uint32_t pair)
{
	return (uint32_t)(list->ids.ids[pair] >> 32);
}
static inline uint32_t pair_second(const struct pair_list *list, uint32_t pair)
{
	return (uint32_t)list->ids.ids[pair];
}
void pairs_free(struct pairs *pairs);

#endif
