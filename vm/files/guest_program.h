/* SPDX-License-Identifier: MIT
 *
 * Adds the dependencies of a program: interpreter, shared libraries, for scripts the program after #!. */
#ifndef VM_FILES_GUEST_PROGRAM_H
#define VM_FILES_GUEST_PROGRAM_H

#include <stdbool.h>

#include "base/error.h"
#include "vm/files/guest_files.h"

/* The path (PATH_MAX bytes) of a program of PATH, in the real directory: where /bin is /usr/bin, their order in PATH
 * does not matter. */
bool guest_program_find(const char *program, char *path);
/* Adds the dependencies of the file at path, if it is a program, a library or a script. must: anything else is an
 * error. moved: its path in the guest differs. */
enum status guest_program_add_needs(struct guest_files *guest_files, const char *path, bool must, bool moved,
				    struct error *err);
/* Adds the libraries of the file at path, if it is a program or a library; missing ones are skipped. */
void guest_program_add_libraries(struct guest_files *guest_files, const char *path, bool moved);

#endif
