/* SPDX-License-Identifier: MIT
 *
 * A terminal that is drawn over and over, with nothing but what a VT100 knows, and keys without Enter. The terminal is
 * put back as it was by screen_end(), and while the process is suspended. */
#ifndef TERM_SCREEN_H
#define TERM_SCREEN_H

#include <stdbool.h>
#include <termios.h>

#include "base/buffer.h"

struct screen {
	bool draws;    /* cursor movements go to standard output */
	bool has_keys; /* standard input is a terminal that we have the foreground of */
	bool gone;     /* it was, and hung up */
	struct termios before;
	unsigned int rows, columns;
};

/* Why standard output cannot be drawn on ("standard output is not a terminal"), or NULL. */
const char *screen_refusal(void);
/* draws: clear the screen now and take it back at the end; else only keys are of interest. */
void screen_begin(struct screen *screen, bool draws);
/* Waits up to milliseconds for a key, a signal (interrupt_fd) or another size of the terminal. Returns the key, or 0.
 * Suspends the process on Ctrl+Z. *resized: the terminal has another size, or must be drawn anew. */
int screen_wait(struct screen *screen, unsigned int milliseconds, bool *resized);
/* Shows text (lines that end with newlines) from the top, cut to the terminal's size. False if it is gone. */
bool screen_draw(struct screen *screen, const struct buffer *text);
/* Puts the terminal back; the last picture stays, and the cursor goes below it. Safe to call twice. */
void screen_end(struct screen *screen);

#endif
