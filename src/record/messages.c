/* SPDX-License-Identifier: MIT */
#include "record/messages.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/message.h"

enum { TEXT_SIZE = 2048 };

void notices_warn(const struct notices *notices, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (notices->warning)
		notices->warning(notices->context, text);
	else
		message_warning("%s", text);
}

void notices_inform(const struct notices *notices, const char *format, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (notices->information)
		notices->information(notices->context, text);
	else
		message_info("%s", text);
}
