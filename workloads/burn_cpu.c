/* SPDX-License-Identifier: MIT */
#include "workloads/burn_cpu.h"

#include <math.h>

#define ROUNDS_PER_CHECK 1000

int burn_cpu(struct workload_tasks *tasks, uint64_t *rounds)
{
	double x = 1;

	*rounds = 0;
	while (task_goes_on(tasks, *rounds / ROUNDS_PER_CHECK)) {
		for (unsigned int i = 0; i < ROUNDS_PER_CHECK; i++)
			x = sin(x) * cos(x) + sqrt(fabs(x) + 1);
		*rounds += ROUNDS_PER_CHECK;
	}
	/* Use the result, so that the compiler keeps the loop: x stays between 0 and 3. */
	return x < 0 ? task_fail(tasks, 0, "arithmetic is broken: x is %g", x) : 0;
}
