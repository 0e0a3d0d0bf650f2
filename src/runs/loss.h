/* SPDX-License-Identifier: MIT
 *
 * Events that one trace lost, from all sources that report losses. */
#ifndef RUNS_LOSS_H
#define RUNS_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define LOSS_CPUS_MAX 1024

struct loss_cpu {
	uint32_t cpu;
	bool cpu_known;
	uint64_t events; /* 0: unknown number */
	/* Set if the trace itself reports the loss: the number of gaps, and the times of the two events of the CPU
	 * around them. */
	uint64_t places, after_ns, before_ns;
};

/* A zeroed struct lost nothing. */
struct loss {
	struct loss_cpu *cpus;
	size_t cpu_count;
	bool incomplete; /* the trace is truncated */
};

/* Sources overlap (the metadata repeats what the trace's own statistics say), so the larger count of a
 * CPU is kept. CPUs beyond LOSS_CPUS_MAX are counted together as one unknown CPU. False if memory ran out. */
bool loss_add(struct loss *loss, bool cpu_known, uint32_t cpu, uint64_t events);
/* The same for a loss that the trace itself reports. */
bool loss_add_places(struct loss *loss, const struct loss_cpu *reported);
bool loss_any(const struct loss *loss);
uint64_t loss_events(const struct loss *loss);
/* "1234 events (1200 on CPU 0 between 8.100000 and 8.200000 s, 34 on CPU 2)", for a message. */
void loss_describe(const struct loss *loss, struct buffer *text);
void loss_free(struct loss *loss);

#endif
