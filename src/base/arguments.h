/* SPDX-License-Identifier: MIT
 *
 * A command line that grows argument by argument, for execve() and for display. */
#ifndef BASE_ARGUMENTS_H
#define BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* A zeroed struct is an empty command line. */
struct arguments {
	char **items; /* NULL-terminated after the first addition */
	size_t count, capacity;
};

void arguments_add(struct arguments *arguments, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Two arguments, an option and its value. */
void arguments_option(struct arguments *arguments, const char *option, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the arguments to out, separated by separator, each quoted if a POSIX shell needs it; control characters and
 * bytes that are not UTF-8 as $'\ooo', so that the line stays one line and a terminal shows it as it is. */
void arguments_quote(const struct arguments *arguments, const char *separator, struct buffer *out);
void arguments_free(struct arguments *arguments);

#endif
