/* SPDX-License-Identifier: MIT
 *
 * What a launch does before its first run: its machine, its directory, its plan, and the runs that are there from
 * earlier launches: those with the same inputs are kept and not run again. */
#ifndef VM_LAUNCH_LAUNCH_PREPARE_H
#define VM_LAUNCH_LAUNCH_PREPARE_H

#include "runs/recipe.h"
#include "vm/launch/launch.h"

/* Chooses the accelerator, and fills in the job. */
enum status launch_choose_machine(struct launch *launch, struct error *err);
/* Finds launch->identity; leaves nothing. */
enum status launch_identify(struct launch *launch, struct error *err);
/* The command line of a run, until boot_end(). */
void launch_command(const struct launch *launch, uint32_t run, struct boot *boot);
void launch_print_command(const struct launch *launch);
/* Adds the set with its runs. After launch_identify(). */
void launch_add_to_plan(const struct launch *launch, struct plan *plan);
/* After launch_choose_machine(): names the directories and reads what is there. Nothing is changed. STATUS_USAGE names
 * the inputs that differ if the set has traces of others, unless they are to be replaced. */
enum status launch_look_up(struct launch *launch, struct error *err);
/* After launch_look_up() of all launches: makes the directories, removes what killed launchers left. */
enum status launch_begin(struct launch *launch, struct error *err);
/* Whether the run is there whole, with the same inputs, as its record says now. */
bool launch_has_run(const struct launch *launch, uint32_t run);
/* Says how its guests will run. */
void launch_announce(const struct launch *launch);
/* Removes the staging directory of a run whose process was killed. */
void launch_remove_staging(const struct launch *launch, uint32_t run);

#endif
