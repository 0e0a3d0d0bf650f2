/* SPDX-License-Identifier: MIT
 *
 * What one trace lost, from whatever told of it. */
#ifndef RUNS_LOSS_H
#define RUNS_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "sched/stream.h"

#define LOSS_MOST_CPUS 1024

struct loss_cpu {
	uint32_t cpu;
	bool cpu_known;
	uint64_t events; /* 0: how many is not known */
	/* Where the trace itself tells: they are missing between these two events of the CPU, at so many places. */
	uint64_t places, after_ns, before_ns;
};

/* A zeroed struct lost nothing. */
struct loss {
	struct loss_cpu *cpus;
	size_t cpu_count;
	bool incomplete; /* the trace ends before its end */
};

/* Sources overlap (the metadata repeats what the trace's own statistics say), so the larger figure of a
 * CPU counts. More CPUs than LOSS_MOST_CPUS are taken together as one unknown. False where memory ran out. */
bool loss_add(struct loss *loss, bool cpu_known, uint32_t cpu, uint64_t events);
/* What a trace told of its CPUs, as sched_stream_losses() gives it, with its times. */
bool loss_add_told(struct loss *loss, const struct sched_loss *told, size_t count);
bool loss_any(const struct loss *loss);
uint64_t loss_events(const struct loss *loss);
/* "1234 events (1200 on CPU 0 between 8.100000 and 8.200000 s, 34 on CPU 2)", for a message. */
void loss_describe(const struct loss *loss, struct buffer *text);
void loss_free(struct loss *loss);

#endif
