/* SPDX-License-Identifier: MIT */
#include "base/utc.h"

#include <stdio.h>

void utc_text(const struct timespec *when, char text[UTC_TEXT_SIZE])
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
	utc_text(&now, text);
}
