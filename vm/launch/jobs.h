/* SPDX-License-Identifier: MIT
 *
 * The number of deterministic guests to run at a time: each takes one CPU and its memory. */
#ifndef VM_LAUNCH_JOBS_H
#define VM_LAUNCH_JOBS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOBS_MAX 256

struct jobs_host {
	unsigned int cpus;     /* that this process may use */
	double idle_cpus;      /* of them */
	uint64_t available_mb; /* memory */
};

unsigned int jobs_host_cpus(void);
/* The number of guests of memory_mb that have a free CPU and memory, from 1 to JOBS_MAX. */
unsigned int jobs_default(const struct jobs_host *host, uint64_t memory_mb);

/* Returns wanted, or if that is 0 (not given): jobs_default() of this machine for deterministic guests, which do not
 * disturb each other; else 1. */
unsigned int jobs_choose(uint64_t wanted, bool deterministic, uint64_t memory_mb);

/* Exported for tests. The ticks of the allowed CPUs in the text of /proc/stat: all, and those idle. */
void jobs_parse_stat(const char *text, const cpu_set_t *allowed, uint64_t *all, uint64_t *idle);

#endif
