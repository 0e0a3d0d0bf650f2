/* SPDX-License-Identifier: MIT
 *
 * All that comes before the first boot of a launch. */
#ifndef VM_LAUNCH_LAUNCH_PREPARE_H
#define VM_LAUNCH_LAUNCH_PREPARE_H

#include <stdint.h>

#include "base/error.h"

struct launch;
struct recipe;

/* Chooses the accelerator, and fills in the job. */
enum status launch_choose_machine(struct launch *launch, struct error *err);
/* Finds launch->identity; leaves nothing. */
enum status launch_identify(struct launch *launch, struct error *err);
/* A copy of the recipe, of the set or of its plan, with the mode that was chosen. */
void launch_copy_recipe(const struct launch *launch, const struct recipe *from, struct recipe *to);
/* Makes the command line of a run, until boot_end(). */
void launch_command(struct launch *launch, uint32_t run);
void launch_print_command(struct launch *launch);
/* After launch_choose_machine(): names the directories and reads what is there. Nothing is changed. */
enum status launch_look_up(struct launch *launch, struct error *err);
/* After launch_look_up() of all launches: makes the directories, and says how its guests will run. */
enum status launch_begin(struct launch *launch, struct error *err);

#endif
