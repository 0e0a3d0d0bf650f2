/* SPDX-License-Identifier: MIT
 *
 * Whether KVM works on this host. A guest can hang even if /dev/kvm can be opened. Therefore a guest is booted for a
 * few seconds, and the result is cached for this machine. */
#ifndef VM_LAUNCH_ACCELERATOR_H
#define VM_LAUNCH_ACCELERATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "vm/engine/emulator.h"
#include "vm/launch/boot.h"

#define PROBE_LIMIT_S 12

struct accelerator_choice {
	enum accelerator accelerator;
	char why[160]; /* "asked for", "KVM was tried, the guest was up in 1.2 s", "remembered: ..." */
	bool certain;  /* false: a probe is needed, but may_probe is not set */
};

/* True if KVM's device can be opened, which does not show that it works. If not, why gets the reason. */
bool accelerator_kvm_is_there(char *why, size_t size);

/* name is "kvm", "tcg" or "auto". boot describes the coming boot (kernel, modules, initramfs, engine); if no result is
 * cached and may_probe is set, a copy of it is booted as a probe. */
enum status accelerator_choose(const char *name, const struct boot *boot, bool may_probe,
			       struct accelerator_choice *choice, struct error *err);

#endif
