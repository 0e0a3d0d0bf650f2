/* SPDX-License-Identifier: MIT
 *
 * Places that a change of a kernel's source touches: functions and lines. */
#ifndef VM_KERNEL_SOURCE_CHANGE_H
#define VM_KERNEL_SOURCE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arguments.h"
#include "vm/kernel/source_text.h"

#define SOURCE_PLACES_MAX 256

/* A changed line, or only a function that was named. */
struct source_place {
	char function[SOURCE_NAME_MAX + 1]; /* "": the line is outside of functions, or its function is not known */
	char file[SOURCE_NAME_MAX + 1];     /* "kernel/sched/fair.c"; "": a function without its file */
	uint32_t line;                      /* after the change, from 1; 0 without a file */
};

struct source_change {
	struct source_place *places; /* by their appearance, each once */
	size_t count;
	bool is_patched; /* a patch was read */
	bool is_cut;     /* there are more than SOURCE_PLACES_MAX, or too many hunks */
	char
	    absent[256]; /* a file whose changed lines the tree does not have, so that the patch alone is used; or "" */
};

/* Adds a place unless it is there; is_cut if there is no room for it. */
void source_change_add_place(struct source_change *change, const char *function, const char *file, uint32_t line);
void source_change_free(struct source_change *change);
/* Whether a place is the first one with its function. */
bool source_change_names(const struct source_change *change, size_t place);

/* Adds "FUNCTION/CALLER" for functions of the tree that call a changed one, by the text of its file, or of kernel/sched
 * if its file is not known: at most SOURCE_CALLERS_MAX for each. */
#define SOURCE_CALLERS_MAX 8
void source_change_callers(const struct source_change *change, const char *tree, struct arguments *callers);

#endif
