/* SPDX-License-Identifier: MIT
 *
 * The usual layout has a path of its own: what it reads, it must read as the general path does. */
#include "support/unit.h"
#include "trace/decode.h"

#include "support/kernel_texts.h"

static void add(struct event_format_table *events, const char *system, struct text_span text)
{
	struct event_format format;
	struct text_span name = {system, strlen(system)};

	assert_int_equal(event_format_parse(text, name, &format, NULL), STATUS_OK);
	event_format_table_add(events, &format);
}

/* A deterministic sequence. */
static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

TEST(both_paths_read_the_same)
{
	/* The first four are usual; ID_SWITCH + 256 shares a slot with the first, and 0 is that of no event. */
	enum { USUAL = 4 };
	static const uint16_t ids[] = {ID_SWITCH, ID_WAKEUP, ID_WAKEUP_NEW, ID_MIGRATE, ID_SWITCH + 256, 0, 5};
	struct event_format_table events = {0};
	struct sched_decoder decoder;
	uint64_t seed = 1;
	bool seen[sizeof(ids) / sizeof(*ids)] = {0};

	add(&events, "sched", SPAN(SWITCH_FORMAT));
	add(&events, "sched", SPAN(WAKEUP_FORMAT));
	add(&events, "sched", SPAN(WAKEUP_NEW_FORMAT));
	add(&events, "sched", SPAN(MIGRATE_FORMAT));
	add(&events, "sched", SPAN(SET_PRIO_FORMAT));
	assert_int_equal(sched_decoder_make(&events, true, &decoder, NULL), STATUS_OK);
	assert_true(decoder.plain);
	for (unsigned int round = 0; round < 40000; round++) {
		/* Exactly as long as the record, for ASan. */
		uint32_t length = next_random(&seed) % 19 * 4;
		uint8_t *bytes = malloc(length ? length : 1);
		size_t which = next_random(&seed) % (sizeof(ids) / sizeof(*ids));
		assert_non_null(bytes);
		for (uint32_t i = 0; i < length; i++)
			bytes[i] = next_random(&seed) % 4 ? (uint8_t)next_random(&seed) : 0;
		if (length >= sizeof(ids[0]))
			memcpy(bytes, &ids[which], sizeof(ids[0]));
		const struct ring_record record = {1, bytes, length};
		struct sched_event one, other;
		memset(&one, 0, sizeof(one));
		memset(&other, 0, sizeof(other));
		enum status status = sched_decode(&decoder, &record, &other, NULL);
		if (sched_decode_plain(&decoder, &record, &one)) {
			assert_int_equal(status, STATUS_OK);
			assert_memory_equal(&one, &other, sizeof(one));
			seen[which] = true;
		} else {
			assert_false(status == STATUS_OK && which < USUAL);
		}
		free(bytes);
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		assert_int_equal(seen[i], i < USUAL);
	event_format_table_free(&events);
}
