/* SPDX-License-Identifier: MIT
 *
 * When a buffer that was being read out had to refuse events: how many, on which CPU, and between which two times.
 * Pure. */
#ifndef CAPTURE_LOSS_LOG_H
#define CAPTURE_LOSS_LOG_H

#include <stddef.h>
#include <stdint.h>

/* More places than this are told as if they were one with the last of their CPU. */
#define LOSS_LOG_MOST 1000

struct loss_place {
	unsigned int cpu;
	uint64_t events;
	uint64_t after_ns,
	    before_ns; /* of the trace clock: after the one, before the other; events in the trace where known */
};

struct loss_log {
	struct loss_place *places; /* each CPU's in the order of time */
	size_t count, capacity;
};

/* Joins a place of the same CPU that ends where this one begins. What memory has no room for is added to the last
 * place. */
void loss_log_add(struct loss_log *log, const struct loss_place *place);
/* By time, then by CPU. */
void loss_log_sort(struct loss_log *log);
void loss_log_free(struct loss_log *log);

#endif
