/* SPDX-License-Identifier: MIT
 *
 * Paths of outputs. An output replaces what is at its path, except a directory, a trace, the metadata of a run
 * and the records of picknext vm.
 * Standard output, devices and pipes are written to, never replaced. */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Before any work: STATUS_USAGE if path is a directory, a trace (trace.dat or the kernel's text), the metadata of a
 * run (NAME.json beside NAME.dat), or a record of picknext vm (vm.json, boots/runN.json). */
enum status output_check(const char *path, struct error *err);
/* For an output that may replace a recording: STATUS_USAGE only if path is a directory. */
enum status output_check_directory(const char *path, struct error *err);
/* STATUS_USAGE if two outputs of a command are the same file, even by different names. Either may be NULL. */
enum status output_check_pair(const char *path, const char *option, const char *other, const char *other_option,
			      struct error *err);

/* The descriptor of an output that is not a file: a copy of standard output for "-" and /dev/stdout, an open device or
 * pipe. *fd is -1 for a file. */
enum status output_open_stream(const char *path, int *fd, struct error *err);
/* Before a file is written: renames a regular file at path to PATH.old, because it may be the only copy of an earlier
 * recording. *kept: there was one. */
enum status output_keep_old(const char *path, bool *kept, struct error *err);
/* Creates a new file beside path, whose name no other file has. *temporary: its name, to be freed. */
enum status output_create(const char *path, char **temporary, int *fd, struct error *err);

#endif
