/* SPDX-License-Identifier: MIT */
#include "measure/edit_distance.h"
#include "measure/sequence_alignment.h"
#include "support/unit.h"

#define MOST 48

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % below;
}

/* Levenshtein's table, as it stands in every book. costs[i][j] is of the first i of a and the first j of b. */
static uint32_t costs[MOST + 1][MOST + 1];

static void slow_costs(const uint64_t *a, uint32_t a_length, const uint64_t *b, uint32_t b_length)
{
	for (uint32_t i = 0; i <= a_length; i++) {
		for (uint32_t j = 0; j <= b_length; j++) {
			uint32_t min = i && j ? costs[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i + j;
			if (i && costs[i - 1][j] + 1 < min)
				min = costs[i - 1][j] + 1;
			if (j && costs[i][j - 1] + 1 < min)
				min = costs[i][j - 1] + 1;
			costs[i][j] = min;
		}
	}
}

static uint32_t slow_to_either(uint32_t a_length, uint32_t b_length)
{
	uint32_t min = UINT32_MAX;

	for (uint32_t i = 0; i <= a_length; i++)
		min = costs[i][b_length] < min ? costs[i][b_length] : min;
	for (uint32_t j = 0; j <= b_length; j++)
		min = costs[a_length][j] < min ? costs[a_length][j] : min;
	return min;
}

/* b is a with some edits, or something else altogether. */
static uint32_t draw_pair(uint64_t *a, uint64_t *b, uint32_t *b_length)
{
	uint32_t alphabet = 1 + draw(6);
	uint32_t length = draw(MOST - 8);

	*b_length = 0;
	for (uint32_t i = 0; i < length; i++)
		a[i] = draw(alphabet);
	if (draw(4) == 0) {
		*b_length = draw(MOST);
		for (uint32_t i = 0; i < *b_length; i++)
			b[i] = draw(alphabet);
		return length;
	}
	for (uint32_t i = 0; i < length && *b_length < MOST - 1; i++) {
		uint32_t edit = draw(8);
		if (edit == 0)
			continue;
		if (edit == 1)
			b[(*b_length)++] = draw(alphabet);
		b[(*b_length)++] = edit == 2 ? draw(alphabet) : a[i];
	}
	return length;
}

static void check_path(const struct edit_path *path)
{
	struct edit_kinds kinds = edit_kinds(path);

	assert_int_equal(kinds.changed + kinds.only_a + kinds.only_b, path->edits);
	assert_int_equal(path->same + kinds.changed + kinds.only_a, path->a);
	assert_int_equal(path->same + kinds.changed + kinds.only_b, path->b);
	assert_true(kinds.changed <= path->edits && kinds.only_a <= path->edits && kinds.only_b <= path->edits);
}

TEST(same_as_slow)
{
	struct edit_space space;
	uint64_t a[MOST], b[MOST];

	seed = 20261121;
	edit_space_open(&space, MOST);
	for (int n = 0; n < 20000; n++) {
		struct edit_path half = {0};
		uint32_t b_length;
		uint32_t a_length = draw_pair(a, b, &b_length);
		slow_costs(a, a_length, b, b_length);
		const struct edit_sequence left = {a, a_length}, right = {b, b_length};
		struct edit_path whole = edit_distance(&space, &left, &right, true, UINT32_MAX, &half);
		check_path(&whole);
		check_path(&half);
		assert_int_equal(whole.a, a_length);
		assert_int_equal(whole.b, b_length);
		assert_int_equal(whole.edits, costs[a_length][b_length]);
		struct edit_path either = edit_distance(&space, &left, &right, false, UINT32_MAX, &half);
		check_path(&either);
		check_path(&half);
		assert_true(either.a == a_length || either.b == b_length);
		assert_int_equal(either.edits, slow_to_either(a_length, b_length));
		assert_int_equal(either.edits, costs[either.a][either.b]);
		/* Half lies on the way: it is a best way to where it is, and no more than half. */
		assert_true(half.a <= either.a && half.b <= either.b && half.edits <= either.edits);
		if (half.a + half.b)
			assert_true(half.a + half.b >= (a_length + b_length) / 2);
		/* With no more edits than these, as far as any way comes. */
		uint32_t max = 1 + draw(5);
		struct edit_path few = edit_distance(&space, &left, &right, true, max, &half);
		check_path(&few);
		assert_true(few.edits <= max && few.edits == costs[few.a][few.b]);
		if (few.edits < max)
			assert_true(few.a == a_length && few.b == b_length);
		for (uint32_t i = 0; i <= a_length && few.edits == max; i++)
			for (uint32_t j = 0; j <= b_length; j++)
				assert_true(costs[i][j] > max || i + j <= few.a + few.b);
	}
	edit_space_close(&space);
}

TEST(script_is_shortest)
{
	uint64_t a[MOST], b[MOST];
	char ops[2 * MOST + 1];

	seed = 7;
	for (int n = 0; n < 5000; n++) {
		uint32_t b_length;
		uint32_t a_length = draw_pair(a, b, &b_length);
		uint32_t i = 0, j = 0, edits = 0;
		slow_costs(a, a_length, b, b_length);
		edit_script(a, a_length, b, b_length, ops);
		for (const char *op = ops; *op; op++) {
			if (i < a_length && j < b_length)
				edits += *op != '=';
			if (*op == '=')
				assert_true(a[i] == b[j]);
			if (*op == '!')
				assert_true(a[i] != b[j]);
			i += *op != '+';
			j += *op != '-';
			assert_true(i <= a_length && j <= b_length);
		}
		assert_int_equal(i, a_length);
		assert_int_equal(j, b_length);
		assert_int_equal(edits, slow_to_either(a_length, b_length));
	}
}

struct run {
	uint64_t *elements;
	uint64_t count, at;
};

static enum status next(void *context, uint64_t *element, struct error *err)
{
	struct run *run = context;

	(void)err;
	if (run->at == run->count)
		return STATUS_END;
	*element = run->elements[run->at++];
	return STATUS_OK;
}

static struct alignment agree(uint32_t window, uint64_t *a, uint64_t a_count, uint64_t *b, uint64_t b_count)
{
	struct run runs[2] = {{a, a_count, 0}, {b, b_count, 0}};
	const struct alignment_source sources[2] = {{next, &runs[0]}, {next, &runs[1]}};
	struct alignment_reader reader;
	struct alignment alignment;
	struct error err;
	uint64_t all = 0, same = 0;

	alignment_open(&reader, window);
	assert_int_equal(alignment_prefix(&reader, sources, &alignment, &err), STATUS_OK);
	if (alignment.diverged && alignment.prefix < a_count && alignment.prefix < b_count)
		assert_true(a[alignment.prefix] != b[alignment.prefix]);
	assert_int_equal(alignment_rest(&reader, &alignment, &err), STATUS_OK);
	alignment_close(&reader);
	/* Every element is accounted for, and the parts are the whole. */
	const struct alignment_counts *counts = &alignment.counts;
	assert_int_equal(counts->same + counts->changed + counts->only_a, a_count);
	assert_int_equal(counts->same + counts->changed + counts->only_b, b_count);
	for (uint32_t i = 0; i < alignment.part_count; i++) {
		assert_true(alignment.parts[i].same <= alignment.parts[i].all);
		assert_true(i + 1 == alignment.part_count || alignment.parts[i].all == alignment.part_length);
		all += alignment.parts[i].all;
		same += alignment.parts[i].same;
	}
	assert_int_equal(all, counts->same + counts->changed + counts->only_a + counts->only_b);
	assert_int_equal(same, counts->same);
	return alignment;
}

#define LONG 20000

TEST(known_edits_are_found)
{
	uint64_t *a = calloc(LONG, sizeof(*a));
	uint64_t *b = calloc(LONG, sizeof(*b));
	uint64_t count = 0;

	seed = 3;
	for (uint32_t i = 0; i < LONG; i++)
		a[i] = draw(1000);
	/* 300 are left out at 1000, 500 have another value from 9000 on, of each ten one. */
	for (uint32_t i = 0; i < LONG; i++) {
		if (i >= 1000 && i < 1300)
			continue;
		b[count++] = i >= 9000 && i < 14000 && i % 10 == 0 ? 5000 : a[i];
	}
	struct alignment alignment = agree(1000, a, LONG, b, count);
	assert_int_equal(alignment.prefix, 1000);
	assert_true(alignment.diverged);
	assert_int_equal(alignment.counts.same, LONG - 300 - 500);
	assert_int_equal(alignment.counts.changed, 500);
	assert_int_equal(alignment.counts.only_a, 300);
	assert_int_equal(alignment.counts.only_b, 0);
	assert_int_equal(alignment_share(&alignment.counts), 9600);
	/* The other way round, and in a window that is too small for what is left out. */
	alignment = agree(1000, b, count, a, LONG);
	assert_int_equal(alignment.counts.only_b, 300);
	assert_int_equal(alignment.counts.same, LONG - 300 - 500);
	alignment = agree(16, a, LONG, b, count);
	assert_true(alignment.counts.same < LONG / 2);
	free(a);
	free(b);
}

TEST(ends_and_nothing)
{
	uint64_t a[3000], b[3000];

	for (uint32_t i = 0; i < 3000; i++)
		a[i] = b[i] = i;
	struct alignment alignment = agree(64, a, 3000, b, 3000);
	assert_false(alignment.diverged);
	assert_int_equal(alignment.prefix, 3000);
	alignment = agree(64, a, 3000, b, 2000);
	assert_true(alignment.diverged);
	assert_int_equal(alignment.counts.only_a, 1000);
	alignment = agree(64, a, 0, b, 3000);
	assert_true(alignment.diverged);
	assert_int_equal(alignment.counts.only_b, 3000);
	alignment = agree(64, a, 0, b, 0);
	assert_false(alignment.diverged);
	assert_int_equal(alignment_share(&alignment.counts), 10000);
	/* Nothing in common at all. */
	for (uint32_t i = 0; i < 3000; i++)
		b[i] = 10000 + i;
	alignment = agree(64, a, 3000, b, 3000);
	assert_int_equal(alignment.counts.changed, 3000);
	alignment = agree(2, a, 3000, b, 100);
	assert_int_equal(alignment.counts.same, 0);
}

TEST(any_window_accounts_for_all)
{
	uint64_t a[MOST], b[MOST];

	seed = 99;
	for (int n = 0; n < 5000; n++) {
		uint32_t b_length;
		uint32_t a_length = draw_pair(a, b, &b_length);
		struct alignment alignment = agree(2 + draw(MOST), a, a_length, b, b_length);
		slow_costs(a, a_length, b, b_length);
		const struct alignment_counts *counts = &alignment.counts;
		assert_true(counts->changed + counts->only_a + counts->only_b >= costs[a_length][b_length]);
		/* In one window it is the least. */
		alignment = agree(2 * MOST, a, a_length, b, b_length);
		assert_int_equal(counts->changed + counts->only_a + counts->only_b, costs[a_length][b_length]);
	}
}
