/* SPDX-License-Identifier: MIT
 *
 * Paths that lead to the same file. */
#ifndef BASE_SAME_FILE_H
#define BASE_SAME_FILE_H

#include <stddef.h>

/* The first path that is the same regular file as an earlier one, by device and inode: its index in *second, the
 * earlier one's in *first; count in both if there is none. Other kinds of files, and files that do not exist, are not
 * compared. */
void same_file_find(const char *const *paths, size_t count, size_t *first, size_t *second);

#endif
