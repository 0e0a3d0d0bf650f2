/* SPDX-License-Identifier: MIT
 *
 * Events that a trace lost: one type for the ring buffer, the JSON of a run and the readers of its trace. */
#ifndef RUNS_LOSS_H
#define RUNS_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define LOSS_CPU_UNKNOWN UINT32_MAX
#define LOSS_CPUS_MAX    1024
#define LOSS_PLACES_MAX  1000

/* Events missing on a CPU. */
struct loss {
	uint32_t cpu;    /* LOSS_CPU_UNKNOWN: the trace does not name it */
	uint64_t events; /* 0: unknown number */
	uint64_t places; /* gaps in the trace; 0: only the number of events is known */
	/* Trace clock: all of them are between these two times. before_ns 0: unknown. */
	uint64_t after_ns, before_ns;
};

/* A zeroed struct lost nothing. */
struct losses {
	struct loss *items;
	size_t count, capacity;
	bool incomplete; /* the trace is truncated */
};

/* Keeps one item per CPU. Sources overlap (the metadata repeats the trace's own statistics), so the larger count of a
 * CPU is kept, and the places of the last source that has any. CPUs beyond LOSS_CPUS_MAX are counted together as one
 * unknown CPU. */
void losses_add(struct losses *losses, const struct loss *loss);
/* Keeps one item per place. Places of a CPU come in time order; overlapping ones are merged. place->places is not used.
 * Beyond LOSS_PLACES_MAX, a place is merged into the last one of its CPU. */
void losses_add_place(struct losses *losses, const struct loss *place);
/* By time, then by CPU. */
void losses_sort(struct losses *losses);

bool losses_any(const struct losses *losses);
uint64_t losses_events(const struct losses *losses);
/* "1234 events (1200 on CPU 0 between 8.100000 and 8.200000 s, 34 on CPU 2)", for a message. Places of one CPU are
 * shown together. */
void losses_describe(const struct losses *losses, struct buffer *text);
void losses_free(struct losses *losses);

/* The kernel's counts of one CPU's buffer; source: tracing_stats_read() in kernel/trace/trace.c. */
struct ring_stats {
	uint32_t cpu;
	uint64_t entries; /* still in the buffer; in the metadata of a run: all that were recorded */
	uint64_t read_events, bytes;
	uint64_t overrun; /* events overwritten by newer ones: lost */
	uint64_t commit_overrun;
	uint64_t dropped_events; /* new events dropped because the buffer was full */
	uint64_t now_us;         /* trace clock if it counts nanoseconds; otherwise 0 */
	/* In the metadata of a flight recording: events older than its start, which are not lost. */
	bool has_overwritten;
	uint64_t overwritten;
};

/* Events lost before they were read; UINT64_MAX if the sum overflows. */
uint64_t ring_stats_lost(const struct ring_stats *stats);

#endif
