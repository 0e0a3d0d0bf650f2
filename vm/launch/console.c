/* SPDX-License-Identifier: MIT */
#include "vm/launch/console.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"

#define SAID "picknext: "

void console_open(struct console *console, const char *path)
{
	*console = (struct console){.file = -1};
	snprintf(console->path, sizeof(console->path), "%s", path);
	/* launch_begin() made its directory. */
	console->file = file_create(path, O_WRONLY);
	console->write_errnum = console->file < 0 ? errno : 0;
	file_give_to_sudo_user(path);
}

void console_begin_again(struct console *console)
{
	console->tail_length = console->line_length = 0;
	console->panic[0] = console->fault[0] = console->oops[0] = console->rip[0] = console->said[0] = '\0';
	console->powered_off = false;
}

static void write_log(struct console *console, const char *bytes, size_t length)
{
	struct error err;

	console->length += length;
	if (console->file < 0 || console->length > CONSOLE_MAX)
		return;
	if (file_write_all(console->file, bytes, length, console->path, &err) != STATUS_OK) {
		console->write_errnum = err.errnum;
		close(console->file);
		console->file = -1;
	}
}

static void keep_tail(struct console *console, const char *bytes, size_t length)
{
	if (length >= CONSOLE_TAIL) {
		bytes += length - CONSOLE_TAIL;
		length = CONSOLE_TAIL;
	}
	if (console->tail_length + length > CONSOLE_TAIL) {
		size_t surplus = console->tail_length + length - CONSOLE_TAIL;
		memmove(console->tail, console->tail + surplus, console->tail_length - surplus);
		console->tail_length -= surplus;
	}
	memcpy(console->tail + console->tail_length, bytes, length);
	console->tail_length += length;
}

/* Finds the report that begins with words, in a line that also contains also. */
static const char *find_report(const char *line, const char *words, const char *also)
{
	const char *found = strstr(line, words);

	if (!found || !strstr(found, also))
		return NULL;
	return found == line || !isalpha((unsigned char)found[-1]) ? found : NULL; /* not DEBUG: */
}

static const char *find_fault(const char *line)
{
	static const struct {
		const char *words, *also;
	} reports[] = {
	    {"WARNING: ", " at "},
	    {"BUG: ", ""},
	    {"Oops: ", ""},
	    {"rcu: INFO: ", "stall"},
	    {"INFO: rcu_", "stall"},
	    {"INFO: task ", " blocked for more than "},
	    {"general protection fault", ""},
	    {"kernel BUG at ", ""},
	    {"divide error: ", ""},
	    {"Unable to handle kernel ", ""},
	    {"Internal error: ", ""},
	};

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		const char *found = find_report(line, reports[i].words, reports[i].also);
		if (found)
			return found;
	}
	return NULL;
}

/* Errors that make a kernel with oops=panic panic: of x86, of arm64. */
static void check_oops(struct console *console)
{
	static const struct {
		const char *words, *what;
	} errors[] = {
	    {"BUG: kernel NULL pointer dereference", "NULL pointer"},
	    {"BUG: unable to handle page fault", "page fault"},
	    {"general protection fault", "general protection fault"},
	    {"kernel BUG at ", "BUG"},
	    {"divide error: ", "divide error"},
	    {"Unable to handle kernel NULL pointer dereference", "NULL pointer"},
	    {"Unable to handle kernel paging request", "page fault"},
	    {"Internal error: Oops - Undefined instruction", "undefined instruction"},
	};
	/* The instruction: "RIP: 0010:function+0x1/0x2", "pc : function+0x1/0x2". */
	const char *rip = strstr(console->line, "RIP: ");

	if (!rip)
		rip = strstr(console->line, "pc : ");

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]) && !console->oops[0]; i++)
		if (strstr(console->line, errors[i].words))
			snprintf(console->oops, sizeof(console->oops), "%s", errors[i].what);
	if (!rip || !console->oops[0] || console->rip[0])
		return;
	escape_terminal(rip, strcspn(rip, "\r"), console->rip, sizeof(console->rip));
	const char *name = strrchr(console->rip, ':') + 1;
	name += strspn(name, " ");
	const size_t used = strlen(console->oops);
	if (*name)
		snprintf(console->oops + used, sizeof(console->oops) - used, " in %.*s", (int)strcspn(name, "+ "),
			 name);
}

static void check_line(struct console *console)
{
	console->line[console->line_length] = '\0';
	const char *panic = strstr(console->line, "Kernel panic - not syncing");
	const char *fault = find_fault(console->line);

	check_oops(console);
	if (panic && !console->panic[0])
		escape_terminal(panic, strcspn(panic, "\r"), console->panic, sizeof(console->panic));
	if (fault && !console->fault[0])
		escape_terminal(fault, strcspn(fault, "\r"), console->fault, sizeof(console->fault));
	if (strncmp(console->line, SAID, strlen(SAID)) == 0)
		escape_terminal(console->line + strlen(SAID), strcspn(console->line + strlen(SAID), "\r"),
				console->said, sizeof(console->said));
	/* kernel/reboot.c */
	if (strstr(console->line, "reboot: Power down") || strstr(console->line, "reboot: System halted"))
		console->powered_off = true;
	console->line_length = 0;
}

void console_add(struct console *console, const char *bytes, size_t length)
{
	if (length == 0)
		return;
	write_log(console, bytes, length);
	keep_tail(console, bytes, length);
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\n')
			check_line(console);
		else if (bytes[i] != '\0' && console->line_length + 1 < sizeof(console->line))
			console->line[console->line_length++] = bytes[i];
	}
}

/* Offset of the last count lines of the tail. */
static size_t lines_begin(const struct console *console, size_t end, unsigned int count)
{
	size_t begin = end;

	while (begin > 0) {
		if (console->tail[begin - 1] == '\n' && begin < end && --count == 0)
			break;
		begin--;
	}
	return begin;
}

void console_last_lines(const struct console *console, unsigned int count, char *text, size_t size)
{
	size_t end = console->tail_length;
	size_t used = 0;

	text[0] = '\0';
	while (end > 0 && strchr("\r\n", console->tail[end - 1]))
		end--;
	for (size_t at = lines_begin(console, end, count); at < end;) {
		const char *line = console->tail + at;
		const char *stop = memchr(line, '\n', end - at);
		size_t length = stop ? (size_t)(stop - line) : end - at;
		at += length + 1;
		while (length > 0 && line[length - 1] == '\r')
			length--;
		if (size - used < 8)
			break;
		memcpy(text + used, "  | ", 4);
		used += 4;
		used += escape_terminal(line, length, text + used, size - used - 1);
		text[used++] = '\n';
		text[used] = '\0';
	}
}

void console_last_line(const struct console *console, char *text, size_t size)
{
	size_t end = console->tail_length;

	while (end > 0 && strchr("\r\n", console->tail[end - 1]))
		end--;
	const size_t begin = lines_begin(console, end, 1);
	escape_terminal(console->tail + begin, end - begin, text, size);
}

void console_close(struct console *console)
{
	if (console->file >= 0)
		close(console->file);
	console->file = -1;
}
