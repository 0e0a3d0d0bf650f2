/* SPDX-License-Identifier: MIT
 *
 * Tests if two traces are identical event for event: times, CPUs, every byte of every event. For runs that must
 * repeat exactly. */
#ifndef MEASURE_EXACT_DIFFERENCE_H
#define MEASURE_EXACT_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct exact_difference {
	bool found;
	bool is_text;    /* one is a text trace: the parsed fields are identical, not every byte */
	uint64_t events; /* number of identical events before the difference, in time order over all CPUs */
	/* The first different event of each trace: "12.345678901 s, CPU 0: io-writer [199] S -> swapper/0 [0]", or
	 * "its end". */
	char a[256], b[256];
};

/* Each path may be "-". Reads both traces once, with little memory. Errors are those of reading a trace, and name it;
 * needs interrupt_catch(). Other contents of the files (statistics, names) are not compared. */
enum status exact_difference_find(const char *path_a, const char *path_b, struct exact_difference *difference,
				  struct error *err);

#endif
