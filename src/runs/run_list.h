/* SPDX-License-Identifier: MIT
 *
 * A directory of runs: NAME.dat or NAME.txt, each with its NAME.json, in the order in which Python sorts NAME.txt. All
 * commands list runs with it. */
#ifndef RUNS_RUN_LIST_H
#define RUNS_RUN_LIST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "runs/run.h"

/* A zeroed struct is empty. */
struct run_list {
	struct run *items;
	size_t count, capacity;
};

struct run_list_options {
	const char *option; /* the option that named the directory, for the remedy; NULL: it is an operand */
	/* Reports files that are left out; NULL: no reports. */
	void (*warning)(void *context, const char *text);
	void *context;
};

/* DIR/raw if there is such a directory, else DIR. STATUS_USAGE if that is too long. */
enum status run_directory_of(const char *directory, char raw[PATH_MAX], struct error *err);
/* True if the directory itself contains a trace. */
bool run_directory_has_traces(const char *directory);
/* True if NAME in it is a set of runs: NAME/raw contains a trace. */
bool run_directory_has_set(const char *directory, const char *name);

/* Adds the traces of a directory, without reading them. If there are NAME.dat and NAME.txt, takes NAME.dat. Leaves out
 * hidden files and .incomplete files (not fully transferred from a guest). STATUS_UNSUPPORTED if there is no trace,
 * with the sets below the directory in the remedy; the list is then empty. options may be NULL. Free it with
 * run_list_free(). */
enum status run_list_find(const char *directory, const struct run_list_options *options, struct run_list *list,
			  struct error *err);
/* run_read_metadata() of each. */
enum status run_list_read_metadata(struct run_list *list, struct error *err);
/* The first run after this one (NULL: of all) whose release or build ID of the kernel is known not to be that of the
 * list's first run; NULL: none. text: "is of another kernel (...) ...", with the remedy. */
const struct run *run_list_other_kernel(const struct run_list *list, const struct run *after, char *text, size_t size);
void run_list_free(struct run_list *list);

#endif
