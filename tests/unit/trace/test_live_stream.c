/* SPDX-License-Identifier: MIT
 *
 * A stream over buffers that are still being filled: what is given when, and in what order. */
#include "support/event_recipe.h"
#include "support/trace_recipe.h"
#include "support/unit.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"

#define CPUS 2

/* Pages that are there by now, for each CPU, and those of them that were taken. */
struct filled {
	struct page_recipe pages[CPUS][4];
	size_t count[CPUS], taken[CPUS];
	enum status failure;
};

static struct buffer file;
static struct tracedat trace;
static struct filled filled;
static struct page_source source;
static struct sched_stream *stream;

static enum status take(void *context, size_t index, const uint8_t **page, struct error *err)
{
	struct filled *from = context;

	if (from->failure != STATUS_OK)
		return error_set(err, from->failure, "trace_pipe_raw", "went away");
	if (from->taken[index] == from->count[index])
		return STATUS_END;
	*page = from->pages[index][from->taken[index]++].bytes;
	return STATUS_OK;
}

/* A page with the wakeups of these tasks, a nanosecond apart. */
static void fill(size_t cpu, uint64_t ts, int32_t first_pid, int32_t count, bool missed)
{
	struct page_recipe *page = &filled.pages[cpu][filled.count[cpu]++];

	page_begin(page, ts);
	for (int32_t i = 0; i < count; i++)
		page_wakeup(page, i ? 1 : 0, ID_WAKEUP, "a", first_pid + i, 0);
	if (missed)
		page_end_missed(page, 1, 7);
	else
		page_end(page);
}

static int begin(void **state)
{
	struct trace_recipe recipe;

	memset(&filled, 0, sizeof(filled));
	memset(&file, 0, sizeof(file));
	trace_begin(&recipe, CPUS);
	assert_true(trace_build(&recipe, &file));
	assert_int_equal(tracedat_parse((const uint8_t *)file.data, file.length, "live", &trace, NULL), STATUS_OK);
	trace_end(&recipe);
	source = (struct page_source){take, &filled};
	assert_int_equal(sched_stream_open_live(&trace, "live", &source, &stream, NULL), STATUS_OK);
	return 0;
}

static int end(void **state)
{
	sched_stream_close(stream);
	tracedat_free(&trace);
	buffer_free(&file);
	return 0;
}

static void assert_task(uint64_t ts, int32_t pid)
{
	struct sched_event event;

	assert_int_equal(sched_stream_next(stream, &event, NULL), STATUS_OK);
	assert_int_equal(event.kind, SCHED_WAKEUP);
	assert_int_equal(event.wakeup.task.pid, pid);
	assert_int_equal(event.ts_ns, ts);
}

static void assert_end(void)
{
	struct sched_event event;

	for (int i = 0; i < 2; i++)
		assert_int_equal(sched_stream_next(stream, &event, NULL), STATUS_END);
}

TEST_WITH(nothing_before_it_goes_on, begin, end)
{
	fill(0, 100, 1, 1, false);
	assert_end();
	assert_int_equal(filled.taken[0], 0);
	sched_stream_go_on(stream, 50);
	assert_end();
	sched_stream_go_on(stream, 100);
	assert_task(100, 1);
	assert_end();
}

/* CPU 1's page reaches far beyond what CPU 0 has by then: the rest of it waits. */
TEST_WITH(order_across_looks, begin, end)
{
	fill(0, 100, 10, 2, false);
	fill(1, 100, 20, 4, false);
	sched_stream_go_on(stream, 101);
	assert_task(100, 10);
	assert_task(100, 20);
	assert_task(101, 11);
	assert_task(101, 21);
	assert_end();
	fill(0, 102, 12, 1, false);
	fill(0, 104, 13, 1, false);
	sched_stream_go_on(stream, 103);
	assert_task(102, 12);
	assert_task(102, 22);
	assert_task(103, 23);
	assert_end();
	sched_stream_go_on(stream, 200);
	assert_task(104, 13);
	assert_end();
	sched_stream_go_on(stream, 300);
	assert_end();
	fill(1, 301, 24, 1, false);
	assert_end();
	sched_stream_go_on(stream, 400);
	assert_task(301, 24);
	assert_end();
}

/* An event that was not complete when its CPU was looked at: time does not go back for it. */
TEST_WITH(too_late, begin, end)
{
	fill(0, 100, 1, 1, false);
	sched_stream_go_on(stream, 200);
	assert_task(100, 1);
	assert_end();
	fill(1, 150, 2, 1, false);
	sched_stream_go_on(stream, 300);
	assert_task(200, 2);
	assert_end();
}

TEST_WITH(losses_in_place, begin, end)
{
	struct sched_event event;

	fill(0, 100, 1, 1, false);
	sched_stream_go_on(stream, 200);
	assert_task(100, 1);
	assert_end();
	fill(0, 300, 2, 1, true);
	sched_stream_go_on(stream, 299);
	assert_end();
	sched_stream_go_on(stream, 400);
	assert_int_equal(sched_stream_next(stream, &event, NULL), STATUS_OK);
	assert_int_equal(event.kind, SCHED_LOST);
	assert_int_equal(event.lost.count, 7);
	assert_task(300, 2);
	assert_end();
}

TEST_WITH(failure, begin, end)
{
	struct sched_event event;
	struct error err = {0};

	fill(0, 100, 1, 2, false);
	sched_stream_go_on(stream, 100);
	assert_task(100, 1);
	filled.failure = STATUS_SYSTEM;
	sched_stream_go_on(stream, 200);
	assert_int_equal(sched_stream_next(stream, &event, &err), STATUS_SYSTEM);
	assert_string_equal(err.where, "trace_pipe_raw");
	sched_stream_go_on(stream, 300);
	assert_int_equal(sched_stream_next(stream, &event, &err), STATUS_SYSTEM);
}
