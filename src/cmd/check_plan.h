/* SPDX-License-Identifier: MIT
 *
 * picknext check on the output directory of picknext vm: against its plan. */
#ifndef CMD_CHECK_PLAN_H
#define CMD_CHECK_PLAN_H

#include <stdbool.h>

#include "base/options.h"

struct check_plan_form {
	bool json, with_content;
	const char *output; /* or NULL */
};

/* Whether operand is a directory whose sets have plans. */
bool check_plan_is_one(const char *operand);
/* Brings each vm.json up to date, and prints what is there and what is missing; returns the exit code. */
int check_plan_run(const char *directory, const struct check_plan_form *form);

#endif
