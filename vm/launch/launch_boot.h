/* SPDX-License-Identifier: MIT
 *
 * One boot of a prepared launch, in a process of its own (vm/launch/cell_process.h), from its files to the end of the
 * guest. */
#ifndef VM_LAUNCH_LAUNCH_BOOT_H
#define VM_LAUNCH_LAUNCH_BOOT_H

#include <stdint.h>

struct launch;
struct boot_report;

/* Sets what is particular to the boot of this run: its number, its seed, its name. */
void launch_set_run(struct launch *launch, uint32_t run);
/* Boots it and receives its traces; a guest that dies before its first run is started once more. Whatever happened is
 * in the report. Nothing is left but DIR/SET/raw and the logs. */
void launch_boot(struct launch *launch, uint32_t run, struct boot_report *report);

#endif
