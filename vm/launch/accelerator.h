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

#define PROBE_LIMIT_S 12 /* unless --guest boot-timeout gives another one */

struct supervision;

struct accelerator_choice {
	enum accelerator accelerator;
	char why[512]; /* "asked for", "KVM was tried, the guest was up in 1.2 s", "remembered: ..." */
	bool certain;  /* false: a probe is needed, but may_probe is not set */
};

/* True if the guest could use KVM and its device can be opened, which does not show that it works. If not, why gets the
 * reason. */
bool accelerator_kvm_is_there(const struct architecture *architecture, char *why, size_t size);

/* name is "kvm", "tcg" or "auto". boot describes the coming boot (kernel, modules, initramfs, engine); if no result is
 * cached and may_probe is set, a copy of it is booted as a probe, for at most limit_s (0: PROBE_LIMIT_S). Success is
 * cached until this machine boots again, and a silent guest for an hour. A panic, a slow guest and a QEMU that ends are
 * not cached: another kernel may work, or the same one later. */
enum status accelerator_choose(const char *name, const struct boot *boot, bool may_probe, uint64_t limit_s,
			       struct accelerator_choice *choice, struct error *err);

/* Exported for tests: the result of a probe. *is_lasting: it can be cached. STATUS_SYSTEM: QEMU lacked memory. */
enum status accelerator_judge(const struct supervision *on, struct accelerator_choice *choice, bool *is_lasting,
			      struct error *err);

#endif
