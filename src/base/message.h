/* SPDX-License-Identifier: MIT
 *
 * What the user is told, on standard error. Only cmd/ and vm/ print; results go to standard output. */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include <stdbool.h>

#include "base/error.h"

enum message_level { MESSAGE_QUIET = -1, MESSAGE_NORMAL = 0, MESSAGE_VERBOSE = 1 };

void message_set_level(enum message_level level);
enum message_level message_level(void);

/* "picknext: " and the error on one line, at every level. Returns its exit code, so that a command can end in
 * "return message_error(&err);". */
int message_error(const struct error *err);

/* "picknext: warning: ..." at every level. */
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of information: not when quiet. */
void message_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line for those who asked with -v. */
void message_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line that is rewritten in place while something goes on: only on a terminal and not when quiet.
 * message_progress_end() removes it; every other message does that by itself. */
bool message_progress_wanted(void);
void message_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_progress_end(void);

#endif
