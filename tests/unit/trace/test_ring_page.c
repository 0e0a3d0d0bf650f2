/* SPDX-License-Identifier: MIT
 *
 * Pages of the ring buffer, and the two texts that say how they are laid out. */
#include "support/kernel_texts.h"
#include "support/page_recipe.h"
#include "support/unit.h"
#include "trace/format/ring_page.h"

static struct ring_page_layout layout;
/* The page that the running test writes and reads. */
static struct page_recipe recipe;
static struct ring_page page;

static int parse_layout(void **state)
{
	struct error err = {0};

	return ring_page_layout_parse(SPAN(HEADER_PAGE), SPAN(HEADER_EVENT), &layout, &err) != STATUS_OK;
}

static void read_page(void)
{
	assert_int_equal(ring_page_open(&layout, recipe.bytes, PAGE_SIZE, PAGE_SIZE, &page, NULL), STATUS_OK);
}

static void end_page(void)
{
	page_end(&recipe);
	read_page();
}

static void assert_record(uint64_t ts, const void *payload, size_t length)
{
	struct ring_record record;

	assert_int_equal(ring_page_next(&page, &record, NULL), STATUS_OK);
	assert_int_equal(record.ts, ts);
	assert_int_equal(record.length, length);
	assert_memory_equal(record.data, payload, length);
}

static void assert_end(void)
{
	struct ring_record record;

	assert_int_equal(ring_page_next(&page, &record, NULL), STATUS_END);
	assert_int_equal(ring_page_next(&page, &record, NULL), STATUS_END);
}

TEST(good_layout_of_64_and_32_bits)
{
	struct ring_page_layout narrow;

	assert_int_equal(layout.commit_offset, 8);
	assert_int_equal(layout.commit_size, 8);
	assert_int_equal(layout.data_offset, 16);
	assert_int_equal(layout.data_size, 4080);
	assert_int_equal(layout.data_type_max, 28);
	assert_int_equal(layout.padding_type, 29);
	assert_int_equal(layout.time_extend_type, 30);
	assert_int_equal(layout.time_stamp_type, 31);
	assert_int_equal(ring_page_layout_parse(SPAN(HEADER_PAGE_32), SPAN(HEADER_EVENT), &narrow, NULL), STATUS_OK);
	assert_int_equal(narrow.commit_size, 4);
	assert_int_equal(narrow.data_offset, 12);
}

static void assert_bad_layout(struct text_span header_page, struct text_span header_event, enum status expected,
			      const char *what)
{
	struct ring_page_layout bad;
	struct error err = {0};

	assert_int_equal(ring_page_layout_parse(header_page, header_event, &bad, &err), expected);
	assert_string_equal(err.what, what);
}

#define TIMESTAMP "field: u64 timestamp; offset:0; size:8; signed:0;\n"
#define COMMIT    "field: local_t commit; offset:8; size:8; signed:1;\n"
#define DATA      "field: char data; offset:16; size:4080; signed:1;\n"

TEST(bad_header_page)
{
	assert_bad_layout(SPAN(""), SPAN(HEADER_EVENT), STATUS_CORRUPT, "no usable field timestamp");
	assert_bad_layout(SPAN(COMMIT DATA), SPAN(HEADER_EVENT), STATUS_CORRUPT, "no usable field timestamp");
	assert_bad_layout(SPAN(TIMESTAMP DATA), SPAN(HEADER_EVENT), STATUS_CORRUPT, "no usable field commit");
	assert_bad_layout(SPAN(TIMESTAMP COMMIT), SPAN(HEADER_EVENT), STATUS_CORRUPT, "no usable field data");
	/* Fields that lie upon one another would let a read leave a short page. */
	assert_bad_layout(SPAN(TIMESTAMP COMMIT "field: char data; offset:12; size:4080; signed:1;\n"),
			  SPAN(HEADER_EVENT), STATUS_CORRUPT, "no usable field data");
	assert_bad_layout(SPAN("field: u64 timestamp; offset:4090; size:8; signed:0;\n" COMMIT DATA),
			  SPAN(HEADER_EVENT), STATUS_CORRUPT, "no usable field data");
	assert_bad_layout(SPAN(TIMESTAMP "field: local_t commit; offset:8; size:2; signed:1;\n" DATA),
			  SPAN(HEADER_EVENT), STATUS_CORRUPT, "no usable field commit");
	assert_bad_layout(SPAN(TIMESTAMP "field: nonsense\n"), SPAN(HEADER_EVENT), STATUS_CORRUPT,
			  "cannot read field: nonsense");
}

TEST(bad_header_event)
{
	assert_bad_layout(SPAN(HEADER_PAGE), SPAN(""), STATUS_CORRUPT, "no widths of type_len and time_delta");
	assert_bad_layout(SPAN(HEADER_PAGE), SPAN("type_len : 5 bits\ntime_delta : 27 bits\n"), STATUS_CORRUPT,
			  "not all record types are given");
	assert_bad_layout(SPAN(HEADER_PAGE),
			  SPAN("type_len : 5 bits\ntime_delta : 27 bits\npadding : type == 29\n"
			       "time_extend : type == 29\ndata max type_len == 28\n"),
			  STATUS_CORRUPT, "two record types have the same number");
	assert_bad_layout(SPAN(HEADER_PAGE),
			  SPAN("type_len : 5 bits\ntime_delta : 27 bits\npadding : type == 28\n"
			       "time_extend : type == 30\ndata max type_len == 28\n"),
			  STATUS_CORRUPT, "two record types have the same number");
	assert_bad_layout(SPAN(HEADER_PAGE),
			  SPAN("type_len : 5 bits\ntime_delta : 27 bits\npadding : type == 32\n"
			       "time_extend : type == 30\ndata max type_len == 28\n"),
			  STATUS_CORRUPT, "not all record types are given");
}

TEST(unsupported_widths)
{
	assert_bad_layout(SPAN(HEADER_PAGE), SPAN("type_len : 4 bits\ntime_delta : 28 bits\n"), STATUS_UNSUPPORTED,
			  "records with 4 and 28 bits of type and time");
}

TEST(good_deltas_add_up)
{
	page_begin(&recipe, 1000);
	page_event(&recipe, 0, "aaaa", 4);
	page_event(&recipe, 5, "bbbbbbbb", 8);
	page_event(&recipe, 0x7ffffff, "cccc", 4);
	end_page();
	assert_false(page.events_missed);
	assert_false(page.cut);
	assert_record(1000, "aaaa", 4);
	assert_record(1005, "bbbbbbbb", 8);
	assert_record(1005 + 0x7ffffff, "cccc", 4);
	assert_end();
}

TEST(good_every_small_length)
{
	static const uint8_t payload[112] = {1, 2, 3, 4};

	for (uint32_t length = 4; length <= sizeof(payload); length += 4) {
		page_begin(&recipe, 1);
		page_event(&recipe, 1, payload, length);
		page_event(&recipe, 1, "next", 4);
		end_page();
		assert_record(2, payload, length);
		assert_record(3, "next", 4);
		assert_end();
	}
}

TEST(good_long_record)
{
	uint8_t payload[400];

	memset(payload, 'x', sizeof(payload));
	page_begin(&recipe, 10);
	page_long_event(&recipe, 7, payload, sizeof(payload));
	page_event(&recipe, 1, "next", 4);
	end_page();
	assert_record(17, payload, sizeof(payload));
	assert_record(18, "next", 4);
	assert_end();
}

TEST(good_full_page)
{
	page_begin(&recipe, 10);
	for (int i = 0; i < 4080 / 8; i++)
		page_event(&recipe, 1, "full", 4);
	end_page();
	for (uint64_t i = 0; i < 4080 / 8; i++)
		assert_record(11 + i, "full", 4);
	assert_end();
}

TEST(good_time_extend)
{
	uint64_t day_ns = UINT64_C(86400000000000);

	page_begin(&recipe, 100);
	page_time_extend(&recipe, day_ns);
	page_event(&recipe, 0, "late", 4);
	page_event(&recipe, 3, "more", 4);
	end_page();
	assert_record(100 + day_ns, "late", 4);
	assert_record(103 + day_ns, "more", 4);
	assert_end();
}

TEST(good_time_stamp_replaces_time)
{
	page_begin(&recipe, 100);
	page_time_stamp(&recipe, UINT64_C(0x123456789abcdef));
	page_event(&recipe, 2, "then", 4);
	end_page();
	assert_record(UINT64_C(0x123456789abcdf1), "then", 4);
	assert_end();
}

/* A record has room for 59 bits; the upper 5 are those of the time before, or the next ones where they ran over. */
TEST(good_time_stamp_keeps_upper_bits)
{
	uint64_t upper = UINT64_C(3) << 59;

	page_begin(&recipe, upper + 1000);
	page_time_stamp(&recipe, 2000);
	page_event(&recipe, 1, "same", 4);
	page_time_stamp(&recipe, 5);
	page_event(&recipe, 1, "over", 4);
	end_page();
	assert_record(upper + 2001, "same", 4);
	assert_record((UINT64_C(4) << 59) + 6, "over", 4);
	assert_end();
}

TEST(good_padding_is_passed_over)
{
	page_begin(&recipe, 100);
	page_discarded(&recipe, 10, 40);
	page_event(&recipe, 1, "kept", 4);
	page_word(&recipe, 29, 0);
	page_event(&recipe, 1, "rest", 4);
	end_page();
	/* The time of what was discarded counts; what stands behind padding without a time does not. */
	assert_record(111, "kept", 4);
	assert_end();
}

TEST(good_empty_page)
{
	page_begin(&recipe, 0);
	end_page();
	assert_end();
}

TEST(good_missed_events)
{
	page_begin(&recipe, 1);
	page_event(&recipe, 1, "some", 4);
	page_end_missed(&recipe, 1, 11732);
	read_page();
	assert_true(page.events_missed);
	assert_true(page.missed_known);
	assert_int_equal(page.missed, 11732);
	assert_record(2, "some", 4);
	assert_end();

	page_end_missed(&recipe, 0, 0);
	read_page();
	assert_true(page.events_missed);
	assert_false(page.missed_known);
	assert_record(2, "some", 4);
	assert_end();
}

TEST(missed_events_are_cleared)
{
	page_begin(&recipe, 1);
	page_event(&recipe, 1, "some", 4);
	page_end_missed(&recipe, 1, 5);
	read_page();
	assert_true(page.events_missed);
	ring_page_clear_missed(&page, recipe.bytes);
	read_page();
	assert_false(page.events_missed);
	assert_record(2, "some", 4);
	assert_end();
}

/* Says that the count is stored where there is no room for it. */
TEST(bad_missed_count_is_not_known)
{
	page_begin(&recipe, 10);
	for (int i = 0; i < 4080 / 8; i++)
		page_event(&recipe, 1, "full", 4);
	int64_t commit = 4080 - ((int64_t)1 << 31) + ((int64_t)1 << 30);
	memcpy(recipe.bytes + 8, &commit, sizeof(commit));
	read_page();
	assert_true(page.events_missed);
	assert_false(page.missed_known);
}

TEST(good_32_bit_page)
{
	struct ring_page_layout narrow;
	uint32_t words[1024] = {500, 0, 8 | 1u << 31 | 1u << 30, 1 | 9u << 5, 0x65657266, 77};

	assert_int_equal(ring_page_layout_parse(SPAN(HEADER_PAGE_32), SPAN(HEADER_EVENT), &narrow, NULL), STATUS_OK);
	assert_int_equal(ring_page_open(&narrow, (uint8_t *)words, PAGE_SIZE, PAGE_SIZE, &page, NULL), STATUS_OK);
	assert_int_equal(page.missed, 77);
	assert_record(509, "free", 4);
	assert_end();
}

static void assert_bad_record(const char *what)
{
	struct ring_record record;
	struct error err = {0};

	end_page();
	assert_int_equal(ring_page_next(&page, &record, &err), STATUS_CORRUPT);
	assert_string_equal(err.what, what);
	assert_end();
}

TEST(bad_records)
{
	page_begin(&recipe, 1);
	page_word(&recipe, 28, 1);
	assert_bad_record("record at byte 16 of the page goes past its end");
	page_begin(&recipe, 1);
	page_word(&recipe, 0, 1);
	assert_bad_record("record at byte 16 of the page goes past its end");
	page_begin(&recipe, 1);
	page_word(&recipe, 30, 1);
	assert_bad_record("record at byte 16 of the page goes past its end");
	page_begin(&recipe, 1);
	page_word(&recipe, 0, 1);
	page_u32(&recipe, 12);
	page_u32(&recipe, 0);
	assert_bad_record("record at byte 16 of the page goes past its end");
	page_begin(&recipe, 1);
	page_word(&recipe, 0, 1);
	page_u32(&recipe, 0);
	assert_bad_record("record at byte 16 of the page goes past its end");
	page_begin(&recipe, 1);
	page_word(&recipe, 0, 1);
	page_u32(&recipe, UINT32_MAX);
	assert_bad_record("record at byte 16 of the page goes past its end");
	page_begin(&recipe, 1);
	page_discarded(&recipe, 1, 8);
	recipe.at -= 4;
	assert_bad_record("record at byte 16 of the page goes past its end");
}

/* Kernels before 4.17 have no type 31. */
TEST(bad_type_is_refused)
{
	struct ring_page_layout old = layout;
	struct ring_record record;
	struct error err = {0};

	old.time_stamp_type = 0;
	page_begin(&recipe, 1);
	page_time_stamp(&recipe, 1);
	page_end(&recipe);
	assert_int_equal(ring_page_open(&old, recipe.bytes, PAGE_SIZE, PAGE_SIZE, &page, NULL), STATUS_OK);
	assert_int_equal(ring_page_next(&page, &record, &err), STATUS_CORRUPT);
	assert_string_equal(err.what, "record at byte 16 of the page is of no known type");
}

TEST(bad_commit_is_refused)
{
	struct error err = {0};
	uint64_t commit = 4081;

	page_begin(&recipe, 1);
	memcpy(recipe.bytes + 8, &commit, sizeof(commit));
	assert_int_equal(ring_page_open(&layout, recipe.bytes, PAGE_SIZE, PAGE_SIZE, &page, &err), STATUS_CORRUPT);
	assert_string_equal(err.what, "page claims 4081 bytes of data; max 4080");
	assert_int_equal(ring_page_open(&layout, recipe.bytes, 16, 16, &page, &err), STATUS_CORRUPT);
	assert_string_equal(err.what, "pages of 16 bytes have no room for data");
}

/* However short what is left of a page is: whole records are given, and nothing behind the bytes is read. */
TEST(good_cut_page)
{
	page_begin(&recipe, 100);
	page_event(&recipe, 1, "one1", 4);
	page_long_event(&recipe, 1, "two2", 4);
	page_time_extend(&recipe, 1);
	page_event(&recipe, 0, "three333", 8);
	page_end_missed(&recipe, 1, 5);
	for (size_t length = 0; length <= recipe.at + 8; length++) {
		uint8_t *exact = malloc(length ? length : 1);
		struct ring_record record;
		memcpy(exact, recipe.bytes, length);
		assert_int_equal(ring_page_open(&layout, exact, length, PAGE_SIZE, &page, NULL), STATUS_OK);
		assert_int_equal(page.cut, length < recipe.at);
		assert_int_equal(page.missed_known, length >= recipe.at + 8);
		size_t records = 0;
		while (ring_page_next(&page, &record, NULL) == STATUS_OK)
			records++;
		assert_int_equal(records, (length >= 24) + (length >= 36) + (length >= 56));
		free(exact);
	}
}

TESTS_WITH(parse_layout, NULL)
