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
struct launch_options;
struct plan;
struct recipe;
struct run_claims;
struct set_scheduler;

/* A kernel set: one kernel, perhaps under one scheduler, and the runs that are made with it, each in one boot. */
struct kernel_set {
	const struct recipe *recipe;   /* of this set alone, but for its mode; recorded by vm_recipe() */
	const struct recipe *plan;     /* the same of all sets of the command, for plan.json; NULL: it has no plan */
	const struct arguments *words; /* of the recipe, for the guest */
	const char *kernel;            /* bzImage or ELF vmlinux */
	const char *name;              /* a safe one (vm/kernel/kernel_choice.h), or NULL: the release; may be filled in
					  between vm_open() and vm_run() */
	const char *label;             /* if the user named the set: its name in comparisons; else NULL */
	unsigned int number;           /* of the set in its comparison, from 0: the base */
	const struct set_scheduler *scheduler; /* and the files for the guest; NULL: neither */
	const uint32_t *runs;                  /* one boot for each: its number, the seed of a deterministic guest */
	size_t run_count;                      /* at least 1, at most SEED_LIST_MAX */
	size_t runs_min, runs_max;             /* of vm_run_looks(), for the record of the set; else 0 */
	size_t workload_count;                 /* in each boot; 0: there is no collection */
	bool again;                            /* also runs that exist */
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
/* DIR/SET, and the lock of what is made of its runs; both after vm_run(). */
const char *vm_directory(const struct launch *launch);
const struct run_claims *vm_claims(const struct launch *launch);

/* One run that ended, or one that is there from an earlier launch. */
struct vm_ended_run {
	size_t order;  /* among all */
	size_t launch; /* index */
	uint32_t run;
	const char *raw;           /* the directory of its traces */
	const struct error *error; /* how the guest died; NULL: it did not */
	const char *fault;         /* what its kernel reported on the console, such as a warning or a stall; or "" */
};

/* Judges each run, in the process that called vm_run(); true ends the search: no further guest starts. */
struct vm_search {
	bool (*fires)(void *context, const struct vm_ended_run *boot);
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

/* Numbers of runs of each set, ascending, at which is judged whether they are enough. */
struct vm_looks {
	const size_t *runs;
	size_t count;
	double budget_s; /* no further runs if they would end later; 0: no limit */
	/* *enough ends them. is_late: the budget does. STATUS_OK, or what ends all. */
	enum status (*judge)(void *context, size_t runs, bool is_late, bool *enough, struct error *err);
	void *context;
};

/* vm_run() with the runs of each look, until they are enough or one has failed. */
enum status vm_run_looks(struct launch *const *launches, size_t count, unsigned int jobs, const struct vm_looks *looks,
			 struct error *err);

/* The result of a launch after vm_run(). STATUS_GUEST: boots that failed. */
enum status vm_end(const struct launch *launch, struct vm_result *result, struct error *err);

/* A copy of a recipe, of the set or of its plan, with the mode that was chosen, so that it makes the same runs on a
 * machine where another mode would be. After vm_run(). */
void vm_recipe(const struct launch *launch, const struct recipe *from, struct recipe *to);

void vm_close(struct launch *launch); /* may be NULL */

#endif
