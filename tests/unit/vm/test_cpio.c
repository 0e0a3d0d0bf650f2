/* SPDX-License-Identifier: MIT
 *
 * The archive writer, against the format's text, and against the machine's cpio where there is one. */
#include "support/unit.h"
#include "vm/files/cpio.h"

/* One entry of the format, written by hand: header, name and NUL padded to 4, contents padded to 4. */
TEST(writes_the_format)
{
	static const char expected[] = "070701"
				       "00000001000081A400000000000000000000000100000000"
				       "00000005000000000000000000000000000000000000000400000000"
				       "a/b\0\0\0"
				       "hello\0\0\0"
				       "070701"
				       "00000002000041C000000000000000000000000200000000"
				       "00000000000000000000000000000000000000000000000200000000"
				       "d\0"
				       "070701"
				       "000000030000A1FF00000000000000000000000100000000"
				       "00000007000000000000000000000000000000000000000700000000"
				       "bin/sh\0\0\0\0"
				       "busybox\0"
				       "070701"
				       "000000040000218000000000000000000000000100000000"
				       "00000000000000000000000000000005000000010000000C00000000"
				       "dev/console\0\0\0"
				       "070701"
				       "000000050000000000000000000000000000000100000000"
				       "00000000000000000000000000000000000000000000000B00000000"
				       "TRAILER!!!\0\0\0";
	struct buffer out = {0};
	struct cpio_writer cpio = {.out = &out};

	cpio_file(&cpio, "a/b", 0644, "hello", 5);
	cpio_directory(&cpio, "d", 0700);
	cpio_link(&cpio, "bin/sh", "busybox");
	cpio_character_device(&cpio, "dev/console", 0600, 5, 1);
	assert_int_equal(cpio_end(&cpio, "test", NULL), STATUS_OK);
	assert_int_equal(out.length, sizeof(expected)); /* the literal's own NUL is the last byte of padding */
	assert_memory_equal(out.data, expected, out.length);
	buffer_free(&out);
}

TEST(refuses_names)
{
	static const char *const bad[] = {"", "/etc", "a/../b", "..", "a//b", "./a", "a/", "a/.", "../a"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct buffer out = {0};
		struct cpio_writer cpio = {.out = &out};
		struct error err = {0};
		cpio_file(&cpio, bad[i], 0644, "x", 1);
		if (cpio_end(&cpio, "test", &err) != STATUS_USAGE)
			fail_msg("took the name '%s'", bad[i]);
		assert_string_equal(err.where, "test");
		buffer_free(&out);
	}
}

TEST(takes_names_with_dots)
{
	static const char *const good[] = {"...", "a..b", ".config", "a/.b", "modules/x.ko"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct buffer out = {0};
		struct cpio_writer cpio = {.out = &out};
		cpio_file(&cpio, good[i], 0644, NULL, 0);
		assert_int_equal(cpio_end(&cpio, "test", NULL), STATUS_OK);
		buffer_free(&out);
	}
}

TEST(archives_follow_each_other)
{
	struct buffer out = {0};
	struct cpio_writer first = {.out = &out}, second = {.out = &out};

	cpio_file(&first, "one", 0644, "123", 3);
	assert_int_equal(cpio_end(&first, "first", NULL), STATUS_OK);
	assert_int_equal(out.length % 4, 0);
	size_t begin = out.length;
	cpio_file(&second, "two", 0644, "12345", 5);
	assert_int_equal(cpio_end(&second, "second", NULL), STATUS_OK);
	assert_memory_equal(out.data + begin, "07070100000001", 14);
	assert_int_equal(out.length % 4, 0);
	buffer_free(&out);
}
