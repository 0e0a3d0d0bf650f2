/* SPDX-License-Identifier: MIT
 *
 * The names of a recording's files. A recording to standard output is first written to a temporary file, because its
 * header needs the position of each CPU's events. */
#ifndef RECORD_RECORDING_OUTPUT_H
#define RECORD_RECORDING_OUTPUT_H

#include <limits.h>

#include "base/error.h"
#include "base/memory.h"

struct recording_output {
	char stem[PATH_MAX];      /* STEM.dat and STEM.json are written, and STEM.N.dat for stretch N */
	char directory[PATH_MAX]; /* the directory of these files, or the temporary directory */
	int to_fd;                /* >= 0: the trace is copied to this; stem is made by recording_output_open() */
	struct cleanup cleanup;
};

/* Derives the names from the user's FILE or FILE.dat. "-" is standard output: to_fd becomes a copy of it, and standard
 * output is redirected to standard error, so that output of a command does not mix with the trace. STATUS_USAGE: not
 * the name of a file, or standard output is a terminal. */
enum status recording_output_name(struct recording_output *output, const char *name, struct error *err);
/* Before anything is created: STATUS_USAGE if the trace and its metadata are the same file, if json is another trace or
 * its metadata, or if one of the names is a directory. name: as given; json: instead of STEM.json, or NULL. */
enum status recording_output_check(const struct recording_output *output, const char *name, const char *json,
				   struct error *err);
/* Before the files are written: renames an earlier recording of these names to TRACE.old and JSON.old, and reports it.
 * json may be empty. */
enum status recording_output_keep_old(const char *trace, const char *json, struct error *err);
/* With to_fd: makes a temporary directory within directory. */
enum status recording_output_open(struct recording_output *output, struct error *err);
/* With to_fd: copies the trace and removes it. Signals get their default actions first. */
enum status recording_output_copy(struct recording_output *output, struct error *err);
/* With to_fd: removes the trace. */
void recording_output_remove(struct recording_output *output);

#endif
