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

#include "base/error.h"
#include "vm/engine/arguments.h"
#include "vm/files/cpio.h"
#include "vm/files/library_search.h"

enum addition_kind { ADDITION_DIRECTORY, ADDITION_FILE, ADDITION_LINK };

struct addition {
	enum addition_kind kind;
	char *guest;     /* path in the guest, without the leading slash */
	char *from;      /* file: its path here; link: what it leads to; directory: "" */
	bool executable; /* file: 0755 instead of 0644 */
};

/* A zeroed struct is empty; free it with additions_free(). */
struct additions {
	struct addition *items; /* after additions_finish(): sorted, each guest path once */
	size_t count, capacity;
	uint64_t bytes;             /* of all files, after additions_finish() */
	struct arguments programs;  /* the guest's directories with programs that its PATH lacks */
	struct arguments libraries; /* and those with libraries that its linker does not look into by itself */
	char *expected;             /* a program that is not on this machine: the guest must have it; or NULL */
	char *directory;        /* where the command starts, since something was named by a relative path; or NULL */
	struct arguments asked; /* what additions_add() was given */
	struct library_search search;
};

/* What --add takes: HOST or HOST:GUEST. HOST is a file, a directory (with all that is in it), or the name of a program
 * in PATH. GUEST is an absolute path; one that ends in / is a directory for it. Errors name what is missing, and for
 * whom. */
enum status additions_add(struct additions *additions, const char *text, struct error *err);

/* The program that a command line begins with. Nothing is added where the guest has it from an earlier --add; where no
 * directory of PATH has it, it becomes additions->expected. */
enum status additions_add_command(struct additions *additions, const char *program, struct error *err);

/* Sorts what was added. STATUS_USAGE where two files want the same place. */
enum status additions_finish(struct additions *additions, struct error *err);

/* Adds everything to the archive, with the directories above it: sorted, so that the same files give the same bytes. */
enum status additions_write(const struct additions *additions, struct cpio_writer *cpio, struct error *err);

void additions_free(struct additions *additions);

/* --- Between the files that do this --- */

/* guest is absolute. STATUS_USAGE for a place that the guest needs for itself. */
enum status addition_place(struct additions *additions, enum addition_kind kind, const char *guest, const char *from,
			   bool executable, struct error *err);
/* Copies an absolute path to to (PATH_MAX bytes) without empty, "." and ".." parts; false where it is too long, or has
 * a ".." and up is false. */
bool addition_clean_path(const char *path, char *to, bool up);
/* A file at its own path here, and a link from where it is named to where it is, if that is not the same. */
enum status addition_place_file(struct additions *additions, const char *path, struct error *err);
/* What the file at path needs to run, if it is a program, a library or a script; must: that it is one. moved: it gets
 * another path in the guest. */
enum status addition_needs(struct additions *additions, const char *path, bool must, bool moved, struct error *err);
/* Libraries of the file at path, if it is a program or a library, as far as they are there. */
void addition_libraries(struct additions *additions, const char *path, bool moved);
/* Remembers a directory once. */
void addition_remember(struct arguments *directories, const char *file);

#endif
