/* SPDX-License-Identifier: MIT
 *
 * One sequence of targets, names or roles, as the predictors know it: how often each came, the histories of the machine
 * and of its CPUs, and the last successors. */
#ifndef DATA_PREDICT_SEQUENCE_H
#define DATA_PREDICT_SEQUENCE_H

#include "data/predict/context_answer.h"
#include "data/predict/lanes.h"
#include "data/predict/predictors.h"
#include "data/predict/rows.h"

/* A zeroed struct is empty. */
struct sequence {
	struct lanes machine, cpu;
	uint32_t *successors; /* by symbol: number plus 1 */
	uint32_t successor_count;
	/* By CPU: the last symbol plus 1, in the trace of this number plus 1; for rows that do not say it. */
	uint32_t *lasts, last_count, lasts_trace;
	/* Of train.csv, by symbol, and the most frequent; of equal ones the lower number comes first. */
	uint32_t *counts, count_capacity;
	uint64_t total;
	uint32_t alphabet; /* distinct symbols, and one for unseen ones */
	struct context_answer frequent;
};

/* What a sequence says of a row. */
struct sequence_row {
	struct lanes_place place;
	uint32_t prev, next; /* symbols; prev TEXT_NONE: the last of its CPU */
};

/* Counts a row of train.csv, also in the histories unless they are not needed. False if memory ran out. */
bool sequence_learn(struct sequence *sequence, const struct sequence_row *row, bool has_histories);
/* Ends the learning. */
bool sequence_finish(struct sequence *sequence);

/* After finish(), for rows of the tests. *successor: what followed row->prev last, or TEXT_NONE; now this row does. */
bool sequence_succeed(struct sequence *sequence, const struct sequence_row *row, uint32_t *successor);
bool sequence_follow_machine(struct sequence *sequence, const struct sequence_row *row, struct lanes_step *step);
bool sequence_follow_cpu(struct sequence *sequence, const struct sequence_row *row, struct lanes_step *step);
bool sequence_has_seen(const struct sequence *sequence, uint32_t symbol);

/* Of the majority: its probability of a symbol. */
double sequence_frequency(const struct sequence *sequence, uint32_t symbol);

/* Of the predictors from PREDICTOR_MARKOV1 to PREDICTOR_PPM_CPU. */
static inline bool predictor_has_contexts(enum predictor predictor)
{
	return predictor >= PREDICTOR_MARKOV1 && predictor <= PREDICTOR_PPM_CPU;
}
static inline bool predictor_is_of_cpu(enum predictor predictor)
{
	return predictor >= PREDICTOR_MARKOV1_CPU;
}
static inline enum context_method predictor_method(enum predictor predictor)
{
	return (enum context_method)(predictor_is_of_cpu(predictor) ? predictor - PREDICTOR_MARKOV1_CPU
								    : predictor - PREDICTOR_MARKOV1);
}
void sequence_free(struct sequence *sequence);

#endif
