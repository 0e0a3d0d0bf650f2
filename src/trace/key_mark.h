/* SPDX-License-Identifier: MIT
 *
 * The mark at the beginning of a recording of scheduling keys, with the facts about the machine that the rules need:
 * "picknext keys: hz=250 base_slice_ns=2800000 wakeup_granularity_ns=0 isolated=0x4 rr_slice_ms=100
 * rt_runtime_us=950000 shared_cache=0x7 unequal_cpus=0 features=PLACE_LAG,NO_RUN_TO_PARITY". */
#ifndef TRACE_KEY_MARK_H
#define TRACE_KEY_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_MARK_SIZE 1024 /* older kernels cut longer marks */

struct key_mark {
	uint64_t hz, base_slice_ns, wakeup_granularity_ns; /* 0: unknown, or the kernel has none */
	uint64_t isolated;                                 /* a bit for each of the first 64 CPUs */
	uint64_t shared_cache; /* a bit per CPU if all are equal cores with one last-level cache; else 0 */
	uint64_t unequal_cpus; /* 1: CPUs are known to have different capacities */
	uint64_t rr_slice_ms, rt_runtime_us; /* 0: unknown; rt_runtime_us is also 0 if real-time tasks have no limit */
	char features[768]; /* the words of debugfs sched/features, separated by spaces or commas; "": unknown */
};

void key_mark_write(const struct key_mark *mark, char text[KEY_MARK_SIZE]);
/* False if the text is not such a mark. */
bool key_mark_read(const char *text, size_t length, struct key_mark *mark);
/* The mark at the end of a recording whose probes missed events: "picknext keys missed: 5". 0: the text is not such a
 * mark. */
void key_mark_write_missed(uint64_t missed, char text[KEY_MARK_SIZE]);
uint64_t key_mark_read_missed(const char *text, size_t length);
/* True if the features have the word: "RUN_TO_PARITY" is not "NO_RUN_TO_PARITY". */
bool key_mark_has(const struct key_mark *mark, const char *feature);

#endif
