/* SPDX-License-Identifier: MIT
 *
 * Boots one kernel with the picknext initramfs, runs the job in it, and receives the traces. */
#ifndef VM_LAUNCH_VM_H
#define VM_LAUNCH_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct guest_files;

struct vm_request {
	const char *kernel;           /* bzImage or ELF vmlinux */
	const char *modules;          /* directory, or NULL: found beside the kernel */
	const char *initramfs;        /* base archive, or NULL: beside the binary, or in ../lib/picknext */
	const char *engine;           /* "vng", "qemu" or "auto" */
	const char *qemu;             /* program, or NULL: qemu-system-x86_64 of PATH */
	const char *accelerator;      /* "kvm", "tcg" or "auto" */
	const char *transport;        /* "share", "port" or "auto" */
	const char *append;           /* further kernel arguments, or NULL */
	const char *output_directory; /* DIR: traces go to DIR/RELEASE/raw, console to DIR/RELEASE/console.log */
	/* Directories of earlier kernels of this run: another kernel of the same release gets DIR/RELEASE-2. */
	const char *const *taken;
	size_t taken_count;
	const char *const *collect_arguments;  /* for picknext guest, NULL-terminated */
	const struct guest_files *guest_files; /* finished; or NULL */
	unsigned int cpus;                     /* workload CPUs; one more is isolated for the tracer */
	bool no_isolated_cpu;                  /* the tracer shares the workload CPUs */
	uint64_t memory_mb;
	unsigned int boot_timeout_s, silence_timeout_s, total_timeout_s; /* 0: no limit */
	bool shell, dry_run;
	/* One boot per seed; the seed is the number of the run. Ignores engine, accelerator and transport. */
	bool deterministic;
	const uint32_t *seeds;
	size_t seed_count;
	bool untraced; /* the command runs without recording */
};

struct vm_result {
	char release[65];                /* from the guest's uname, or the image's version string */
	char directory[4096];            /* DIR/RELEASE */
	char console_tail[4096];         /* after STATUS_GUEST: last lines of the console, escaped */
	char output[4096];               /* output file of a failed command; console_tail is its tail then */
	unsigned int traces, incomplete; /* received; kept as NAME.incomplete */
	unsigned int earlier;            /* traces that were in raw/ before */
	int guest_exit;                  /* of the job, or -1 */
	double host_wait_share;          /* share of the vCPUs' time waiting for a host CPU; NaN: unknown */
};

/* A launch of one kernel. request must stay valid until vm_close(). */
struct launch;
struct identity;

/* Finds kernel, modules, initramfs and engine, and checks what can be checked without booting. launch is NULL after an
 * error. */
enum status vm_open(const struct vm_request *request, struct launch **launch, struct error *err);

/* Boots and returns after the guest's end, at most once per launch. STATUS_OK: all traces arrived. STATUS_GUEST: the
 * guest died, hung or failed; STATUS_INTERRUPTED; STATUS_SYSTEM: the host refused, for example because of a full disk.
 * After each of these, received traces are kept and counted in result. With dry_run the command line is printed to
 * standard output, and nothing is booted or written. The caller has called interrupt_catch(). */
enum status vm_run(struct launch *launch, struct vm_result *result, struct error *err);

/* The identity of a deterministic launch, without booting; may be called before vm_run(). */
enum status vm_identify(struct launch *launch, struct identity *identity, struct error *err);

void vm_close(struct launch *launch); /* may be NULL */

#endif
