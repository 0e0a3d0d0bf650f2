/* SPDX-License-Identifier: MIT
 *
 * The kernel's tracing files: where they are, and reading and writing one. All access goes through here,
 * so that every refusal has the same explanation. */
#ifndef CAPTURE_TRACEFS_H
#define CAPTURE_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

#define TRACEFS_PATH_SIZE 256

/* Puts the mount point into path: /sys/kernel/tracing, else /sys/kernel/debug/tracing. STATUS_SYSTEM with its
 * remedy if this is not root, tracefs is not mounted, or it may not be entered. */
enum status tracefs_find(char *path, size_t size, struct error *err);

/* Writes text to directory/file with one write(2), as tracefs wants it. */
enum status tracefs_write(const char *directory, const char *file, const char *text, struct error *err);
/* Opens directory/file for writing with O_TRUNC and writes nothing: clears `trace` and `set_event`. */
enum status tracefs_clear(const char *directory, const char *file, struct error *err);
/* Appends the text of directory/file, at most 1 MiB. */
enum status tracefs_read(const char *directory, const char *file, struct buffer *text, struct error *err);
/* The first line, without its newline. */
enum status tracefs_read_line(const char *directory, const char *file, char *line, size_t size, struct error *err);
bool tracefs_has(const char *directory, const char *file);

/* Describes errnum, which came from doing action ("writing to") on path: a refusal although we are root gets the
 * remedy about security modules. */
enum status tracefs_refused(struct error *err, int errnum, const char *path, const char *action);

#endif
