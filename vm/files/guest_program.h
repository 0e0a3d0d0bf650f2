/* SPDX-License-Identifier: MIT
 *
 * What a program needs to start in the guest: interpreter, shared libraries, for scripts the program after #!. */
#ifndef VM_FILES_GUEST_PROGRAM_H
#define VM_FILES_GUEST_PROGRAM_H

#include <stdbool.h>

#include "base/error.h"
#include "vm/files/guest_files.h"

/* What the file at path needs to run, if it is a program, a library or a script; must: that it is one. moved: it gets
 * another path in the guest. */
enum status guest_program_add_needs(struct guest_files *guest_files, const char *path, bool must, bool moved,
				    struct error *err);
/* Libraries of the file at path, if it is a program or a library, as far as they are there. */
void guest_program_add_libraries(struct guest_files *guest_files, const char *path, bool moved);

#endif
