/* SPDX-License-Identifier: MIT
 *
 * Marks in a trace, and the survey that counts whatever a trace holds. */
#include "support/event_recipe.h"
#include "support/opened_stream.h"
#include "support/unit.h"
#include "trace/trace_survey.h"

/* 6.1, 6.12 and 6.18 write the same. */
#define PRINT_FORMAT                                                                                                   \
	"name: print\nID: 5\n" COMMON_FIELDS "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"              \
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n"

enum { ID_PRINT = 5, TEXT_OFFSET = 16 };

/* A record of ftrace:print with these bytes as its text, padded with pad to a multiple of four. */
static void page_mark(struct page_recipe *page, uint32_t time_delta, const char *bytes, size_t length, uint8_t pad)
{
	uint8_t record[96];
	struct common_fields common = {ID_PRINT, 0, 0, 77};

	memset(record, pad, sizeof(record));
	memcpy(record, &common, sizeof(common));
	memcpy(record + TEXT_OFFSET, bytes, length);
	page_event(page, time_delta, record, (uint32_t)(TEXT_OFFSET + length + 3) & ~3u);
}

static void assert_mark(struct opened *opened, uint64_t ts_ns, const char *text, size_t length)
{
	struct sched_event event;

	assert_int_equal(sched_stream_next(opened->stream, &event, NULL), STATUS_OK);
	assert_int_equal(event.kind, SCHED_MARK);
	assert_int_equal(event.ts_ns, ts_ns);
	assert_int_equal(event.common_pid, 77);
	assert_int_equal(event.mark.length, length);
	assert_memory_equal(event.mark.text, text, length);
}

static void begin(struct trace_recipe *recipe, uint32_t cpus)
{
	trace_begin(recipe, cpus);
	trace_event_format(recipe, "ftrace", SPAN(PRINT_FORMAT));
}

TEST(gives_the_text_of_marks)
{
	struct trace_recipe recipe;
	struct page_recipe page;
	struct opened opened;
	struct sched_event event;

	begin(&recipe, 1);
	page_begin(&page, 1000);
	page_mark(&page, 0, "hello\n", 7, 0);
	page_wakeup(&page, 1, ID_WAKEUP, "between", 1, 0);
	/* Text of any bytes, its newline within kept; with nothing behind it, with no end, and none at all. */
	page_mark(&page, 1, "a,\"b\"=\xff\n\n", 10, 0);
	page_mark(&page, 1, "12345678", 8, 'x');
	page_mark(&page, 1, "", 0, 0);
	page_mark(&page, 1, "\n", 2, 0);
	page_end(&page);
	trace_page(&recipe, 0, &page);
	opened_stream(&recipe, &opened);
	assert_mark(&opened, 1000, "hello", 5);
	assert_int_equal(sched_stream_next(opened.stream, &event, NULL), STATUS_OK);
	assert_int_equal(event.kind, SCHED_WAKEUP);
	assert_mark(&opened, 1002, "a,\"b\"=\xff\n", 8);
	assert_mark(&opened, 1003, "12345678", 8);
	assert_mark(&opened, 1004, "", 0);
	assert_mark(&opened, 1005, "", 0);
	assert_int_equal(sched_stream_next(opened.stream, &event, NULL), STATUS_END);
	opened_close(&opened);
}

/* A file by another tool may not have the format: then the record is just any other event. */
TEST(knows_no_mark_without_its_format)
{
	struct trace_recipe recipe;
	struct page_recipe page;
	struct opened opened;
	struct sched_event event;

	trace_begin(&recipe, 1);
	page_begin(&page, 1000);
	page_mark(&page, 0, "hello\n", 7, 0);
	page_end(&page);
	trace_page(&recipe, 0, &page);
	opened_stream(&recipe, &opened);
	assert_int_equal(sched_stream_next(opened.stream, &event, NULL), STATUS_OK);
	assert_int_equal(event.kind, SCHED_OTHER_EVENT);
	opened_close(&opened);
}

TEST(surveys_any_trace)
{
	struct trace_recipe recipe;
	struct page_recipe page;
	struct opened opened;
	struct trace_survey survey;
	struct common_fields other = {999, 0, 0, 42};

	begin(&recipe, 3);
	page_begin(&page, 1000);
	page_mark(&page, 0, "hello\n", 7, 0);
	page_switch(&page, 10, "a", 1, 0, "b", 2);
	page_switch(&page, 10, "b", 2, 0, "a", 1);
	page_end(&page);
	trace_page(&recipe, 0, &page);
	page_begin(&page, 500);
	page_event(&page, 5, &other, sizeof(other));
	page_end(&page);
	trace_page(&recipe, 2, &page);
	opened_build(&recipe, &opened);
	assert_int_equal(trace_survey_make(&opened.trace, "a.dat", NULL, &survey, NULL), STATUS_OK);
	assert_int_equal(survey.events, 4);
	assert_int_equal(survey.switches, 2);
	assert_int_equal(survey.marks, 1);
	assert_int_equal(survey.cpu_count, 3);
	assert_int_equal(survey.cpus[0].events, 3);
	assert_int_equal(survey.cpus[0].first_ts, 1000);
	assert_int_equal(survey.cpus[0].last_ts, 1020);
	assert_int_equal(survey.cpus[1].events, 0);
	assert_int_equal(survey.cpus[2].events, 1);
	assert_int_equal(survey.cpus[2].last_ts, 505);
	trace_survey_free(&survey);
	opened_close(&opened);
}

TEST(survey_says_where_a_page_is_bad)
{
	struct trace_recipe recipe;
	struct page_recipe page;
	struct opened opened;
	struct trace_survey survey;
	struct error err = {0};
	uint64_t commit = PAGE_SIZE;

	begin(&recipe, 2);
	page_begin(&page, 1000);
	memcpy(page.bytes + 8, &commit, sizeof(commit));
	trace_page(&recipe, 1, &page);
	opened_build(&recipe, &opened);
	assert_int_equal(trace_survey_make(&opened.trace, "a.dat", NULL, &survey, &err), STATUS_CORRUPT);
	assert_non_null(strstr(err.where, "a.dat: CPU 1, page 0"));
	opened_close(&opened);
}
