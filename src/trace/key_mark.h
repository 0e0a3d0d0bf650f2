/* SPDX-License-Identifier: MIT
 *
 * The mark with which a recording of scheduling keys begins, what the rules need to know of the machine:
 * "picknext keys: hz=250 base_slice_ns=2800000 wakeup_granularity_ns=0 isolated=0x4 rr_slice_ms=100
 * rt_runtime_us=950000 shared_cache=0x7 features=PLACE_LAG,NO_RUN_TO_PARITY". */
#ifndef TRACE_KEY_MARK_H
#define TRACE_KEY_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The system of the key events: rules/key_events.h. */
#define KEY_EVENTS_SYSTEM "picknext"

#define KEY_MARK_SIZE 1024 /* older kernels cut longer marks */

struct key_mark {
	uint64_t hz, base_slice_ns, wakeup_granularity_ns; /* 0: not known, or the kernel has none */
	uint64_t isolated;                                 /* of the first 64 CPUs, a bit each */
	uint64_t shared_cache; /* the CPUs, if all of them are equal cores with one cache of the last level; else 0 */
	uint64_t rr_slice_ms, rt_runtime_us; /* 0: not known; rt_runtime_us also if real-time tasks have no limit */
	char features[768]; /* the words of debugfs sched/features, separated by spaces or commas; "": not known */
};

void key_mark_write(const struct key_mark *mark, char text[KEY_MARK_SIZE]);
/* False if the text is another one. */
bool key_mark_read(const char *text, size_t length, struct key_mark *mark);
/* True if the features have the word: "RUN_TO_PARITY" is not "NO_RUN_TO_PARITY". */
bool key_mark_has(const struct key_mark *mark, const char *feature);

#endif
