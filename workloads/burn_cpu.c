/* SPDX-License-Identifier: MIT */
#include "workloads/burn_cpu.h"

#include <math.h>

#define ROUNDS_PER_CHECK 1000

double burn_rounds(double x, unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		x = sin(x) * cos(x) + sqrt(fabs(x) + 1);
	return x;
}

int burn_cpu(struct workload_tasks *tasks, uint64_t *rounds)
{
	double x = 1;

	*rounds = 0;
	while (task_goes_on(tasks, *rounds / ROUNDS_PER_CHECK)) {
		x = burn_rounds(x, ROUNDS_PER_CHECK);
		*rounds += ROUNDS_PER_CHECK;
	}
	/* Use the result, so that the compiler keeps the loop. */
	return x < 0 ? task_fail(tasks, 0, "arithmetic is broken: x is %g", x) : 0;
}
