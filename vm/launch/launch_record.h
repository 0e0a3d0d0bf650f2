/* SPDX-License-Identifier: MIT
 *
 * The records of a launch: vm.json of the set, and one file per run. */
#ifndef VM_LAUNCH_LAUNCH_RECORD_H
#define VM_LAUNCH_LAUNCH_RECORD_H

#include "base/error.h"

struct launch;
struct run_report;

/* Writes DIR/SET/vm.json: how the kernel is run, the identity of its inputs, and the runs that are wanted, including
 * those of earlier commands with the same inputs. */
enum status launch_record_set(const struct launch *launch, struct error *err);
/* Writes DIR/SET/boots/runN.json, after all files of the run are in raw. */
enum status launch_record_run(const struct launch *launch, const struct run_report *report, struct error *err);
/* Reads the values of --value again from the outputs of existing runs, and rewrites records that have changed. */
enum status launch_renew_values(const struct launch *launch, struct error *err);

#endif
