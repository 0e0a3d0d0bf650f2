/* SPDX-License-Identifier: MIT
 *
 * Placements: wakeups and births of tasks, each with the CPUs that could be chosen and what they did, and the chosen
 * one. A task that was awake already is not placed. What lost events hide is empty. */
#ifndef DATA_PLACEMENT_ROWS_H
#define DATA_PLACEMENT_ROWS_H

#include "data/rows.h"

/* Listed CPUs, by number; a machine may have more. */
#define PLACEMENT_CPUS_MAX 64u

struct columns placement_columns(const char *layout);
enum status placement_rows_read(struct rows *rows, struct error *err);

#endif
