/* SPDX-License-Identifier: MIT */
#include "measure/edit_distance.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The furthest position on a diagonal (position in a minus position in b) for a number of edits. */
struct edit_reach {
	int32_t a; /* -1: none */
	uint32_t same;
	/* The point where the path passed half; a + b is 0 if it has not. */
	struct {
		uint16_t a, b, same, edits;
	} half;
};

struct search {
	const uint64_t *a, *b;
	int32_t a_length, b_length;
	uint32_t halfway;
	bool to_both;
	struct edit_path best; /* of the paths that end */
	struct edit_path half; /* the halfway point of best */
	bool found;
};

void edit_space_open(struct edit_space *space, uint32_t window)
{
	/* Two rows of diagonals from -window - 1 to window + 1. */
	*space = (struct edit_space){.window = window};
	space->rows = xmalloc(2 * (2 * (size_t)window + 3) * sizeof(*space->rows));
}

void edit_space_close(struct edit_space *space)
{
	free(space->rows);
	*space = (struct edit_space){0};
}

static inline void pass_half(const struct search *search, struct edit_reach *reach, int32_t diagonal, uint32_t edits)
{
	if (reach->half.a + reach->half.b != 0 || (uint32_t)(2 * reach->a - diagonal) < search->halfway)
		return;
	reach->half.a = (uint16_t)reach->a;
	reach->half.b = (uint16_t)(reach->a - diagonal);
	reach->half.same = (uint16_t)reach->same;
	reach->half.edits = (uint16_t)edits;
}

/* Moves along equal elements; records the point where half is passed. */
static inline void slide(const struct search *search, struct edit_reach *reach, int32_t diagonal, uint32_t edits)
{
	pass_half(search, reach, diagonal, edits);
	while (reach->a < search->a_length && reach->a - diagonal < search->b_length &&
	       search->a[reach->a] == search->b[reach->a - diagonal]) {
		reach->a++;
		reach->same++;
		pass_half(search, reach, diagonal, edits);
	}
}

static inline bool is_better(const struct edit_reach *reach, int32_t a, const struct edit_reach *best)
{
	return a > best->a || (a == best->a && reach->same > best->same);
}

/* Reaches this diagonal with one more edit: change an element, delete one of a, or insert one of b. */
static inline struct edit_reach one_more(const struct search *search, const struct edit_reach *row, int32_t diagonal)
{
	struct edit_reach best = {.a = -1};
	const struct edit_reach *change = &row[diagonal];
	const struct edit_reach *leave = &row[diagonal - 1];
	const struct edit_reach *put = &row[diagonal + 1];

	if (change->a >= 0 && change->a < search->a_length && change->a - diagonal < search->b_length) {
		best = *change;
		best.a++;
	}
	if (leave->a >= 0 && leave->a < search->a_length && is_better(leave, leave->a + 1, &best)) {
		best = *leave;
		best.a++;
	}
	if (put->a >= 0 && put->a - diagonal <= search->b_length && is_better(put, put->a, &best))
		best = *put;
	return best;
}

static inline bool is_end(const struct search *search, const struct edit_reach *reach, int32_t diagonal)
{
	bool a_ends = reach->a == search->a_length;
	bool b_ends = reach->a - diagonal == search->b_length;

	return search->to_both ? a_ends && b_ends : a_ends || b_ends;
}

/* Keeps the longest path; of equally long ones, the first. */
static void take_end(struct search *search, const struct edit_reach *reach, int32_t diagonal, uint32_t edits)
{
	struct edit_path it = {(uint32_t)reach->a, (uint32_t)(reach->a - diagonal), reach->same, edits};

	if (search->found && it.a + it.b <= search->best.a + search->best.b)
		return;
	search->found = true;
	search->best = it;
	search->half = (struct edit_path){reach->half.a, reach->half.b, reach->half.same, reach->half.edits};
}

/* Adds one edit to all paths, from row to next. at_most: this is the last allowed edit, so every path ends.
 */
static void add_edit(struct search *search, const struct edit_reach *row, struct edit_reach *next, int32_t lowest,
		     int32_t highest, uint32_t edits, bool at_most)
{
	for (int32_t diagonal = lowest; diagonal <= highest; diagonal++) {
		next[diagonal] = one_more(search, row, diagonal);
		if (next[diagonal].a < 0)
			continue;
		slide(search, &next[diagonal], diagonal, edits);
		if (at_most || is_end(search, &next[diagonal], diagonal))
			take_end(search, &next[diagonal], diagonal, edits);
	}
}

struct edit_path edit_distance(struct edit_space *space, const struct edit_sequence *a, const struct edit_sequence *b,
			       bool to_both, uint32_t max, struct edit_path *half)
{
	struct search search = {.a = a->elements,
				.b = b->elements,
				.a_length = (int32_t)a->length,
				.b_length = (int32_t)b->length,
				.halfway = (a->length + b->length) / 2,
				.to_both = to_both};
	size_t middle = (size_t)space->window + 1;
	struct edit_reach *row = space->rows + middle;
	struct edit_reach *next = row + 2 * middle + 1;
	int32_t lowest = 0;
	int32_t highest = 0;

	row[0] = (struct edit_reach){0};
	slide(&search, &row[0], 0, 0);
	if (is_end(&search, &row[0], 0))
		take_end(&search, &row[0], 0, 0);
	for (uint32_t edits = 1; !search.found; edits++) {
		row[lowest - 1].a = row[highest + 1].a = -1;
		if (lowest > -search.b_length)
			row[--lowest - 1].a = -1;
		if (highest < search.a_length)
			row[++highest + 1].a = -1;
		add_edit(&search, row, next, lowest, highest, edits, edits == max);
		struct edit_reach *old = row;
		row = next;
		next = old;
	}
	*half = search.half;
	return search.best;
}

struct edit_kinds edit_kinds(const struct edit_path *path)
{
	uint32_t only_b = path->edits - (path->a - path->same);
	uint32_t only_a = path->edits - (path->b - path->same);

	return (struct edit_kinds){path->edits - only_a - only_b, only_a, only_b};
}

static uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* costs: from each position in a and b to the end of either, in rows of b_length + 1. */
static void fill_costs(uint32_t *costs, const uint64_t *a, uint32_t a_length, const uint64_t *b, uint32_t b_length)
{
	size_t width = (size_t)b_length + 1;

	for (uint32_t i = a_length + 1; i-- > 0;) {
		for (uint32_t j = b_length + 1; j-- > 0;) {
			uint32_t *cost = &costs[i * width + j];
			if (i == a_length || j == b_length)
				*cost = 0;
			else if (a[i] == b[j])
				*cost = cost[width + 1];
			else
				*cost = 1 + min(cost[width + 1], min(cost[width], cost[1]));
		}
	}
}

void edit_script(const uint64_t *a, uint32_t a_length, const uint64_t *b, uint32_t b_length, char *ops)
{
	size_t width = (size_t)b_length + 1;
	uint32_t *costs = xcalloc((a_length + 1) * width, sizeof(*costs));
	uint32_t i = 0;
	uint32_t j = 0;

	fill_costs(costs, a, a_length, b, b_length);
	while (i < a_length || j < b_length) {
		const uint32_t *cost = &costs[i * width + j];
		if (i == a_length)
			*ops = '+';
		else if (j == b_length)
			*ops = '-';
		else if (a[i] == b[j])
			*ops = '=';
		else if (*cost == 1 + cost[width + 1])
			*ops = '!';
		else
			*ops = *cost == 1 + cost[width] ? '-' : '+';
		i += *ops != '+';
		j += *ops != '-';
		ops++;
	}
	*ops = '\0';
	free(costs);
}
