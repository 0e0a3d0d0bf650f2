/* SPDX-License-Identifier: MIT
 *
 * Catches the output of a command in the guest, in a file per run. */
#ifndef GUEST_GUEST_MESSAGES_H
#define GUEST_GUEST_MESSAGES_H

#include <stdbool.h>

#include "base/error.h"

struct guest_output {
	const char *directory;
	bool caught;
	int saved[2]; /* standard output and error, the original descriptors */
};

/* Redirects standard output and error to a new file in directory. */
enum status guest_output_catch(struct guest_output *output, const char *directory, struct error *err);
/* Restores them and sets path (size bytes) to the file with the output, DIRECTORY/TRACE_ID.log; path is "" if nothing
 * was redirected. */
enum status guest_output_release(struct guest_output *output, const char *trace_id, char *path, unsigned long size,
				 struct error *err);

#endif
