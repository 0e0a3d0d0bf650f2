/* SPDX-License-Identifier: MIT
 *
 * How often each step of a history happened. Nearly all are to an entry of the step's own node, so that they are
 * counted by the entry; the others, of symbols that never followed the node, are few or many at the same time, and
 * bounded. */
#ifndef DATA_PREDICT_STEP_TALLY_H
#define DATA_PREDICT_STEP_TALLY_H

#include "data/predict/lanes.h"
#include "data/predict/tally.h"

#define TALLY_OTHERS_MAX 16384u

/* A step whose symbol never followed the node. */
struct tally_other {
	struct lanes_step step;
	uint32_t slot;
};

/* A zeroed struct is empty. */
struct step_tally {
	struct tally entries, others;
	struct tally_other *other_steps; /* by number in others; allocated with the first */
	uint32_t *slots;                 /* open addressing: their number plus 1 */
};

/* False if memory ran out. */
bool step_tally_add(struct step_tally *tally, const struct context_model *model, const struct lanes_step *step,
		    bool has_choice);
/* False if there may be no room for so many more steps. */
bool step_tally_has_room(const struct step_tally *tally, uint32_t steps);
/* One of the distinct steps, of which there are entries.touched_count + others.touched_count, and how often it was. */
struct lanes_step step_tally_at(const struct step_tally *tally, const struct context_model *model, uint32_t index,
				struct tally_count *count);
void step_tally_clear(struct step_tally *tally);
void step_tally_free(struct step_tally *tally);

#endif
