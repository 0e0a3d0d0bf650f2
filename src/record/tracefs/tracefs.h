/* SPDX-License-Identifier: MIT
 *
 * Locates, reads and writes the kernel's tracing files. All access goes through these functions, so that every failure
 * has the same explanation. */
#ifndef RECORD_TRACEFS_TRACEFS_H
#define RECORD_TRACEFS_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

#define TRACEFS_PATH_SIZE 256

/* Writes the mount point to path: /sys/kernel/tracing or /sys/kernel/debug/tracing. STATUS_SYSTEM with a remedy if the
 * process is not root, tracefs is not mounted, or access is denied. */
enum status tracefs_find(char *path, size_t size, struct error *err);

/* Writes text to directory/file with one write(2), as tracefs requires. */
enum status tracefs_write(const char *directory, const char *file, const char *text, struct error *err);
/* Opens directory/file for writing with O_TRUNC and writes nothing: clears `trace` and `set_event`. */
enum status tracefs_clear(const char *directory, const char *file, struct error *err);
/* Appends the text of directory/file, at most 1 MiB. */
enum status tracefs_read(const char *directory, const char *file, struct buffer *text, struct error *err);
/* The first line, without its newline. */
enum status tracefs_read_line(const char *directory, const char *file, char *line, size_t size, struct error *err);
bool tracefs_has(const char *directory, const char *file);

/* Describes errnum of action ("writing to") on path. A permission error as root gets the remedy about security
 * modules. */
enum status tracefs_refused(struct error *err, int errnum, const char *path, const char *action);

#endif
