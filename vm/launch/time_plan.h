/* SPDX-License-Identifier: MIT
 *
 * The time that a number of boots needs: estimated before the first one, and corrected by how long the boots take. */
#ifndef VM_LAUNCH_TIME_PLAN_H
#define VM_LAUNCH_TIME_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "vm/launch/boot_history.h"

struct time_plan_boot {
	double expected_s;
	double begin_s, end_s; /* 0: not yet */
};

/* Starts zeroed. */
struct time_plan {
	struct time_plan_boot *boots;
	size_t count;
	unsigned int jobs;           /* at a time */
	enum duration_origin origin; /* the worst of all boots */
};

/* The workloads of one boot. */
struct boot_content {
	const char *mode, *release;
	const char *const *workloads; /* NULL-terminated */
	unsigned int runs;            /* of each */
	double scale;
};

/* Adds a boot, in the order in which they will start; false: out of memory. */
bool time_plan_add(struct time_plan *plan, const struct boot_history *history, const struct boot_content *content);
void time_plan_free(struct time_plan *plan);

/* boot: its index. now_s: of any clock that does not go back, above 0. */
void time_plan_begin(struct time_plan *plan, size_t boot, double now_s);
void time_plan_end(struct time_plan *plan, size_t boot, double now_s);

/* It will not be started. */
void time_plan_leave_out(struct time_plan *plan, size_t boot);

/* Seconds until all boots have ended. */
double time_plan_left(const struct time_plan *plan, double now_s);

/* "about 40 s", "about 12 min", "about 3 h". */
void time_plan_text(double seconds, char *text, size_t size);
/* "about 4 min in all (measured on this machine)" */
void time_plan_describe(const struct time_plan *plan, char *text, size_t size);

#endif
