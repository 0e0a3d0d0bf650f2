/* SPDX-License-Identifier: MIT
 *
 * Paths of programs: in PATH, and beside the running binary. */
#ifndef BASE_PROGRAM_PATH_H
#define BASE_PROGRAM_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* True for a regular file that this user may execute. */
bool program_can_run(const char *path);

/* Finds program as execvp() does: in PATH, or by its own path if it contains a slash. path receives an absolute path
 * of at most size bytes. False if no such program can be run. */
bool program_find(const char *program, char *path, size_t size);

/* path receives the path of the running binary. False if neither /proc nor the kernel's AT_EXECFN shows it. */
bool program_own_path(char *path, size_t size);

/* path receives name, taken relative to the directory of the running binary. False if there is no such file. */
bool program_find_beside(const char *name, char *path, size_t size);

#endif
