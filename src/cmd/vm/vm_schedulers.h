/* SPDX-License-Identifier: MIT
 *
 * The schedulers of picknext vm: each kernel boots with each of them. */
#ifndef CMD_VM_VM_SCHEDULERS_H
#define CMD_VM_VM_SCHEDULERS_H

#include "cmd/vm/vm_options.h"
#include "scheduler/scheduler_spec.h"
#include "vm/files/guest_files.h"
#include "vm/launch/vm.h"

struct vm_scheduler {
	bool is_given; /* else there is no --scheduler, and this is the only one */
	struct scheduler_spec spec;
	struct buffer text;
	char name[48]; /* in names of sets: "simple", "simple-f"; "": the kernel's own */
	struct guest_files guest_files;
};

struct vm_schedulers {
	struct vm_scheduler *items;
	size_t count; /* at least 1 */
};

/* Parses each --scheduler, finds its program and the files for the guest, and checks the guest's memory. directory: of
 * relative paths, or NULL: the working directory. STATUS_USAGE also if one is given twice. Free it with
 * vm_schedulers_free(), after errors too. */
enum status vm_schedulers_begin(const struct vm_options *options, const char *directory,
				struct vm_schedulers *schedulers, struct error *err);
void vm_schedulers_free(struct vm_schedulers *schedulers);
/* The set's members about scheduler and files. */
void vm_scheduler_describe(const struct vm_scheduler *scheduler, struct kernel_set *set);
/* The name of a set of base, a label or a release: BASE, or BASE+NAME. */
void vm_scheduler_set_name(const struct vm_scheduler *scheduler, const char *base, char *name, size_t size);

#endif
