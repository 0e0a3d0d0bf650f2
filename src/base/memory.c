/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cleanup *cleanups;

void cleanup_add(struct cleanup *cleanup, void (*run)(void *context), void *context)
{
	*cleanup = (struct cleanup){.run = run, .context = context, .process = getpid()};
	pthread_mutex_lock(&lock);
	cleanup->next = cleanups;
	cleanups = cleanup;
	pthread_mutex_unlock(&lock);
}

/* False if it is not in the list. */
static bool take(const struct cleanup *cleanup)
{
	pthread_mutex_lock(&lock);
	struct cleanup **at = &cleanups;
	while (*at && *at != cleanup)
		at = &(*at)->next;
	const bool found = *at;
	if (found)
		*at = cleanup->next;
	pthread_mutex_unlock(&lock);
	return found;
}

static void run_own(const struct cleanup *cleanup)
{
	if (cleanup->process == getpid())
		cleanup->run(cleanup->context);
}

void cleanup_remove(struct cleanup *cleanup)
{
	take(cleanup);
}

void cleanup_finish(struct cleanup *cleanup)
{
	if (take(cleanup))
		run_own(cleanup);
}

static struct cleanup *take_newest(void)
{
	pthread_mutex_lock(&lock);
	struct cleanup *newest = cleanups;
	if (newest)
		cleanups = newest->next;
	pthread_mutex_unlock(&lock);
	return newest;
}

void cleanups_run(void)
{
	for (const struct cleanup *cleanup; (cleanup = take_newest());)
		run_own(cleanup);
}

_Noreturn void memory_exhausted(void)
{
	static const char line[] =
	    "picknext: not enough memory; give the command fewer or smaller inputs, or raise its "
	    "limit (ulimit -v)\n";

	(void)!write(STDERR_FILENO, line, sizeof(line) - 1);
	cleanups_run();
	_exit(EXIT_TEMPORARY);
}

void *xmalloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		memory_exhausted();
	return memory;
}

void *xcalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		memory_exhausted();
	return memory;
}

void *xreallocarray(void *items, size_t count, size_t size)
{
	void *memory = reallocarray(items, count ? count : 1, size ? size : 1);

	if (!memory)
		memory_exhausted();
	return memory;
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

char *xstrndup(const char *text, size_t length)
{
	char *copy = strndup(text, length);

	if (!copy)
		memory_exhausted();
	return copy;
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	int length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		memory_exhausted();
	return text;
}

void *array_grow(void *items, size_t *capacity, size_t needed, size_t size)
{
	if (needed <= *capacity)
		return items;
	size_t grown = *capacity ? *capacity : 16;
	while (grown < needed && grown <= SIZE_MAX / 2)
		grown *= 2;
	*capacity = grown < needed ? needed : grown;
	return xreallocarray(items, *capacity, size);
}

void *array_reserve(void *items, uint32_t *count, uint32_t needed, size_t size)
{
	const uint32_t before = *count;

	if (needed <= before)
		return items;
	*count = needed / 2 > before ? needed : needed + before;
	return array_extend(items, before, *count, size);
}

void *array_extend(void *items, size_t from, size_t to, size_t size)
{
	char *extended = xreallocarray(items, to, size);

	memset(extended + from * size, 0, (to - from) * size);
	return extended;
}
