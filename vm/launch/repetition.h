/* SPDX-License-Identifier: MIT
 *
 * A recorded kernel set of deterministic guests that is to be repeated: what was recorded, and whether the inputs are
 * the same now. */
#ifndef VM_LAUNCH_REPETITION_H
#define VM_LAUNCH_REPETITION_H

#include <stddef.h>
#include <stdint.h>

#include "runs/recorded_set.h"
#include "vm/kernel/kernel_choice.h"
#include "vm/launch/identity.h"
#include "vm/plan/seed_list.h"

struct launch;

struct repeated_trace {
	char name[256]; /* "io_mixed_run3.dat" */
	uint32_t seed;
};

struct repetition {
	const char *directory;
	struct recorded_set recorded;
	struct identity identity;
	const char *qemu; /* or "". Started only if the user gives it: a directory from others could name any program */
	char name[SET_NAME_SIZE]; /* of its directory, wherever that is now; "": it is not safe */
	struct repeated_trace *traces;
	size_t count, total; /* total: also those of seeds that are not wanted */
	struct seed_list seeds;
};

/* Reads DIR/SET and the records of its runs with these seeds (empty: all). STATUS_USAGE if the set is not of
 * deterministic guests or has no such traces, STATUS_UNSUPPORTED without a recipe, STATUS_CORRUPT
 * if the recipe is malformed. End it after errors too. */
enum status repetition_begin(struct repetition *repetition, const char *directory, const struct seed_list *wanted,
			     struct error *err);
/* Compares the inputs of the launch that repeats it: warns about those that differ, since they explain different
 * traces, and refuses another kernel (at this path) with STATUS_USAGE. qemu_is_given: by the user. */
enum status repetition_check(const struct repetition *repetition, struct launch *launch, const char *kernel,
			     bool qemu_is_given, struct error *err);
void repetition_end(struct repetition *repetition);

#endif
