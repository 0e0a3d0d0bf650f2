/* SPDX-License-Identifier: MIT
 *
 * Adds to a set of guest files what the user names, with --add or as a command. */
#ifndef VM_FILES_GUEST_FILE_REQUEST_H
#define VM_FILES_GUEST_FILE_REQUEST_H

#include "base/error.h"
#include "vm/files/guest_files.h"

/* What --add takes: HOST or HOST:GUEST. HOST is a file, a directory (with all that is in it), or the name of a program
 * in PATH. GUEST is an absolute path; one that ends in / is a directory for it. Errors name what is missing, and for
 * whom. */
enum status guest_files_add(struct guest_files *guest_files, const char *text, struct error *err);

/* The program that a command line begins with. Nothing is added where the guest has it from an earlier --add; where no
 * directory of PATH has it, it becomes guest_files->expected. */
enum status guest_files_add_command(struct guest_files *guest_files, const char *program, struct error *err);

#endif
