/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/copy.h"
#include "base/decimal.h"
#include "support/unit.h"

static void expect(uint64_t value)
{
	char ours[64];
	char wanted[64];

	*decimal_put(ours, value) = '\0';
	snprintf(wanted, sizeof(wanted), "%" PRIu64, value);
	assert_string_equal(ours, wanted);
	*decimal_put_padded(ours, value, 7, ' ') = '\0';
	snprintf(wanted, sizeof(wanted), "%7" PRIu64, value);
	assert_string_equal(ours, wanted);
	*decimal_put_padded(ours, value, 3, '0') = '\0';
	snprintf(wanted, sizeof(wanted), "%03" PRIu64, value);
	assert_string_equal(ours, wanted);
	*decimal_put_signed(ours, (int64_t)value) = '\0';
	snprintf(wanted, sizeof(wanted), "%" PRId64, (int64_t)value);
	assert_string_equal(ours, wanted);
	*decimal_put_signed(ours, -(int64_t)(value >> 1)) = '\0';
	snprintf(wanted, sizeof(wanted), "%" PRId64, -(int64_t)(value >> 1));
	assert_string_equal(ours, wanted);
	*decimal_put_seconds(ours, value) = '\0';
	snprintf(wanted, sizeof(wanted), "%" PRIu64 ".%09" PRIu64, value / 1000000000, value % 1000000000);
	assert_string_equal(ours, wanted);
}

TEST(around_every_number_of_digits)
{
	expect(0);
	expect(UINT64_MAX);
	expect(UINT64_C(1) << 63);
	for (uint64_t power = 1; power < UINT64_MAX / 10; power *= 10)
		for (uint64_t near = power > 3 ? power - 3 : 0; near < power + 12; near++)
			expect(near);
}

TEST(fixed_digits)
{
	for (unsigned int digits = 1; digits <= 9; digits++) {
		char ours[9 + DECIMAL_ROOM] = "";
		char wanted[16];
		*decimal_put_fixed(ours, 7050309, digits) = '\0';
		snprintf(wanted, sizeof(wanted), "%09u", 7050309);
		assert_string_equal(ours, wanted + 9 - digits);
	}
}

/* Buffers of exactly the length: ASan would tell of a byte too many. */
TEST(copies_of_every_length)
{
	assert_null(copy_short(NULL, NULL, 0));
	for (size_t length = 1; length < 100; length++) {
		char *from = malloc(length);
		char *to = malloc(length);
		assert_true(from && to);
		for (size_t i = 0; i < length; i++)
			from[i] = (char)(i + length);
		assert_ptr_equal(copy_short(to, from, length), to + length);
		assert_memory_equal(to, from, length);
		free(from);
		free(to);
	}
}
