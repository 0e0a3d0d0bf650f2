/* SPDX-License-Identifier: MIT
 *
 * Whether KVM works here. That /dev/kvm can be opened says little: a guest may still hang on it. So a guest is booted
 * for a few seconds, and what came of it is remembered for this machine. */
#ifndef VM_LAUNCH_ACCELERATOR_H
#define VM_LAUNCH_ACCELERATOR_H

#include <stdbool.h>

#include "base/error.h"
#include "vm/engine/engine.h"
#include "vm/launch/boot.h"

#define PROBE_LIMIT_S 12

struct accelerator_choice {
	enum accelerator accelerator;
	char why[160]; /* "asked for", "KVM was tried, the guest was up in 1.2 s", "remembered: ..." */
	bool certain;  /* false: only a probe would tell, and none was to be made */
};

/* name is "kvm", "tcg" or "auto". boot is like the one to come (kernel, modules, initramfs, engine); a copy of it is
 * booted as a probe where nothing is remembered and may_probe is set. */
enum status accelerator_choose(const char *name, const struct boot *boot, bool may_probe,
			       struct accelerator_choice *choice, struct error *err);

#endif
