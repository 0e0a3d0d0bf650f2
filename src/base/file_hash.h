/* SPDX-License-Identifier: MIT
 *
 * SHA-256 of files, remembered in the cache: a file with the same device, inode, size and time of modification is not
 * read again. */
#ifndef BASE_FILE_HASH_H
#define BASE_FILE_HASH_H

#include "base/error.h"
#include "base/sha256.h"

/* The same result and errors as sha256_file(). A file written in the last two seconds is not remembered, because it
 * could change again within the same time of modification. */
enum status file_hash(const char *path, char text[SHA256_TEXT_SIZE], struct error *err);

#endif
