/* SPDX-License-Identifier: MIT
 *
 * A tracer that falls behind because the tasks that it traces keep it from its CPU runs before them (SCHED_RR). */
#ifndef CAPTURE_PRECEDENCE_H
#define CAPTURE_PRECEDENCE_H

#include <sched.h>
#include <stdbool.h>

/* A zeroed one has not taken it. */
struct precedence {
	bool taken, refused;
	int policy; /* before */
	struct sched_param param;
};

/* Of the calling thread; where the system refuses, it goes on as it is. */
void precedence_take(struct precedence *precedence);
void precedence_return(struct precedence *precedence);

#endif
