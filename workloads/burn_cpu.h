/* SPDX-License-Identifier: MIT
 *
 * Arithmetic that never sleeps: cpu_bound's whole work, and that of io_mixed's burners. */
#ifndef WORKLOADS_BURN_CPU_H
#define WORKLOADS_BURN_CPU_H

#include "workloads/runner/task.h"

/* The result of that many rounds of x = sin(x) * cos(x) + sqrt(|x| + 1), from x on. It stays between 0 and 3. */
double burn_rounds(double x, unsigned int rounds);

/* Computes such rounds until the run is over, and checks for its end every 1000 of them, which are one loop. Returns 0,
 * or -1 after task_fail(). */
int burn_cpu(struct workload_tasks *tasks, uint64_t *rounds);

#endif
