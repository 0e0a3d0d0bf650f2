/* SPDX-License-Identifier: MIT
 *
 * The files of one run's guest on their way to DIR/SET/raw: the directory to which the guest writes, and what was taken
 * from there. */
#ifndef VM_LAUNCH_ARRIVAL_H
#define VM_LAUNCH_ARRIVAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "vm/launch/place.h"
#include "vm/launch/shared_memory_receive.h"

struct launch;

#define GUEST_STAGING ".guest-" /* in DIR/SET; then the number of the run, and "-XXXXXX" */

struct arrival {
	const struct launch *launch;
	uint32_t run;
	char staging[PATH_MAX]; /* share, scratch disk and shared memory of a running guest, and what has arrived */
	struct error failure;   /* the first of the host when it took files over, or STATUS_OK */
	/* Internal. */
	struct cleanup remove_staging;
	char arrived[PATH_MAX]; /* in staging: files of the guest, until those of a workload are all there */
	struct shared_memory_receiver memory; /* takes them while the guest runs */
};

/* Makes the directory. A zeroed struct becomes ready, and must not move until arrival_close(). */
enum status arrival_open(struct arrival *arrival, const struct launch *launch, uint32_t run, struct error *err);
/* The guest says that a file is whole, its trace before its JSON. True if it is the JSON of this run, and both are in
 * DIR/SET/raw now. Files in a share are checked after the guest's end. */
bool arrival_take_file(struct arrival *arrival, const char *name);
/* Call it for every end of a guest. Moves what has arrived to DIR/SET/raw, also after errors. */
struct transfer_report arrival_take_rest(struct arrival *arrival);
/* Removes the directory. */
void arrival_close(struct arrival *arrival);

#endif
