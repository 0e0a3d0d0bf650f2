/* SPDX-License-Identifier: MIT
 *
 * Explains the end of a guest to the user. */
#ifndef VM_LAUNCH_LAUNCH_OUTCOME_H
#define VM_LAUNCH_LAUNCH_OUTCOME_H

#include "base/error.h"

struct launch;

/* STATUS_OK, or an error with a remedy. */
enum status launch_outcome(const struct launch *launch, struct error *err);

#endif
