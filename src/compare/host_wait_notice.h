/* SPDX-License-Identifier: MIT
 *
 * Whether the host was so busy that the times of its guests are rather its own than their kernels'. */
#ifndef COMPARE_HOST_WAIT_NOTICE_H
#define COMPARE_HOST_WAIT_NOTICE_H

#include "base/buffer.h"
#include "compare/run_set.h"

/* The share of its time that a guest's CPUs waited for the host's from which on it is said. */
#define HOST_WAIT_NOTABLE 0.05

/* What is known of the sets, as two lines; nothing where no set is known to have a workload whose median share is
 * notable. Deterministic runs, and those of a machine itself, know of none. */
void host_wait_add_notice(const struct run_sets *sets, struct buffer *out);

#endif
