/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "support/unit.h"

static void expect(time_t seconds, const char *wanted)
{
	char text[UTC_TEXT_SIZE];
	char epoch[24];

	snprintf(epoch, sizeof(epoch), "%lld", (long long)seconds);
	setenv("SOURCE_DATE_EPOCH", epoch, 1);
	utc_text_created(text);
	unsetenv("SOURCE_DATE_EPOCH");
	assert_string_equal(text, wanted);
}

TEST(known_moments)
{
	expect(0, "1970-01-01T00:00:00.000000+00:00");
	expect(951782399, "2000-02-28T23:59:59.000000+00:00");
	expect(951782400, "2000-02-29T00:00:00.000000+00:00");
	expect(1709251199, "2024-02-29T23:59:59.000000+00:00");
	expect(4107542400, "2100-03-01T00:00:00.000000+00:00");
}

/* Against the C library, one day after the other across a century, at odd times of day. */
TEST(every_day)
{
	for (time_t day = 0; day < 40000; day++) {
		time_t moment = day * 86400 + day * 7 % 86400;
		char wanted[UTC_TEXT_SIZE];
		struct tm parts;
		strftime(wanted, sizeof(wanted), "%Y-%m-%dT%H:%M:%S.000000+00:00", gmtime_r(&moment, &parts));
		expect(moment, wanted);
	}
}

TEST(the_time_of_a_source)
{
	static const char *const no_times[] = {"", "x", "-1", "253402300800"};
	char text[UTC_TEXT_SIZE];

	setenv("SOURCE_DATE_EPOCH", "951782400", 1);
	utc_text_created(text);
	assert_string_equal(text, "2000-02-29T00:00:00.000000+00:00");
	for (size_t i = 0; i < sizeof(no_times) / sizeof(no_times[0]); i++) {
		char now[UTC_TEXT_SIZE];
		setenv("SOURCE_DATE_EPOCH", no_times[i], 1);
		utc_text_now(now);
		utc_text_created(text);
		assert_true(strcmp(now, text) <= 0);
	}
	unsetenv("SOURCE_DATE_EPOCH");
}
