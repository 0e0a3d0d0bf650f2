/* SPDX-License-Identifier: MIT
 *
 * The lines of a running guest, and its silence: messages for the user, and for the parent of the run's process. */
#ifndef VM_LAUNCH_GUEST_LINES_H
#define VM_LAUNCH_GUEST_LINES_H

#include "vm/launch/guest_run_state.h"

/* The callbacks line and silent of supervise.h, with a struct guest_run as context. Silence is reported long before
 * its time limit ends the guest. */
void guest_lines_take(void *context, const struct guest_line *line);
void guest_lines_show_silence(void *context, unsigned int seconds);
/* Shows the guest's last problem, which was held back since it may be the reason of its end. */
void guest_lines_show_problem(struct guest_run *run);

#endif
