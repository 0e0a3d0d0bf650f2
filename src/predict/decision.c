/* SPDX-License-Identifier: MIT */
#include "predict/decision.h"

#include "predict/policies.h"

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

void decision_look_up(const struct lanes *history, const struct predict_row *row, struct decision_history *found)
{
	for (uint32_t i = 0; i < row->candidates.count; i++)
		found->entries[i] = context_model_find(&history->model, found->step.node, row->candidates.roles[i]);
}

/* Of each candidate. */
static void find_probabilities(const struct sequence *sequence, enum predictor predictor, const struct predict_row *row,
			       const struct decision_place *place, double *probabilities)
{
	bool is_cpu = predictor_is_of_cpu(predictor);
	const struct context_model *model = is_cpu ? &sequence->cpu.model : &sequence->machine.model;
	const struct decision_history *history = is_cpu ? &place->cpu : &place->machine;
	enum context_method method = predictor_method(predictor);

	for (uint32_t i = 0; i < row->candidates.count; i++)
		probabilities[i] = predictor == PREDICTOR_MAJORITY
				       ? sequence_frequency(sequence, row->candidates.roles[i])
				       : context_probability(model, method, history->step.node, history->entries[i]);
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
