/* SPDX-License-Identifier: MIT
 *
 * The runs that a set has from earlier launches: those with the same inputs are kept and not run again. */
#ifndef VM_LAUNCH_LAUNCH_RESUME_H
#define VM_LAUNCH_LAUNCH_RESUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct launch;

/* Reads the boots that the records of DIR/SET/cells have into launch->records; launch->identity is known. STATUS_USAGE
 * names the inputs that differ if the set has traces of others, unless the request forces it. Changes no file. */
enum status launch_read_records(struct launch *launch, struct error *err);
/* After the directories are made: forgets boots with other inputs; with force, their files are removed. */
void launch_drop_others(struct launch *launch);
/* Whether the run is there whole, with the same inputs, as its record says now. */
bool launch_has_run(const struct launch *launch, uint32_t run);

#endif
