/* SPDX-License-Identifier: MIT */
#include "print/manual/completion.h"

#include <string.h>

#include "print/manual/completion_shells.h"

static const struct {
	const char *name;
	void (*add)(const struct command_group *groups, struct buffer *out);
} shells[] = {{"bash", completion_add_bash}, {"zsh", completion_add_zsh}, {"fish", completion_add_fish}};

bool completion_add(const char *shell, const struct command_group *groups, struct buffer *out)
{
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].add(groups, out);
			return true;
		}
	return false;
}
