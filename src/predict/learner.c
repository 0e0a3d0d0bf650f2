/* SPDX-License-Identifier: MIT */
#include "predict/learner.h"

#include "predict/policies.h"

/* The sequence that a target belongs to. */
static enum learner_sequence sequence_of(enum predict_target target)
{
	return target == TARGET_NAME ? LEARNER_NAMES : LEARNER_ROLES;
}

/* --- Learning --- */

bool learner_step(struct learner *learner, const struct predict_row *row, struct learner_place *place)
{
	return (!learner->has_names || sequence_step(&learner->sequences[LEARNER_NAMES], row, row->prev_name, row->name,
						     &place->of[LEARNER_NAMES])) &&
	       (!learner->has_roles || sequence_step(&learner->sequences[LEARNER_ROLES], row, row->prev_role, row->role,
						     &place->of[LEARNER_ROLES]));
}

bool learner_learn(struct learner *learner, const struct predict_row *row, const struct learner_place *place)
{
	if (row->chosen != UINT32_MAX)
		learner->chosen_counts[row->chosen]++;
	return (!learner->has_names || sequence_learn(&learner->sequences[LEARNER_NAMES], &place->of[LEARNER_NAMES])) &&
	       (!learner->has_roles || sequence_learn(&learner->sequences[LEARNER_ROLES], &place->of[LEARNER_ROLES]));
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

/* --- The next name or role --- */

static struct prediction judge(const struct context_answer *answer, uint32_t target)
{
	struct prediction prediction = {.of_best = answer->count ? answer->probability : 0};

	for (unsigned int i = 0; i < answer->count; i++)
		if (answer->symbols[i] == target)
			prediction.right_in_5 = 1;
	prediction.right = answer->count && answer->symbols[0] == target;
	return prediction;
}

static struct prediction predict_constant(const struct learner *learner, const struct sequence *sequence,
					  const struct sequence_place *place)
{
	double right = sequence->frequent.count && sequence->frequent.symbols[0] == place->next;

	/* In this coding class 0 is every PID that train.csv lacks. */
	if (learner->as_kerneloracle)
		right = !sequence_has_seen(sequence, place->next);
	return (struct prediction){.right = right, .right_in_5 = right};
}

static struct prediction predict_symbol(const struct learner *learner, const struct sequence *sequence,
					enum predictor predictor, const struct sequence_place *place)
{
	struct context_answer answer = {.symbols = {place->successor}, .count = place->successor != TEXT_NONE};
	struct prediction prediction;

	if (predictor == PREDICTOR_CONSTANT) {
		prediction = predict_constant(learner, sequence, place);
	} else if (predictor == PREDICTOR_LAST_SUCCESSOR) {
		prediction = judge(&answer, place->next);
	} else {
		const struct sequence_view view = sequence_view(sequence, predictor, place);
		sequence_best(&view, &answer);
		prediction = judge(&answer, place->next);
		prediction.has_probability = true;
		prediction.of_target = sequence_probability(&view, place->next);
	}
	prediction.unseen = !sequence_has_seen(sequence, place->next);
	return prediction;
}

/* --- The next decision --- */

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

/* The candidates by what the predictor of roles thinks of each. */
static struct prediction predict_by_roles(const struct learner *learner, enum predictor predictor,
					  const struct predict_row *row, const struct sequence_place *place)
{
	const struct sequence_view view = sequence_view(&learner->sequences[LEARNER_ROLES], predictor, place);
	uint32_t count = row->candidates.count;
	double probabilities[DECISION_CANDIDATES_MAX], sum = 0, best = 0;

	for (uint32_t i = 0; i < count; i++) {
		probabilities[i] = sequence_probability(&view, row->candidates.roles[i]);
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

/* The candidate that followed the previous task last, else that which has waited longest. */
static struct prediction predict_by_successor(const struct predict_row *row, const struct sequence_place *place)
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

static struct prediction predict_decision(const struct learner *learner, enum predictor predictor,
					  const struct predict_row *row, const struct sequence_place *place)
{
	if (predictor == PREDICTOR_CONSTANT)
		return judge_rank(row->chosen == learner->chosen_constant ? 0 : UINT32_MAX);
	if (predictor == PREDICTOR_LAST_SUCCESSOR)
		return predict_by_successor(row, place);
	if (predictor < PREDICTOR_UNIFORM)
		return predict_by_roles(learner, predictor, row, place);
	if (predictor == PREDICTOR_UNIFORM)
		return predict_uniform(row);
	return judge_rank(policy_rank((enum policy)(predictor - PREDICTOR_LONGEST_WAITING), row));
}

void learner_look_up(const struct learner *learner, enum predict_target target, struct learner_place *place)
{
	enum learner_sequence which = sequence_of(target);

	sequence_look_up(&learner->sequences[which], &place->of[which]);
}

struct prediction learner_predict(const struct learner *learner, enum predict_target target, enum predictor predictor,
				  const struct predict_row *row, const struct learner_place *place)
{
	enum learner_sequence which = sequence_of(target);
	const struct sequence *sequence = &learner->sequences[which];

	if (target != TARGET_DECISION)
		return predict_symbol(learner, sequence, predictor, &place->of[which]);
	struct prediction prediction = predict_decision(learner, predictor, row, &place->of[which]);
	prediction.unseen = !sequence_has_seen(sequence, row->role);
	return prediction;
}
