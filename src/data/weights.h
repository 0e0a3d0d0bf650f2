/* SPDX-License-Identifier: MIT
 *
 * Weights of rows, so that each workload of a file counts the same although they have different numbers of rows. The
 * mean weight of a file is 1. Pure. */
#ifndef DATA_WEIGHTS_H
#define DATA_WEIGHTS_H

#include "data/decision_traces.h"

/* Sets the weight of each trace that is not left out. After the first pass, and after the split. */
void weights_set(struct decision_traces *traces);
/* The lowest and the highest of the traces that have rows. */
void weights_range(const struct decision_traces *traces, double *min, double *max);

#endif
