/* SPDX-License-Identifier: MIT
 *
 * The schedulers of sched_ext that picknext has itself: reference policies that need no compiler, no libbpf and no
 * file. */
#ifndef SCHEDULER_BUILTIN_TABLE_H
#define SCHEDULER_BUILTIN_TABLE_H

struct builtin_scheduler {
	const char *name;        /* "builtin:fifo", as --scheduler takes it */
	const char *ops;         /* its name in /sys/kernel/sched_ext/root/ops */
	const char *description; /* one line */
	const char *algorithm;   /* what it does with tasks */
};

/* Ends with a row without name. */
extern const struct builtin_scheduler builtin_scheduler_table[];

#endif
