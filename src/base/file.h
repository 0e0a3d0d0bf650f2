/* SPDX-License-Identifier: MIT
 *
 * Reads and writes whole files. Every file that picknext writes is complete or absent, and belongs to the user who ran
 * sudo. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/* Appends the whole file to buffer; STATUS_UNSUPPORTED if it is longer than limit bytes. Works for files in /proc, /sys
 * and tracefs, whose size is not known beforehand. */
enum status file_read(const char *path, size_t limit, struct buffer *buffer, struct error *err);
/* Like file_read(), for files of others: STATUS_UNSUPPORTED for what is not a regular file, such as a named pipe. Never
 * waits: a file such as /proc/kmsg without further text is STATUS_SYSTEM. */
enum status file_read_regular(const char *path, size_t limit, struct buffer *buffer, struct error *err);

/* The first line of a short file (at most size - 1 bytes), without its newline; false if it cannot be
 * read. For values in /sys and /proc. */
bool file_read_line(const char *path, char *text, size_t size);

/* Writes all bytes; continues after short writes and EINTR. STATUS_INTERRUPTED if a signal arrives while it waits for
 * the reader of a pipe. */
enum status file_write_all(int fd, const void *bytes, size_t length, const char *path, struct error *err);

/* The same for two pieces, usually in one system call. */
enum status file_write_both(int fd, const void *first, size_t first_length, const void *then, size_t then_length,
			    const char *path, struct error *err);

/* Creates a file (mode 0666 & ~umask) for writing, or with O_RDWR also for reading. Removes an existing file instead of
 * writing to it, because it may be a link that another user made. Returns the descriptor, or -1 with errno. */
int file_create(const char *path, int access);

/* Replaces path by these bytes atomically: a temporary file beside it, fsync, rename. A device or a pipe is written to
 * instead. */
enum status file_replace(const char *path, const void *bytes, size_t length, struct error *err);

/* Creates the directory and its parents (mode 0777 & ~umask); new ones are given to the sudo user. */
enum status file_make_directories(const char *path, struct error *err);

/* Locks the directory for one writer; the caller closes *lock at the end. STATUS_USAGE if another process holds the
 * lock. On a file system without locks nothing is locked: the lock prevents mistakes, not attacks. */
enum status file_lock_directory(const char *path, int *lock, struct error *err);

/* Makes renames within the directory durable, if its file system can. */
void file_sync_directory(const char *path);

bool file_is_directory(const char *path);
/* Joins two parts with one slash; STATUS_USAGE if the result does not fit. */
enum status file_join(char *to, size_t size, const char *directory, const char *name, struct error *err);

/* True for a directory whose files are in memory (tmpfs, ramfs), so that no access waits for a block device. */
bool file_directory_is_memory(const char *path);

/* Opens a new file without a name in the directory, for reading and writing: closing it removes it. Returns the
 * descriptor, or -1 with errno. */
int file_open_nameless(const char *directory);

/* True if the name has this ending and something before it: "run0.dat" with ".dat". */
bool file_name_ends(const char *name, const char *ending);
/* True if both paths exist and are the same file. */
bool file_same(const char *path, const char *other);
/* STATUS_UNSUPPORTED if path exists and is neither a regular file nor a directory: opening a named pipe would wait for
 * its writer. */
enum status file_refuse_special(const char *path, struct error *err);

/* A file mapped for reading. Length 0 gives bytes NULL. */
struct mapping {
	const uint8_t *bytes;
	size_t length;
	int fd; /* of the file, for file_map_forget(); 0 if bytes are not from a file */
};
/* Maps a regular file; STATUS_UNSUPPORTED for anything else. If it is truncated while it is mapped, the next access
 * ends the process (base/program.h). picknext replaces its own files and never truncates them. */
enum status file_map(const char *path, struct mapping *mapping, struct error *err);
/* The same for an open file; the caller may close it afterwards. */
enum status file_map_open(int fd, const char *name, struct mapping *mapping, struct error *err);
/* Releases the memory of the pages read so far; they can be read again. Called regularly, it keeps memory small during
 * a long pass over a large file. */
void file_map_forget(const struct mapping *mapping);
void file_unmap(struct mapping *mapping);
/* *same: both files have the same bytes. */
enum status file_same_content(const char *path, const char *other, bool *same, struct error *err);

/* Under sudo (effective root, SUDO_UID and SUDO_GID set), gives the file to the user who ran it; else
 * does nothing. A symbolic link is not followed. */
void file_give_to_sudo_user(const char *path);
/* The same for an open file. */
void file_give_open_to_sudo_user(int fd);

/* The first path that is the same regular file as an earlier one, by device and inode: its index in *second, the
 * earlier one's in *first; count in both if there is none. Other kinds of files, and files that do not exist, are not
 * compared. */
void file_find_same(const char *const *paths, size_t count, size_t *first, size_t *second);

#endif
