/* SPDX-License-Identifier: MIT
 *
 * Messages to the user, on standard error; results go to standard output. Commands print errors. Warnings, information
 * and progress may come from every directory that does I/O; base/, measure/ and the arithmetic of trace/ and compare/
 * return their findings instead. */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include <stdbool.h>

#include "base/error.h"

enum message_level { MESSAGE_QUIET = -1, MESSAGE_NORMAL = 0, MESSAGE_VERBOSE = 1 };

void message_set_level(enum message_level level);
enum message_level message_level(void);

/* Prints "picknext: " and the error on one line, at every level. Returns its exit code, so that a command can end in
 * "return message_error(&err);". */
int message_error(const struct error *err);

/* "picknext: warning: ..." at every level. */
void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of information; omitted with --quiet. */
void message_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line that only --verbose shows. */
void message_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A progress line, rewritten in place: only on a terminal, and not with --quiet. message_progress_end() removes it, and
 * every other message does, too. */
bool message_progress_wanted(void);
void message_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_progress_end(void);

/* For a thread, or a child process, whose parent prints: from now on its warnings, information and progress go to
 * send(), not escaped, instead of standard error. */
enum message_kind { MESSAGE_WARNING, MESSAGE_INFO, MESSAGE_PROGRESS };
void message_divert(void (*send)(void *context, enum message_kind kind, const char *text), void *context);
/* Prints a warning or information that was diverted. */
void message_pass_on(enum message_kind kind, const char *text);

#endif
