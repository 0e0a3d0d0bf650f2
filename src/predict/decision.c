/* SPDX-License-Identifier: MIT */
#include "predict/decision.h"

#include <stdlib.h>

#include "predict/policies.h"
#include "predict/room.h"

/* The chosen candidate is at this place of the predictor's order; from 0. */
static struct prediction judge_rank(uint32_t rank)
{
	return (struct prediction){.right = rank == 0, .right_in_5 = rank < CONTEXT_TOP};
}

/* Of equal ones, that which has waited longer comes first. */
static uint32_t rank_by(const double *probabilities, uint32_t count, uint32_t chosen)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < count; i++)
		rank += i < chosen   ? !(probabilities[chosen] > probabilities[i] * (1 + 1e-12))
			: i > chosen ? probabilities[i] > probabilities[chosen] * (1 + 1e-12)
				     : 0;
	return rank;
}

/* --- By roles --- */

/* The candidates' places. Of equal roles the last one counts. */
static bool place_candidates(struct decision_finder *finder, const struct predict_candidates *candidates)
{
	void *places = finder->places;
	bool has_room = true;

	for (uint32_t i = 0; i < candidates->count && has_room; i++) {
		uint32_t role = candidates->roles[i];
		has_room = role < finder->size || room_grow(&places, &finder->size, role, sizeof(*finder->places));
		finder->places = places;
		if (has_room)
			finder->places[role] = i;
	}
	return has_room;
}

/* Candidates that followed the context and have no entry yet. Returns how many they are. */
static uint32_t find_by_context(const struct decision_finder *finder, const struct context_model *model, uint32_t node,
				const struct predict_candidates *candidates, uint32_t *entries)
{
	uint32_t first = model->nodes[node].first, end = first + model->nodes[node].distinct;
	uint32_t found = 0;

	for (uint32_t i = first; i < end; i++) {
		uint32_t symbol = model->entries[i].symbol;
		uint32_t place = symbol < finder->size ? finder->places[symbol] : UINT32_MAX;
		if (place >= candidates->count || candidates->roles[place] != symbol || entries[place] != CONTEXT_NONE)
			continue;
		entries[place] = i;
		found++;
	}
	return found;
}

/* The same for a context that more followed than there are candidates. */
static uint32_t find_by_candidate(const struct context_model *model, uint32_t node,
				  const struct predict_candidates *candidates, uint32_t *entries)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < candidates->count; i++) {
		if (entries[i] != CONTEXT_NONE)
			continue;
		entries[i] = context_model_find_in(model, node, candidates->roles[i]);
		found += entries[i] != CONTEXT_NONE;
	}
	return found;
}

bool decision_look_up(struct decision_finder *finder, const struct lanes *lanes, const struct predict_row *row,
		      struct decision_history *found)
{
	const struct context_model *model = &lanes->model;
	const struct predict_candidates *candidates = &row->candidates;
	uint32_t node = found->step.node, missing = candidates->count;

	if (!place_candidates(finder, candidates))
		return false;
	for (uint32_t i = 0; i < candidates->count; i++)
		found->entries[i] = CONTEXT_NONE;
	for (; missing && node != CONTEXT_ROOT; node = model->nodes[node].parent)
		missing -= model->nodes[node].distinct <= 4 * candidates->count
			       ? find_by_context(finder, model, node, candidates, found->entries)
			       : find_by_candidate(model, node, candidates, found->entries);
	if (missing)
		find_by_candidate(model, CONTEXT_ROOT, candidates, found->entries);
	/* A role that is listed twice has one place. */
	for (uint32_t i = 0; i < candidates->count; i++)
		found->entries[i] = found->entries[finder->places[candidates->roles[i]]];
	return true;
}

void decision_finder_free(struct decision_finder *finder)
{
	free(finder->places);
	*finder = (struct decision_finder){0};
}

/* Of each candidate. */
static void find_probabilities(const struct sequence *sequence, enum predictor predictor, const struct predict_row *row,
			       const struct decision_place *place, double *probabilities)
{
	uint32_t count = row->candidates.count;

	if (predictor == PREDICTOR_MAJORITY) {
		for (uint32_t i = 0; i < count; i++)
			probabilities[i] = sequence_frequency(sequence, row->candidates.roles[i]);
		return;
	}
	bool is_cpu = predictor_is_of_cpu(predictor);
	const struct decision_history *history = is_cpu ? &place->cpu : &place->machine;
	const struct context_view view = context_view(is_cpu ? &sequence->cpu.model : &sequence->machine.model,
						      predictor_method(predictor), history->step.node);
	for (uint32_t i = 0; i < count; i++)
		probabilities[i] = context_probability(&view, history->entries[i]);
}

static struct prediction predict_by_roles(const struct sequence *sequence, enum predictor predictor,
					  const struct predict_row *row, const struct decision_place *place)
{
	uint32_t count = row->candidates.count;
	double probabilities[DECISION_CANDIDATES_MAX], sum = 0, best = 0;

	find_probabilities(sequence, predictor, row, place, probabilities);
	for (uint32_t i = 0; i < count; i++) {
		sum += probabilities[i];
		best = probabilities[i] > best ? probabilities[i] : best;
	}
	bool is_listed = row->chosen < count;
	struct prediction prediction = judge_rank(is_listed ? rank_by(probabilities, count, row->chosen) : UINT32_MAX);
	prediction.has_probability = true;
	prediction.of_target = is_listed && sum > 0 ? probabilities[row->chosen] / sum : 0;
	prediction.of_best = sum > 0 ? best / sum : 0;
	return prediction;
}

/* --- By rules --- */

/* The candidate that followed the previous task last, else that which has waited longest. */
static struct prediction predict_by_successor(const struct predict_row *row, const struct decision_place *place)
{
	uint32_t count = row->candidates.count, first = 0;

	while (first < count && row->candidates.roles[first] != place->successor)
		first++;
	first = first < count ? first : 0;
	return judge_rank(row->chosen >= count   ? UINT32_MAX
			  : row->chosen == first ? 0
						 : row->chosen + (row->chosen < first));
}

static struct prediction predict_uniform(const struct predict_row *row)
{
	double waiting = row->waiting;

	return (struct prediction){
	    .right = 1 / waiting,
	    .right_in_5 = waiting < CONTEXT_TOP ? 1 : CONTEXT_TOP / waiting,
	    .has_probability = true,
	    .of_target = 1 / waiting,
	    .of_best = 1 / waiting,
	};
}

static struct prediction predict(const struct learner *learner, enum predictor predictor, const struct predict_row *row,
				 const struct decision_place *place)
{
	if (predictor == PREDICTOR_CONSTANT)
		return judge_rank(row->chosen == learner->chosen_constant ? 0 : UINT32_MAX);
	if (predictor == PREDICTOR_LAST_SUCCESSOR)
		return predict_by_successor(row, place);
	if (predictor < PREDICTOR_UNIFORM)
		return predict_by_roles(&learner->sequences[LEARNER_ROLES], predictor, row, place);
	if (predictor == PREDICTOR_UNIFORM)
		return predict_uniform(row);
	return judge_rank(policy_rank((enum policy)(predictor - PREDICTOR_LONGEST_WAITING), row));
}

struct prediction decision_predict(const struct learner *learner, enum predictor predictor,
				   const struct predict_row *row, const struct decision_place *place)
{
	struct prediction prediction = predict(learner, predictor, row, place);

	prediction.unseen = !sequence_has_seen(&learner->sequences[LEARNER_ROLES], row->role);
	return prediction;
}
