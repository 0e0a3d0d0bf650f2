/* SPDX-License-Identifier: MIT
 *
 * Boots one kernel with the picknext initramfs, runs the job in it, and takes the traces out. */
#ifndef VM_VM_H
#define VM_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct vm_request {
	const char *kernel;           /* bzImage or ELF vmlinux */
	const char *modules;          /* directory, or NULL: looked for beside the kernel */
	const char *initramfs;        /* base archive, or NULL: beside the binary */
	const char *engine;           /* "vng", "qemu" or "auto" */
	const char *accelerator;      /* "kvm", "tcg" or "auto" */
	const char *transport;        /* "share", "port" or "auto" */
	const char *output_directory; /* DIR: traces go to DIR/RELEASE/raw, console to DIR/RELEASE/console.log */
	const char *const *collect_arguments; /* for picknext guest inside, NULL-terminated */
	unsigned int cpus;                    /* workload CPUs; one more is isolated for the tracer */
	uint64_t memory_mb;
	unsigned int boot_timeout_s, silence_timeout_s, total_timeout_s;
	bool shell, dry_run;
};

struct vm_result {
	char release[65];     /* of the kernel, from the guest's uname or the image's version string */
	char directory[4096]; /* DIR/RELEASE */
	unsigned int traces, incomplete;
	int guest_exit; /* of the job, or -1 */
};

enum status vm_run(const struct vm_request *request, struct vm_result *result, struct error *err);

#endif
