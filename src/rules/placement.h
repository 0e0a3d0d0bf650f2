/* SPDX-License-Identifier: MIT
 *
 * Where a woken or new task is put: the rule of select_task_rq_fair() of Linux 6.1 and later, for equal cores that
 * share a cache, and of select_task_rq_rt(). Loads, which decide if a task may well stay or go, are in no trace: then
 * the rule leaves several CPUs. Sets of CPUs have a bit each. */
#ifndef RULES_PLACEMENT_H
#define RULES_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* The step of the rule that decides: an invariant each. */
enum placement_step { PLACED_ON_PREVIOUS, PLACED_BY_HINT, PLACED_BY_SEARCH, PLACED_BY_PRIORITY, PLACED_NEW };

struct placement {
	int32_t pid, waker;
	uint64_t since_ns;
	uint32_t cpu, previous, recent; /* of the waker; on which the task ran last, and before */
	uint32_t scan;                  /* CPUs that the search may look at: nr_idle_scan */
	uint32_t result;                /* UINT32_MAX: not seen yet */
	uint64_t cpus;                  /* on which it may run, without isolated ones */
	/* CPUs that are idle (real time: that run lower classes), that run SCHED_IDLE alone, of which it is not known.
	 */
	uint64_t idle, gives_way, unknown;
	bool is_real_time, is_new;
	bool is_certain;  /* scan is */
	bool has_hint;    /* the waker says that it will sleep */
	bool is_lone;     /* and is alone on its CPU, */
	bool sleeps;      /* and has slept, so that it was not exiting, which voids the hint */
	bool may_be_wide; /* both wake so many others that the waker's CPU may be left out */
	bool may_stack;   /* the waker may be a kernel thread of its CPU */
};

static inline uint64_t cpu_bit(uint32_t cpu)
{
	return cpu < 64 ? UINT64_C(1) << cpu : 0;
}

/* The CPUs of which the rule chooses one; 0: not known. */
uint64_t placement_choice(const struct placement *placement, enum placement_step *step);

#endif
