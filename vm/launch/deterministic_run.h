/* SPDX-License-Identifier: MIT
 *
 * A recorded deterministic run, read from its vm.json and its traces' metadata, and its repetition. */
#ifndef VM_LAUNCH_DETERMINISTIC_RUN_H
#define VM_LAUNCH_DETERMINISTIC_RUN_H

#include "base/arguments.h"
#include "base/json.h"
#include "vm/files/guest_file_request.h"
#include "vm/kernel/kernel_choice.h"
#include "vm/launch/identity.h"
#include "vm/launch/recorded_traces.h"
#include "vm/launch/seed_list.h"
#include "vm/launch/vm.h"

struct deterministic_run {
	const char *directory; /* the caller's */
	struct identity identity;
	struct vm_request request; /* without output_directory, and without qemu: see recorded_qemu */
	const char *recorded_qemu; /* or "". Never started by itself: a directory of others could name any program */
	struct recorded_traces traces; /* of this identity and the wanted seeds */
	/* request points into these. */
	struct json_value *json;
	char set[SET_NAME_SIZE]; /* "": the directory's name is not safe */
	struct seed_list seeds;
	struct arguments collect;
	struct guest_files files;
};

/* wanted: the seeds to include; empty: all. STATUS_USAGE if directory has no deterministic run, or no wanted trace.
 * Free it after errors too. */
enum status deterministic_run_read(const char *directory, const struct seed_list *wanted, struct deterministic_run *run,
				   struct error *err);
/* Boots the request again, jobs runs at a time (0: the default); traces go to output_directory/SET (result->directory).
 * Warns about each changed part of the identity; STATUS_USAGE for another kernel, and if the recorded traces would be
 * overwritten. */
enum status deterministic_run_repeat(struct deterministic_run *run, const char *output_directory, uint64_t jobs,
				     struct vm_result *result, struct error *err);
/* Calls visit() with operand if it has a vm.json, else with each directory in it that has one, by name. The first error
 * ends it. STATUS_SYSTEM if there is none. */
enum status deterministic_run_each(const char *operand,
				   enum status (*visit)(void *context, const char *directory, struct error *err),
				   void *context, struct error *err);
void deterministic_run_free(struct deterministic_run *run);

#endif
