/* SPDX-License-Identifier: MIT
 *
 * Rules of schedulers, applied to the candidates of a decision as far as the trace shows them. A virtual runtime is the
 * CPU time in the trace times 1024 through the weight of the task's nice level (1024 / 1.25^nice); the kernel's own
 * one, with its placement after sleep, is not in a trace. Unknown values count as 0. Pure. */
#ifndef DATA_PREDICT_POLICIES_H
#define DATA_PREDICT_POLICIES_H

#include "data/predict/rows.h"

enum policy {
	POLICY_LONGEST_WAITING,
	POLICY_LEAST_RUNTIME,
	POLICY_HIGHEST_PRIORITY,
	POLICY_CFS,   /* real-time tasks by priority, then the least virtual runtime */
	POLICY_EEVDF, /* the same, then of the tasks whose virtual runtime is at most the mean the earliest deadline */
	POLICIES
};

/* At which place, from 0, the policy would choose the row's chosen candidate; of equal ones, that which has waited
 * longer comes first. UINT32_MAX: it is not listed. */
uint32_t policy_rank(enum policy policy, const struct predict_row *row);

#endif
