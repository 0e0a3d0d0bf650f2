/* SPDX-License-Identifier: MIT
 *
 * Places that a change of a kernel's source touches: functions and lines, from a patch, names and FILE:LINE. Patches
 * are hostile input. */
#ifndef VM_KERNEL_SOURCE_CHANGE_H
#define VM_KERNEL_SOURCE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/error.h"

#define SOURCE_PLACES_MAX 256
#define SOURCE_NAME_MAX   95 /* bytes of a function or file */

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
	bool is_cut;     /* there are more than SOURCE_PLACES_MAX */
	char
	    absent[256]; /* a file whose changed lines the tree does not have, so that the patch alone is used; or "" */
};

/* Adds words separated by commas: functions, FILE:LINE, or a patch file, whose name has a dot or a slash. tree: the
 * kernel's source, in which the lines of patches are searched and functions are read that enclose a line; or NULL.
 * STATUS_USAGE names --reached for something else, and for a file without a change. */
enum status source_change_add(struct source_change *change, const char *words, const char *tree, struct error *err);
void source_change_free(struct source_change *change);
/* Whether a place is the first one with its function. */
bool source_change_names(const struct source_change *change, size_t place);

/* Adds "FUNCTION/CALLER" for functions of the tree that call a changed one, by the text of its file, or of kernel/sched
 * if its file is not known: at most SOURCE_CALLERS_MAX for each. */
#define SOURCE_CALLERS_MAX 8
void source_change_callers(const struct source_change *change, const char *tree, struct arguments *callers);

/* The text of a patch (unified diff). False if it has no change. */
bool source_change_parse(struct source_change *change, const char *text, size_t length, const char *tree);

/* The function that encloses a line of a source text, by the kernel's style: its name is on a line that begins in the
 * first column, its end is a brace there. False outside of functions. */
bool source_function_at(const char *text, size_t length, uint32_t line, char function[SOURCE_NAME_MAX + 1]);

#endif
