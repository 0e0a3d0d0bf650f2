/* SPDX-License-Identifier: MIT */
#include "base/ordered.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"

#define STACK_BYTES ((size_t)8 << 20) /* like the first thread; musl's default is 128 KiB */

/* Several parts are handed on and taken at a time, because waking a thread takes as long as making a part. */
#define PARTS_AT_ONCE (ORDERED_AHEAD / 2)

struct part {
	struct buffer rows;
	uint64_t count;
};

struct slot {
	struct part parts[ORDERED_AHEAD]; /* by number modulo ORDERED_AHEAD */
	size_t parts_handed_on, parts_taken;
	bool is_made;
	enum status made;
	struct error err;
	struct buffer messages; /* of each: its kind, its text, NUL */
};

struct ordered {
	const struct ordered_work *work;
	size_t count, window;
	struct slot *slots; /* of window items, by item modulo window; NULL: one thread does everything */
	pthread_mutex_t lock;
	pthread_cond_t changed; /* of begun, taken, is_over, and the slots */
	size_t begun, taken;
	atomic_bool is_over;
};

/* The item that this thread makes. */
static _Thread_local struct {
	struct ordered *ordered;
	size_t item;
} making;

/* --- In the threads --- */

static void keep_message(void *context, enum message_kind kind, const char *text)
{
	struct slot *slot = context;
	const char byte = (char)kind;

	if (kind == MESSAGE_PROGRESS)
		return;
	buffer_add(&slot->messages, &byte, 1);
	buffer_add(&slot->messages, text, strlen(text) + 1);
}

/* False if nothing is left to begin. */
static bool begin_item(struct ordered *ordered, size_t *item)
{
	pthread_mutex_lock(&ordered->lock);
	while (!ordered->is_over && ordered->begun < ordered->count &&
	       ordered->begun >= ordered->taken + ordered->window)
		pthread_cond_wait(&ordered->changed, &ordered->lock);
	bool has_item = !ordered->is_over && ordered->begun < ordered->count;
	if (has_item)
		*item = ordered->begun++;
	pthread_mutex_unlock(&ordered->lock);
	return has_item;
}

static void *work_on_items(void *context)
{
	struct ordered *ordered = context;
	const struct ordered_work *work = ordered->work;
	size_t item;

	interrupt_follow(&ordered->is_over);
	while (begin_item(ordered, &item)) {
		struct slot *slot = &ordered->slots[item % ordered->window];
		message_divert(keep_message, slot);
		making.ordered = ordered;
		making.item = item;
		slot->made = work->make(work->context, item, &slot->err);
		pthread_mutex_lock(&ordered->lock);
		slot->is_made = true;
		pthread_cond_broadcast(&ordered->changed);
		pthread_mutex_unlock(&ordered->lock);
	}
	return NULL;
}

enum status ordered_hand_on(struct buffer *rows, uint64_t count, struct error *err)
{
	struct ordered *ordered = making.ordered;

	if (!ordered->slots)
		return ordered->work->take_rows(ordered->work->context, making.item, rows, count, err);
	struct slot *slot = &ordered->slots[making.item % ordered->window];
	pthread_mutex_lock(&ordered->lock);
	while (!ordered->is_over && slot->parts_handed_on - slot->parts_taken == ORDERED_AHEAD)
		pthread_cond_wait(&ordered->changed, &ordered->lock);
	if (!ordered->is_over) {
		struct part *part = &slot->parts[slot->parts_handed_on++ % ORDERED_AHEAD];
		struct buffer taken = part->rows;
		*part = (struct part){*rows, count};
		*rows = taken;
		if (slot->parts_handed_on - slot->parts_taken == PARTS_AT_ONCE)
			pthread_cond_broadcast(&ordered->changed);
	}
	pthread_mutex_unlock(&ordered->lock);
	return interrupt_check(err);
}

/* --- In the caller's thread --- */

static void print_messages(struct slot *slot)
{
	const char *at = slot->messages.data;
	const char *end = at ? at + slot->messages.length : NULL;

	while (at < end) {
		message_pass_on((enum message_kind)at[0], at + 1);
		at += strlen(at + 1) + 2;
	}
	buffer_clear(&slot->messages);
}

static enum status take_item(const struct ordered_work *work, size_t item, enum status made, struct error *err)
{
	return work->take ? work->take(work->context, item, made, err) : made;
}

static void wait_for_parts(struct ordered *ordered, struct slot *slot)
{
	while (!slot->is_made && slot->parts_handed_on - slot->parts_taken < PARTS_AT_ONCE)
		pthread_cond_wait(&ordered->changed, &ordered->lock);
}

/* Takes the parts of an item until it is made. The lock is held, except while a part is taken. */
static enum status take_parts(struct ordered *ordered, size_t item, struct slot *slot, struct error *err)
{
	const struct ordered_work *work = ordered->work;
	enum status status = STATUS_OK;

	while (status == STATUS_OK) {
		if (slot->parts_taken == slot->parts_handed_on)
			wait_for_parts(ordered, slot);
		if (slot->parts_taken == slot->parts_handed_on)
			break;
		struct part *part = &slot->parts[slot->parts_taken % ORDERED_AHEAD];
		pthread_mutex_unlock(&ordered->lock);
		status = work->take_rows(work->context, item, &part->rows, part->count, err);
		buffer_clear(&part->rows);
		pthread_mutex_lock(&ordered->lock);
		slot->parts_taken++;
		if (slot->parts_handed_on - slot->parts_taken == PARTS_AT_ONCE)
			pthread_cond_broadcast(&ordered->changed);
	}
	return status;
}

static enum status take_made(struct ordered *ordered, size_t item, struct slot *slot, struct error *err)
{
	slot->is_made = false;
	print_messages(slot);
	if (slot->made != STATUS_OK)
		*err = slot->err;
	return take_item(ordered->work, item, slot->made, err);
}

static enum status take_in_order(struct ordered *ordered, size_t item, struct error *err)
{
	struct slot *slot = &ordered->slots[item % ordered->window];

	pthread_mutex_lock(&ordered->lock);
	enum status status = take_parts(ordered, item, slot, err);
	pthread_mutex_unlock(&ordered->lock);
	if (status == STATUS_OK)
		status = take_made(ordered, item, slot, err);
	pthread_mutex_lock(&ordered->lock);
	ordered->taken++;
	ordered->is_over = status != STATUS_OK;
	pthread_cond_broadcast(&ordered->changed);
	pthread_mutex_unlock(&ordered->lock);
	return status;
}

static unsigned int start_threads(struct ordered *ordered, pthread_t *threads, unsigned int jobs)
{
	pthread_attr_t attributes;
	unsigned int started = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	while (started < jobs && pthread_create(&threads[started], &attributes, work_on_items, ordered) == 0)
		started++;
	pthread_attr_destroy(&attributes);
	return started;
}

static void free_slots(struct ordered *ordered)
{
	for (size_t i = 0; i < ordered->window; i++) {
		buffer_free(&ordered->slots[i].messages);
		for (size_t part = 0; part < ORDERED_AHEAD; part++)
			buffer_free(&ordered->slots[i].parts[part].rows);
	}
	free(ordered->slots);
}

static enum status run_threads(struct ordered *ordered, unsigned int jobs, struct error *err)
{
	pthread_t threads[ORDERED_JOBS_MAX];
	enum status status = STATUS_OK;
	unsigned int started = start_threads(ordered, threads, jobs);

	if (!started)
		status = error_system(err, EAGAIN, "--jobs", "cannot start a thread");
	for (size_t item = 0; item < ordered->count && status == STATUS_OK; item++)
		status = take_in_order(ordered, item, err);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return status;
}

static enum status run_here(struct ordered *ordered, struct error *err)
{
	const struct ordered_work *work = ordered->work;
	enum status status = STATUS_OK;

	for (size_t item = 0; item < ordered->count && status == STATUS_OK; item++) {
		making.ordered = ordered;
		making.item = item;
		status = work->make(work->context, item, err);
		status = take_item(work, item, status, err);
	}
	return status;
}

enum status ordered_run(const struct ordered_work *work, size_t count, unsigned int jobs, struct error *err)
{
	struct ordered ordered = {
	    .work = work,
	    .count = count,
	    .lock = PTHREAD_MUTEX_INITIALIZER,
	    .changed = PTHREAD_COND_INITIALIZER,
	};

	if (jobs > count)
		jobs = (unsigned int)count;
	if (jobs > ORDERED_JOBS_MAX)
		jobs = ORDERED_JOBS_MAX;
	if (jobs <= 1)
		return run_here(&ordered, err);
	ordered.window = (size_t)2 * jobs;
	ordered.slots = xcalloc(ordered.window, sizeof(*ordered.slots));
	hash_begin();
	enum status status = run_threads(&ordered, jobs, err);
	free_slots(&ordered);
	return status;
}
