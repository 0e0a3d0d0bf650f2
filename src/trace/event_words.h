/* SPDX-License-Identifier: MIT
 *
 * A scheduler event in words, on one line: "io-writer [199] S -> swapper/0 [0]", "wakes io-writer [199] for CPU 1",
 * "moves io-writer [199] from CPU 0 to 1". For messages about one event. Pure. */
#ifndef TRACE_EVENT_WORDS_H
#define TRACE_EVENT_WORDS_H

#include "base/buffer.h"
#include "trace/source.h"

/* source renders states. ranks (may be NULL) has a number for each task of the event; a number other than 0 is appended
 * to the name ("io-writer#2 [199]"). Control characters are escaped. */
void event_words_add(const struct sched_source *source, const struct sched_event *event, const uint32_t ranks[2],
		     struct buffer *out);

#endif
