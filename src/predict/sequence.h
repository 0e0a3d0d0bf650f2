/* SPDX-License-Identifier: MIT
 *
 * The predictors of one sequence of targets, names or roles: their counts, the histories of the machine and of its
 * CPUs, and the last successors. */
#ifndef PREDICT_SEQUENCE_H
#define PREDICT_SEQUENCE_H

#include "predict/context_model.h"
#include "predict/predictors.h"
#include "predict/rows.h"

/* Histories before a row. */
struct sequence_place {
	struct context_history machine, cpu;
	uint32_t prev, next;                        /* symbols; prev TEXT_NONE: the first of its CPU */
	uint32_t successor;                         /* what followed prev last, or TEXT_NONE */
	struct context_path machine_path, cpu_path; /* after sequence_look_up() */
};

/* A zeroed struct is empty. */
struct sequence {
	struct context_model machine, cpu;
	struct context_history machine_history, *cpu_histories;
	uint32_t cpus, trace; /* trace: number plus 1 of the one that the histories belong to */
	uint32_t *successors; /* by symbol: number plus 1 */
	uint32_t successor_count;
	/* Of train.csv, by symbol, and the most frequent; of equal ones the lower number comes first. */
	uint32_t *counts, count_capacity;
	uint64_t total;
	uint32_t alphabet; /* distinct symbols, and one for unseen ones */
	struct context_answer frequent;
	bool baselines_only;
};

/* The histories and the last successor of the row; then the row belongs to them. prev TEXT_NONE: the last of the CPU.
 * False if memory ran out. */
bool sequence_step(struct sequence *sequence, const struct predict_row *row, uint32_t prev, uint32_t next,
		   struct sequence_place *place);
/* Counts a row of train.csv. */
bool sequence_learn(struct sequence *sequence, const struct sequence_place *place);
bool sequence_finish(struct sequence *sequence);
bool sequence_has_seen(const struct sequence *sequence, uint32_t symbol);

/* Finds the contexts of a place, after sequence_finish(): what the predictors from PREDICTOR_MARKOV1 to
 * PREDICTOR_PPM_CPU have in common. */
void sequence_look_up(const struct sequence *sequence, struct sequence_place *place);
/* Of the predictors from PREDICTOR_MAJORITY to PREDICTOR_PPM_CPU, except the last successor: what a predictor knows at
 * a place, then its probabilities of symbols and its best answers. */
struct sequence_view {
	const struct sequence *sequence;
	const struct context_model *model;
	struct context_path path;
	enum predictor predictor;
};
struct sequence_view sequence_view(const struct sequence *sequence, enum predictor predictor,
				   const struct sequence_place *place);
double sequence_probability(const struct sequence_view *view, uint32_t symbol);
void sequence_best(const struct sequence_view *view, struct context_answer *answer);
void sequence_free(struct sequence *sequence);

#endif
