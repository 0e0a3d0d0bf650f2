/* SPDX-License-Identifier: MIT
 *
 * What a command in the guest prints, caught in a file for each run. */
#ifndef GUEST_OUTPUT_H
#define GUEST_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"

struct guest_output {
	const char *directory;
	bool caught;
	int saved[2]; /* standard output and error, as they were */
};

/* From here on standard output and error go to a new file in directory. */
enum status guest_output_catch(struct guest_output *output, const char *directory, struct error *err);
/* Puts them back. What was caught lies in path then: DIRECTORY/TRACE_ID.log (size bytes). Does nothing where nothing
 * was caught: path is "". */
enum status guest_output_release(struct guest_output *output, const char *trace_id, char *path, unsigned long size,
				 struct error *err);

#endif
