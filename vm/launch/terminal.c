/* SPDX-License-Identifier: MIT */
#include "vm/launch/terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void close_terminal(void *context)
{
	terminal_close(context);
}

void terminal_open(struct terminal *terminal)
{
	struct termios raw;

	*terminal = (struct terminal){.open = true};
	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &terminal->saved) < 0)
		return;
	raw = terminal->saved;
	cfmakeraw(&raw);
	terminal->raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
	cleanup_add(&terminal->cleanup, close_terminal, terminal);
}

void terminal_read(struct terminal *terminal)
{
	char *to = terminal->typed + terminal->typed_length;
	size_t room = sizeof(terminal->typed) - terminal->typed_length;

	if (room == 0)
		return;
	ssize_t got = read(STDIN_FILENO, to, room);
	if (got <= 0) {
		terminal->open = false;
		terminal->at_end = true;
		return;
	}
	if (terminal->raw && memchr(to, TERMINAL_ESCAPE, (size_t)got))
		terminal->left = true;
	else
		terminal->typed_length += (size_t)got;
}

void terminal_send(struct terminal *terminal, int console)
{
	if (terminal->at_end && terminal->typed_length < sizeof(terminal->typed)) {
		terminal->typed[terminal->typed_length++] = 4; /* Ctrl+D: end of input for the shell */
		terminal->at_end = false;
	}
	if (terminal->typed_length == 0)
		return;
	ssize_t put = write(console, terminal->typed, terminal->typed_length);
	if (put <= 0)
		return;
	terminal->typed_length -= (size_t)put;
	memmove(terminal->typed, terminal->typed + put, terminal->typed_length);
}

void terminal_close(struct terminal *terminal)
{
	cleanup_remove(&terminal->cleanup);
	if (terminal->raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->saved);
	terminal->raw = terminal->open = false;
}

void terminal_size(unsigned int *rows, unsigned int *columns)
{
	struct winsize size;
	bool known = ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;

	*rows = known ? size.ws_row : 24;
	*columns = known ? size.ws_col : 80;
}
