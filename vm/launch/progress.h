/* SPDX-License-Identifier: MIT
 *
 * The progress of all boots: one line on a terminal, a line per minute in a log; and how long they still take. */
#ifndef VM_LAUNCH_PROGRESS_H
#define VM_LAUNCH_PROGRESS_H

#include "vm/launch/session.h"

/* Before the first boot. */
void progress_begin(struct session *session);
void progress_free(struct session *session);
/* The boot of a turn begins. */
void progress_start(struct turn *turn);
/* It begins a part (vm/launch/time_left.h), and by that ends another; 0 after its end. */
void progress_part(struct session *session, struct turn *turn, size_t part);
/* On a terminal. */
void progress_show(const struct session *session);
/* In a log, when a line is due. */
void progress_report(struct session *session);
/* ", about 3 min left", or "" while it is not known. */
void progress_time_left(const struct session *session, char *text, size_t size);

#endif
