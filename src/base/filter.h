/* SPDX-License-Identifier: MIT
 *
 * Pipes bytes through another program, without a shell, since picknext links no compression library. */
#ifndef BASE_FILTER_H
#define BASE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

/* True if the messages of a program (malloc, mmap, the loader, threads, Python) report a lack of memory. */
bool filter_lacks_memory(const char *messages, size_t length);

/* Pipes length bytes through argv (found in PATH) and appends its output to out, at most limit bytes. where names the
 * input in errors. A program that is not installed: STATUS_SYSTEM with the Debian package to install; one that has too
 * little memory: STATUS_SYSTEM with ENOMEM; another one that fails: STATUS_CORRUPT. */
enum status filter_through(const char *const *argv, const void *bytes, size_t length, size_t limit, struct buffer *out,
			   const char *where, struct error *err);

#endif
