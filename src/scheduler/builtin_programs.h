/* SPDX-License-Identifier: MIT
 *
 * The BPF programs of the builtin schedulers. */
#ifndef SCHEDULER_BUILTIN_PROGRAMS_H
#define SCHEDULER_BUILTIN_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "scheduler/bpf_instruction.h"

struct builtin_program {
	const char *operation; /* the member of struct sched_ext_ops; of several rows for one, the first whose functions
				  the kernel has */
	const struct bpf_row *rows;
	size_t count;
	bool may_sleep;
};

/* End with a row without operation. */
extern const struct builtin_program fifo_with_slice_programs[], vtime_programs[];

/* The programs' state: for each CPU the run time at which its task's account begins, then the virtual clock. CPUs
 * beyond share places. */
enum { STATE_CPUS = 8192, STATE_CLOCK = STATE_CPUS * 8, STATE_SIZE = STATE_CLOCK + 8 };

#endif
