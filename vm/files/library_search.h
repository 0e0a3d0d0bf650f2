/* SPDX-License-Identifier: MIT
 *
 * Where the dynamic linker would find shared libraries on this machine. */
#ifndef VM_FILES_LIBRARY_SEARCH_H
#define VM_FILES_LIBRARY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arguments.h"
#include "base/error.h"

/* The machine's directories: of LD_LIBRARY_PATH, of /etc/ld.so.conf with what it includes, and those that every linker
 * knows. Only absolute ones. Zero it, and free with arguments_free(&search->directories). */
struct library_search {
	struct arguments directories;
};
enum status library_search_open(struct library_search *search, struct error *err);

/* One program or library, with the one that asked for it first. */
struct library_asker {
	const struct library_asker *asker; /* NULL: the program itself */
	char *origin;                      /* its directory: $ORIGIN */
	char *rpath, *runpath;             /* DT_RPATH, DT_RUNPATH, or NULL */
};

/* Finds library name for asker: path (PATH_MAX bytes) is where the linker would open it, *own says that a directory of
 * RPATH or RUNPATH led there. Files that are no x86-64 ELF are passed over, as the linker does. False where there is
 * none. */
bool library_find(const struct library_search *search, const struct library_asker *asker, const char *name, char *path,
		  bool *own);

/* True for a directory that the guest's linker looks into by itself. */
bool library_directory_is_usual(const char *directory);

#endif
