/* SPDX-License-Identifier: MIT */
#include "data/split.h"

#include <stdlib.h>

#include "base/memory.h"
#include "data/python_random.h"

#define UNSEEN_CATEGORIES_MIN 3

struct draw {
	const size_t *category_of;
	size_t trace_count;
	size_t *members; /* room for all traces */
};

uint64_t split_share(uint64_t count, double ratio)
{
	double share = (double)count * ratio;

	return share > 0 ? (uint64_t)share : 0;
}

static size_t collect_members(const struct draw *draw, size_t category)
{
	size_t count = 0;

	for (size_t i = 0; i < draw->trace_count; i++)
		if (draw->category_of[i] == category)
			draw->members[count++] = i;
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
	for (size_t i = 0; i < length; i++)
		to[(*count)++] = from[i];
}

/* test_seen is collected separately and appended after train. */
static void deal(const struct draw *draw, struct python_random *random, size_t category_count, double ratio,
		 size_t *test_seen, struct split *split)
{
	for (size_t category = 0; category < category_count; category++) {
		if (category == split->unseen_category)
			continue;
		size_t members = collect_members(draw, category);
		size_t train = members ? train_share(members, ratio) : 0;
		python_random_shuffle(random, draw->members, members);
		append(split->order, &split->count[SPLIT_TRAIN], draw->members, train);
		append(test_seen, &split->count[SPLIT_TEST_SEEN], draw->members + train, members - train);
	}
	size_t placed = split->count[SPLIT_TRAIN];
	append(split->order, &placed, test_seen, split->count[SPLIT_TEST_SEEN]);
	if (split->unseen_category == SPLIT_NO_CATEGORY)
		return;
	split->count[SPLIT_TEST_UNSEEN] = collect_members(draw, split->unseen_category);
	append(split->order, &placed, draw->members, split->count[SPLIT_TEST_UNSEEN]);
}

/* Deals all but the category that split->unseen_category holds out. */
static void split_with(const size_t *category_of, size_t trace_count, size_t category_count,
		       struct python_random *random, double train_ratio, struct split *split)
{
	size_t room = trace_count ? trace_count : 1;
	struct draw draw = {category_of, trace_count, xcalloc(room, sizeof(size_t))};
	size_t *test_seen = xcalloc(room, sizeof(size_t));

	split->order = xcalloc(room, sizeof(size_t));
	deal(&draw, random, category_count, train_ratio, test_seen, split);
	free(draw.members);
	free(test_seen);
}

void split_traces(const size_t *category_of, size_t trace_count, size_t category_count, int64_t seed,
		  double train_ratio, bool no_unseen_split, struct split *split)
{
	struct python_random random;

	*split = (struct split){.unseen_category = SPLIT_NO_CATEGORY};
	python_random_seed(&random, seed);
	if (category_count >= UNSEEN_CATEGORIES_MIN && !no_unseen_split)
		split->unseen_category = python_random_below(&random, category_count);
	split_with(category_of, trace_count, category_count, &random, train_ratio, split);
}

void split_without(const size_t *category_of, size_t trace_count, size_t category_count, int64_t seed,
		   double train_ratio, size_t unseen, struct split *split)
{
	struct python_random random;

	*split = (struct split){.unseen_category = unseen};
	python_random_seed(&random, seed);
	split_with(category_of, trace_count, category_count, &random, train_ratio, split);
}

void split_free(struct split *split)
{
	free(split->order);
	*split = (struct split){.unseen_category = SPLIT_NO_CATEGORY};
}
