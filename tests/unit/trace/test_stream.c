/* SPDX-License-Identifier: MIT
 *
 * Typed events out of whole traces: fields, order, losses, and what is refused. */
#include "support/event_recipe.h"
#include "support/opened_stream.h"
#include "support/unit.h"

/* Inputs of the test that runs. */
static struct trace_recipe recipe;
static struct page_recipe page;
static struct opened opened;

static int close_stream(void **state)
{
	opened_close(&opened);
	return 0;
}

#define STREAM_TEST(name) TEST_WITH(name, NULL, close_stream)

/* Instead of the one before. */
static void open_trace(void)
{
	opened_close(&opened);
	opened_stream(&recipe, &opened);
}

/* The only page of CPU 0. */
static void open_page(void)
{
	page_end(&page);
	trace_page(&recipe, 0, &page);
	open_trace();
}

static struct sched_event next(void)
{
	struct sched_event event;
	struct error err = {0};

	if (sched_stream_next(opened.stream, &event, &err) != STATUS_OK)
		fail_msg("%s: %s", err.where, err.what);
	return event;
}

static void assert_next(uint32_t cpu, uint64_t ts_ns)
{
	struct sched_event event = next();

	assert_int_equal(event.cpu, cpu);
	assert_int_equal(event.ts_ns, ts_ns);
}

static void assert_end(void)
{
	struct sched_event event;

	assert_int_equal(sched_stream_next(opened.stream, &event, NULL), STATUS_END);
	assert_int_equal(sched_stream_next(opened.stream, &event, NULL), STATUS_END);
}

static void assert_fails(const char *where, const char *what)
{
	struct sched_event event;

	for (int i = 0; i < 2; i++) {
		struct error err = {0};
		assert_int_equal(sched_stream_next(opened.stream, &event, &err), STATUS_CORRUPT);
		assert_int_equal(err.status, STATUS_CORRUPT);
		assert_string_equal(err.where, where);
		assert_string_equal(err.what, what);
	}
	assert_int_equal(sched_stream_next(opened.stream, &event, NULL), STATUS_CORRUPT);
}

static void assert_comm(struct sched_comm comm, const char *bytes, size_t length)
{
	assert_int_equal(comm.length, length);
	assert_memory_equal(comm.bytes, bytes, length);
}

STREAM_TEST(good_switch)
{
	char text[32];

	trace_begin(&recipe, 1);
	page_begin(&page, 1000);
	page_switch(&page, 7, "swapper/0", 0, 0x100, "a, b=\n\"c\"", 4711);
	open_page();
	struct sched_event event = next();
	assert_int_equal(event.kind, SCHED_SWITCH);
	assert_int_equal(event.ts_ns, 1007);
	assert_int_equal(event.cpu, 0);
	assert_int_equal(event.common_pid, 0);
	assert_comm(event.switched.prev.comm, "swapper/0", 9);
	assert_int_equal(event.switched.prev.pid, 0);
	assert_int_equal(event.switched.prev.prio, 120);
	assert_int_equal(event.switched.prev_state, 0x100);
	assert_comm(event.switched.next.comm, "a, b=\n\"c\"", 9);
	assert_int_equal(event.switched.next.pid, 4711);
	assert_int_equal(event.switched.next.prio, 98);
	sched_state_text(opened.stream, event.switched.prev_state, text, sizeof(text));
	assert_string_equal(text, "R+");
	assert_end();
}

STREAM_TEST(good_names_of_every_length)
{
	static const char name[17] = "0123456789abcdef";

	trace_begin(&recipe, 1);
	page_begin(&page, 1);
	for (size_t length = 0; length <= 16; length++) {
		char part[17] = "";
		memcpy(part, name, length);
		page_wakeup(&page, 1, ID_WAKEUP, part, 1, 0);
	}
	open_page();
	for (size_t length = 0; length <= 16; length++)
		assert_comm(next().wakeup.task.comm, name, length);
	assert_end();
}

STREAM_TEST(good_wakeup_and_migration)
{
	struct {
		struct wakeup_record head;
		int32_t dest_cpu;
	} migration = {{{ID_MIGRATE, 0, 0, 1}, "moved", 5, 139, 2}, 3};

	trace_begin(&recipe, 1);
	page_begin(&page, 0);
	page_wakeup(&page, 1, ID_WAKEUP, "sleeper", -5, 3);
	page_wakeup(&page, 1, ID_WAKEUP_NEW, "child", 77, 1);
	page_event(&page, 1, &migration, sizeof(migration));
	open_page();
	struct sched_event event = next();
	assert_int_equal(event.kind, SCHED_WAKEUP);
	assert_comm(event.wakeup.task.comm, "sleeper", 7);
	assert_int_equal(event.wakeup.task.pid, -5);
	assert_int_equal(event.wakeup.task.prio, 120);
	assert_int_equal(event.wakeup.target_cpu, 3);
	event = next();
	assert_int_equal(event.kind, SCHED_WAKEUP_NEW);
	assert_int_equal(event.wakeup.task.pid, 77);
	event = next();
	assert_int_equal(event.kind, SCHED_MIGRATE);
	assert_comm(event.migrate.task.comm, "moved", 5);
	assert_int_equal(event.migrate.task.prio, 139);
	assert_int_equal(event.migrate.from_cpu, 2);
	assert_int_equal(event.migrate.to_cpu, 3);
	assert_int_equal(event.common_pid, 1);
	assert_end();
}

/* 5.10: sched_wakeup has a field more, and the fields' offsets are others. */
STREAM_TEST(good_fields_move_between_kernels)
{
	struct {
		struct wakeup_record head;
		int32_t target_cpu;
	} old = {{{310, 0, 0, 1}, "old", 5, 120, 1}, 6};

	trace_begin(&recipe, 1);
	recipe.header.event_count = 0;
	trace_event_format(&recipe, "sched", SPAN(SWITCH_FORMAT_5));
	trace_event_format(&recipe, "sched", SPAN(WAKEUP_FORMAT_5));
	page_begin(&page, 0);
	page_event(&page, 1, &old, sizeof(old));
	open_page();
	struct sched_event event = next();
	assert_int_equal(event.kind, SCHED_WAKEUP);
	assert_int_equal(event.wakeup.target_cpu, 6);
}

/* Priority inheritance: of a deadline task. */
STREAM_TEST(good_inherited_priority)
{
	const struct {
		struct common_fields common;
		uint32_t comm;
		int32_t pid, oldprio, newprio;
		char text[8];
	} record = {{362, 0, 0, 1}, 4u << 16 | 24, 5, 120, -1, "low"};

	trace_begin(&recipe, 1);
	trace_event_format(&recipe, "sched", SPAN(SET_PRIO_FORMAT));
	page_begin(&page, 0);
	page_event(&page, 1, &record, sizeof(record));
	open_page();
	struct sched_event event = next();
	assert_int_equal(event.kind, SCHED_PI_SETPRIO);
	assert_comm(event.set_prio.task.comm, "low", 3);
	assert_int_equal(event.set_prio.task.pid, 5);
	assert_int_equal(event.set_prio.task.prio, -1);
	assert_int_equal(event.set_prio.old_prio, 120);
	assert_end();
}

struct located_record {
	struct common_fields common;
	uint32_t comm;
	int32_t pid, prio, orig_cpu, dest_cpu;
	char text[24];
};

static void begin_located(void)
{
	trace_begin(&recipe, 1);
	recipe.header.event_count = 1;
	trace_event_format(&recipe, "sched", SPAN(MIGRATE_FORMAT_LOCATED));
}

STREAM_TEST(good_located_names)
{
	struct located_record record = {{ID_MIGRATE_LOCATED, 0, 0, 1}, 0, 5, 120, 0, 1, "located\0and more to read"};
	/* length << 16 | offset: with its NUL, without one, empty, and longer than a name can be */
	static const uint32_t words[] = {8u << 16 | 28, 7u << 16 | 28, 28, 16u << 16 | 36, 0};
	static const char *const names[] = {"located", "located", "", "and more to read", ""};

	begin_located();
	page_begin(&page, 0);
	for (size_t i = 0; i < 5; i++) {
		record.comm = words[i];
		page_event(&page, 1, &record, sizeof(record));
	}
	open_page();
	for (size_t i = 0; i < 5; i++) {
		struct sched_event event = next();
		assert_int_equal(event.kind, SCHED_MIGRATE);
		assert_int_equal(event.migrate.to_cpu, 1);
		assert_comm(event.migrate.task.comm, names[i], strlen(names[i]));
	}
	assert_end();
}

STREAM_TEST(bad_located_names)
{
	struct located_record record = {{ID_MIGRATE_LOCATED, 0, 0, 1}, 0, 5, 120, 0, 1, "x"};
	static const uint32_t words[] = {1u << 16 | 52, 53, 25u << 16 | 28, 0xffffffff};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		begin_located();
		page_begin(&page, 0);
		record.comm = words[i];
		page_event(&page, 1, &record, sizeof(record));
		open_page();
		assert_fails("a.dat: CPU 0, page 0", "a task's name is outside of its sched_migrate_task record");
	}
}

/* Events that are not decoded, with a format in the trace and without, still count and have their place. */
STREAM_TEST(good_other_events)
{
	struct common_fields other = {999, 0, 0, 42};

	trace_begin(&recipe, 1);
	recipe.header.event_count = 1;
	page_begin(&page, 0);
	page_event(&page, 1, &other, sizeof(other));
	page_wakeup(&page, 1, ID_WAKEUP, "unknown here", 1, 0);
	/* An event that the trace has no format of has ID 0, too. */
	page_event(&page, 1, &(struct common_fields){0, 0, 0, 43}, sizeof(other));
	open_page();
	struct sched_event event = next();
	assert_int_equal(event.kind, SCHED_OTHER_EVENT);
	assert_int_equal(event.common_pid, 42);
	assert_int_equal(next().kind, SCHED_OTHER_EVENT);
	assert_int_equal(next().kind, SCHED_OTHER_EVENT);
	assert_end();
}

/* Four CPUs, each with several pages, merged: by time, and by CPU where the times are equal. */
STREAM_TEST(good_merge_is_by_time_then_cpu)
{
	uint64_t seed = 1;

	trace_begin(&recipe, 4);
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		uint64_t ts = 100;
		for (int n = 0; n < 5; n++) {
			page_begin(&page, ts);
			for (int i = 0; i < 50; i++) {
				seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
				uint32_t delta = (uint32_t)(seed >> 33) % 4;
				ts += delta;
				page_wakeup(&page, delta, ID_WAKEUP, "x", n * 50 + i, 0);
			}
			page_end(&page);
			trace_page(&recipe, cpu, &page);
		}
	}
	open_trace();
	struct sched_event before = {0};
	int32_t count[4] = {0};
	bool were_equal = false;
	for (int i = 0; i < 4 * 5 * 50; i++) {
		struct sched_event event = next();
		assert_true(event.ts_ns > before.ts_ns || (event.ts_ns == before.ts_ns && event.cpu >= before.cpu));
		were_equal |= event.ts_ns == before.ts_ns && event.cpu > before.cpu;
		assert_int_equal(event.wakeup.task.pid, count[event.cpu]++);
		before = event;
	}
	assert_true(were_equal);
	assert_end();
}

static size_t count_losses(void)
{
	struct losses losses = {0};

	sched_stream_losses(opened.stream, &losses);
	size_t count = losses.count;
	losses_free(&losses);
	return count;
}

STREAM_TEST(good_empty_traces)
{
	trace_begin(&recipe, 3);
	open_trace();
	assert_end();
	assert_int_equal(count_losses(), 0);
	/* Only one CPU has an event, behind pages that are empty. */
	trace_begin(&recipe, 3);
	page_begin(&page, 0);
	page_end(&page);
	trace_page(&recipe, 1, &page);
	trace_page(&recipe, 1, &page);
	page_wakeup(&page, 9, ID_WAKEUP, "x", 1, 0);
	page_end(&page);
	trace_page(&recipe, 1, &page);
	open_trace();
	assert_next(1, 9);
	assert_end();
}

/* A page of one event, behind which events are lost or not. */
static void add_page(uint32_t cpu, uint64_t ts, int missed, int is_stored, uint64_t count)
{
	page_begin(&page, ts);
	page_wakeup(&page, 0, ID_WAKEUP, "x", 1, 0);
	if (missed)
		page_end_missed(&page, is_stored, count);
	else
		page_end(&page);
	trace_page(&recipe, cpu, &page);
}

static void assert_lost(uint32_t cpu, uint64_t ts_ns, bool known, uint64_t count)
{
	struct sched_event event = next();

	assert_int_equal(event.kind, SCHED_LOST);
	assert_int_equal(event.cpu, cpu);
	assert_int_equal(event.ts_ns, ts_ns);
	assert_int_equal(event.lost.count_known, known);
	assert_int_equal(event.lost.count, count);
}

static void assert_gap(uint32_t cpu, uint64_t ts_ns)
{
	struct sched_event event = next();

	assert_int_equal(event.kind, SCHED_GAP);
	assert_int_equal(event.cpu, cpu);
	assert_int_equal(event.ts_ns, ts_ns);
}

STREAM_TEST(good_losses_are_told_from_where_they_begin)
{
	trace_begin(&recipe, 4);
	recipe.stats[2] = STATS("0", "12"); /* dropped at the end: no page says so */
	/* The beginning overwritten, as a flight recorder does: no loss. */
	recipe.stats[3] = STATS("0", "0") "overwritten: 5\n";
	add_page(0, 100, 0, 0, 0);
	add_page(0, 300, 1, 1, 55);
	add_page(1, 150, 1, 1, 7);
	add_page(2, 100, 0, 0, 0);
	add_page(3, 400, 0, 0, 0);
	open_trace();
	sched_stream_tell_gaps(opened.stream);
	assert_false(sched_stream_starts_late(opened.stream, 0));
	assert_true(sched_stream_starts_late(opened.stream, 1));
	assert_false(sched_stream_starts_late(opened.stream, 2));
	assert_true(sched_stream_starts_late(opened.stream, 3));
	assert_next(0, 100);
	assert_gap(0, 100);
	assert_next(2, 100);
	assert_gap(2, 100);
	assert_lost(1, 150, true, 7);
	assert_next(1, 150);
	assert_lost(0, 300, true, 55);
	assert_next(0, 300);
	assert_next(3, 400);
	assert_end();
	assert_int_equal(count_losses(), 3);
}

/* A page that was full to its end tells of a loss without its number: the counter then knows of more than the pages do,
 * whether or not anything is missing behind the last. */
STREAM_TEST(good_what_was_dropped_last_is_told_apart)
{
	for (unsigned int last = 0; last < 2; last++) {
		trace_begin(&recipe, 2);
		recipe.stats[0] =
		    last ? STATS("0", "12") "dropped at the end: 5\n" : STATS("0", "12") "dropped at the end: 0\n";
		add_page(0, 100, 0, 0, 0);
		add_page(0, 200, 1, 0, 0);
		add_page(1, 300, 0, 0, 0);
		open_trace();
		sched_stream_tell_gaps(opened.stream);
		assert_next(0, 100);
		assert_gap(0, 100);
		assert_lost(0, 200, false, 0);
		assert_next(0, 200);
		assert_int_equal(sched_stream_dropped_last(opened.stream), 0);
		if (last)
			assert_gap(0, 200);
		assert_next(1, 300);
		assert_end();
		assert_int_equal(sched_stream_dropped_last(opened.stream), last ? 5 : 0);
	}
}

/* A recording that a full disk cut short. */
STREAM_TEST(good_a_cpu_that_was_cut_short_ends_in_a_gap)
{
	trace_begin(&recipe, 2);
	recipe.stats[0] = STATS("0", "0") "cut short: 1\n";
	add_page(0, 100, 0, 0, 0);
	add_page(1, 150, 0, 0, 0);
	open_trace();
	assert_true(opened.trace.truncated);
	assert_true(opened.trace.cpus[0].truncated);
	assert_false(opened.trace.cpus[1].truncated);
	sched_stream_tell_gaps(opened.stream);
	assert_next(0, 100);
	assert_gap(0, 100);
	assert_next(1, 150);
	assert_end();
}

STREAM_TEST(good_losses_stand_where_they_were)
{
	struct page_recipe empty;
	struct losses losses = {0};

	trace_begin(&recipe, 3);
	add_page(0, 100, 0, 0, 0);
	add_page(0, 200, 1, 1, 55);
	add_page(0, 300, 1, 0, 0);
	add_page(1, 150, 1, 1, 7);
	/* A page without an event passes its loss on to the next. */
	page_begin(&empty, 400);
	page_end_missed(&empty, 1, 3);
	trace_page(&recipe, 1, &empty);
	add_page(1, 400, 1, 1, 4);
	add_page(2, 500, 0, 0, 0);
	open_trace();
	assert_next(0, 100);
	assert_lost(1, 150, true, 7);
	assert_next(1, 150);
	assert_lost(0, 200, true, 55);
	assert_next(0, 200);
	assert_lost(0, 300, false, 0);
	assert_next(0, 300);
	assert_lost(1, 400, true, 7);
	assert_next(1, 400);
	assert_next(2, 500);
	assert_end();
	sched_stream_losses(opened.stream, &losses);
	assert_int_equal(losses.count, 2);
	assert_int_equal(losses.items[0].cpu, 0);
	assert_int_equal(losses.items[0].events, 55);
	assert_int_equal(losses.items[0].places, 2);
	assert_int_equal(losses.items[0].after_ns, 100);
	assert_int_equal(losses.items[0].before_ns, 300);
	assert_int_equal(losses.items[1].cpu, 1);
	assert_int_equal(losses.items[1].events, 14);
	assert_int_equal(losses.items[1].places, 3);
	assert_int_equal(losses.items[1].after_ns, 0);
	assert_int_equal(losses.items[1].before_ns, 400);
	losses_free(&losses);
}

/* Overwritten events are in both places and count once; dropped ones are in the statistics only. */
STREAM_TEST(good_losses_of_the_statistics)
{
	struct losses losses = {0};

	trace_begin(&recipe, 4);
	recipe.stats[0] = STATS("55", "0");
	recipe.stats[1] = STATS("0", "21645");
	recipe.stats[2] = STATS("70", "1");
	add_page(0, 100, 1, 1, 55);
	add_page(2, 100, 1, 1, 60);
	open_trace();
	assert_lost(0, 100, true, 55);
	assert_next(0, 100);
	assert_lost(2, 100, true, 60);
	assert_next(2, 100);
	assert_end();
	sched_stream_losses(opened.stream, &losses);
	assert_int_equal(losses.count, 3);
	assert_int_equal(losses.items[0].events, 55);
	assert_int_equal(losses.items[0].places, 1);
	assert_int_equal(losses.items[1].cpu, 1);
	assert_int_equal(losses.items[1].events, 21645);
	assert_int_equal(losses.items[1].places, 0);
	assert_int_equal(losses.items[2].cpu, 2);
	assert_int_equal(losses.items[2].events, 71);
	losses_free(&losses);
}

/* Whole pages are read; the missing part is a loss of unknown size. */
STREAM_TEST(good_truncated_file)
{
	struct losses losses = {0};

	trace_begin(&recipe, 1);
	add_page(0, 100, 0, 0, 0);
	add_page(0, 200, 0, 0, 0);
	opened_build(&recipe, &opened);
	tracedat_free(&opened.trace);
	assert_int_equal(tracedat_parse((const uint8_t *)opened.file.data, opened.file.length - PAGE_SIZE + 30, "a.dat",
					&opened.trace, NULL),
			 STATUS_OK);
	assert_int_equal(sched_stream_open(&opened.trace, "a.dat", &opened.stream, NULL), STATUS_OK);
	assert_next(0, 100);
	assert_end();
	sched_stream_losses(opened.stream, &losses);
	assert_int_equal(losses.count, 1);
	assert_int_equal(losses.items[0].events, 0);
	assert_int_equal(losses.items[0].places, 1);
	losses_free(&losses);
}

/* trace-cmd record --date: records that tell their whole time are shifted as well. */
STREAM_TEST(good_times_are_shifted)
{
	trace_begin(&recipe, 1);
	recipe.header.date = "0x10";
	page_begin(&page, 1000);
	page_wakeup(&page, 1, ID_WAKEUP, "a", 1, 0);
	page_time_stamp(&page, 5000);
	page_wakeup(&page, 2, ID_WAKEUP, "a", 1, 0);
	page_end(&page);
	trace_page(&recipe, 0, &page);
	add_page(0, 6000, 0, 0, 0);
	open_trace();
	assert_next(0, 17001);
	assert_next(0, 21002);
	assert_next(0, 22000);
	assert_end();
}

STREAM_TEST(good_small_steps_back_are_counted)
{
	uint64_t max_ns;

	trace_begin(&recipe, 2);
	add_page(0, 20000000, 0, 0, 0);
	add_page(0, 19999960, 0, 0, 0);
	add_page(0, 10000000, 0, 0, 0);
	add_page(0, 20000001, 0, 0, 0);
	add_page(1, 20000000, 0, 0, 0);
	open_trace();
	assert_next(0, 20000000);
	assert_next(0, 20000000);
	assert_next(0, 20000000);
	assert_next(1, 20000000);
	assert_next(0, 20000001);
	assert_end();
	assert_int_equal(sched_stream_backwards(opened.stream, &max_ns), 2);
	assert_int_equal(max_ns, 10000000);
}

STREAM_TEST(bad_large_step_back)
{
	trace_begin(&recipe, 2);
	add_page(1, 20000000, 0, 0, 0);
	add_page(1, 9999999, 0, 0, 0);
	open_trace();
	assert_next(1, 20000000);
	assert_fails("a.dat: CPU 1, page 1", "time goes back by 10000001 ns");
}

/* The events before the damage have been read. */
STREAM_TEST(bad_page_is_placed)
{
	struct page_recipe bad;
	uint64_t commit = 5000;

	trace_begin(&recipe, 2);
	add_page(1, 100, 0, 0, 0);
	add_page(1, 200, 0, 0, 0);
	page_begin(&bad, 300);
	memcpy(bad.bytes + 8, &commit, sizeof(commit));
	trace_page(&recipe, 1, &bad);
	open_trace();
	assert_next(1, 100);
	assert_next(1, 200);
	assert_fails("a.dat: CPU 1, page 2", "page claims 5000 bytes of data; max 4080");
	/* The first page of a CPU: told of at the first event that is asked for. */
	trace_begin(&recipe, 2);
	add_page(0, 100, 0, 0, 0);
	trace_page(&recipe, 1, &bad);
	open_trace();
	assert_fails("a.dat: CPU 1, page 0", "page claims 5000 bytes of data; max 4080");
}

static void assert_bad_record(uint16_t type, uint32_t length, const char *what)
{
	struct switch_record record = {.common = {type, 0, 0, 0}};

	trace_begin(&recipe, 1);
	page_begin(&page, 1);
	page_event(&page, 1, &record, length);
	open_page();
	assert_fails("a.dat: CPU 0, page 0", what);
}

STREAM_TEST(bad_short_records)
{
	assert_bad_record(ID_SWITCH, 4, "a record of 4 bytes is too short for any event");
	assert_bad_record(ID_SWITCH, 60, "a record of 60 bytes is too short for sched_switch");
	assert_bad_record(ID_WAKEUP, 32, "a record of 32 bytes is too short for sched_wakeup");
	assert_bad_record(ID_MIGRATE, 36, "a record of 36 bytes is too short for sched_migrate_task");
}

static void assert_not_opened(enum status expected, const char *where, const char *what)
{
	struct error err = {0};

	opened_close(&opened);
	opened_build(&recipe, &opened);
	assert_int_equal(sched_stream_open(&opened.trace, "a.dat", &opened.stream, &err), expected);
	assert_string_equal(err.where, where);
	assert_string_equal(err.what, what);
	assert_null(opened.stream);
}

STREAM_TEST(unsupported_clocks)
{
	static const char *const clocks[] = {"x86-tsc", "counter", "uptime", "of the future"};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		char text[64];
		char what[128];
		trace_begin(&recipe, 1);
		snprintf(text, sizeof(text), "local [%s]", clocks[i]);
		snprintf(what, sizeof(what), "its trace clock, %s, does not count nanoseconds", clocks[i]);
		recipe.header.clock = text;
		assert_not_opened(STATUS_UNSUPPORTED, "a.dat", what);
	}
}

#define SWITCH_WITH(text) SPAN("name: sched_switch\nID: 1\n" text SWITCH_PRINT(SWITCH_STATE_6))

STREAM_TEST(refuses_formats_unlike_any_kernels)
{
	trace_begin(&recipe, 1);
	recipe.header.event_count = 0;
	assert_not_opened(STATUS_UNSUPPORTED, "a.dat", "holds no sched_switch events");
	trace_begin(&recipe, 1);
	recipe.header.event_count = 0;
	trace_event_format(&recipe, "other", SPAN(SWITCH_FORMAT));
	assert_not_opened(STATUS_UNSUPPORTED, "a.dat", "holds no sched_switch events");
	trace_begin(&recipe, 1);
	recipe.header.event_count = 0;
	trace_event_format(&recipe, "sched", SWITCH_WITH("format:\n"));
	assert_not_opened(STATUS_UNSUPPORTED, "a.dat: format of event sched:sched_switch", "no field common_type");
	trace_begin(&recipe, 1);
	recipe.header.event_count = 0;
	trace_event_format(&recipe, "sched", SWITCH_WITH(COMMON_FIELDS "\tfield:int prev_comm;\toffset:8;\tsize:4;\n"));
	assert_not_opened(STATUS_UNSUPPORTED, "a.dat", "field prev_comm of event sched_switch has an unsupported type");
	trace_begin(&recipe, 1);
	recipe.header.event_count = 0;
	trace_event_format(&recipe, "sched",
			   SPAN("name: sched_switch\nID: 1\n" SWITCH_FIELDS("0") "print fmt: \"%d\", REC->prev_pid\n"));
	assert_not_opened(STATUS_UNSUPPORTED, "a.dat: format of event sched_switch",
			  "print fmt does not show prev_state");
	trace_begin(&recipe, 1);
	trace_event_format(&recipe, "sched",
			   SPAN("name: sched_wakeup\nID: 9\n" COMMON_FIELDS "\tfield:char comm[16];\toffset:8;\n"));
	recipe.events[1] = recipe.events[4];
	recipe.header.event_count = 4;
	assert_not_opened(STATUS_CORRUPT, "a.dat: format of event sched:sched_wakeup",
			  "cannot read field:char comm[16];\toffset:8;");
}

STREAM_TEST(good_state_texts_of_all_values)
{
	char text[32];
	char small[3];

	trace_begin(&recipe, 1);
	open_trace();
	sched_state_text(opened.stream, 1, text, sizeof(text));
	assert_string_equal(text, "S");
	sched_state_text(opened.stream, 511, text, sizeof(text));
	assert_string_equal(text, "S|D|T|t|X|Z|P|I+");
	/* Beyond those that are kept ready. */
	sched_state_text(opened.stream, 0x1002, text, sizeof(text));
	assert_string_equal(text, "D");
	sched_state_text(opened.stream, UINT64_MAX, text, sizeof(text));
	assert_string_equal(text, "S|D|T|t|X|Z|P|I+");
	sched_state_text(opened.stream, 511, small, sizeof(small));
	assert_string_equal(small, "S|");
}
