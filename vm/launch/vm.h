/* SPDX-License-Identifier: MIT
 *
 * Boots one kernel with the picknext initramfs, runs the job in it, and takes the traces out. */
#ifndef VM_LAUNCH_VM_H
#define VM_LAUNCH_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/files/guest_files.h"
#include "vm/launch/host_wait.h"
#include "vm/launch/identity.h"

struct vm_request {
	const char *kernel;           /* bzImage or ELF vmlinux */
	const char *modules;          /* directory, or NULL: looked for beside the kernel */
	const char *initramfs;        /* base archive, or NULL: beside the binary, or in ../lib/picknext */
	const char *engine;           /* "vng", "qemu" or "auto" */
	const char *qemu;             /* program, or NULL: qemu-system-x86_64 of PATH */
	const char *accelerator;      /* "kvm", "tcg" or "auto" */
	const char *transport;        /* "share", "port" or "auto" */
	const char *append;           /* further kernel arguments, or NULL */
	const char *output_directory; /* DIR: traces go to DIR/RELEASE/raw, console to DIR/RELEASE/console.log */
	/* Directories of this run's earlier kernels: another kernel of the same release gets DIR/RELEASE-2. */
	const char *const *taken;
	size_t taken_count;
	const char *const *collect_arguments;  /* for picknext guest inside, NULL-terminated */
	const struct guest_files *guest_files; /* finished: goes into the guest; or NULL */
	unsigned int cpus;                     /* workload CPUs; one more is isolated for the tracer */
	bool no_isolated_cpu;                  /* it shares those */
	uint64_t memory_mb;
	unsigned int boot_timeout_s, silence_timeout_s, total_timeout_s; /* 0: no limit */
	bool shell, dry_run;
	/* One boot a seed, whose number is its run's; engine, accelerator and transport do not count then. */
	bool deterministic;
	const uint32_t *seeds;
	size_t seed_count;
	bool identify; /* prepare the boot, find out its identity, and leave it at that */
	bool untraced; /* the command is run, and nothing recorded */
};

struct vm_result {
	char release[65];        /* of the kernel, from the guest's uname or the image's version string */
	char directory[4096];    /* DIR/RELEASE */
	char console_tail[4096]; /* after STATUS_GUEST: the console's last lines, escaped, each with its newline */
	char output[4096]; /* where the command failed: the file of what it printed; console_tail is of that then */
	unsigned int traces, incomplete; /* taken out whole; kept as NAME.incomplete */
	unsigned int earlier;            /* traces that lay in raw/ before and are still there */
	int guest_exit;                  /* of the job, or -1 */
	struct identity identity;        /* of a deterministic run */
	struct vcpu_time vcpu_time;      /* of all runs whose traces came out; 0 where not known */
};

/* Checks what can be checked without booting: the image, the initramfs, the engine. */
enum status vm_check(const struct vm_request *request, struct error *err);

/* STATUS_OK: all traces are out. STATUS_GUEST: the guest died, hung or failed; STATUS_INTERRUPTED; STATUS_SYSTEM: the
 * host refused, as with a full disk. In each of these, what came out is kept and counted in result.
 * With dry_run the command line goes to standard output, and nothing is booted or written. The caller has done
 * interrupt_catch(). */
enum status vm_run(const struct vm_request *request, struct vm_result *result, struct error *err);

#endif
