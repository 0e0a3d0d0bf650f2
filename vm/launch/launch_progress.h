/* SPDX-License-Identifier: MIT
 *
 * Shows reports of the guest to the user. */
#ifndef VM_LAUNCH_LAUNCH_PROGRESS_H
#define VM_LAUNCH_LAUNCH_PROGRESS_H

#include "vm/protocol/guest_progress.h"

struct launch;

/* context is the launch. */
void launch_show_line(void *context, const struct guest_line *line);
/* Shows the last problem if it is still held back. */
void launch_show_problem(struct launch *launch);

#endif
