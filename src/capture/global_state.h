/* SPDX-License-Identifier: MIT
 *
 * What was changed in the machine's own trace settings, kept in a file while it is: a picknext that was killed cannot
 * put it back, the next one does. The file lies in /run, else /dev/shm or /tmp, and is locked by its owner. */
#ifndef CAPTURE_GLOBAL_STATE_H
#define CAPTURE_GLOBAL_STATE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

struct global_state {
	int fd; /* -1: no place to keep it */
	char path[64];
};

/* Takes the file for this process, so that no other changes the settings at the same time, and puts text into it.
 * STATUS_SYSTEM where another running process has it. Where no directory can be written, fd is -1. */
enum status global_state_keep(struct global_state *state, const struct buffer *text, struct error *err);
/* Takes the file that a dead process left behind, with its text appended to text; false where there is none of this
 * boot. */
bool global_state_take_over(struct global_state *state, struct buffer *text);
/* Removes the file. */
void global_state_drop(struct global_state *state);

#endif
