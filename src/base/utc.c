/* SPDX-License-Identifier: MIT */
#include "base/utc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define DAY_S 86400

static bool is_leap(unsigned int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned int days_of_month(unsigned int month, unsigned int year)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month] + (unsigned int)(month == 1 && is_leap(year));
}

void utc_text(const struct timespec *when, char text[UTC_TEXT_SIZE])
{
	uint64_t seconds = (uint64_t)when->tv_sec;
	uint64_t day = seconds / DAY_S;
	unsigned int second = (unsigned int)(seconds % DAY_S);
	unsigned int year = 1970;
	unsigned int month = 0;

	for (; day >= 365U + is_leap(year); year++)
		day -= 365U + is_leap(year);
	for (; day >= days_of_month(month, year); month++)
		day -= days_of_month(month, year);
	snprintf(text, UTC_TEXT_SIZE, "%04u-%02u-%02uT%02u:%02u:%02u.%06u+00:00", year, month + 1,
		 (unsigned int)day + 1, second / 3600, second / 60 % 60, second % 60,
		 (unsigned int)(when->tv_nsec / 1000));
}

void utc_text_now(char text[UTC_TEXT_SIZE])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	utc_text(&now, text);
}
