/* SPDX-License-Identifier: MIT
 *
 * A temporary directory of the test's own, which is the working directory until it is removed with all that is in it:
 * set-up and tear-down for cmocka. */
#ifndef SUPPORT_OWN_DIRECTORY_H
#define SUPPORT_OWN_DIRECTORY_H

#include <unistd.h>

#include "support/unit.h"

static char own_directory[64];

static inline int own_directory_enter(void **state)
{
	snprintf(own_directory, sizeof(own_directory), "/tmp/picknext-test-XXXXXX");
	return mkdtemp(own_directory) && chdir(own_directory) == 0 ? 0 : -1;
}

static inline int own_directory_leave(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", own_directory);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

#endif
