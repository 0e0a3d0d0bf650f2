/* SPDX-License-Identifier: MIT
 *
 * Readings of a clock (clock_gettime(2)): CLOCK_MONOTONIC for durations, CLOCK_REALTIME for dates; and dates for people
 * and programs, in UTC, so that a guest and its host agree. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double clock_seconds(clockid_t clock)
{
	return (double)clock_ns(clock) / 1e9;
}

#define UTC_TEXT_SIZE 64

/* The current time like Python's datetime.now(timezone.utc).isoformat(): "2026-11-21T09:10:05.012345+00:00". */
void utc_text_now(char text[UTC_TEXT_SIZE]);
/* The same for reproducible files: the time of SOURCE_DATE_EPOCH, if that is a number of seconds before the year 10000,
 * else the current time. https://reproducible-builds.org/specs/source-date-epoch/ */
void utc_text_created(char text[UTC_TEXT_SIZE]);

#endif
