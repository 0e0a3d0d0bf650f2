/* SPDX-License-Identifier: MIT */
#include "scheduler/scheduler_spec.h"
#include "support/unit.h"

/* Parses the text and compares what it is called then. */
static void check_text(const char *text, enum scheduler_kind kind, const char *expected)
{
	struct scheduler_spec spec;
	struct buffer out = {0};

	assert_int_equal(scheduler_spec_parse(text, &spec, NULL), STATUS_OK);
	assert_int_equal(spec.kind, kind);
	scheduler_spec_text(&spec, &out);
	assert_string_equal(out.data, expected);
	buffer_free(&out);
	scheduler_spec_free(&spec);
}

TEST(test_one_form_for_each)
{
	check_text("none", SCHEDULER_NONE, "none");
	check_text(" builtin:fifo\t", SCHEDULER_BUILTIN, "builtin:fifo");
	check_text("builtin:vtime", SCHEDULER_BUILTIN, "builtin:vtime");
	check_text("builtin:fifo,slice=500", SCHEDULER_BUILTIN, "builtin:fifo,slice=500us");
	check_text("builtin:fifo,slice=0.5ms", SCHEDULER_BUILTIN, "builtin:fifo,slice=500us");
	check_text("builtin:vtime,slice=1s", SCHEDULER_BUILTIN, "builtin:vtime,slice=1000000us");
	check_text("scx_simple", SCHEDULER_PROGRAM, "scx_simple");
	check_text("  ./scx_simple \t -f   -v ", SCHEDULER_PROGRAM, "./scx_simple -f -v");
	check_text("a:b/scx", SCHEDULER_PROGRAM, "a:b/scx");
}

TEST(test_the_text_is_parsed_to_the_same_words)
{
	check_text("'a dir/scx' \"it's\" ''", SCHEDULER_PROGRAM, "'a dir/scx' 'it'\"'\"'s' ''");
	check_text("'a dir/scx' 'it'\"'\"'s' ''", SCHEDULER_PROGRAM, "'a dir/scx' 'it'\"'\"'s' ''");
	check_text("\"'\" '\"' \\ $x *", SCHEDULER_PROGRAM, "''\"'\"'' '\"' '\\' '$x' '*'");
	check_text("''\"'\"'' '\"' '\\' '$x' '*'", SCHEDULER_PROGRAM, "''\"'\"'' '\"' '\\' '$x' '*'");
	check_text("scx 'a\tb'", SCHEDULER_PROGRAM, "scx 'a\tb'");
}

TEST(test_quotes_keep_words_together)
{
	struct scheduler_spec spec;

	assert_int_equal(scheduler_spec_parse("'a dir/scx' -n \"it's\" '' x'y z'", &spec, NULL), STATUS_OK);
	assert_int_equal(spec.words.count, 5);
	assert_string_equal(spec.words.items[0], "a dir/scx");
	assert_string_equal(spec.words.items[2], "it's");
	assert_string_equal(spec.words.items[3], "");
	assert_string_equal(spec.words.items[4], "xy z");
	scheduler_spec_free(&spec);
}

static void check_refused(const char *text, const char *remedy)
{
	struct scheduler_spec spec;
	struct error err = {0};

	assert_int_equal(scheduler_spec_parse(text, &spec, &err), STATUS_USAGE);
	assert_non_null(strstr(err.remedy, remedy));
}

TEST(test_wrong_values_are_refused)
{
	check_refused("", "");
	check_refused(" \t", "");
	check_refused("''", "");
	check_refused("scx_simple 'open", "");
	check_refused("scx_simple \"-f\n\"", "");
	check_refused("scx_\033[31msimple", "");
	check_refused("none x", "");
	check_refused("builtin:fifo -v", "");
	check_refused("builtin:fifo,", "");
	check_refused("builtin:fifo,slice=", "");
	check_refused("builtin:fifo,slice=0.9", "");
	check_refused("builtin:fifo,slice=1.1s", "");
	check_refused("builtin:fifo,slice=1G", "");
	check_refused("builtin:fifo,slice=5,slice=5", "");
	check_refused("builtin:fifo,quantum=5", "");
	check_refused("builtin:fif,slice=5", "builtin:fifo");
	check_refused("builtin:fif", "builtin:fifo");
	check_refused("bulitin:fifo", "builtin:fifo");
	check_refused("builtin:nothing-like-it", "list --schedulers");
	check_refused("builtin:", "list --schedulers");
}
