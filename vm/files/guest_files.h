/* SPDX-License-Identifier: MIT
 *
 * Programs and files of this machine that a guest is given: with --add, and for its command. They get the same paths
 * there as here unless others are asked for, and programs bring what they need to start: their interpreter, their
 * shared libraries (found as the dynamic linker finds them, without running anything), for scripts what #! names. */
#ifndef VM_FILES_GUEST_FILES_H
#define VM_FILES_GUEST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/error.h"
#include "vm/files/cpio.h"
#include "vm/files/library_search.h"

enum guest_file_kind { GUEST_FILE_DIRECTORY, GUEST_FILE_REGULAR, GUEST_FILE_LINK };

struct guest_file {
	enum guest_file_kind kind;
	char *guest;     /* path in the guest, without the leading slash */
	char *from;      /* file: its path here; link: what it leads to; directory: "" */
	bool executable; /* file: 0755 instead of 0644 */
};

/* A zeroed struct is empty; free it with guest_files_free(). */
struct guest_files {
	struct guest_file *items; /* after guest_files_finish(): sorted, each guest path once */
	size_t count, capacity;
	uint64_t bytes;             /* of all files, after guest_files_finish() */
	struct arguments programs;  /* the guest's directories with programs that its PATH lacks */
	struct arguments libraries; /* and those with libraries that its linker does not look into by itself */
	char *expected;             /* a program that is not on this machine: the guest must have it; or NULL */
	const char *base;           /* relative paths start here; NULL: the working directory */
	char *directory;        /* where the command starts, since something was named by a relative path; or NULL */
	struct arguments asked; /* what guest_files_add() was given */
	struct library_search search;
};

/* Sorts what was added. STATUS_USAGE where two files want the same place. */
enum status guest_files_finish(struct guest_files *guest_files, struct error *err);

/* Adds everything to the archive, with the directories above it: sorted, so that the same files give the same bytes. */
enum status guest_files_write(const struct guest_files *guest_files, struct cpio_writer *cpio, struct error *err);

void guest_files_free(struct guest_files *guest_files);

/* guest is absolute. STATUS_USAGE for a place that the guest needs for itself. */
enum status guest_files_place(struct guest_files *guest_files, enum guest_file_kind kind, const char *guest,
			      const char *from, bool executable, struct error *err);
/* Copies an absolute path to to (PATH_MAX bytes) without empty, "." and ".." parts; false where it is too long, or has
 * a ".." and up is false. */
bool guest_files_clean_path(const char *path, char *to, bool up);
/* A file at its own path here, and a link from where it is named to where it is, if that is not the same. */
enum status guest_files_place_file(struct guest_files *guest_files, const char *path, struct error *err);
/* Remembers a directory once. */
void guest_files_remember(struct arguments *directories, const char *file);

#endif
