/* SPDX-License-Identifier: MIT
 *
 * vm --until: seeds are tried until one shows a fault. */
#ifndef CMD_VM_VM_UNTIL_H
#define CMD_VM_VM_UNTIL_H

#include <stdbool.h>

#include "cmd/vm/vm_session.h"
#include "compare/run_gate.h"

struct until {
	struct compare_gate gate;
	struct run_set_options reading;
	bool found, has_died;
	size_t order, launch; /* of the first one in order that was found */
	uint32_t seed;
	char reason[1024];
	struct error error; /* a trace could not be read */
};

/* STATUS_USAGE for a wrong gate. Sets search up; until must outlive it. */
enum status until_begin(const struct vm_options *options, struct until *until, struct vm_search *search,
			struct error *err);
/* Prints what was found and the command that repeats it, or that the seeds tried show nothing. Returns the exit code: 0
 * if no seed shows a fault, 1 if one does, 6 if its guest died. */
int until_print(const struct until *until, const struct vm_session *session);

#endif
