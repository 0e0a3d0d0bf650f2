/* SPDX-License-Identifier: MIT
 *
 * How long boots took, and what is estimated from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vm/launch/boot_history.h"

static struct duration duration(const char *release, const char *workload, double scale, double seconds)
{
	struct duration made = {.scale = scale, .seconds = seconds};

	snprintf(made.mode, sizeof(made.mode), "deterministic");
	snprintf(made.release, sizeof(made.release), "%s", release);
	snprintf(made.workload, sizeof(made.workload), "%s", workload);
	return made;
}

static void put(struct boot_history *history, const char *release, const char *workload, double scale, double seconds)
{
	struct duration measured = duration(release, workload, scale, seconds);

	boot_history_put(history, &measured);
}

static double find(const struct boot_history *history, const char *release, const char *workload, double scale,
		   enum duration_origin *origin)
{
	struct duration wanted = duration(release, workload, scale, 0);

	return boot_history_find(history, &wanted, origin);
}

static bool near(double value, double expected)
{
	return value > expected * 0.999 && value < expected * 1.001;
}

static void what_was_measured_comes_before_what_is_similar(void **state)
{
	static struct boot_history history;
	enum duration_origin origin;
	(void)state;

	assert_true(find(&history, "6.1", "io", 0.1, &origin) > 0);
	assert_int_equal(origin, DURATION_TYPICAL);
	put(&history, "6.1", "", 0, 20);
	put(&history, "6.1", "io", 0.1, 4);
	put(&history, "6.12", "io", 0.1, 5);
	put(&history, "6.12", "io", 1, 30);
	put(&history, "6.1", "cpu", 0.1, 7);
	assert_true(near(find(&history, "6.1", "io", 0.1, &origin), 4));
	assert_int_equal(origin, DURATION_MEASURED);
	assert_true(near(find(&history, "6.12", "io", 1, &origin), 30));
	assert_int_equal(origin, DURATION_MEASURED);
	assert_true(near(find(&history, "6.1", "", 0, &origin), 20));
	assert_int_equal(origin, DURATION_MEASURED);
	/* Another kernel's boot; the workload's own time at this scale, of any kernel. */
	assert_true(near(find(&history, "7.0", "", 0, &origin), 20));
	assert_int_equal(origin, DURATION_SIMILAR);
	assert_true(near(find(&history, "6.6", "io", 1, &origin), 30));
	assert_int_equal(origin, DURATION_SIMILAR);
	/* A larger scale takes longer. */
	assert_true(find(&history, "6.1", "cpu", 1, &origin) > 7);
	assert_int_equal(origin, DURATION_SIMILAR);
}

static void a_new_measurement_counts_half(void **state)
{
	static struct boot_history history;
	enum duration_origin origin;
	(void)state;

	put(&history, "6.1", "io", 0.1, 4);
	put(&history, "6.1", "io", 0.1, 8);
	assert_int_equal(history.count, 1);
	assert_true(near(find(&history, "6.1", "io", 0.1, &origin), 6));
	put(&history, "6.1", "io", 0.1, -1);
	put(&history, "6.1", "io", 0.1, 1e9);
	assert_true(near(find(&history, "6.1", "io", 0.1, &origin), 6));
}

static void the_oldest_gives_way(void **state)
{
	static struct boot_history history;
	enum duration_origin origin;
	char name[16];
	(void)state;

	put(&history, "6.1", "oldest", 0.1, 4);
	put(&history, "6.1", "used", 0.1, 4);
	for (int i = 0; i < BOOT_HISTORY_MAX - 1; i++) {
		snprintf(name, sizeof(name), "w%d", i);
		put(&history, "6.1", name, 0.1, 1);
		put(&history, "6.1", "used", 0.1, 4);
	}
	assert_int_equal(history.count, BOOT_HISTORY_MAX);
	find(&history, "6.1", "used", 0.1, &origin);
	assert_int_equal(origin, DURATION_MEASURED);
	find(&history, "6.1", "oldest", 0.1, &origin);
	assert_int_equal(origin, DURATION_SIMILAR);
}

static void parse(struct boot_history *history, const char *text)
{
	struct json_value *json = NULL;

	*history = (struct boot_history){0};
	assert_int_equal(json_parse(text, strlen(text), "test", &json, NULL), STATUS_OK);
	boot_history_parse(history, json);
	json_free(json);
}

static void what_was_written_is_read(void **state)
{
	static struct boot_history written, read;
	struct buffer text = {0};
	(void)state;

	put(&written, "6.1", "", 0, 20);
	put(&written, "6.12+deb", "io_\"mixed", 0.015, 4.25);
	boot_history_format(&written, &text);
	parse(&read, text.data);
	buffer_free(&text);
	assert_int_equal(read.count, 2);
	assert_memory_equal(read.items, written.items, 2 * sizeof(*read.items));
}

static void hostile_files_give_what_is_plausible(void **state)
{
	static const char *const useless[] = {
	    "[]",
	    "7",
	    "{\"durations\": 3}",
	    "{\"durations\": {\"a\": 1}}",
	    "{\"durations\": [1, null, [], \"x\", {}]}",
#define ITEM(mode, scale, seconds)                                                                                     \
	"{\"durations\": [{\"mode\": " mode ", \"release\": \"6.1\", \"workload\": \"io\", \"scale\": " scale          \
	", \"seconds\": " seconds "}]}"
	    ITEM("\"deterministic\"", "0.1", "-3"),
	    ITEM("\"deterministic\"", "0.1", "1e300"),
	    ITEM("\"deterministic\"", "0.1", "0"),
	    ITEM("\"deterministic\"", "0.1", "\"5\""),
	    ITEM("\"deterministic\"", "-1", "5"),
	    ITEM("\"deterministic\"", "null", "5"),
	    ITEM("\"a mode that is much too long for a mode\"", "0.1", "5"),
	    ITEM("5", "0.1", "5"),
	};
	static struct boot_history history;
	struct buffer many = {0};
	(void)state;

	for (size_t i = 0; i < sizeof(useless) / sizeof(*useless); i++) {
		parse(&history, useless[i]);
		assert_int_equal(history.count, 0);
	}
	parse(&history, ITEM("\"deterministic\"", "0.1", "5"));
	assert_int_equal(history.count, 1);
	boot_history_parse(&history, NULL);
	assert_int_equal(history.count, 1);
	/* More than there is room for, and each twice. */
	buffer_text(&many, "{\"durations\": [");
	for (int i = 0; i < 3 * BOOT_HISTORY_MAX; i++)
		buffer_printf(
		    &many,
		    "%s{\"mode\": \"kvm\", \"release\": \"%d\", \"workload\": \"\", \"scale\": 0, \"seconds\": 1}",
		    i ? "," : "", i / 2);
	buffer_text(&many, "]}");
	parse(&history, many.data);
	assert_int_equal(history.count, BOOT_HISTORY_MAX);
	assert_string_equal(history.items[1].release, "1");
	buffer_free(&many);
}

static void the_times_of_a_boot_come_from_its_lines(void **state)
{
	struct boot_times times = {0};
	(void)state;

	boot_times_progress(&times, "io", 0, 10);
	boot_times_progress(&times, "io", 0, 11);
	boot_times_progress(&times, "io", 1, 13);
	boot_times_progress(&times, "cpu", 2, 14);
	boot_times_end(&times, 20);
	assert_true(near(times.boot_s, 10));
	assert_int_equal(times.count, 2);
	assert_string_equal(times.items[0].workload, "io");
	assert_int_equal(times.items[0].runs, 2);
	assert_true(near(times.items[0].seconds, 4));
	assert_int_equal(times.items[1].runs, 1);
	assert_true(near(times.items[1].seconds, 6));
	boot_times_end(&times, 30);
	assert_int_equal(times.items[1].runs, 1);
}

static void a_guest_cannot_report_more_workloads_than_there_is_room_for(void **state)
{
	struct boot_times times = {0};
	char name[256];
	(void)state;

	for (unsigned int i = 0; i < 3 * BOOT_TIMES_MAX; i++) {
		snprintf(name, sizeof(name), "w%u", i);
		boot_times_progress(&times, name, i, 1 + i);
	}
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	boot_times_progress(&times, name, 0, 1000);
	boot_times_end(&times, 2000);
	assert_int_equal(times.count, BOOT_TIMES_MAX);
	for (size_t i = 0; i < times.count; i++)
		assert_true(near(times.items[i].seconds, 1));
}

static void the_cache_keeps_them(void **state)
{
	char home[] = "/tmp/picknext-test-XXXXXX", command[64];
	struct boot_times times = {0};
	static struct boot_history history;
	enum duration_origin origin;
	(void)state;

	assert_non_null(mkdtemp(home));
	setenv("XDG_CACHE_HOME", home, 1);
	boot_times_progress(&times, "io", 0, 10);
	boot_times_end(&times, 12);
	boot_history_add("deterministic", "6.1", 0.1, &times);
	boot_history_load(&history);
	assert_true(near(find(&history, "6.1", "", 0, &origin), 10));
	assert_int_equal(origin, DURATION_MEASURED);
	assert_true(near(find(&history, "6.1", "io", 0.1, &origin), 2));
	snprintf(command, sizeof(command), "rm -r %s", home);
	assert_int_equal(system(command), 0);
	/* Without a cache there is only no history. */
	setenv("XDG_CACHE_HOME", "/proc/none", 1);
	boot_history_add("deterministic", "6.1", 0.1, &times);
	boot_history_load(&history);
	assert_int_equal(history.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_was_measured_comes_before_what_is_similar),
	    cmocka_unit_test(a_new_measurement_counts_half),
	    cmocka_unit_test(the_oldest_gives_way),
	    cmocka_unit_test(what_was_written_is_read),
	    cmocka_unit_test(hostile_files_give_what_is_plausible),
	    cmocka_unit_test(the_times_of_a_boot_come_from_its_lines),
	    cmocka_unit_test(a_guest_cannot_report_more_workloads_than_there_is_room_for),
	    cmocka_unit_test(the_cache_keeps_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
