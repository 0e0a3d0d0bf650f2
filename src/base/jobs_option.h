/* SPDX-License-Identifier: MIT
 *
 * The option --jobs of the commands that read several traces. */
#ifndef BASE_JOBS_OPTION_H
#define BASE_JOBS_OPTION_H

#include "base/options.h"
#include "base/ordered.h"

/* member: a uint64_t. */
#define JOBS_OPTION_ROW(type, member)                                                                                  \
	OPTION(type, member, "jobs", .letter = 'j', .argument = "N", .min = 1, .max = ORDERED_JOBS_MAX,                \
	       .fallback = "1", .help = "traces that are read side by side; the output is the same for every N")

#endif
