/* SPDX-License-Identifier: MIT
 *
 * How often the rows of a test asked what: after learning, a prediction of a sequence and its success depend on the
 * symbol, or on the step in a history, alone. So rows are tallied, and each distinct question is answered once, for all
 * its rows. Memory grows with what was learnt, not with the rows. */
#ifndef DATA_PREDICT_SEQUENCE_TALLY_H
#define DATA_PREDICT_SEQUENCE_TALLY_H

#include "data/predict/scores.h"
#include "data/predict/sequence.h"
#include "data/predict/step_tally.h"

/* A zeroed struct is empty. */
struct sequence_tally {
	struct tally symbols, successes; /* by symbol: rows; those where it followed the last time too */
	struct step_tally machine, cpu;
	uint64_t rows, choice_rows;
};

/* Of one row, by what the sequence said of it. False if memory ran out. */
bool sequence_tally_symbol(struct sequence_tally *tally, uint32_t symbol, uint32_t successor, bool has_choice);
bool sequence_tally_machine(struct sequence_tally *tally, const struct sequence *sequence,
			    const struct lanes_step *step, bool has_choice);
bool sequence_tally_cpu(struct sequence_tally *tally, const struct sequence *sequence, const struct lanes_step *step,
			bool has_choice);
/* False if there may be no room for so many more rows: score, and clear it. */
bool sequence_tally_has_room(const struct sequence_tally *tally, uint32_t rows);

/* Scores of all rows, and of those with a choice. */
struct sequence_scores {
	struct score *all, *choice;
};
/* Before the first sequence_tally_score(). */
void sequence_tally_end(struct sequence_tally *tally);
/* Of the predictors before PREDICTOR_UNIFORM. has_unseen_class: as struct predict_request.as_kerneloracle. */
void sequence_tally_score(const struct sequence_tally *tally, const struct sequence *sequence, enum predictor predictor,
			  bool has_unseen_class, const struct sequence_scores *scores);
void sequence_tally_clear(struct sequence_tally *tally);
void sequence_tally_free(struct sequence_tally *tally);

#endif
