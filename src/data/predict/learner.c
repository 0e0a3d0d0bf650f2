/* SPDX-License-Identifier: MIT */
#include "data/predict/learner.h"

struct sequence_row learner_row(enum learner_sequence which, const struct predict_row *row)
{
	bool is_names = which == LEARNER_NAMES;

	return (struct sequence_row){
	    .place = {row->trace, row->cpu},
	    .prev = is_names ? row->prev_name : row->prev_role,
	    .next = is_names ? row->name : row->role,
	};
}

bool learner_learn(struct learner *learner, const struct predict_row *row)
{
	if (row->chosen != UINT32_MAX)
		learner->chosen_counts[row->chosen]++;
	for (unsigned int i = 0; i < LEARNER_SEQUENCES; i++) {
		const struct sequence_row of_sequence = learner_row((enum learner_sequence)i, row);
		if (learner->learns[i] &&
		    !sequence_learn(&learner->sequences[i], &of_sequence, !learner->baselines_only))
			return false;
	}
	return true;
}

bool learner_finish(struct learner *learner)
{
	for (uint32_t i = 1; i < DECISION_CANDIDATES_MAX; i++)
		if (learner->chosen_counts[i] > learner->chosen_counts[learner->chosen_constant])
			learner->chosen_constant = i;
	return sequence_finish(&learner->sequences[LEARNER_NAMES]) &&
	       sequence_finish(&learner->sequences[LEARNER_ROLES]);
}

void learner_free(struct learner *learner)
{
	for (size_t i = 0; i < LEARNER_SEQUENCES; i++)
		sequence_free(&learner->sequences[i]);
}
