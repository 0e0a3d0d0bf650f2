/* SPDX-License-Identifier: MIT */
#include "measure/sequence_alignment.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void alignment_open(struct alignment_reader *reader, uint32_t window)
{
	*reader = (struct alignment_reader){.window = window};
	for (int i = 0; i < 2; i++)
		reader->elements[i] = xmalloc(window * sizeof(uint64_t));
	edit_space_open(&reader->space, window);
}

void alignment_close(struct alignment_reader *reader)
{
	edit_space_close(&reader->space);
	free(reader->elements[0]);
	free(reader->elements[1]);
	*reader = (struct alignment_reader){0};
}

/* Doubles the length of all parts. */
static void join_parts(struct alignment *alignment)
{
	for (uint32_t i = 0; i < ALIGNMENT_PARTS / 2; i++) {
		alignment->parts[i] = alignment->parts[2 * i];
		alignment->parts[i].same += alignment->parts[2 * i + 1].same;
		alignment->parts[i].all += alignment->parts[2 * i + 1].all;
	}
	memset(alignment->parts + ALIGNMENT_PARTS / 2, 0, sizeof(alignment->parts) / 2);
	alignment->part_count = ALIGNMENT_PARTS / 2;
	alignment->part_length *= 2;
}

/* Adds `all` positions, of which `same` are equal, evenly distributed. */
static void add_places(struct alignment *alignment, uint64_t same, uint64_t all)
{
	while (all) {
		uint32_t last = alignment->part_count - 1;
		if (alignment->part_count == 0 || alignment->parts[last].all == alignment->part_length) {
			if (alignment->part_count == ALIGNMENT_PARTS)
				join_parts(alignment);
			alignment->part_count++;
			continue;
		}
		uint64_t taken = alignment->part_length - alignment->parts[last].all;
		taken = taken < all ? taken : all;
		uint64_t taken_same = taken == all ? same : same * taken / all;
		alignment->parts[last].all += taken;
		alignment->parts[last].same += taken_same;
		all -= taken;
		same -= taken_same;
	}
}

static enum status read_one(struct alignment_reader *reader, int i, struct error *err)
{
	const struct alignment_source *source = &reader->sources[i];
	enum status status = source->next(source->context, &reader->elements[i][reader->counts[i]], err);

	reader->ended[i] = status == STATUS_END;
	reader->counts[i] += status == STATUS_OK;
	return status == STATUS_END ? STATUS_OK : status;
}

enum status alignment_prefix(struct alignment_reader *reader, const struct alignment_source sources[2],
			     struct alignment *alignment, struct error *err)
{
	enum status status = STATUS_OK;

	*alignment = (struct alignment){.part_length = 1};
	reader->sources[0] = sources[0];
	reader->sources[1] = sources[1];
	for (;;) {
		reader->counts[0] = reader->counts[1] = 0;
		for (int i = 0; i < 2 && status == STATUS_OK; i++)
			status = read_one(reader, i, err);
		if (status != STATUS_OK || reader->ended[0] || reader->ended[1] ||
		    reader->elements[0][0] != reader->elements[1][0])
			break;
		alignment->prefix++;
	}
	alignment->diverged = status == STATUS_OK && !(reader->ended[0] && reader->ended[1]);
	alignment->counts.same = alignment->prefix;
	add_places(alignment, alignment->prefix, alignment->prefix);
	return status;
}

static enum status fill(struct alignment_reader *reader, struct error *err)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < 2; i++)
		while (!reader->ended[i] && reader->counts[i] < reader->window && status == STATUS_OK)
			status = read_one(reader, i, err);
	return status;
}

static void let_go(struct alignment_reader *reader, int i, uint32_t count)
{
	reader->counts[i] -= count;
	memmove(reader->elements[i], reader->elements[i] + count, reader->counts[i] * sizeof(uint64_t));
}

static void place(struct alignment_reader *reader, struct alignment *alignment, const struct edit_path *path)
{
	struct edit_kinds kinds = edit_kinds(path);

	alignment->counts.same += path->same;
	alignment->counts.changed += kinds.changed;
	alignment->counts.only_a += kinds.only_a;
	alignment->counts.only_b += kinds.only_b;
	add_places(alignment, path->same, path->same + path->edits);
	let_go(reader, 0, path->a);
	let_go(reader, 1, path->b);
}

enum status alignment_rest(struct alignment_reader *reader, struct alignment *alignment, struct error *err)
{
	for (;;) {
		enum status status = fill(reader, err);
		if (status != STATUS_OK)
			return status;
		if (reader->counts[0] + reader->counts[1] == 0)
			return STATUS_OK;
		bool to_both = reader->ended[0] && reader->ended[1];
		struct edit_path half;
		const struct edit_sequence a = {reader->elements[0], reader->counts[0]};
		const struct edit_sequence b = {reader->elements[1], reader->counts[1]};
		struct edit_path path = edit_distance(&reader->space, &a, &b, to_both, reader->window / 2, &half);
		/* If one sequence has ended, the remaining elements are only in the other. */
		if (path.a + path.b == 0)
			path = (struct edit_path){reader->counts[0], reader->counts[1], 0,
						  reader->counts[0] + reader->counts[1]};
		else if (!to_both && path.edits && half.a + half.b)
			path = half;
		place(reader, alignment, &path);
	}
}

uint64_t alignment_share(const struct alignment_counts *counts)
{
	uint64_t all = counts->same + counts->changed + counts->only_a + counts->only_b;

	/* No trace is long enough to overflow. */
	return all ? counts->same * 10000 / all : 10000;
}
