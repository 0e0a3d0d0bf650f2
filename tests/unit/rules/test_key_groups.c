/* SPDX-License-Identifier: MIT
 *
 * The quota and the groups of keys_throttle and keys_unthrottle, as events of a trace have them. */
#include "rules/key_events.h"
#include "support/opened_stream.h"

enum { ID_KEYS = 400, FIELDS_MAX = 16 };

struct made {
	struct opened opened;
	struct buffer texts[KEY_ROWS];
	struct key_events keys;
};

/* The format of an event, as probes have it, with these fields of 8 bytes. */
static void add_format(struct trace_recipe *recipe, struct made *made, enum key_row_number row,
		       const char *const *fields)
{
	struct buffer *text = &made->texts[row], printed = {0};

	buffer_printf(text, "name: %s\nID: %d\n" COMMON_FIELDS, key_event_rows[row].name, ID_KEYS + (int)row);
	for (size_t i = 0; fields[i]; i++) {
		buffer_printf(text, "\tfield:%c64 %s;\toffset:%zu;\tsize:8;\tsigned:%d;\n",
			      strcmp(fields[i], "left") == 0 ? 's' : 'u', fields[i], 8 + 8 * i,
			      strcmp(fields[i], "left") == 0);
		buffer_printf(&printed, ", REC->%s", fields[i]);
	}
	buffer_printf(text, "\nprint fmt: \"\"%s\n", printed.data);
	buffer_free(&printed);
	trace_event_format(recipe, "picknext", (struct text_span){text->data, text->length});
}

static void make_keys(struct made *made, const char *const *throttle, const char *const *unthrottle)
{
	static const char *const switched[] = {"prev", "next", "se_offset", "prev_vruntime", NULL};
	static const char *const pick[] = {"cfs", NULL};
	struct trace_recipe recipe;

	*made = (struct made){0};
	trace_begin(&recipe, 1);
	add_format(&recipe, made, KEY_ROW_SWITCH, switched);
	add_format(&recipe, made, KEY_ROW_PICK, pick);
	add_format(&recipe, made, KEY_ROW_THROTTLE, throttle);
	add_format(&recipe, made, KEY_ROW_UNTHROTTLE, unthrottle);
	opened_stream(&recipe, &made->opened);
	key_events_begin(&made->keys, made->opened.stream);
	assert_int_equal(made->keys.damage.status, STATUS_OK);
	assert_true(made->keys.is_known);
}

static void free_keys(struct made *made)
{
	opened_close(&made->opened);
	for (int row = 0; row < KEY_ROWS; row++)
		buffer_free(&made->texts[row]);
}

static struct key_event read_event(struct made *made, enum key_row_number row, const uint64_t *values, uint32_t count)
{
	uint64_t data[1 + FIELDS_MAX] = {ID_KEYS + (uint64_t)row};
	const struct ring_record record = {.data = (const uint8_t *)data, .length = 8 + 8 * count};
	struct key_event event;

	memcpy(data + 1, values, count * sizeof(*values));
	assert_int_equal(key_events_read(&made->keys, &record, 5, &event), key_event_rows[row].kind);
	return event;
}

#define READ(made, ROW, ...)                                                                                           \
	read_event(made, KEY_ROW_##ROW, (const uint64_t[]){__VA_ARGS__},                                               \
		   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static const char *const flat_throttle[] = {"cpu", "cfs", "left", "group", "group1", "group2", NULL};
static const char *const flat_unthrottle[] = {"cpu", "cfs", "load", "throttled", "group", NULL};

TEST(a_group_below_the_root_has_a_whole_path)
{
	struct made made;

	make_keys(&made, flat_throttle, flat_unthrottle);
	const struct key_event event = READ(&made, THROTTLE, 1, 0x77, (uint64_t)-1500, 0xa0, 0xb0, 0);
	assert_int_equal(event.cpu, 1);
	assert_int_equal(event.throttle.left_ns, -1500);
	assert_int_equal(event.throttle.groups.count, 2);
	assert_int_equal(event.throttle.groups.ids[0], 0xa0);
	assert_int_equal(event.throttle.groups.ids[1], 0xb0);
	assert_true(event.throttle.groups.is_whole);
	free_keys(&made);
}

TEST(a_path_deeper_than_the_fields_is_not_whole)
{
	struct made made;

	make_keys(&made, flat_throttle, flat_unthrottle);
	const struct key_event event = READ(&made, THROTTLE, 0, 0x77, 0, 0xa0, 0xb0, 0xc0);
	assert_int_equal(event.throttle.groups.count, 3);
	assert_int_equal(event.throttle.groups.ids[2], 0xc0);
	assert_false(event.throttle.groups.is_whole);
	free_keys(&made);
}

TEST(the_end_of_throttling_names_its_group)
{
	struct made made;

	make_keys(&made, flat_throttle, flat_unthrottle);
	struct key_event event = READ(&made, UNTHROTTLE, 3, 0x77, 2048, 1, 0xa0);
	assert_int_equal(event.cpu, 3);
	assert_int_equal(event.unthrottled.group, 0xa0);
	assert_true(event.unthrottled.is_last);
	assert_true(event.unthrottled.has_tasks);
	event = READ(&made, UNTHROTTLE, 3, 0x77, 0, 2, 0xb0);
	assert_int_equal(event.unthrottled.group, 0xb0);
	assert_false(event.unthrottled.is_last);
	assert_false(event.unthrottled.has_tasks);
	free_keys(&made);
}

/* Kernels with queues of groups, and recordings before the groups were: unknown, not the root. */
TEST(without_the_fields_the_groups_are_unknown)
{
	static const char *const throttle[] = {"cpu", "cfs", NULL};
	static const char *const unthrottle[] = {"cpu", "cfs", "load", "throttled", NULL};
	struct made made;

	make_keys(&made, throttle, unthrottle);
	struct key_event event = READ(&made, THROTTLE, 2, 0x77);
	assert_int_equal(event.throttle.groups.count, 0);
	assert_false(event.throttle.groups.is_whole);
	assert_int_equal(event.throttle.left_ns, 0);
	event = READ(&made, UNTHROTTLE, 2, 0x77, 1, 1);
	assert_int_equal(event.unthrottled.group, 0);
	free_keys(&made);
}
