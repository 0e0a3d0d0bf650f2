/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"

#define YEAR_10000 253402300800ull

static void write_text(const struct timespec *when, char text[UTC_TEXT_SIZE])
{
	struct tm parts;
	char second[32];

	gmtime_r(&when->tv_sec, &parts);
	strftime(second, sizeof(second), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text, UTC_TEXT_SIZE, "%s.%06u+00:00", second, (unsigned int)(when->tv_nsec / 1000));
}

void utc_text_now(char text[UTC_TEXT_SIZE])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	write_text(&now, text);
}

void utc_text_created(char text[UTC_TEXT_SIZE])
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds;

	if (epoch && number_parse_u64(epoch, &seconds) && seconds < YEAR_10000)
		write_text(&(struct timespec){.tv_sec = (time_t)seconds}, text);
	else
		utc_text_now(text);
}
