/* SPDX-License-Identifier: MIT
 *
 * Warnings about gates, for the log of a CI job. */
#ifndef PRINT_GATE_WARNINGS_H
#define PRINT_GATE_WARNINGS_H

#include "compare/gate.h"

/* Warns of gates on metrics that deterministic guests do not have, and of inconclusive gates that count as passed.
 * with_results: also of each gate that does not pass, if no table on standard output shows it. */
void compare_gates_warn(const struct compare_gates *gates, const struct comparison_rows *rows, bool with_results);

#endif
