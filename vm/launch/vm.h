/* SPDX-License-Identifier: MIT
 *
 * Boots kernels with the picknext initramfs, runs the job in each guest, and receives the traces. */
#ifndef VM_LAUNCH_VM_H
#define VM_LAUNCH_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct arguments;
struct cell_choice;
struct guest_files;
struct plan;

struct vm_request {
	const char *kernel;           /* bzImage or ELF vmlinux */
	const char *modules;          /* directory, or NULL: found beside the kernel */
	const char *initramfs;        /* base archive, or NULL: beside the binary, or in ../lib/picknext */
	const char *engine;           /* "vng", "qemu" or "auto" */
	const char *qemu;             /* program, or NULL: qemu-system-x86_64 of PATH */
	const char *accelerator;      /* "kvm", "tcg" or "auto" */
	const char *append;           /* further kernel arguments, or NULL */
	const char *output_directory; /* DIR: traces go to DIR/SET/raw, logs to DIR/SET/console and engine */
	const char *set;              /* name of the set of runs, a safe one (vm/kernel/kernel_choice.h), or NULL: the
					 release; may be filled in between vm_open() and vm_run() */
	const char *label;            /* if the user named the set: its name in comparisons; else NULL */
	unsigned int number;          /* of the kernel in its comparison, from 0: the base */
	const char *const *collect_arguments;  /* for picknext guest, NULL-terminated */
	const struct guest_files *guest_files; /* finished; or NULL */
	unsigned int cpus;                     /* workload CPUs; one more is isolated for the tracer */
	bool no_isolated_cpu;                  /* the tracer shares the workload CPUs */
	bool isolated_by_affinity;             /* the isolated CPU stays in the scheduler's domains, for sched_ext */
	const char *scheduler;     /* of sched_ext, recorded: as collect_arguments have it; "none"; or NULL */
	bool needs_sched_ext;      /* so it is not none: kernels without sched_ext are refused */
	bool needs_cmpxchg16b;     /* and this scheduler needs a CPU with it: QEMU 10 */
	bool is_unknown_scheduler; /* or may need it */
	uint64_t memory_mb;
	unsigned int boot_timeout_s, silence_timeout_s, total_timeout_s; /* 0: no limit */
	bool shell, dry_run;
	bool deterministic;   /* ignores engine and accelerator */
	const uint32_t *runs; /* one boot for each: its number, the seed of a deterministic guest */
	size_t run_count;     /* at least 1, at most SEED_LIST_MAX */
	bool untraced;        /* the command runs without recording */
	bool again;           /* also runs that are there already */
	bool force;           /* so, and replaces runs with other inputs */
	/* How any machine repeats the command, for plan.json: its options without the choice of runs and cells, and
	 * what comes after them. NULL: it has no plan. */
	const struct arguments *plan_options, *plan_operands;
	size_t workload_count; /* in each boot; 0: there is no collection */
};

struct vm_result {
	char release[65];            /* from the guest's uname, or the image's version string */
	char set[80];                /* request's set, or the release */
	char directory[4096];        /* DIR/SET */
	uint64_t traces, incomplete; /* of all its boots; kept as NAME.incomplete */
	unsigned int earlier;        /* traces that were in raw/ before */
	double host_wait_share;      /* share of the vCPUs' time waiting for a host CPU; NaN: unknown */
};

/* A launch of one kernel. request must stay valid until vm_close(). */
struct launch;
struct identity;

/* Finds kernel, modules, initramfs and engine, and checks what can be checked without booting. launch is NULL after an
 * error. */
enum status vm_open(const struct vm_request *request, struct launch **launch, struct error *err);

/* The release in the image, or "kernel" if it has none. */
const char *vm_release(const struct launch *launch);

/* One boot that ended, or one that is there from an earlier launch. */
struct vm_boot {
	size_t order;  /* of the cell among all */
	size_t launch; /* index */
	uint32_t run;
	const char *raw;           /* the directory of its traces */
	const struct error *error; /* how the guest died; NULL: it did not */
	const char *fault;         /* what its kernel reported on the console, such as a warning or a stall; or "" */
};

/* Judges each boot, in the process that called vm_run(); true ends the search: no further guest starts. */
struct vm_search {
	bool (*fires)(void *context, const struct vm_boot *boot);
	void *context;
};

/* The sets of the launches and their runs, without booting. */
enum status vm_plan(struct launch *const *launches, size_t count, struct plan *plan, struct error *err);

/* Boots all runs of all launches that choice has (NULL: all), at most once per launch: run by run, each of all kernels,
 * at most jobs at a time, in a process of its own; the bytes of the traces do not depend on jobs. Shows their progress,
 * and writes each vm.json. A run whose traces are there with the same inputs is not booted; one that another process
 * makes is waited for. A guest that dies ends only its own boot: vm_end() reports it; but a kernel whose first boot
 * leaves no trace has no further ones. Other errors end all: STATUS_USAGE before the first boot if a set has runs with
 * other inputs; STATUS_INTERRUPTED; STATUS_SYSTEM if the host refused, for example because of a full disk. Received
 * traces are kept and counted in each result. With dry_run only the command lines are printed. search may be NULL. The
 * caller has called interrupt_catch(). */
enum status vm_run(struct launch *const *launches, size_t count, unsigned int jobs, const struct cell_choice *choice,
		   const struct vm_search *search, struct error *err);

/* Waits until no other process makes files of the whole set, and keeps others from it until vm_unlock(). */
void vm_lock(const struct launch *launch);
void vm_unlock(const struct launch *launch);

/* The result of a launch after vm_run(). STATUS_GUEST: boots that failed. */
enum status vm_end(const struct launch *launch, struct vm_result *result, struct error *err);

/* The inputs of a launch, without booting; may be called before vm_run(). */
enum status vm_identify(struct launch *launch, struct identity *identity, struct error *err);

void vm_close(struct launch *launch); /* may be NULL */

#endif
