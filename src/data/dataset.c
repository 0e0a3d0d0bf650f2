/* SPDX-License-Identifier: MIT */
#include "data/dataset.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_SIZE 1536

void notice_information(const struct dataset_listener *listener, const char *format, ...)
{
	char line[LINE_SIZE];
	va_list args;

	if (!listener || !listener->information)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	listener->information(line);
}

void notice_warning(const struct dataset_listener *listener, const char *format, ...)
{
	char line[LINE_SIZE];
	va_list args;

	if (!listener || !listener->warning)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	listener->warning(line);
}
