/* SPDX-License-Identifier: MIT
 *
 * Programs and files of the host that are added to a guest, by --add and for its command. They keep their paths unless
 * others are given. Programs are added with their interpreter and shared libraries (found like the dynamic linker does,
 * without running anything), scripts with the interpreter after #!. */
#ifndef VM_FILES_GUEST_FILES_H
#define VM_FILES_GUEST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arguments.h"
#include "base/error.h"
#include "vm/files/cpio.h"
#include "vm/files/library_search.h"

/* The directory in which the command starts; relative paths begin there. */
#define GUEST_FILES_START "/root"

enum guest_file_kind { GUEST_FILE_DIRECTORY, GUEST_FILE_REGULAR, GUEST_FILE_LINK };

struct guest_file {
	enum guest_file_kind kind;
	char *guest;     /* path in the guest, without the leading slash */
	char *from;      /* file: path on the host; link: its target; directory: "" */
	bool executable; /* file: 0755 instead of 0644 */
};

/* A zeroed struct is empty; free it with guest_files_free(). */
struct guest_files {
	struct guest_file *items; /* after guest_files_finish(): sorted, each guest path once */
	size_t count, capacity;
	uint64_t bytes;             /* of all files, after guest_files_finish() */
	struct arguments programs;  /* directories in the guest to add to PATH */
	struct arguments libraries; /* directories to add to LD_LIBRARY_PATH */
	unsigned int machine;       /* of the programs (<elf.h>): all are for the same; 0: none */
	char *machine_of;           /* the first of them */
	char *expected;             /* a program that is not on the host: the guest must have it; or NULL */
	const char *base;           /* base of relative paths; NULL: the working directory */
	char *directory;            /* in which the command starts, as on the host; NULL: GUEST_FILES_START */
	bool is_relative;           /* private: the file being added is relative to GUEST_FILES_START */
	struct arguments asked;     /* arguments of guest_files_add() */
	struct library_search search;
};

/* Sorts the files. STATUS_USAGE if two files have the same path. */
enum status guest_files_finish(struct guest_files *guest_files, struct error *err);

/* Adds all files with their parent directories to the archive: sorted, so that the same files give the same bytes. */
enum status guest_files_write(const struct guest_files *guest_files, struct cpio_writer *cpio, struct error *err);

void guest_files_free(struct guest_files *guest_files);

/* guest is absolute. STATUS_USAGE for a reserved path. */
enum status guest_files_place(struct guest_files *guest_files, enum guest_file_kind kind, const char *guest,
			      const char *from, bool executable, struct error *err);
/* Copies an absolute path to to (PATH_MAX bytes) without empty, "." and ".." parts; false if it is too long, or has
 * ".." and up is false. */
bool guest_files_clean_path(const char *path, char *to, bool up);
/* Adds a file at its real path, and a link from path if they differ. */
enum status guest_files_place_file(struct guest_files *guest_files, const char *path, struct error *err);
/* The base directory of relative paths (PATH_MAX bytes); false with errno. */
bool guest_files_find_base(const struct guest_files *guest_files, char *base);
/* True if any execute bit of its mode is set. */
bool guest_files_is_executable(const char *path);
/* Adds a directory to a list unless it is there. */
void guest_files_remember(struct arguments *directories, const char *file);

#endif
