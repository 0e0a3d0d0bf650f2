/* SPDX-License-Identifier: MIT */
#include "trace/comm_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/memory.h"

/* The byte, repeated eight times. */
#define EIGHT_BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

static struct sched_comm padded(const struct sched_comm *comm)
{
	struct sched_comm clean = {.length = comm->length};

	memcpy(clean.bytes, comm->bytes, comm->length);
	return clean;
}

/* Clears all bytes after the first length ones. */
static uint64_t first_bytes(const char *bytes, size_t length)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return length >= 8 ? word : word & ((UINT64_C(1) << 8 * length) - 1);
}

/* Compares words, for speed: called for every event. */
bool comm_equal(const struct sched_comm *a, const struct sched_comm *b)
{
	size_t length = a->length;
	size_t rest = length > 8 ? length - 8 : 0;

	return b->length == length && first_bytes(a->bytes, length) == first_bytes(b->bytes, length) &&
	       first_bytes(a->bytes + 8, rest) == first_bytes(b->bytes + 8, rest);
}

static uint32_t hash_of(const struct sched_comm *comm)
{
	uint64_t words[2];

	memcpy(words, comm->bytes, sizeof(words));
	return (uint32_t)hash_words(words[0], words[1]);
}

static void make_room(struct comm_table *table)
{
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? table->capacity * 2 : 64;
		table->comms = xreallocarray(table->comms, table->capacity, sizeof(*table->comms));
	}
	if (table->slots && table->count * 2 < table->slot_mask)
		return;
	if (!table->slots)
		hash_begin();
	uint32_t size = table->slots ? (table->slot_mask + 1) * 2 : 256;
	free(table->slots);
	table->slots = xcalloc(size, sizeof(*table->slots));
	table->slot_mask = size - 1;
	for (uint32_t number = 0; number < table->count; number++) {
		uint32_t at = hash_of(&table->comms[number]) & table->slot_mask;
		while (table->slots[at])
			at = (at + 1) & table->slot_mask;
		table->slots[at] = number + 1;
	}
}

uint32_t comm_table_number(struct comm_table *table, const struct sched_comm *comm)
{
	struct sched_comm wanted = padded(comm);

	make_room(table);
	uint32_t at = hash_of(&wanted) & table->slot_mask;
	for (; table->slots[at]; at = (at + 1) & table->slot_mask)
		if (comm_equal(&table->comms[table->slots[at] - 1], &wanted))
			return table->slots[at] - 1;
	table->comms[table->count] = wanted;
	table->slots[at] = ++table->count;
	return table->count - 1;
}

void comm_table_free(struct comm_table *table)
{
	free(table->comms);
	free(table->slots);
	*table = (struct comm_table){0};
}

static const char *const kernel_prefixes[] = {
    "kworker/", "ksoftirqd/", "migration/",      "cpuhp/",   "idle_inject/", "irq/",      "rcu_",
    "rcuc/",    "rcuo",       "rcub/",           "ktimers/", "napi/",        "jbd2/",     "scsi_",
    "kswapd",   "kcompactd",  "khuge",           "kthreadd", "kauditd",      "kdevtmpfs", "khungtaskd",
    "ksmd",     "oom_reaper", "pool_workqueue_", "psimon",   "watchdogd",    "vhost-",    NULL,
};

static bool begins_with(const struct sched_comm *comm, const char *prefix)
{
	/* Nearly all names differ in their first byte. */
	if (comm->bytes[0] != prefix[0])
		return false;
	size_t length = strlen(prefix);
	return comm->length >= length && memcmp(comm->bytes, prefix, length) == 0;
}

bool comm_is_one_of(const struct sched_comm *comm, const char *names)
{
	for (const char *at = names; *at;) {
		size_t length = strcspn(at, " ");
		if (comm->length == length && memcmp(comm->bytes, at, length) == 0)
			return length > 0;
		at += length + (at[length] == ' ');
	}
	return false;
}

bool comm_is_kernel_thread(const struct sched_comm *comm)
{
	for (size_t i = 0; kernel_prefixes[i]; i++)
		if (begins_with(comm, kernel_prefixes[i]))
			return true;
	return false;
}

/* Nonzero if one of the eight bytes is not a printable ASCII character. */
static uint64_t has_unprintable(uint64_t eight)
{
	return ((eight - EIGHT_BYTES(0x20)) | (eight + EIGHT_BYTES(0x01)) | eight) & EIGHT_BYTES(0x80);
}

/* Replaces all bytes after the first length ones by spaces. */
static uint64_t blank_after(const char *bytes, size_t length)
{
	uint64_t kept = length >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * length) - 1;
	uint64_t eight;

	memcpy(&eight, bytes, sizeof(eight));
	return (eight & kept) | (EIGHT_BYTES(' ') & ~kept);
}

char *comm_put_padded(char *to, const struct sched_comm *comm, unsigned int width)
{
	char text[COMM_PADDED_MAX + 1];
	const uint64_t words[2] = {blank_after(comm->bytes, comm->length),
				   blank_after(comm->bytes + 8, comm->length > 8 ? comm->length - 8u : 0)};
	size_t length = comm->length;
	size_t columns = length;

	if (!has_unprintable(words[0]) && !has_unprintable(words[1])) {
		memcpy(to, words, sizeof(words));
	} else {
		length = escape_line(comm->bytes, comm->length, text, sizeof(text));
		columns = utf8_columns(text, length);
		memcpy(to, text, length);
	}
	for (to += length; columns < width && columns < COMM_PADDED_MAX; columns++)
		*to++ = ' ';
	return to;
}

void comm_add_padded(const struct sched_comm *comm, unsigned int width, struct buffer *out)
{
	char text[COMM_PADDED_MAX];

	buffer_add(out, text, (size_t)(comm_put_padded(text, comm, width) - text));
}

bool comm_is_numbered(const struct sched_comm *comm, const char *name, uint32_t number)
{
	char expected[SCHED_COMM_SIZE + 12];
	int length;

	if (!begins_with(comm, name))
		return false;
	length = snprintf(expected, sizeof(expected), "%s/%" PRIu32, name, number);
	return comm->length == length && memcmp(comm->bytes, expected, comm->length) == 0;
}
