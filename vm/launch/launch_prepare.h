/* SPDX-License-Identifier: MIT
 *
 * The beginning of a launch, before its first run: its machine, its directory, and the runs of earlier launches: those
 * with the same inputs are kept and not run again. */
#ifndef VM_LAUNCH_LAUNCH_PREPARE_H
#define VM_LAUNCH_LAUNCH_PREPARE_H

#include "vm/launch/launch.h"

/* Chooses the accelerator, and fills in the job. */
enum status launch_choose_machine(struct launch *launch, struct error *err);
/* Finds launch->identity; leaves no files. */
enum status launch_identify(struct launch *launch, struct error *err);
/* The command line of a run, until boot_end(). */
void launch_command(const struct launch *launch, uint32_t run, struct boot *boot);
void launch_print_command(const struct launch *launch);
/* After launch_choose_machine(): names the directories and reads what is there. Changes no files. STATUS_USAGE,
 * with the inputs that differ, if the set has traces with other inputs and --force was not given. */
enum status launch_look_up(struct launch *launch, struct error *err);
/* After launch_look_up() of all launches: makes the directories, removes what killed launchers left. */
enum status launch_begin(struct launch *launch, struct error *err);
/* Reads the run's record: true if it shows a complete run with the same inputs. */
bool launch_has_run(const struct launch *launch, uint32_t run);
/* Shows how its guests will run. */
void launch_announce(const struct launch *launch);
/* Removes the staging directory of a run whose process was killed. */
void launch_remove_staging(const struct launch *launch, uint32_t run);

#endif
