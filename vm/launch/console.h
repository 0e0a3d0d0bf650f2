/* SPDX-License-Identifier: MIT
 *
 * Output of a guest or its engine: complete in a file, and its tail in memory for messages. */
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
	int file;        /* -1: cannot be written */
	uint64_t length; /* bytes of output */
	char tail[CONSOLE_TAIL];
	size_t tail_length;
	char panic[256]; /* the line "Kernel panic ..." without its time, escaped; or "" */
	char fault[256]; /* the same of the first other fault that the kernel reports (WARNING, BUG, a stall) */
	char oops[256];  /* the first error that ended its kernel, and where: "NULL pointer in pick_task_fair"; or "" */
	char rip[256];   /* its line "RIP: ...", escaped; or "" */
	char said[256];  /* the last message of picknext in the guest, escaped; or "" */
	bool powered_off; /* its kernel printed "Power down" or "System halted" */
	char line[256];   /* the current, incomplete line */
	size_t line_length;
	int write_errnum; /* errno of a failed write, or 0 */
};

/* Creates an empty file; replaces an old one. */
void console_open(struct console *console, const char *path);
/* For a second boot: the file continues; tail, panic and fault become empty. */
void console_begin_again(struct console *console);
void console_add(struct console *console, const char *bytes, size_t length);
/* The last lines (at most count), escaped for a terminal, each prefixed with "  | " and ended by a newline. */
void console_last_lines(const struct console *console, unsigned int count, char *text, size_t size);
/* The very last line, escaped, without a newline; "" if there is none. */
void console_last_line(const struct console *console, char *text, size_t size);
void console_close(struct console *console);

#endif
