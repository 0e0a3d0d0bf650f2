/* SPDX-License-Identifier: MIT
 *
 * Whether two traces are the same event for event: times, CPUs, every byte of every event. For runs that are meant to
 * repeat exactly. */
#ifndef COMPARE_EXACT_DIFFERENCE_H
#define COMPARE_EXACT_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct exact_difference {
	bool found;
	bool is_text;    /* one is a text trace: what is read of that is the same, not every byte */
	uint64_t events; /* that are the same, before it or in all; in the order of time over all CPUs */
	/* The first that is not, of either trace: "12.345678901 s, CPU 0: io-writer [199] S -> swapper/0 [0]", or "its
	 * end". */
	char a[256], b[256];
};

/* Each is a path or "-". Reads both once, in little memory. Errors are those of reading a trace, and name it; needs
 * interrupt_catch(). What stands in the files besides events (statistics, names) is not looked at. */
enum status exact_difference_find(const char *path_a, const char *path_b, struct exact_difference *difference,
				  struct error *err);

#endif
