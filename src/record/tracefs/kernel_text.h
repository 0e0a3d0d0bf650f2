/* SPDX-License-Identifier: MIT
 *
 * Parsers of short tracefs texts: per-CPU buffer statistics, the selected word of a list. Pure. */
#ifndef RECORD_TRACEFS_KERNEL_TEXT_H
#define RECORD_TRACEFS_KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runs/loss.h"

/* Reads per_cpu/cpuN/stats. False if entries, overrun or dropped events are missing or not numbers. */
bool ring_stats_parse(const char *text, struct ring_stats *stats);
/* Events recorded so far, including those already read out. */
uint64_t ring_stats_recorded(const struct ring_stats *stats);

/* Sets the number of overwritten events to 0 in such a text, for a file that begins after them. */
void ring_stats_forget_overrun(char *text, size_t *length);

/* The selected word of a list: "local [mono] boot" with '[' and ']', "none (full)" with '(' and ')'. False if no word
 * is selected or it does not fit. */
bool marked_word(const char *text, char open, char close, char *word, size_t size);

#endif
