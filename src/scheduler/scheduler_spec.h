/* SPDX-License-Identifier: MIT
 *
 * The scheduler of a guest or a machine: the value of --scheduler. */
#ifndef SCHEDULER_SCHEDULER_SPEC_H
#define SCHEDULER_SCHEDULER_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/buffer.h"
#include "base/error.h"
#include "scheduler/builtin_table.h"

enum scheduler_kind {
	SCHEDULER_NONE,    /* the kernel's own */
	SCHEDULER_BUILTIN, /* one that picknext loads itself: builtin_scheduler_run() */
	SCHEDULER_PROGRAM, /* one that a program loads and holds */
};

struct scheduler_spec {
	enum scheduler_kind kind;
	const struct builtin_scheduler *builtin; /* of a builtin */
	uint64_t slice_ns;                       /* of a builtin, in whole us; 0: the default */
	struct arguments words;                  /* of a program: it and its arguments */
};

/* Parses "none", "builtin:NAME", "builtin:NAME,slice=TIME" (in us, or with a unit) or "PROGRAM [ARGUMENTS]". Words are
 * separated by spaces and tabs; '...' and "..." keep them in a word. STATUS_USAGE for anything else, and for control
 * characters; the error has the nearest name, if any. On failure nothing has to be freed. */
enum status scheduler_spec_parse(const char *text, struct scheduler_spec *spec, struct error *err);
/* Adds the same scheduler as text, in one form for all ways to write it: for names, metadata and identities, and for
 * scheduler_spec_parse() in a guest. */
void scheduler_spec_text(const struct scheduler_spec *spec, struct buffer *out);
void scheduler_spec_free(struct scheduler_spec *spec);
/* For a program name that is not in PATH: the path of the program that picknext fetch schedulers built. False if
 * there is none, and for other schedulers. */
bool scheduler_spec_find_fetched(const struct scheduler_spec *spec, char *path, size_t size);

#endif
