/* SPDX-License-Identifier: MIT
 *
 * The user's terminal, while it serves a shell in the guest. */
#ifndef VM_LAUNCH_TERMINAL_H
#define VM_LAUNCH_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "base/memory.h"

#define TERMINAL_ESCAPE 0x1d /* Ctrl+] ends the guest */

struct terminal {
	bool open;   /* standard input is still read */
	bool raw;    /* settings were changed and must be restored */
	bool left;   /* the user typed TERMINAL_ESCAPE */
	bool at_end; /* standard input ended, not yet reported to the guest */
	struct termios saved;
	char typed[4096]; /* read, but not yet sent to the guest */
	size_t typed_length;
	struct cleanup cleanup; /* private */
};

/* Starts to read standard input. A terminal becomes raw, so that Ctrl+C reaches the guest. */
void terminal_open(struct terminal *terminal);
/* Reads input. Call it when standard input is readable. */
void terminal_read(struct terminal *terminal);
/* Sends as much input as the guest's console accepts. */
void terminal_send(struct terminal *terminal, int console);
/* Restores the settings. May be called again. */
void terminal_close(struct terminal *terminal);
/* Rows and columns; 24 and 80 if unknown. */
void terminal_size(unsigned int *rows, unsigned int *columns);

#endif
