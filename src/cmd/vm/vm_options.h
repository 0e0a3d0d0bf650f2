/* SPDX-License-Identifier: MIT
 *
 * The options of picknext vm, and their checks before any boot. */
#ifndef CMD_VM_VM_OPTIONS_H
#define CMD_VM_VM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/options.h"
#include "cmd/split_options.h"
#include "record/collection_options.h"
#include "vm/files/guest_file_request.h"
#include "vm/launch/mode.h"
#include "vm/launch/seed_list.h"
#include "vm/launch/vm.h"

#define VM_RUNS 6 /* five make no difference among many metrics significant (picknext help statistics) */

struct vm_options {
	struct option_list kernels, added, schedulers;
	const char *output;
	const char *engine, *accelerator, *modules, *initramfs, *qemu, *append;
	uint64_t cpus, memory_mb, boot_timeout_s, silence_timeout_s, timeout_s, jobs;
	bool shell, dry_run, no_trace, no_compare, no_dataset, deterministic, wall_clock, no_isolated_cpu,
	    isolate_by_affinity;
	bool plan, json, missing, force;
	const char *seeds, *until, *shard, *cell;
	struct collection_options collection;
	struct split_options split;
};

/* Rows for a struct vm_options. */
extern const struct option vm_option_rows[];

/* The request of each kernel, without kernel, guest files, collection and seeds. */
struct vm_request vm_options_request(const struct vm_options *given);
enum status vm_options_contradictions(const struct vm_options *given, struct error *err);
struct vm_workloads {
	struct collection_choice choice;
	size_t count;
};

/* Finds the workloads. */
enum status vm_options_check(const struct vm_options *given, struct vm_workloads *workloads, struct error *err);
/* Finds the files for the guest, and checks its memory. scheduler: the program of one, or NULL. guest_files is zeroed;
 * the caller frees it. */
enum status vm_options_guest_files(const struct vm_options *given, const char *scheduler,
				   struct guest_files *guest_files, struct error *err);
/* Chooses between deterministic guests and those on wall-clock time if the user left it open, and sets
 * given->deterministic; mode->why is "" if the user did not. kernel: the image of the first one. */
enum status vm_options_mode(struct vm_options *given, const char *kernel, struct mode *mode, struct error *err);
/* After vm_options_mode(): the numbers of the runs, the seeds of deterministic guests. Each boot has one then. */
enum status vm_options_runs(struct vm_options *given, struct seed_list *runs, struct error *err);

/* The arguments of the collection in the guest. scheduler: as text, or NULL. */
void vm_options_collection(const struct vm_options *options, const char *scheduler, struct arguments *out);

#endif
