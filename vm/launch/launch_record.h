/* SPDX-License-Identifier: MIT
 *
 * How a kernel was run, and its boots: in the record of each cell, and for the set in vm.json. */
#ifndef VM_LAUNCH_LAUNCH_RECORD_H
#define VM_LAUNCH_LAUNCH_RECORD_H

#include "base/error.h"

struct boot_record;
struct launch;

/* Writes DIR/SET/cells/runN.json, after all files of the run are in raw. */
enum status launch_record_cell(struct launch *launch, const struct boot_record *record, struct error *err);
/* Writes DIR/SET/vm.json from the records of the cells. */
enum status launch_record_set(const struct launch *launch, struct error *err);

#endif
