/* SPDX-License-Identifier: MIT */
#include "base/build.h"

#include <stdio.h>

#include "cmd/commands.h"

static int run_version(const struct call *call)
{
	(void)call;
	printf("picknext %s (%s)\n", build_version, build_commit);
	return 0;
}

/* Also run by --version and -V, which other programs have, too. */
const struct command command_version = {
    .name = "version",
    .summary = "print the version and the commit of this program",
    .operands = "",
    .run = run_version,
};
