/* SPDX-License-Identifier: MIT
 *
 * How long each part of a boot takes, from the times at which the guest's lines arrive. */
#ifndef VM_LAUNCH_BOOT_TIMES_H
#define VM_LAUNCH_BOOT_TIMES_H

#include <stddef.h>
#include <stdint.h>

#define BOOT_TIMES_MAX 64

/* Starts zeroed. */
struct boot_times {
	double boot_s; /* up to the first run */
	struct {
		char workload[64];
		double seconds; /* of all its runs */
		unsigned int runs;
	} items[BOOT_TIMES_MAX];
	size_t count;
	size_t current; /* index of the current run, if there is one: current_begin_s > 0 */
	uint32_t current_number;
	double current_begin_s;
};

/* Times are in seconds since the boot began. */
void boot_times_progress(struct boot_times *times, const char *workload, uint32_t runs_done, double at_s);
/* The job ended. */
void boot_times_end(struct boot_times *times, double at_s);

#endif
