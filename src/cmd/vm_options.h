/* SPDX-License-Identifier: MIT
 *
 * The options of picknext vm, and their checks before any boot. */
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
#include "vm/launch/vm.h"

#define BARE_SEED_NONE INT64_MIN

struct vm_options {
	struct option_list kernels, added;
	const char *output;
	const char *engine, *accelerator, *transport, *modules, *initramfs, *qemu, *append;
	uint64_t cpus, memory_mb, boot_timeout_s, silence_timeout_s, timeout_s;
	bool shell, dry_run, no_trace, deterministic, no_isolated_cpu;
	const char *seeds;
	int64_t bare_seed; /* --seed, or BARE_SEED_NONE */
	struct collection_options collection;
	struct split_options split;
};

/* Rows for a struct vm_options. */
extern const struct option vm_option_rows[];

/* The request of each kernel, without kernel, guest files, collection and seeds. */
struct vm_request vm_options_request(const struct vm_options *given);
/* Refuses contradictions, finds the files for the guest, and checks its memory. guest_files is zeroed; the caller frees
 * it. */
enum status vm_options_check(const struct vm_options *given, struct guest_files *guest_files, struct error *err);
/* With --deterministic: fills in seeds, and sets runs to 1. */
enum status vm_options_seeds(struct vm_options *given, struct seed_list *seeds, struct error *err);

/* The arguments of the collection in the guest. */
void vm_options_collection(const struct collection_options *given, struct arguments *out);

#endif
