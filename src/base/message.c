/* SPDX-License-Identifier: MIT */
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"

static enum message_level current_level = MESSAGE_NORMAL;
static bool progress_shown;
static _Thread_local void (*divert)(void *context, enum message_kind kind, const char *text);
static _Thread_local void *divert_context;

void message_divert(void (*send)(void *context, enum message_kind kind, const char *text), void *context)
{
	divert = send;
	divert_context = context;
}

void message_set_level(enum message_level level)
{
	current_level = level;
}

enum message_level message_level(void)
{
	return current_level;
}

void message_pass_on(enum message_kind kind, const char *text)
{
	const char *prefix = kind == MESSAGE_WARNING ? "picknext: warning: " : "";
	char safe[4096];

	if (divert) {
		divert(divert_context, kind, text);
		return;
	}
	escape_terminal(text, strlen(text), safe, sizeof(safe));
	message_progress_end();
	fprintf(stderr, "%s%s\n", prefix, safe);
}

static void print_line(enum message_kind kind, const char *format, va_list args)
{
	char text[2048];

	vsnprintf(text, sizeof(text), format, args);
	message_pass_on(kind, text);
}

int message_error(const struct error *err)
{
	char text[4096];

	error_text(err, text, sizeof(text));
	message_progress_end();
	fprintf(stderr, "picknext: %s\n", text);
	return error_exit_code(err);
}

void message_warning(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_line(MESSAGE_WARNING, format, args);
	va_end(args);
}

void message_info(const char *format, ...)
{
	if (current_level == MESSAGE_QUIET)
		return;
	va_list args;
	va_start(args, format);
	print_line(MESSAGE_INFO, format, args);
	va_end(args);
}

void message_detail(const char *format, ...)
{
	if (current_level != MESSAGE_VERBOSE)
		return;
	va_list args;
	va_start(args, format);
	print_line(MESSAGE_INFO, format, args);
	va_end(args);
}

bool message_progress_wanted(void)
{
	const char *terminal = getenv("TERM");

	if (divert)
		return current_level != MESSAGE_QUIET;
	return current_level != MESSAGE_QUIET && isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

static size_t terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

void message_progress(const char *format, ...)
{
	char text[512];
	char safe[1024];

	if (!message_progress_wanted())
		return;
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (divert) {
		divert(divert_context, MESSAGE_PROGRESS, text);
		return;
	}
	size_t length = escape_terminal(text, strlen(text), safe, sizeof(safe));
	size_t width = terminal_width();
	if (length >= width)
		safe[width - 1] = '\0';
	fprintf(stderr, "\r\033[K%s", safe);
	fflush(stderr);
	progress_shown = true;
}

void message_progress_end(void)
{
	if (divert || !progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress_shown = false;
}
