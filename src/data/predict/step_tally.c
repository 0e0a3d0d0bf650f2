/* SPDX-License-Identifier: MIT */
#include "data/predict/step_tally.h"

#include <stdlib.h>

#include "base/hash.h"

#define SLOTS (2 * TALLY_OTHERS_MAX)

static bool make_slots(struct step_tally *tally)
{
	hash_begin();
	tally->other_steps = calloc(TALLY_OTHERS_MAX, sizeof(*tally->other_steps));
	tally->slots = calloc(SLOTS, sizeof(*tally->slots));
	return tally->other_steps && tally->slots;
}

/* The number of the step among the others. */
static uint32_t number_of(struct step_tally *tally, const struct lanes_step *step)
{
	uint32_t at = (uint32_t)hash_words((uint64_t)step->node << 32 | step->entry, 1) % SLOTS;

	for (; tally->slots[at]; at = (at + 1) % SLOTS) {
		const struct lanes_step *other = &tally->other_steps[tally->slots[at] - 1].step;
		if (other->node == step->node && other->entry == step->entry)
			return tally->slots[at] - 1;
	}
	tally->other_steps[tally->others.touched_count] = (struct tally_other){*step, at};
	tally->slots[at] = tally->others.touched_count + 1;
	return tally->others.touched_count;
}

bool step_tally_add(struct step_tally *tally, const struct context_model *model, const struct lanes_step *step,
		    bool has_choice)
{
	if (step->entry != CONTEXT_NONE && model->entries[step->entry].node == step->node)
		return tally_add(&tally->entries, step->entry, has_choice);
	if (!tally->slots && !make_slots(tally))
		return false;
	return tally_add(&tally->others, number_of(tally, step), has_choice);
}

bool step_tally_has_room(const struct step_tally *tally, uint32_t steps)
{
	return tally->others.touched_count + steps <= TALLY_OTHERS_MAX;
}

struct lanes_step step_tally_at(const struct step_tally *tally, const struct context_model *model, uint32_t index,
				struct tally_count *count)
{
	if (index >= tally->entries.touched_count) {
		uint32_t other = index - tally->entries.touched_count;
		*count = tally->others.counts[other];
		return tally->other_steps[other].step;
	}
	uint32_t entry = tally->entries.touched[index];
	*count = tally->entries.counts[entry];
	return (struct lanes_step){model->entries[entry].node, entry};
}

void step_tally_clear(struct step_tally *tally)
{
	for (uint32_t i = 0; i < tally->others.touched_count; i++)
		tally->slots[tally->other_steps[i].slot] = 0;
	tally_clear(&tally->entries);
	tally_clear(&tally->others);
}

void step_tally_free(struct step_tally *tally)
{
	tally_free(&tally->entries);
	tally_free(&tally->others);
	free(tally->other_steps);
	free(tally->slots);
	*tally = (struct step_tally){0};
}
