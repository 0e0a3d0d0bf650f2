/* SPDX-License-Identifier: MIT
 *
 * A directory of runs: NAME.dat or NAME.txt, each with its NAME.json, in the order in which Python sorts NAME.txt. The
 * one lister for all commands. */
#ifndef RUNS_RUN_LIST_H
#define RUNS_RUN_LIST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "runs/loss.h"
#include "runs/metadata.h"

struct run {
	char *id;   /* the file's name without .dat or .txt */
	char *path; /* of the .dat or .txt file */
	bool is_text;

	/* After run_read_metadata(). */
	char *workload_type, *category;
	struct losses losses;         /* as reported by the metadata */
	struct run_metadata metadata; /* document NULL: there is no NAME.json */
};

struct run_list {
	struct run *items;
	size_t count;
};

struct run_list_options {
	const char *option; /* the option that named the directory, for the remedy; NULL: it is an operand */
	/* Reports files that are left out; NULL: no reports. */
	void (*warning)(void *context, const char *text);
	void *context;
};

/* DIR/raw if there is such a directory, else DIR. STATUS_USAGE if that is too long. */
enum status run_directory_of(const char *directory, char raw[PATH_MAX], struct error *err);
/* Whether it directly contains a trace. */
bool run_directory_has_traces(const char *directory);

/* Lists the traces of a directory, without reading them. Of NAME.dat and NAME.txt, NAME.dat counts; hidden files are
 * left out, also files that end in .incomplete (a guest did not deliver all of them). STATUS_UNSUPPORTED if there is no
 * trace. Free it with run_list_free(). */
enum status run_list_find(const char *directory, const struct run_list_options *options, struct run_list *list,
			  struct error *err);
/* run_read_metadata() of each. */
enum status run_list_read_metadata(struct run_list *list, struct error *err);
void run_list_free(struct run_list *list);

/* Reads directory/ID.json (directory NULL: there is none) of a run whose id and path are set. Labels come from there;
 * workload_type is else ID up to its last "_run", category the workload up to its last "_". */
enum status run_read_metadata(struct run *run, const char *directory, struct error *err);
void run_free(struct run *run);

#endif
