/* SPDX-License-Identifier: MIT
 *
 * The schedulers of a command: each kernel boots with each of them. Each has its files for the guest: the
 * scheduler's program, the command, and files of --add. */
#ifndef VM_LAUNCH_SET_SCHEDULERS_H
#define VM_LAUNCH_SET_SCHEDULERS_H

#include "base/options.h"
#include "scheduler/scheduler_spec.h"
#include "vm/files/guest_files.h"
#include "vm/launch/options.h"

struct set_scheduler {
	bool is_given; /* else there is no --scheduler, and this is the only one */
	struct scheduler_spec spec;
	struct buffer text; /* as picknext collect takes it */
	char name[48];      /* in names of sets: "simple", "simple-f"; "": the kernel's own */
	struct guest_files guest_files;
};

struct set_schedulers {
	struct set_scheduler *items;
	size_t count; /* at least 1 */
};

/* The schedulers and files that a command names. */
struct set_request {
	const struct option_list *schedulers, *added;
	char *const *command;  /* or NULL */
	const char *directory; /* of relative paths; NULL: the working directory */
	uint64_t buffer_size_kb;
	const struct launch_options *launch;
};

/* Parses each scheduler, finds its program and the files for the guest, and checks the guest's memory. STATUS_USAGE
 * also if one is given twice. Free it with set_schedulers_free(), after errors too. */
enum status set_schedulers_begin(const struct set_request *request, struct set_schedulers *schedulers,
				 struct error *err);
void set_schedulers_free(struct set_schedulers *schedulers);
/* The name of a set: base (a label or a release), or BASE+NAME. */
void set_scheduler_name(const struct set_scheduler *scheduler, const char *base, char *name, size_t size);

/* A NULL scheduler means none, in all of these. The scheduler as text; NULL: none was given. */
const char *set_scheduler_text(const struct set_scheduler *scheduler);
/* True if it is a scheduler of sched_ext. */
bool set_scheduler_is_ext(const struct set_scheduler *scheduler);
/* Its files, sorted and complete; NULL: none. */
const struct guest_files *set_scheduler_files(const struct set_scheduler *scheduler);

#endif
