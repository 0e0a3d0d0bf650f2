/* SPDX-License-Identifier: MIT */
#include "trace/format/kernel_name.h"

#include <stdio.h>
#include <string.h>

static void copy_word(char to[65], const char *from, size_t length)
{
	snprintf(to, 65, "%.*s", (int)(length < 64 ? length : 64), from);
}

/* "6.1": one or more digits on each side of the point. */
static int take_version(const char *word, unsigned int *major, unsigned int *minor)
{
	unsigned int *const parts[] = {major, minor};

	for (unsigned int i = 0; i < 2; i++) {
		size_t digits = strspn(word, "0123456789");
		if (digits < 1 || digits > 4)
			return 0;
		*parts[i] = 0;
		for (size_t d = 0; d < digits; d++)
			*parts[i] = *parts[i] * 10 + (unsigned int)(word[d] - '0');
		word += digits;
		if (i == 0 && *word++ != '.')
			return 0;
	}
	return 1;
}

void kernel_name_parse(const char *uname, struct kernel_name *name)
{
	size_t words = 0;

	*name = (struct kernel_name){0};
	for (const char *at = uname; *at; words++) {
		size_t length = strcspn(at, " \n");
		if (words == 0) {
			copy_word(name->system, at, length);
		} else if (!name->release[0] && take_version(at, &name->major, &name->minor)) {
			copy_word(name->release, at, length);
		} else {
			copy_word(name->machine, at, length);
		}
		at += length;
		at += strspn(at, " \n");
	}
	/* The host name is before the release. */
	if (!name->release[0])
		*name->machine = '\0';
}
