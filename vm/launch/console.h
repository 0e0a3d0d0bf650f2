/* SPDX-License-Identifier: MIT
 *
 * What a guest or its engine said, kept whole in a file, and its end at hand for messages. */
#ifndef VM_LAUNCH_CONSOLE_H
#define VM_LAUNCH_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CONSOLE_TAIL 4096
#define CONSOLE_MAX  (64ull << 20) /* a guest that floods its console does not fill the disk */

struct console {
	char path[4096];
	int file;        /* -1 where it cannot be written */
	uint64_t length; /* bytes said */
	char tail[CONSOLE_TAIL];
	size_t tail_length;
	char panic[256]; /* the line "Kernel panic ..." without its time, escaped; or "" */
	char line[256];  /* the line that is being said */
	size_t line_length;
	int write_errnum; /* why the file could not be written, or 0 */
};

/* Makes the file, empty; an old one is replaced. */
void console_open(struct console *console, const char *path);
void console_add(struct console *console, const char *bytes, size_t length);
/* The last lines (at most most), escaped for a terminal, each indented by "  | " and ended by a newline. */
void console_last_lines(const struct console *console, unsigned int max, char *text, size_t size);
void console_close(struct console *console);

#endif
