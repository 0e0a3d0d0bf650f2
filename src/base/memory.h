/* SPDX-License-Identifier: MIT
 *
 * Allocation that never returns NULL. If memory is exhausted, the program prints a message, runs the registered
 * clean-ups and ends with exit code 75. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Exit code if disk, quota or memory are full: the same command can succeed later or on another machine. */
#define EXIT_TEMPORARY 75

/* They replace malloc(), calloc(), reallocarray(), strdup() and strndup(). */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xreallocarray(void *items, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *text, size_t length) __attribute__((malloc, returns_nonnull));
/* The formatted text; the caller frees it. */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), malloc, returns_nonnull));
/* Makes room for at least needed items of size bytes in an array of *capacity: returns the array, perhaps moved. New
 * items are not zeroed. */
void *array_grow(void *items, size_t *capacity, size_t needed, size_t size);

/* Grows an array of `from` items to `to` items; the new ones are zeroed. */
void *array_extend(void *items, size_t from, size_t to, size_t size) __attribute__((returns_nonnull));

/* Makes room for at least needed items in an array of *count, all zeroed at first; returns it, perhaps moved. */
void *array_reserve(void *items, uint32_t *count, uint32_t needed, size_t size);

/* An action that undoes something temporary even if the program ends at once: it removes a trace instance, a child
 * process or a temporary file. Zeroed at first. */
struct cleanup {
	void (*run)(void *context); /* NULL: not added */
	/* Private. */
	void *context;
	pid_t process;
	struct cleanup *next;
};
/* run() must not allocate memory. It runs once, and only in the process that added it. */
void cleanup_add(struct cleanup *cleanup, void (*run)(void *context), void *context);
/* Forgets the action without running it. */
void cleanup_remove(struct cleanup *cleanup);
/* Runs the action and forgets it; does nothing if it was not added or was removed. */
void cleanup_finish(struct cleanup *cleanup);
/* Runs and forgets all actions, the newest first. Also allowed in a signal handler of SIGBUS, which the program's own
 * access raises. */
void cleanups_run(void);

/* Ends the program as described above; for allocations by others that failed, such as getline(). */
_Noreturn void memory_exhausted(void);

#endif
