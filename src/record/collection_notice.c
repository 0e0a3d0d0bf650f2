/* SPDX-License-Identifier: MIT */
#include "record/collection_notice.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/message.h"

void collection_warn(const struct collection_request *request, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (request->warning)
		request->warning(request->context, text);
	else
		message_warning("%s", text);
}

void collection_inform(const struct collection_request *request, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (request->information)
		request->information(request->context, text);
	else
		message_info("%s", text);
}
