/* SPDX-License-Identifier: MIT
 *
 * How a kernel was run, and its boots: in the record of each run, and for the set in vm.json. */
#ifndef VM_LAUNCH_LAUNCH_RECORD_H
#define VM_LAUNCH_LAUNCH_RECORD_H

#include "base/error.h"

struct launch;
struct run_report;

/* Writes DIR/SET/cells/runN.json, after all files of the run are in raw. */
enum status launch_record_run(const struct launch *launch, const struct run_report *report, struct error *err);
/* Takes the values of --value anew from the outputs of runs that exist, and renews their records if any has changed. */
enum status launch_renew_values(const struct launch *launch, struct error *err);
/* Writes DIR/SET/vm.json from the records of the runs. */
enum status launch_record_set(const struct launch *launch, struct error *err);

#endif
