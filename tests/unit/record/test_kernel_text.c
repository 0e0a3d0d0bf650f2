/* SPDX-License-Identifier: MIT
 *
 * Texts that the kernel answers with; the good ones are copied from kernels 6.1, 6.12 and 6.18. */
#include "record/tracefs/kernel_text.h"
#include "support/unit.h"

TEST(takes_all_statistics)
{
	struct ring_stats stats;

	assert_true(ring_stats_parse("entries: 9752\noverrun: 17\ncommit overrun: 3\nbytes: 540116\n"
				     "oldest event ts:  3026.385041\nnow ts:  3026.813095\ndropped events: 1234\n"
				     "read events: 55\n",
				     &stats));
	assert_int_equal(stats.entries, 9752);
	assert_int_equal(stats.overrun, 17);
	assert_int_equal(stats.commit_overrun, 3);
	assert_int_equal(stats.bytes, 540116);
	assert_int_equal(stats.dropped_events, 1234);
	assert_int_equal(stats.read_events, 55);
	assert_int_equal(stats.now_us, 3026813095);
	assert_int_equal(ring_stats_lost(&stats), 17 + 3 + 1234);
	assert_int_equal(ring_stats_recorded(&stats), 9752 + 55);
}

/* "overrun" is also the end of "commit overrun", and "events" of two other labels. */
TEST(takes_labels_whole)
{
	struct ring_stats stats;

	assert_true(
	    ring_stats_parse("commit overrun: 8\ndropped events: 2\nread events: 4\noverrun: 1\nentries: 0\n", &stats));
	assert_int_equal(stats.overrun, 1);
	assert_int_equal(stats.commit_overrun, 8);
	assert_int_equal(stats.dropped_events, 2);
}

TEST(refuses_other_texts)
{
	struct ring_stats stats;

	assert_false(ring_stats_parse("", &stats));
	assert_false(ring_stats_parse("entries: 1\noverrun: 0\n", &stats));
	assert_false(ring_stats_parse("entries: \noverrun: 0\ndropped events: 0\n", &stats));
	assert_false(ring_stats_parse("entries: -1\noverrun: 0\ndropped events: 0\n", &stats));
	assert_false(ring_stats_parse("entries: 5 or so\noverrun: 0\ndropped events: 0\n", &stats));
}

/* The clocks counter and x86-tsc are shown as plain numbers: no microseconds. */
TEST(knows_times_of_nanosecond_clocks_only)
{
	struct ring_stats stats;

	assert_true(ring_stats_parse("entries: 1\noverrun: 0\nnow ts: 9034\ndropped events: 0\n", &stats));
	assert_int_equal(stats.now_us, 0);
	assert_true(ring_stats_parse("entries: 1\noverrun: 0\ndropped events: 0\nnow ts:     7.000042", &stats));
	assert_int_equal(stats.now_us, 7000042);
}

TEST(forgets_the_overrun_alone)
{
	char text[] = "entries: 9\noverrun: 1234\ncommit overrun: 3\ndropped events: 5\n";
	char none[] = "entries: 9\noverrun: 0\ncommit overrun: 3\n";
	char odd[] = "commit overrun: 3\noverrun: \n";
	size_t length = sizeof(text) - 1;
	struct ring_stats stats;

	ring_stats_forget_overrun(text, &length);
	assert_string_equal(text, "entries: 9\noverrun: 0\ncommit overrun: 3\ndropped events: 5\n");
	assert_int_equal(length, strlen(text));
	assert_true(ring_stats_parse(text, &stats));
	assert_int_equal(ring_stats_lost(&stats), 8);
	length = sizeof(none) - 1;
	ring_stats_forget_overrun(none, &length);
	assert_string_equal(none, "entries: 9\noverrun: 0\ncommit overrun: 3\n");
	length = sizeof(odd) - 1;
	ring_stats_forget_overrun(odd, &length);
	assert_string_equal(odd, "commit overrun: 3\noverrun: \n");
	assert_int_equal(length, sizeof(odd) - 1);
}

TEST(finds_the_marked_word)
{
	char word[8];

	assert_true(marked_word("local global [mono] boot x86-tsc\n", '[', ']', word, sizeof(word)));
	assert_string_equal(word, "mono");
	assert_true(marked_word("none voluntary (full) lazy", '(', ')', word, sizeof(word)));
	assert_string_equal(word, "full");
	assert_true(marked_word("[1234567]", '[', ']', word, sizeof(word)));
	assert_false(marked_word("[12345678]", '[', ']', word, sizeof(word)));
	assert_false(marked_word("local global", '[', ']', word, sizeof(word)));
	assert_false(marked_word("local [global", '[', ']', word, sizeof(word)));
	assert_false(marked_word("local ] [", '[', ']', word, sizeof(word)));
	assert_false(marked_word("[]", '[', ']', word, sizeof(word)));
	assert_false(marked_word("", '[', ']', word, sizeof(word)));
}
