/* SPDX-License-Identifier: MIT
 *
 * A collection as `collect` and `all` show it to the user. */
#ifndef CMD_COLLECT_H
#define CMD_COLLECT_H

#include "base/error.h"
#include "cmd/collection_options.h"

/* What a collection ends with in which a command failed: its own exit status is in the metadata. */
enum { COLLECT_EXIT_FAILED = 1 };

/* Records into output_directory/raw with progress on a terminal, and says at the end what was recorded or, after a
 * failure, what is there of it. *failed: runs of a command that ended with another exit status than 0. */
enum status collect_with_progress(const char *output_directory, const struct collection_options *options,
				  unsigned int *failed, struct error *err);

#endif
