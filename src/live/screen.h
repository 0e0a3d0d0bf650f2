/* SPDX-License-Identifier: MIT
 *
 * A terminal for repeated full-screen output, with VT100 sequences only, and for keys without Enter. The terminal is
 * restored by screen_end() and while the process is suspended. */
#ifndef LIVE_SCREEN_H
#define LIVE_SCREEN_H

#include <stdbool.h>
#include <termios.h>

#include "base/buffer.h"

struct screen {
	bool draws;    /* cursor movements go to standard output */
	bool has_keys; /* standard input is a terminal, and this process is in its foreground */
	bool gone;     /* the terminal of standard input hung up */
	struct termios before;
	unsigned int rows, columns;
};

/* The reason why standard output cannot be used ("standard output is not a terminal"), or NULL. */
const char *screen_refusal(void);
/* draws: clear the screen now and restore the terminal at the end; otherwise only keys are read. */
void screen_begin(struct screen *screen, bool draws);
/* Waits up to milliseconds for a key, a signal (interrupt_fd) or a change of the terminal's size. Returns the key, or
 * 0. Suspends the process on Ctrl+Z. *resized: the terminal's size has changed, or it must be redrawn. */
int screen_wait(struct screen *screen, unsigned int milliseconds, bool *resized);
/* Shows text (lines that end with newlines) from the top, cut to the terminal's size. False if it is gone. */
bool screen_draw(struct screen *screen, const struct buffer *text);
/* Restores the terminal; the last output stays, with the cursor below it. Safe to call twice. */
void screen_end(struct screen *screen);

#endif
