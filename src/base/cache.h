/* SPDX-License-Identifier: MIT
 *
 * The cache: results that save time, and downloads of picknext fetch, in $XDG_CACHE_HOME/picknext, else in
 * ~/.cache/picknext. The cache is best effort: it may be removed at any time, and without it the work is done again. */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/json.h"

/* The path of NAME ("hashes.json", "kernels/abc") in the cache; makes its directories (mode 0700). false if there is no
 * cache: no home directory, no permission, or a directory that another user (not root) owns or may write to. */
bool cache_path(const char *name, char *path, size_t size);

/* The path of NAME, which may be several directories deep, if it exists in the cache. Makes no directory. false also if
 * another user (not root) owns the cache or may write to it. */
bool cache_find(const char *name, char *path, size_t size);

/* True if there is a cache that is not used, because another user (not root) owns it or may write to it, or because
 * this user may not read it. path receives its path. */
bool cache_distrusted(char *path, size_t size);

/* The parsed file, for json_free(); NULL if there is none, or if it is damaged. */
struct json_value *cache_read(const char *name);
/* Replaces the file. Best effort. */
void cache_write(const char *name, const struct buffer *text);

#endif
