/* SPDX-License-Identifier: MIT
 *
 * The predictors, in the order of their results. */
#ifndef DATA_PREDICT_PREDICTORS_H
#define DATA_PREDICT_PREDICTORS_H

enum predictor {
	PREDICTOR_CONSTANT,       /* the most frequent target of train.csv */
	PREDICTOR_MAJORITY,       /* the same with the frequencies as probabilities, and five answers */
	PREDICTOR_LAST_SUCCESSOR, /* what followed the previous task last */
	PREDICTOR_MARKOV1,        /* the history is that of the whole machine */
	PREDICTOR_MARKOV2,
	PREDICTOR_MARKOV3,
	PREDICTOR_PPM,
	PREDICTOR_MARKOV1_CPU, /* the history is that of the CPU */
	PREDICTOR_MARKOV2_CPU,
	PREDICTOR_MARKOV3_CPU,
	PREDICTOR_PPM_CPU,
	PREDICTOR_UNIFORM, /* from here on decisions only: each candidate alike */
	PREDICTOR_LONGEST_WAITING,
	PREDICTOR_LEAST_RUNTIME,
	PREDICTOR_HIGHEST_PRIORITY,
	PREDICTOR_CFS,
	PREDICTOR_EEVDF,
	PREDICTORS
};

#endif
