/* SPDX-License-Identifier: MIT
 *
 * The command that records a run again: of the same kernel, seed and workload. */
#ifndef COMPARE_REPEAT_COMMAND_H
#define COMPARE_REPEAT_COMMAND_H

#include "base/buffer.h"
#include "compare/run_set.h"

/* Adds a line for a POSIX shell; nothing if neither vm.json nor the run's metadata has what is needed. The run of a
 * deterministic guest is the same again, so the line has all workloads of its boot. */
void repeat_command_add(const struct run_set *set, const struct run *run, struct buffer *out);

#endif
