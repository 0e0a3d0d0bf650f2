/* SPDX-License-Identifier: MIT */
#include "base/number.h"
#include "support/unit.h"

TEST(unsigned_numbers_are_digits_only)
{
	static const char *const bad[] = {
	    "", " 1", "1 ", "+1", "-1", "0x1", "1.", "1e3", "18446744073709551616", "99999999999999999999", "\xd9\xa1"};
	uint64_t value = 7;

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

TEST(signed_numbers_reach_both_ends)
{
	static const char *const bad[] = {"", "-", "--1", "+1", "9223372036854775808", "-9223372036854775809", "1-"};
	int64_t value = 7;

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

TEST(real_numbers_are_finite_and_decimal)
{
	static const char *const bad[] = {"",      " 1", "1 ", "+1",   "0x1p3", "inf", "nan", "1e999",
					  "1.2.3", "1e", "e1", "1e5x", "-",     "--1", "1,5"};
	double value = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_parse_real(bad[i], &value));
	assert_true(value == 7);
	assert_true(number_parse_real("0.8", &value) && value == 0.8);
	assert_true(number_parse_real("-2.5e-3", &value) && value == -0.0025);
	assert_true(number_parse_real(".5", &value) && value == 0.5);
	assert_true(number_parse_real("1E+2", &value) && value == 100);
}

TEST(real_numbers_are_exact)
{
	double many;

	assert_true(number_parse_real("123456789012345678901234567890", &many) && many == 1.2345678901234568e29);
	assert_true(number_parse_real("0.00000000000000000000000000012345", &many) && many == 1.2345e-28);
	assert_true(number_parse_real("1e-400", &many) && many == 0);
	assert_true(number_parse_real("0e99999999", &many) && many == 0);
	assert_false(number_parse_real("1e99999999999999999999", &many));
}

TEST(units_convert_to_the_unit_of_the_option)
{
	static const struct {
		const char *text, *unit;
		double value;
	} good[] = {
	    {"5", "ms", 5},     {"0.5s", "ms", 500},    {"500us", "ms", 0.5}, {"1e3us", "ms", 1},
	    {"2m", "s", 120},   {"1h", "s", 3600},      {"1ms", "us", 1000},  {"1s", "ns", 1e9},
	    {"2G", "MB", 2048}, {"16MiB", "KB", 16384}, {"512k", "KB", 512},  {"1048576B", "MB", 1},
	    {"0.1s", "s", 0.1}, {"3ms", "s", 0.003},
	};
	static const char *const bad[] = {"", "s", "1x", "1 s", "1ss", "1K", "1s1", "--1s", "1e", "0x1s"};
	double value = 7;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(number_parse_with_unit(good[i].text, good[i].unit, &value));
		assert_true(value == good[i].value);
	}
	value = 7;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_parse_with_unit(bad[i], "ms", &value));
	assert_false(number_parse_with_unit("1s", "MB", &value));
	assert_true(value == 7);
}
