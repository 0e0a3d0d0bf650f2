/* SPDX-License-Identifier: MIT
 *
 * The built-in schedulers of sched_ext: reference policies that need no compiler, no libbpf and no file. */
#ifndef SCHEDULER_BUILTIN_TABLE_H
#define SCHEDULER_BUILTIN_TABLE_H

#include <stdbool.h>

#include "scheduler/bpf_instruction.h"
#include <stddef.h>

struct builtin_program {
	const char *operation; /* the member of struct sched_ext_ops; of several rows for one, the first whose functions
				  the kernel has */
	const struct bpf_row *rows;
	size_t count;
	bool may_sleep;
};

/* End with a row without operation. */
extern const struct builtin_program fifo_with_slice_programs[], vtime_programs[];

/* The programs' state: for each CPU the run time at which its task's account begins, then the virtual clock. Higher CPU
 * numbers wrap around. */
enum { STATE_CPUS = 8192, STATE_CLOCK = STATE_CPUS * 8, STATE_SIZE = STATE_CLOCK + 8 };

struct builtin_scheduler {
	const char *name;        /* "builtin:fifo", as --scheduler takes it, before a slice */
	const char *ops;         /* its name in /sys/kernel/sched_ext/root/ops */
	const char *description; /* one line */
	const char *algorithm;   /* what it does with tasks */
	const struct builtin_program *programs, *programs_with_slice; /* NULL: none; the kernel's defaults */
};

enum {
	SLICE_DEFAULT_NS = 20000000, /* SCX_SLICE_DFL, include/linux/sched/ext.h */
	SLICE_MIN_NS = 1000,
	SLICE_MAX_NS = 1000000000,
};

/* Ends with a row without name. */
extern const struct builtin_scheduler builtin_scheduler_table[];

#endif
