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
struct buffer;
struct launch_options;
struct recipe;
struct run_claims;
struct set_scheduler;

/* A kernel set: one kernel, perhaps under one scheduler, and the runs that are made with it, each in one boot. */
struct kernel_set {
	const struct recipe *recipe;   /* of this set only, without the chosen mode; see vm_recipe() */
	bool wants_runs;               /* vm.json lists the runs; the set is incomplete if one is missing */
	const struct arguments *words; /* of the recipe, for the guest */
	const char *kernel;            /* bzImage or ELF vmlinux */
	const char *name;              /* a safe one (vm/kernel/kernel_choice.h), or NULL: the release; may be filled in
					  between vm_open() and vm_run() */
	const char *label;             /* if the user named the set: its name in comparisons; else NULL */
	unsigned int number;           /* of the set in its comparison, from 0: the base */
	const struct set_scheduler *scheduler; /* with the files for the guest; NULL: no scheduler, no files */
	const uint32_t *runs;                  /* one boot for each: its number, the seed of a deterministic guest */
	size_t run_count;                      /* at least 1, at most SEED_LIST_MAX */
	size_t workload_count;                 /* in each boot; 0: there is no collection */
	bool again;                            /* repeat runs that exist */
};

struct vm_result {
	char release[65];            /* from the guest's uname, or the image's version string */
	char set[80];                /* its name */
	char directory[4096];        /* DIR/SET */
	uint64_t traces, incomplete; /* of all its boots; kept as NAME.incomplete */
	unsigned int earlier;        /* traces that were in raw/ before */
	double host_wait_share;      /* share of the vCPUs' time waiting for a host CPU; NaN: unknown */
};

/* A launch of one kernel set. Both arguments must stay valid until vm_close(). */
struct launch;

/* Finds kernel, modules, initramfs and engine, and checks what can be checked without booting. launch is NULL after an
 * error. */
enum status vm_open(const struct launch_options *options, const struct kernel_set *set, struct launch **launch,
		    struct error *err);

/* The release in the image, or "kernel" if it has none. */
const char *vm_release(const struct launch *launch);
/* The claims of DIR/SET, which lock what is made from its runs; after vm_run(). */
const struct run_claims *vm_claims(const struct launch *launch);

/* A run that ended, or one that an earlier launch made. */
struct vm_ended_run {
	size_t order;  /* among all */
	size_t launch; /* index */
	uint32_t run;
	const char *raw;           /* the directory of its traces */
	const struct error *error; /* how the guest died; NULL: it did not */
	const char *fault;         /* what its kernel reported on the console, such as a warning or a stall; or "" */
};

/* Hears of runs, in the process that called vm_run(). Each function may be NULL. */
struct vm_watch {
	/* A trace is whole in raw, with its JSON: while its guest runs on if it can be (shared memory), else at its
	 * end. It may be called twice for one. */
	void (*arrived)(void *context, size_t launch, uint32_t run, const char *path);
	/* A run has ended, or is there from an earlier launch; its traces have arrived. True ends all: no further guest
	 * starts. */
	bool (*ended)(void *context, const struct vm_ended_run *boot);
	/* Adds words for the line of progress, if there are any. */
	void (*add_words)(void *context, struct buffer *out);
	bool is_search; /* it may end all: the boots are at most those that are asked for */
	void *context;
};

/* Checks what vm_run() checks before its first boot, and writes no files: STATUS_USAGE if a set has runs with other
 * inputs. vm_run() and vm_plan() do not check these launches again. */
enum status vm_check(struct launch *const *launches, size_t count, struct error *err);

/* Adds the command of each run that vm_run() would boot to out: one per line, quoted for a shell. words: the recipe of
 * all sets. Writes no files. Same errors as vm_run(). */
enum status vm_plan(struct launch *const *launches, size_t count, const struct recipe *words, struct buffer *out,
		    struct error *err);

/* Boots all runs of all launches; to be called once per launch. Order: the first run of each kernel, then the second of
 * each, and so on. At most jobs boots run at a time, each in a process of its own; the bytes of the traces do not
 * depend on jobs. Shows progress. A run that exists with the same inputs is not booted. If another process makes a run,
 * waits for it. A guest that dies ends only its own boot, and vm_end() reports it. If a boot fails and no boot of its
 * kernel has left a trace, the other boots of this kernel are skipped. Other errors end all: STATUS_USAGE before the
 * first boot if a set has runs with other inputs; STATUS_INTERRUPTED; STATUS_SYSTEM if the host refused, for example
 * because of a full disk. Received traces are kept and counted in each result. With dry_run only the command lines are
 * printed. only: "SET/RUN", the only run to boot; or NULL. watch may be NULL. The caller has called interrupt_catch().
 */
enum status vm_run(struct launch *const *launches, size_t count, unsigned int jobs, const char *only,
		   const struct vm_watch *watch, struct error *err);

/* The result of a launch after vm_run(). STATUS_GUEST: boots that failed. */
enum status vm_end(const struct launch *launch, struct vm_result *result, struct error *err);

/* Copies a recipe (of the set, or of all sets) and adds the chosen mode, so that it makes the same runs on a machine
 * that would choose another mode. Call it after vm_run(). */
void vm_recipe(const struct launch *launch, const struct recipe *from, struct recipe *to);

void vm_close(struct launch *launch); /* may be NULL */

#endif
