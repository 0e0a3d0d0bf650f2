/* SPDX-License-Identifier: MIT
 *
 * What a scheduler's process wrote, which may be anything and of any length. */
#ifndef SCHEDULER_SCHEDULER_OUTPUT_H
#define SCHEDULER_SCHEDULER_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/buffer.h"

enum { SCHEDULER_OUTPUT_MAX = 256 * 1024 };

/* Puts into text what is in the file after begin, of much only the last SCHEDULER_OUTPUT_MAX bytes; a NUL becomes a
 * space. "" if the file cannot be read or is no regular one. */
void scheduler_output_read(const char *path, off_t begin, struct buffer *text);
/* The last line that is not empty, without the "EXIT: " of the kernel's schedulers, with escapes for control
 * characters. Pure. */
void scheduler_output_last_words(const char *text, size_t length, char *words, size_t size);

#endif
