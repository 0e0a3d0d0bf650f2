/* SPDX-License-Identifier: MIT
 *
 * Reads a finished trace back: how many events it holds. */
#ifndef CMD_TRACE_COUNT_H
#define CMD_TRACE_COUNT_H

#include <stdint.h>

#include "base/error.h"

/* *events: of all kinds; *switches: those that are sched_switch. */
enum status trace_count(const char *path, uint64_t *events, uint64_t *switches, struct error *err);

#endif
