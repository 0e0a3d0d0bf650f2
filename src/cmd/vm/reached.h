/* SPDX-License-Identifier: MIT
 *
 * vm --reached: one more boot of the last kernel, the patched one, which counts how often each workload executes the
 * changed functions and lines. It is not compared; compare/reach.h reads it. */
#ifndef CMD_VM_REACHED_H
#define CMD_VM_REACHED_H

#include "cmd/vm/vm_session.h"
#include "compare/reach.h"

/* Finds the functions and lines of --reached in the last kernel, before any boot. */
struct reached_request {
	char *words; /* of --count; NULL: --reached was not given */
};

/* STATUS_USAGE names --reached for something that is no change, or of which nothing can be counted. */
enum status reached_find(const struct vm_session *session, struct reached_request *request, struct error *err);
/* Boots by calling the command of the call, vm, unless such a boot is there, and prints what was reached. Returns the
 * exit code of that boot. */
int reached_boot(const struct call *call, const struct vm_session *session, const struct reached_request *request);
void reached_free(struct reached_request *request);

#endif
