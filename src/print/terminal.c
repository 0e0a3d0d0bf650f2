/* SPDX-License-Identifier: MIT */
#include "print/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Tests the variables in the order in which setlocale() uses them for the character set. */
static bool is_utf8_terminal(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	if (!isatty(STDOUT_FILENO))
		return false;
	for (int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

void bar_text(uint64_t value, uint64_t max, bool plain, char text[BAR_SIZE])
{
	bool blocks = !plain && is_utf8_terminal();
	unsigned int parts = blocks ? 8 : 1;
	unsigned int length = max ? (unsigned int)((double)value * BAR_WIDTH * parts / (double)max) : 0;

	if (value && length == 0)
		length = 1;
	for (; length >= parts; length -= parts) {
		memcpy(text, blocks ? "\xe2\x96\x88" : "#", blocks ? 3 : 1);
		text += blocks ? 3 : 1;
	}
	/* Blocks of seven eighths down to one eighth. */
	if (length) {
		memcpy(text, "\xe2\x96", 2);
		text[2] = (char)(0x90 - (int)length);
		text += 3;
	}
	*text = '\0';
}

unsigned int terminal_width(void)
{
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}
