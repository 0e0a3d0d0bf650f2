/* SPDX-License-Identifier: MIT
 *
 * Programs that picknext fetch schedulers has built. */
#ifndef SCHEDULER_FETCHED_PROGRAM_H
#define SCHEDULER_FETCHED_PROGRAM_H

#include "base/error.h"
#include "scheduler/scheduler_spec.h"

/* Puts the path of a fetched program into a spec whose program has no path and is not in PATH, if there is one of that
 * name. */
enum status scheduler_find_fetched(struct scheduler_spec *spec, struct error *err);

#endif
