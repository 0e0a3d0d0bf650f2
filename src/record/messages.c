/* SPDX-License-Identifier: MIT */
#include "record/messages.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/message.h"

enum { TEXT_SIZE = 2048 };

void messages_warn(const struct messages *messages, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (messages->warning)
		messages->warning(messages->context, text);
	else
		message_warning("%s", text);
}

void messages_inform(const struct messages *messages, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (messages->information)
		messages->information(messages->context, text);
	else
		message_info("%s", text);
}
