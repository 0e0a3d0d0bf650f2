/* SPDX-License-Identifier: MIT
 *
 * Finds shared libraries like the dynamic linker of the host. */
#ifndef VM_FILES_LIBRARY_SEARCH_H
#define VM_FILES_LIBRARY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arguments.h"
#include "base/error.h"

/* The directories of LD_LIBRARY_PATH, of /etc/ld.so.conf with its includes, and the linker's defaults. Only absolute
 * paths. Zero it, and free with arguments_free(&search->directories). */
struct library_search {
	struct arguments directories;
};
void library_search_open(struct library_search *search);

/* One program or library, with the first object that needs it. */
struct library_asker {
	const struct library_asker *asker; /* NULL: the program itself */
	char *origin;                      /* its directory: $ORIGIN */
	char *rpath, *runpath;             /* DT_RPATH, DT_RUNPATH, or NULL */
};

/* Finds library name for asker, a program of machine (<elf.h>): path (PATH_MAX bytes) is the file that the linker would
 * open; *own: found by RPATH or RUNPATH. Files for other machines are skipped, as by the linker. False if there is
 * none.
 */
bool library_find(const struct library_search *search, unsigned int machine, const struct library_asker *asker,
		  const char *name, char *path, bool *own);

/* True for a default directory of the guest's linker. */
bool library_directory_is_usual(const char *directory);

#endif
