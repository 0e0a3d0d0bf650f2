/* SPDX-License-Identifier: MIT
 *
 * Adds files named by the user, with --add or as a command, to a set of guest files. */
#ifndef VM_FILES_GUEST_FILE_REQUEST_H
#define VM_FILES_GUEST_FILE_REQUEST_H

#include "base/error.h"
#include "vm/files/guest_files.h"

/* Call it for each text of the functions below, before the first of them. If a relative path leads out of the working
 * directory (../data), the command starts in a directory of the same path as on the host, else in GUEST_FILES_START. */
enum status guest_files_expect(struct guest_files *guest_files, const char *text, struct error *err);

/* Adds an operand of --add: HOST or HOST:GUEST. HOST is a file, a directory (with its contents), or the name of a
 * program in PATH. GUEST is an absolute path; a path that ends in / is a directory for HOST. Errors name the missing
 * file and the file that needs it. */
enum status guest_files_add(struct guest_files *guest_files, const char *text, struct error *err);

/* The same for a program, unless an earlier --add has it. fetched: its file, for /usr/bin in the guest; or NULL. */
enum status guest_files_add_program(struct guest_files *guest_files, const char *program, const char *fetched,
				    struct error *err);

/* Adds the program of a command line. Nothing is added if an earlier --add has it; if it is not found in PATH, it
 * becomes guest_files->expected. */
enum status guest_files_add_command(struct guest_files *guest_files, const char *program, struct error *err);

#endif
