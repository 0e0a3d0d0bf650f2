/* SPDX-License-Identifier: MIT
 *
 * What picknext vm is told, and what can be said against it before any boot. */
#ifndef CMD_VM_OPTIONS_H
#define CMD_VM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/options.h"
#include "cmd/collection_options.h"
#include "cmd/split_options.h"
#include "vm/files/guest_file_request.h"
#include "vm/launch/seed_list.h"

struct vm_options {
	struct option_list kernels, added;
	const char *output;
	const char *engine, *accelerator, *transport, *modules, *initramfs, *qemu, *append;
	uint64_t cpus, memory_mb, boot_timeout_s, silence_timeout_s, timeout_s;
	bool shell, dry_run, no_trace, deterministic, no_isolated_cpu;
	const char *seed_list;
	struct collection_options collection;
	struct split_options split;
};

/* Rows for a struct vm_options. */
extern const struct option vm_option_rows[];

/* What contradicts itself; then looks for what goes into the guest, and whether all fits into its memory. guest_files
 * is zeroed, and the caller's to free. */
enum status vm_options_check(const struct vm_options *given, struct guest_files *guest_files, struct error *err);
/* seeds is filled where --deterministic was given, and runs is what the guest is to do. */
enum status vm_options_seeds(struct vm_options *given, struct seed_list *seeds, struct error *err);

/* The arguments of the collection in the guest. */
void vm_options_collection(const struct collection_options *given, struct arguments *out);

#endif
