/* SPDX-License-Identifier: MIT */
#include "data/dataset.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

void dataset_notice(const struct dataset_request *request, enum message_kind kind, const char *format, ...)
{
	char line[1536], safe[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	escape_line(line, strlen(line), safe, sizeof(safe));
	if (request && request->has_details_only)
		message_detail("%s", safe);
	else if (kind == MESSAGE_WARNING)
		message_warning("%s", safe);
	else
		message_info("%s", safe);
}
