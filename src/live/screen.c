/* SPDX-License-Identifier: MIT */
#include "live/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/interrupt.h"

/* VT100 sequences: home, erase to the end of the line, erase to the end of the screen. */
#define HOME         "\033[H"
#define ERASE_LINE   "\033[K"
#define ERASE_SCREEN "\033[J"

enum { CTRL_Z = 0x1a, CTRL_BACKSLASH = 0x1c };

static volatile sig_atomic_t size_changed;

static void note_size(int number)
{
	(void)number;
	size_changed = 1;
}

const char *screen_refusal(void)
{
	const char *terminal = getenv("TERM");

	if (!isatty(STDOUT_FILENO))
		return "standard output is not a terminal";
	if (!terminal || *terminal == '\0')
		return "TERM does not say which terminal this is";
	return strcmp(terminal, "dumb") == 0 ? "TERM says that this terminal is dumb" : NULL;
}

static void read_size(struct screen *screen)
{
	struct winsize size;

	screen->rows = 24;
	screen->columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 && size.ws_col > 1) {
		screen->rows = size.ws_row;
		screen->columns = size.ws_col;
	}
}

/* Ctrl+C still sends a signal. Ctrl+Z and Ctrl+\ are read as keys, so that the terminal can be restored first. */
static void set_up_keys(struct screen *screen)
{
	struct termios wanted = screen->before;

	wanted.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	wanted.c_cc[VMIN] = 0;
	wanted.c_cc[VTIME] = 0;
	wanted.c_cc[VSUSP] = _POSIX_VDISABLE;
	wanted.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &wanted);
}

/* The kernel would stop a background process that changes the terminal; so it neither draws nor reads keys. */
static void start_drawing(struct screen *screen)
{
	screen->has_keys = tcgetpgrp(STDIN_FILENO) == getpgrp() && tcgetattr(STDIN_FILENO, &screen->before) == 0;
	if (screen->has_keys)
		set_up_keys(screen);
	read_size(screen);
	if (screen->draws)
		file_write_all(STDOUT_FILENO, HOME ERASE_SCREEN, strlen(HOME ERASE_SCREEN), "terminal", NULL);
}

void screen_begin(struct screen *screen, bool draws)
{
	struct sigaction action = {.sa_handler = note_size};

	*screen = (struct screen){.draws = draws};
	sigemptyset(&action.sa_mask);
	sigaction(SIGWINCH, &action, NULL);
	start_drawing(screen);
}

static void restore_terminal(struct screen *screen)
{
	if (screen->has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &screen->before);
	screen->has_keys = false;
}

static void suspend_process(struct screen *screen)
{
	restore_terminal(screen);
	raise(SIGSTOP);
	start_drawing(screen);
}

static int read_key(struct screen *screen)
{
	char key;
	ssize_t got = read(STDIN_FILENO, &key, 1);

	if (got < 0 && errno == EINTR)
		return 0;
	/* No more keys will arrive: only wait for a signal. */
	if (got <= 0)
		screen->gone = true;
	return got == 1 ? (unsigned char)key : 0;
}

int screen_wait(struct screen *screen, unsigned int milliseconds, bool *resized)
{
	struct pollfd wait[] = {
	    {.fd = interrupt_fd(), .events = POLLIN},
	    {.fd = screen->has_keys && !screen->gone ? STDIN_FILENO : -1, .events = POLLIN},
	};
	int ready = poll(wait, 2, (int)milliseconds);
	int key = ready > 0 && wait[1].revents ? read_key(screen) : 0;

	*resized = size_changed;
	if (size_changed) {
		size_changed = 0;
		read_size(screen);
	}
	if (key == CTRL_Z) {
		suspend_process(screen);
		*resized = true;
		return 0;
	}
	return key == CTRL_BACKSLASH ? 'q' : key;
}

bool screen_draw(struct screen *screen, const struct buffer *text)
{
	struct buffer out = {0};
	const char *at = text->data;
	size_t left = text->length;

	buffer_text(&out, HOME);
	/* The last row stays free, for the cursor at the end; so does the last column, because terminals differ in how
	 * they wrap lines.
	 */
	for (unsigned int row = 0; left && row + 1 < screen->rows; row++) {
		const char *end = memchr(at, '\n', left);
		size_t length = end ? (size_t)(end - at) : left;
		buffer_add(&out, at, utf8_fitting(at, length, screen->columns - 1));
		buffer_text(&out, ERASE_LINE "\r\n");
		at += end ? length + 1 : length;
		left -= end ? length + 1 : length;
	}
	buffer_text(&out, ERASE_SCREEN);
	bool shown = file_write_all(STDOUT_FILENO, out.data, out.length, "terminal", NULL) == STATUS_OK;
	buffer_free(&out);
	return shown;
}

void screen_end(struct screen *screen)
{
	restore_terminal(screen);
}
