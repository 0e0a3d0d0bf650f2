/* SPDX-License-Identifier: MIT
 *
 * Compares the output directory of picknext vm with the plan: boots that are complete, missing or contradict the
 * plan. */
#ifndef PRINT_PLAN_REPORT_H
#define PRINT_PLAN_REPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "vm/plan/plan_check.h"

/* output: a file, or NULL. */
enum status plan_report_print(const struct plan_check *check, const char *directory, bool json, const char *output,
			      struct error *err);

#endif
