/* SPDX-License-Identifier: MIT
 *
 * A run of a kernel set: one boot with its number, which is the seed of a deterministic guest. It is made in a process
 * of its own (run_process.h), from its files to the end of the guest. */
#ifndef VM_LAUNCH_GUEST_RUN_H
#define VM_LAUNCH_GUEST_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "vm/launch/run_report.h"

struct launch;

#define CONSOLE_LOGS "console" /* directories of DIR/SET */
#define ENGINE_LOGS  "engine"

/* "base, seed 3" */
void guest_run_name(const struct launch *launch, uint32_t number, char *name, size_t size);
/* Boots it and receives its traces; a guest that dies before its first run is started once more. The report has
 * the outcome. Only DIR/SET/raw and the logs remain. */
void guest_run_make(const struct launch *launch, uint32_t number, const struct run_listener *listener,
		    struct run_report *report);

#endif
