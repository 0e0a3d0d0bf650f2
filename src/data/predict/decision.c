/* SPDX-License-Identifier: MIT */
#include "data/predict/decision.h"

#include <stdlib.h>

#include "data/predict/policies.h"
#include "data/predict/room.h"

/* The chosen candidate is at this place of the predictor's order; from 0. */
static void judge_rank(uint32_t rank, struct prediction *prediction)
{
	prediction->right = rank == 0;
	prediction->right_in_5 = rank < CONTEXT_TOP;
	prediction->has_probability = false;
}

/* Of equal ones, that which has waited longer comes first. */
static uint32_t rank_by(const double *probabilities, uint32_t count, uint32_t chosen)
{
	double of_chosen = probabilities[chosen], more = of_chosen * (1 + 1e-12);
	uint32_t rank = 0;

	for (uint32_t i = 0; i < chosen; i++)
		rank += of_chosen <= probabilities[i] * (1 + 1e-12);
	for (uint32_t i = chosen + 1; i < count; i++)
		rank += probabilities[i] > more;
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
	struct context_view view;
	bool is_cpu = predictor_is_of_cpu(predictor);
	const struct decision_history *history = is_cpu ? &place->cpu : &place->machine;
	context_view_set(&view, is_cpu ? &sequence->cpu.model : &sequence->machine.model, predictor_method(predictor),
			 history->step.node);
	for (uint32_t i = 0; i < count; i++)
		probabilities[i] = context_probability(&view, history->entries[i]);
}

static void predict_by_roles(const struct sequence *sequence, enum predictor predictor, const struct predict_row *row,
			     const struct decision_place *place, struct prediction *prediction)
{
	uint32_t count = row->candidates.count;
	double probabilities[DECISION_CANDIDATES_MAX], sum = 0, best = 0;

	find_probabilities(sequence, predictor, row, place, probabilities);
	for (uint32_t i = 0; i < count; i++) {
		sum += probabilities[i];
		best = probabilities[i] > best ? probabilities[i] : best;
	}
	bool is_listed = row->chosen < count;
	judge_rank(is_listed ? rank_by(probabilities, count, row->chosen) : UINT32_MAX, prediction);
	prediction->has_probability = true;
	prediction->of_target = is_listed && sum > 0 ? probabilities[row->chosen] / sum : 0;
	prediction->of_best = sum > 0 ? best / sum : 0;
}

/* --- By rules --- */

/* The candidate that followed the previous task last, else that which has waited longest. */
static uint32_t rank_by_successor(const struct predict_row *row, const struct decision_place *place)
{
	uint32_t count = row->candidates.count, first = 0;

	while (first < count && row->candidates.roles[first] != place->successor)
		first++;
	first = first < count ? first : 0;
	return row->chosen >= count ? UINT32_MAX : row->chosen == first ? 0 : row->chosen + (row->chosen < first);
}

static void predict_uniform(const struct predict_row *row, struct prediction *prediction)
{
	double waiting = row->waiting;

	prediction->right = 1 / waiting;
	prediction->right_in_5 = waiting < CONTEXT_TOP ? 1 : CONTEXT_TOP / waiting;
	prediction->has_probability = true;
	prediction->of_target = prediction->of_best = 1 / waiting;
}

/* Of the predictors that say no probability. */
static uint32_t rank_by_rule(const struct learner *learner, enum predictor predictor, const struct predict_row *row,
			     const struct decision_place *place)
{
	if (predictor == PREDICTOR_CONSTANT)
		return row->chosen == learner->chosen_constant ? 0 : UINT32_MAX;
	if (predictor == PREDICTOR_LAST_SUCCESSOR)
		return rank_by_successor(row, place);
	return policy_rank((enum policy)(predictor - PREDICTOR_LONGEST_WAITING), row);
}

/* --- Both --- */

void decision_predict(const struct learner *learner, enum predictor predictor, const struct predict_row *row,
		      const struct decision_place *place, struct prediction *prediction)
{
	const struct sequence *roles = &learner->sequences[LEARNER_ROLES];

	if (predictor == PREDICTOR_MAJORITY || predictor_has_contexts(predictor))
		predict_by_roles(roles, predictor, row, place, prediction);
	else if (predictor == PREDICTOR_UNIFORM)
		predict_uniform(row, prediction);
	else
		judge_rank(rank_by_rule(learner, predictor, row, place), prediction);
	prediction->unseen = !sequence_has_seen(roles, row->role);
}
