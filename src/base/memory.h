/* SPDX-License-Identifier: MIT
 *
 * Memory that is there, or the program ends: with a message and exit code 75, after the registered clean-ups. No caller
 * checks for NULL. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Exit code if disk, quota or memory are full: worth another try, on another machine or later. */
#define EXIT_TEMPORARY 75

/* They replace malloc(), calloc(), reallocarray(), strdup() and strndup(). */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xreallocarray(void *items, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *text, size_t length) __attribute__((malloc, returns_nonnull));
/* The formatted text, to be freed. */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));
/* Makes room for at least needed items of size bytes in an array of *capacity: returns the array, perhaps moved. New
 * items are not zeroed. */
void *array_grow(void *items, size_t *capacity, size_t needed, size_t size);

/* The array with room for to items; those from from on are new and zeroed. */
void *array_extend(void *items, size_t from, size_t to, size_t size) __attribute__((returns_nonnull));

/* Makes room for at least needed items in an array of *count, all zeroed at first; returns it, perhaps moved. */
void *array_reserve(void *items, uint32_t *count, uint32_t needed, size_t size);

/* What must not stay behind when the program ends on the spot: a trace instance, a child process, a temporary file.
 * run() must not allocate memory. It runs only in the process that added it; the newest first. */
struct cleanup {
	void (*run)(void *context);
	void *context;
	/* Private. */
	pid_t process;
	struct cleanup *next;
};
void cleanup_add(struct cleanup *cleanup);
void cleanup_remove(struct cleanup *cleanup); /* one that was not added is ignored */
/* Runs and forgets all of them. Also in a signal handler, if the signal is raised by the program's own access. */
void cleanups_run(void);

/* Ends the program as described above; for allocations by others that failed, such as getline(). */
_Noreturn void memory_exhausted(void);

#endif
