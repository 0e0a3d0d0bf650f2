/* SPDX-License-Identifier: MIT
 *
 * Work on the items of a list by several threads, whose results are taken in the order of the list: results, messages
 * and errors are those of one thread that works on one item after the other. */
#ifndef BASE_ORDERED_H
#define BASE_ORDERED_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

#define ORDERED_JOBS_MAX 256
/* The option --jobs of commands that read several traces (base/options.h); member: a uint64_t. */
#define JOBS_OPTION_ROW(type, member)                                                                                  \
	OPTION(type, member, "jobs", .letter = 'j', .argument = "N", .min = 1, .max = ORDERED_JOBS_MAX,                \
	       .fallback = "1", .help = "traces that are read side by side; the output is the same for every N",       \
	       .scope = OPTION_OF_CALL)

struct ordered_work {
	void *context;
	/* In any thread, for several items at once: makes the result of an item, in *result or elsewhere. It changes
	 * nothing that make() of another item uses. Its messages (base/message.h) are printed before take(), except
	 * progress. It calls interrupt_check() from time to time, which also ends it after the failure of another
	 * item. */
	enum status (*make)(void *context, size_t item, void **result, struct error *err);
	/* In the caller's thread: what make() of the item handed on (ordered_hand_on()), in its order and before
	 * take(). Unless it returns STATUS_OK it ends the work, perhaps without take(). May be NULL if nothing is
	 * handed on. */
	enum status (*take_rows)(void *context, size_t item, const struct buffer *rows, uint64_t count,
				 struct error *err);
	/* In the caller's thread, for one item after the other, with what make() returned; err is its error. Frees the
	 * result. Ends the work unless it returns STATUS_OK. */
	enum status (*take)(void *context, size_t item, void *result, enum status made, struct error *err);
	/* Frees a result that is not taken. May be NULL if results are NULL. */
	void (*drop)(void *context, void *result);
};

/* At most twice as many items as jobs are begun and not taken. With one job everything happens in the caller's thread.
 * err is not NULL. Needs interrupt_catch(). */
enum status ordered_run(const struct ordered_work *work, size_t count, unsigned int jobs, struct error *err);

/* In make(): hands on count rows, a part of the item's result, for take_rows() while make() goes on. *rows becomes
 * another buffer, or is as before. Waits if ORDERED_AHEAD parts of the item have not been taken. An error ends make().
 * Until then make() calls no ordered_run() of its own. */
#define ORDERED_AHEAD 8
enum status ordered_hand_on(struct buffer *rows, uint64_t count, struct error *err);

#endif
