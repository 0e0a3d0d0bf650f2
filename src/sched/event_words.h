/* SPDX-License-Identifier: MIT
 *
 * One scheduler event in words, on one line: "io-writer [199] S -> swapper/0 [0]", "wakes io-writer [199] for CPU 1",
 * "moves io-writer [199] from CPU 0 to 1". For messages about single events. Pure. */
#ifndef SCHED_EVENT_WORDS_H
#define SCHED_EVENT_WORDS_H

#include "base/buffer.h"
#include "sched/source.h"

/* source renders states. ranks, which may be NULL, are numbers for the event's tasks in their order, appended
 * to the name ("io-writer#2 [199]") unless 0. Control characters are escaped. */
void event_words_add(const struct sched_source *source, const struct sched_event *event, const uint32_t ranks[2],
		     struct buffer *out);

#endif
