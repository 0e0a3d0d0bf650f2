/* SPDX-License-Identifier: MIT */
#include "data/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const split_part_names[SPLIT_PARTS] = {"train", "test_seen", "test_unseen"};

uint64_t split_share(uint64_t count, double ratio)
{
	double share = (double)count * ratio;

	return share > 0 ? (uint64_t)share : 0;
}

static size_t collect_members(const size_t *group_of, size_t trace_count, size_t group, size_t *members)
{
	size_t count = 0;

	for (size_t i = 0; i < trace_count; i++)
		if (group_of[i] == group)
			members[count++] = i;
	return count;
}

static size_t train_share(size_t members, double ratio)
{
	uint64_t share = split_share(members, ratio);

	if (share < 1)
		share = 1;
	return share < members ? (size_t)share : members;
}

static void append(size_t *to, size_t *count, const size_t *from, size_t length)
{
	if (length)
		memcpy(to + *count, from, length * sizeof(*to));
	*count += length;
}

void split_traces(const size_t *group_of, const size_t *like, size_t trace_count, size_t group_count,
		  struct python_random *random, double train_ratio, struct split *split)
{
	const size_t room = trace_count + 1;
	struct python_random *before = xcalloc(group_count + 1, sizeof(*before));
	size_t *members = xcalloc(2 * room, sizeof(*members));
	size_t *test_seen = members + room;

	*split = (struct split){.order = xcalloc(room, sizeof(*split->order))};
	for (size_t group = 0; group < group_count; group++) {
		size_t count = collect_members(group_of, trace_count, group, members);
		size_t train = train_share(count, train_ratio);
		before[group] = like && like[group] < group ? before[like[group]] : *random;
		struct python_random again = before[group];
		python_random_shuffle(like && like[group] < group ? &again : random, members, count);
		append(split->order, &split->count[SPLIT_TRAIN], members, train);
		append(test_seen, &split->count[SPLIT_TEST_SEEN], members + train, count - train);
	}
	size_t placed = split->count[SPLIT_TRAIN];
	append(split->order, &placed, test_seen, split->count[SPLIT_TEST_SEEN]);
	split->count[SPLIT_TEST_UNSEEN] = collect_members(group_of, trace_count, SPLIT_UNSEEN, members);
	append(split->order, &placed, members, split->count[SPLIT_TEST_UNSEEN]);
	free(members);
	free(before);
}

void split_free(struct split *split)
{
	free(split->order);
	*split = (struct split){0};
}
