/* SPDX-License-Identifier: MIT */
#include "data/predict/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "data/predict/room.h"

/* --- Successors --- */

static bool note(uint32_t **items, uint32_t *count, uint32_t index, uint32_t symbol, uint32_t *earlier)
{
	void *grown = *items;
	bool has_room = index < *count || room_grow(&grown, count, index, sizeof(**items));

	*items = grown;
	if (!has_room)
		return false;
	*earlier = (*items)[index] - 1;
	(*items)[index] = symbol + 1;
	return true;
}

/* *last: the symbol before the row on its CPU. */
static bool find_last(struct sequence *sequence, const struct sequence_row *row, uint32_t *last)
{
	if (sequence->lasts_trace != row->place.trace + 1 && sequence->last_count)
		memset(sequence->lasts, 0, sequence->last_count * sizeof(*sequence->lasts));
	sequence->lasts_trace = row->place.trace + 1;
	return note(&sequence->lasts, &sequence->last_count, row->place.lane, row->next, last);
}

bool sequence_succeed(struct sequence *sequence, const struct sequence_row *row, uint32_t *successor)
{
	uint32_t prev = row->prev;

	*successor = TEXT_NONE;
	if (prev == TEXT_NONE && !find_last(sequence, row, &prev))
		return false;
	return prev == TEXT_NONE || note(&sequence->successors, &sequence->successor_count, prev, row->next, successor);
}

/* --- Learning --- */

static bool count_symbol(struct sequence *sequence, uint32_t symbol)
{
	void *counts = sequence->counts;
	bool has_room = symbol < sequence->count_capacity ||
			room_grow(&counts, &sequence->count_capacity, symbol, sizeof(*sequence->counts));

	sequence->counts = counts;
	if (!has_room)
		return false;
	sequence->counts[symbol]++;
	sequence->total++;
	return true;
}

static struct lanes_place of_machine(const struct sequence_row *row)
{
	return (struct lanes_place){row->place.trace, 0};
}

bool sequence_learn(struct sequence *sequence, const struct sequence_row *row, bool has_histories)
{
	uint32_t successor;

	return sequence_succeed(sequence, row, &successor) && count_symbol(sequence, row->next) &&
	       (!has_histories || (lanes_learn(&sequence->machine, of_machine(row), row->next) &&
				   lanes_learn(&sequence->cpu, row->place, row->next)));
}

static void find_frequent(struct sequence *sequence)
{
	struct context_answer *frequent = &sequence->frequent;

	sequence->alphabet = 1;
	for (uint32_t i = 0; i < sequence->count_capacity; i++) {
		uint32_t count = sequence->counts[i];
		unsigned int at = frequent->count;
		sequence->alphabet += count > 0;
		while (count && at > 0 && count > sequence->counts[frequent->symbols[at - 1]])
			at--;
		if (!count || at == CONTEXT_TOP)
			continue;
		frequent->count += frequent->count < CONTEXT_TOP;
		memmove(&frequent->symbols[at + 1], &frequent->symbols[at],
			(frequent->count - 1 - at) * sizeof(*frequent->symbols));
		frequent->symbols[at] = i;
	}
	if (frequent->count)
		frequent->probability = sequence_frequency(sequence, frequent->symbols[0]);
}

bool sequence_finish(struct sequence *sequence)
{
	find_frequent(sequence);
	return lanes_finish(&sequence->machine, sequence->alphabet) && lanes_finish(&sequence->cpu, sequence->alphabet);
}

/* --- After it --- */

static uint32_t count_of(const struct sequence *sequence, uint32_t symbol)
{
	return symbol < sequence->count_capacity ? sequence->counts[symbol] : 0;
}

bool sequence_has_seen(const struct sequence *sequence, uint32_t symbol)
{
	return count_of(sequence, symbol) > 0;
}

double sequence_frequency(const struct sequence *sequence, uint32_t symbol)
{
	return (count_of(sequence, symbol) + 1.0 / sequence->alphabet) / ((double)sequence->total + 1);
}

bool sequence_follow_machine(struct sequence *sequence, const struct sequence_row *row, struct lanes_step *step)
{
	return lanes_follow(&sequence->machine, of_machine(row), row->next, step);
}

bool sequence_follow_cpu(struct sequence *sequence, const struct sequence_row *row, struct lanes_step *step)
{
	return lanes_follow(&sequence->cpu, row->place, row->next, step);
}

void sequence_free(struct sequence *sequence)
{
	lanes_free(&sequence->machine);
	lanes_free(&sequence->cpu);
	free(sequence->successors);
	free(sequence->lasts);
	free(sequence->counts);
	*sequence = (struct sequence){0};
}
