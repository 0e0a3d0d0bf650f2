/* SPDX-License-Identifier: MIT
 *
 * The user's terminal while a shell in the guest has it. */
#ifndef VM_LAUNCH_TERMINAL_H
#define VM_LAUNCH_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#define TERMINAL_ESCAPE 0x1d /* Ctrl+] ends the guest */

struct terminal {
	bool open;   /* standard input is still read */
	bool raw;    /* settings were changed and are to be put back */
	bool left;   /* the user typed TERMINAL_ESCAPE */
	bool at_end; /* standard input ended, which the guest is still to be told */
	struct termios saved;
	char typed[4096]; /* read, but not yet taken by the guest */
	size_t typed_length;
};

/* Takes standard input: raw where it is a terminal, so that Ctrl+C reaches the guest, else as it comes. */
void terminal_open(struct terminal *terminal);
/* Reads what was typed. Call it when standard input is readable. */
void terminal_read(struct terminal *terminal);
/* Sends what was typed to the guest's console, as far as that takes it. */
void terminal_send(struct terminal *terminal, int console);
/* Puts the settings back. Safe to call again. */
void terminal_close(struct terminal *terminal);
/* Rows and columns, or 24 and 80. */
void terminal_size(unsigned int *rows, unsigned int *columns);

#endif
