/* SPDX-License-Identifier: MIT
 *
 * Several threads work on the items of a list; results are taken in the order of the list. Results, messages and errors
 * are the same as with one thread. */
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
	       .fallback = "1", .help = "number of traces to read in parallel; the output does not depend on N",       \
	       .scope = OPTION_OF_CALL)

struct ordered_work {
	void *context;
	/* In any thread, for several items at once: makes an item. It must not change data that make() of another item
	 * uses. Its messages (base/message.h) are printed before take(), except progress. It calls interrupt_check()
	 * from time to time, which also ends it after the failure of another item. */
	enum status (*make)(void *context, size_t item, struct error *err);
	/* In the caller's thread: takes the rows that make() of the item handed on (ordered_hand_on()), in their order
	 * and before take(). Any other status than STATUS_OK ends the work, perhaps without take(). May be NULL if
	 * nothing is handed on. */
	enum status (*take_rows)(void *context, size_t item, const struct buffer *rows, uint64_t count,
				 struct error *err);
	/* In the caller's thread, in the order of the items: takes the item; made is the status of make(), err its
	 * error. Any other status than STATUS_OK ends the work. NULL: a failure of make() ends the work. */
	enum status (*take)(void *context, size_t item, enum status made, struct error *err);
};

/* At most 2 * jobs items are begun and not yet taken. With one job everything happens in the caller's thread. err is
 * not NULL. Needs interrupt_catch(). */
enum status ordered_run(const struct ordered_work *work, size_t count, unsigned int jobs, struct error *err);

/* In make(): hands on count rows, a part of the item's result, to take_rows() while make() continues. *rows becomes
 * another buffer, or stays the same. Waits if ORDERED_AHEAD parts of the item have not been taken. An error ends
 * make(). Until then make() calls no ordered_run() of its own. */
#define ORDERED_AHEAD 8
enum status ordered_hand_on(struct buffer *rows, uint64_t count, struct error *err);

#endif
