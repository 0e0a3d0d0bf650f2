/* SPDX-License-Identifier: MIT
 *
 * The output directory of picknext vm against its plan: what is there, what is missing, what contradicts. */
#ifndef PRINT_PLAN_REPORT_H
#define PRINT_PLAN_REPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "vm/plan/plan_check.h"

struct plan_report_form {
	bool json, with_content;
	const char *output; /* or NULL */
};

/* Whether operand is a directory whose sets have plans. */
bool plan_report_wants(const char *operand);
/* Brings each vm.json up to date, and prints what is there and what is missing. Free check also after errors. */
enum status plan_report_print(const char *directory, const struct plan_report_form *form, struct plan_check *check,
			      struct error *err);

#endif
