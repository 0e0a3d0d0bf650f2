/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/number.h"

static void unsigned_numbers_are_digits_only(void **state)
{
	static const char *const bad[] = {
	    "", " 1", "1 ", "+1", "-1", "0x1", "1.", "1e3", "18446744073709551616", "99999999999999999999", "\xd9\xa1"};
	uint64_t value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_parse_u64(bad[i], &value));
	assert_int_equal(value, 7);
	assert_true(number_parse_u64("0", &value));
	assert_int_equal(value, 0);
	assert_true(number_parse_u64("000012", &value));
	assert_int_equal(value, 12);
	assert_true(number_parse_u64("18446744073709551615", &value));
	assert_int_equal(value, UINT64_MAX);
}

static void signed_numbers_reach_both_ends(void **state)
{
	static const char *const bad[] = {"", "-", "--1", "+1", "9223372036854775808", "-9223372036854775809", "1-"};
	int64_t value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_parse_i64(bad[i], &value));
	assert_int_equal(value, 7);
	assert_true(number_parse_i64("9223372036854775807", &value));
	assert_true(value == INT64_MAX);
	assert_true(number_parse_i64("-9223372036854775808", &value));
	assert_true(value == INT64_MIN);
	assert_true(number_parse_i64("-0", &value));
	assert_int_equal(value, 0);
}

static void real_numbers_are_finite_and_decimal(void **state)
{
	static const char *const bad[] = {"",      " 1", "1 ", "+1",   "0x1p3", "inf", "nan", "1e999",
					  "1.2.3", "1e", "e1", "1e5x", "-",     "--1", "1,5"};
	double value = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_parse_real(bad[i], &value));
	assert_true(value == 7);
	assert_true(number_parse_real("0.8", &value) && value == 0.8);
	assert_true(number_parse_real("-2.5e-3", &value) && value == -0.0025);
	assert_true(number_parse_real(".5", &value) && value == 0.5);
	assert_true(number_parse_real("1E+2", &value) && value == 100);
}

/* What is written with up to 15 digits reads as the C library reads it; with 17, at most one unit in the last place
 * off. */
static void real_numbers_as_the_c_library_reads_them(void **state)
{
	uint64_t random = 88172645463325252u;
	double many;

	(void)state;
	for (unsigned int i = 0; i < 200000; i++) {
		char text[64];
		double value;
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		double number = (double)(random >> 11) / (double)(UINT64_C(1) << (random % 60));
		snprintf(text, sizeof(text), i % 2 ? "%.9g" : "%.15g", number);
		assert_true(number_parse_real(text, &value));
		assert_true(value == strtod(text, NULL));
		snprintf(text, sizeof(text), "%.17g", number);
		assert_true(number_parse_real(text, &value));
		assert_true(value == number || nextafter(value, number) == number);
	}
	assert_true(number_parse_real("123456789012345678901234567890", &many) && many == 1.2345678901234568e29);
	assert_true(number_parse_real("0.00000000000000000000000000012345", &many) && many == 1.2345e-28);
	assert_true(number_parse_real("1e-400", &many) && many == 0);
	assert_true(number_parse_real("0e99999999", &many) && many == 0);
	assert_false(number_parse_real("1e99999999999999999999", &many));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unsigned_numbers_are_digits_only),
	    cmocka_unit_test(signed_numbers_reach_both_ends),
	    cmocka_unit_test(real_numbers_are_finite_and_decimal),
	    cmocka_unit_test(real_numbers_as_the_c_library_reads_them),
	};

	return cmocka_run_group_tests_name("base_number", tests, NULL, NULL);
}
