/* SPDX-License-Identifier: MIT
 *
 * The schedulers of picknext vm: each kernel boots with each of them. */
#ifndef CMD_VM_VM_SCHEDULERS_H
#define CMD_VM_VM_SCHEDULERS_H

#include "cmd/vm/vm_options.h"
#include "scheduler/scheduler_spec.h"
#include "vm/kernel/kernel_choice.h"

struct vm_scheduler {
	bool is_given; /* else there is no --scheduler, and this is the only one */
	struct scheduler_spec spec;
	struct buffer text;
	char name[48]; /* in names of sets: "simple", "simple-f"; "": the kernel's own */
	struct guest_files guest_files;
	struct arguments collect; /* for the collection in the guest */
};

struct vm_schedulers {
	struct vm_scheduler *items;
	size_t count; /* at least 1 */
};

/* Parses each --scheduler, finds its program and the files for the guest, and checks the guest's memory. STATUS_USAGE
 * also if one is given twice. Free it with vm_schedulers_free(), after errors too. */
enum status vm_schedulers_begin(const struct vm_options *options, struct vm_schedulers *schedulers, struct error *err);
void vm_schedulers_free(struct vm_schedulers *schedulers);
/* The request's members about the scheduler. */
void vm_scheduler_request(const struct vm_scheduler *scheduler, struct vm_request *request);
/* Makes the list of kernels that of all cells' kernels: each with each scheduler, in one row. choices has count
 * entries and is replaced. NULL without memory. */
struct kernel_choice *vm_schedulers_expand(const struct vm_schedulers *schedulers, const struct kernel_choice *choices,
					   size_t count);
/* The name of a set that has no label: RELEASE, or RELEASE+NAME. */
void vm_scheduler_set_name(const struct vm_scheduler *scheduler, const char *base, char *name, size_t size);

#endif
