/* SPDX-License-Identifier: MIT
 *
 * Whether guests are deterministic or run on wall-clock time, if the user leaves it open. */
#ifndef VM_LAUNCH_MODE_H
#define VM_LAUNCH_MODE_H

#include <stdbool.h>

#include "base/error.h"
#include "vm/launch/vm.h"

struct mode {
	bool deterministic;
	bool is_limited; /* on wall-clock time only since the guest has more CPUs than deterministic ones can */
	char why[1024];  /* for the user: "QEMU 10.0.2, no KVM here; --mode wall-clock for real time" */
};

/* On wall-clock time if the options have what only such guests have. Else deterministic if the host has a QEMU for it,
 * and KVM does not work: a guest under TCG is slow in both modes, and the deterministic one is the same each time.
 * set is the first one: KVM is tried with it if nothing is known of KVM on this host,
 * but not with dry_run. STATUS_INTERRUPTED during that. */
enum status mode_choose(const struct launch_options *options, const struct kernel_set *set, struct mode *mode,
			struct error *err);

#endif
