/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"
#include "support/unit.h"

TEST(bytes_are_kept_and_terminated)
{
	struct buffer buffer = {0};

	buffer_add(&buffer, "a\0b", 3);
	buffer_text(&buffer, "cd");
	buffer_printf(&buffer, "%d-%s", 42, "x");
	assert_int_equal(buffer.length, 9);
	assert_memory_equal(buffer.data, "a\0bcd42-x", 10);
	buffer_clear(&buffer);
	assert_int_equal(buffer.length, 0);
	assert_string_equal(buffer.data, "");
	buffer_add(&buffer, NULL, 0);
	assert_int_equal(buffer.length, 0);
	buffer_free(&buffer);
	assert_null(buffer.data);
	buffer_free(&buffer);
}

TEST(it_grows_past_every_power_of_two)
{
	struct buffer buffer = {0};

	for (unsigned int i = 0; i < 100000; i++)
		buffer_printf(&buffer, "%c", 'a' + (int)(i % 26));
	assert_int_equal(buffer.length, 100000);
	for (unsigned int i = 0; i < 100000; i++)
		assert_int_equal(buffer.data[i], 'a' + (int)(i % 26));
	buffer_free(&buffer);
}

TEST(printf_adds_texts_of_every_length)
{
	char text[700];

	memset(text, 'x', sizeof(text));
	for (int length = 0; length < (int)sizeof(text); length++) {
		struct buffer buffer = {0};
		buffer_text(&buffer, "kept ");
		buffer_printf(&buffer, "%.*s%d", length, text, 7);
		assert_int_equal(buffer.length, 5 + (size_t)length + 1);
		assert_memory_equal(buffer.data, "kept ", 5);
		assert_memory_equal(buffer.data + 5, text, (size_t)length);
		assert_string_equal(buffer.data + 5 + length, "7");
		assert_true(buffer.length < buffer.capacity);
		buffer_free(&buffer);
	}
}

TEST(reserved_room_is_the_callers)
{
	struct buffer buffer = {0};
	char *to = buffer_reserve(&buffer, 5000);

	assert_non_null(to);
	memset(to, 'x', 5000);
	buffer.length += 5000;
	buffer_text(&buffer, "y");
	assert_int_equal(buffer.length, 5001);
	assert_int_equal(buffer.data[4999], 'x');
	assert_string_equal(buffer.data + 5000, "y");
	buffer_free(&buffer);
}
