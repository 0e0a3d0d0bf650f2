/* SPDX-License-Identifier: MIT
 *
 * Dates for people and programs, in UTC, so that a guest and its host agree. */
#ifndef BASE_UTC_H
#define BASE_UTC_H

#include <time.h>

#define UTC_TEXT_SIZE 64

/* The current time like Python's datetime.now(timezone.utc).isoformat(): "2026-11-21T09:10:05.012345+00:00". */
void utc_text_now(char text[UTC_TEXT_SIZE]);
/* The same for files that are to be the same bytes again: the time of SOURCE_DATE_EPOCH, if that is a number of seconds
 * before the year 10000, else the current time. https://reproducible-builds.org/specs/source-date-epoch/ */
void utc_text_created(char text[UTC_TEXT_SIZE]);

#endif
