/* SPDX-License-Identifier: MIT
 *
 * Receivers of warnings and results of the recorder: to the user, or from a guest to its host. */
#ifndef RECORD_MESSAGES_H
#define RECORD_MESSAGES_H

/* One line of text each. NULL: base/message.h. */
struct messages {
	void (*warning)(void *context, const char *text);
	void (*information)(void *context, const char *text);
	void *context;
};

void messages_warn(const struct messages *messages, const char *format, ...) __attribute__((format(printf, 2, 3)));
void messages_inform(const struct messages *messages, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
