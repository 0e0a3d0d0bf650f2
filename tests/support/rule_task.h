/* SPDX-License-Identifier: MIT
 *
 * Keys and kernels of the unit tests of rules. */
#ifndef SUPPORT_RULE_TASK_H
#define SUPPORT_RULE_TASK_H

#include "rules/entity.h"
#include "rules/key_events.h"

#define MS UINT64_C(1000000)

static const struct rule_traits eevdf = {.has_deadline = true, .run_to_parity = true};
static const struct rule_traits cfs = {.has_buddies = true};
static const struct key_mark no_features = {.hz = 250};

/* A task of nice 0, on its queue, with a whole request of 3 ms ahead. */
static inline struct rule_entity task(uint64_t id, uint64_t vruntime)
{
	return (struct rule_entity){.id = id,
				    .vruntime = vruntime,
				    .deadline = vruntime + 3 * MS,
				    .weight = RULE_NICE_0_WEIGHT,
				    .slice = 3 * MS,
				    .slice_max = 3 * MS,
				    .on_rq = true};
}

#endif
