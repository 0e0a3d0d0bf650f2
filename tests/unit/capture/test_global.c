/* SPDX-License-Identifier: MIT
 *
 * The machine's own trace settings as the text that outlives a picknext that was killed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/global.h"

static const char whole[] = "boot 1-2-3\n"
			    "tracing_on 1\n"
			    "current_tracer nop\n"
			    "clock x86-tsc\n"
			    "overwrite 0\n"
			    "cpumask 3,ffffffff\n"
			    "size 0 1408\n"
			    "size 2 900\n"
			    "event sched:sched_switch\n"
			    "event irq:irq_handler_entry\n"
			    "end\n";

static void reads_what_it_writes(void **state)
{
	uint64_t sizes[] = {1408, 0, 900};
	struct global_settings settings = {.tracing_on = "1",
					   .current_tracer = "nop",
					   .clock = "x86-tsc",
					   .cpumask = "3,ffffffff",
					   .buffer_size_kb = sizes,
					   .cpu_count = 3};
	struct global_settings back;
	struct buffer text = {0};

	(void)state;
	buffer_text(&settings.events, "sched:sched_switch\nirq:irq_handler_entry\n");
	buffer_text(&text, "boot 1-2-3\n");
	global_text_write(&settings, &text);
	assert_string_equal(text.data, whole);
	assert_true(global_text_read(text.data, &back));
	assert_string_equal(back.tracing_on, "1");
	assert_string_equal(back.current_tracer, "nop");
	assert_string_equal(back.clock, "x86-tsc");
	assert_string_equal(back.cpumask, "3,ffffffff");
	assert_false(back.overwrite);
	assert_string_equal(back.events.data, settings.events.data);
	assert_int_equal(back.buffer_size_kb[0], 1408);
	assert_int_equal(back.buffer_size_kb[1], 0);
	assert_int_equal(back.buffer_size_kb[2], 900);
	global_free(&back);
	buffer_free(&settings.events);
	buffer_free(&text);
}

/* Killed while it wrote: nothing had been changed by then. */
static void every_beginning_is_told_from_the_whole(void **state)
{
	char text[sizeof(whole)];
	struct global_settings settings;

	(void)state;
	for (size_t length = 0; length < sizeof(whole) - 2; length++) {
		memcpy(text, whole, length);
		text[length] = '\0';
		assert_false(global_text_read(text, &settings));
	}
}

static void what_it_does_not_know_is_passed_over(void **state)
{
	char text[] =
	    "size 99999999 5\nsize x 7\nclock\nclock mono\nevents a\n\ntracing_on 0\ncurrent_tracer nop\nend\n";
	struct global_settings settings;

	(void)state;
	assert_true(global_text_read(text, &settings));
	assert_string_equal(settings.clock, "mono");
	assert_int_equal(settings.events.length, 0);
	global_free(&settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_what_it_writes),
	    cmocka_unit_test(every_beginning_is_told_from_the_whole),
	    cmocka_unit_test(what_it_does_not_know_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
