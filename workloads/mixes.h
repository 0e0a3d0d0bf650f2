/* SPDX-License-Identifier: MIT
 *
 * The built-in mixes. */
#ifndef WORKLOADS_MIXES_H
#define WORKLOADS_MIXES_H

#include "workloads/mix_tasks.h"

/* NULL after the last one. */
const struct workload *mixes_at(size_t number);

#endif
