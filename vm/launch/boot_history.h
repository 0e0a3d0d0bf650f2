/* SPDX-License-Identifier: MIT
 *
 * How long boots and runs took on this machine: a file of the cache, from which the next launch estimates its time. */
#ifndef VM_LAUNCH_BOOT_HISTORY_H
#define VM_LAUNCH_BOOT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "vm/launch/boot_times.h"

#define BOOT_HISTORY_MAX 512

/* A run of a workload, or with workload "" a boot up to its first run. */
struct duration {
	char mode[16]; /* "deterministic", or the accelerator that was asked for */
	char release[65];
	char workload[64];
	double scale; /* 0 for a boot */
	double seconds;
};

/* Starts zeroed. */
struct boot_history {
	struct duration items[BOOT_HISTORY_MAX]; /* the newest first */
	size_t count;
};

/* The origin of an estimate, the best first. */
enum duration_origin {
	DURATION_MEASURED, /* the same on this machine */
	DURATION_SIMILAR,  /* another kernel, workload or scale on this machine */
	DURATION_TYPICAL,  /* nothing like it was measured */
};

/* Seconds that it may take; its member seconds is not used. */
double boot_history_find(const struct boot_history *history, const struct duration *wanted,
			 enum duration_origin *origin);
/* Adds a measurement; with an earlier one of the same it becomes their mean, so that old ones lose weight. The oldest
 * item gives way. One without a plausible time is ignored. */
void boot_history_put(struct boot_history *history, const struct duration *measured);

/* Adds what is plausible in json, which may be NULL and is hostile. */
void boot_history_parse(struct boot_history *history, const struct json_value *json);
void boot_history_format(const struct boot_history *history, struct buffer *text);

/* From and to the cache; without it, the history is empty and nothing is kept. */
void boot_history_load(struct boot_history *history);
void boot_history_add(const char *mode, const char *release, double scale, const struct boot_times *times);

#endif
