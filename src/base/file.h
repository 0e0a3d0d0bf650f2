/* SPDX-License-Identifier: MIT
 *
 * Whole files, and what every file that picknext writes has in common: complete or absent, and owned
 * by the user who ran sudo. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/* Appends the whole file to buffer; STATUS_UNSUPPORTED where it is longer than limit bytes.
 * Works for /proc, /sys and tracefs files, whose size is not known beforehand. */
enum status file_read(const char *path, size_t limit, struct buffer *buffer, struct error *err);

/* The first line of a short file (at most size - 1 bytes), without its newline; false where it cannot
 * be read. For /sys and /proc values. */
bool file_read_line(const char *path, char *text, size_t size);

/* Writes all bytes, going on after short writes and EINTR. */
enum status file_write_all(int fd, const void *bytes, size_t length, const char *path, struct error *err);

/* The same of two pieces, mostly in one call. */
enum status file_write_both(int fd, const void *first, size_t first_length, const void *then, size_t then_length,
			    const char *path, struct error *err);

/* Replaces path by these bytes as one step: a temporary file beside it, fsync, rename. What is no regular file (a
 * device, a pipe) is written to instead. */
enum status file_replace(const char *path, const void *bytes, size_t length, struct error *err);

/* Creates the directory and its parents (mode 0777 & ~umask); what it makes is given to the sudo user. */
enum status file_make_directories(const char *path, struct error *err);

/* Takes the directory for one writer: *lock is to be closed when done. STATUS_USAGE where another process has it.
 * A file system without locks is used without: two writers at once are a mistake, not an attack. */
enum status file_lock_directory(const char *path, int *lock, struct error *err);

/* Joins two parts with one slash; STATUS_USAGE where the result would not fit. */
enum status file_join(char *to, size_t size, const char *directory, const char *name, struct error *err);

/* True for a directory whose files are in memory (tmpfs, ramfs): no access there waits for a block device. */
bool file_directory_is_memory(const char *path);

/* True if both paths exist and are the same file. */
bool file_same(const char *path, const char *other);

/* A file mapped for reading. Length 0 gives bytes NULL. */
struct mapping {
	const uint8_t *bytes;
	size_t length;
	int fd; /* of the file, for file_map_forget(); 0 where bytes are no file's */
};
/* Maps a regular file; STATUS_UNSUPPORTED for anything else. A file that shrinks while it is mapped
 * raises SIGBUS: picknext's own files are replaced, never cut. */
enum status file_map(const char *path, struct mapping *mapping, struct error *err);
/* The same of a file that is open; it may be closed afterwards. */
enum status file_map_open(int fd, const char *name, struct mapping *mapping, struct error *err);
/* Lets go of the memory that reading the mapping has filled so far; it can be read again. Called now and then, it
 * keeps the memory of a long pass over a large file small. */
void file_map_forget(const struct mapping *mapping);
void file_unmap(struct mapping *mapping);

/* Under sudo (effective root, SUDO_UID and SUDO_GID set), gives the file to the user who ran it; else
 * does nothing. The path is not followed where it is a symbolic link. */
void file_give_to_sudo_user(const char *path);

#endif
