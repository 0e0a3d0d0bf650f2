/* SPDX-License-Identifier: MIT
 *
 * Completion scripts for shells, from the tables of commands, options, workloads and metrics. */
#ifndef PRINT_MANUAL_COMPLETION_H
#define PRINT_MANUAL_COMPLETION_H

#include "base/buffer.h"
#include "base/options.h"

#define COMPLETION_SHELLS "bash|zsh|fish"

/* Adds the script for a shell; false for another one. */
bool completion_add(const char *shell, const struct command_group *groups, struct buffer *out);

#endif
