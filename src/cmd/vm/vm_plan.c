/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_plan.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "print/print.h"
#include "vm/launch/vm.h"
#include "vm/plan/plan.h"
#include "vm/plan/plan_check.h"

/* Marks the cells that exist; *left_out is to be freed. */
static enum status leave_out(const struct plan *plan, bool **left_out, struct error *err)
{
	struct plan_check check = {0};
	enum status status = STATUS_OK;

	if (file_same(plan->directory, plan->directory))
		status = plan_check_make(plan, plan->directory, false, &check, err);
	*left_out = check.count ? xcalloc(check.count, sizeof(**left_out)) : NULL;
	for (size_t i = 0; i < check.count; i++)
		(*left_out)[i] = check.cells[i].state == CELL_WHOLE;
	plan_check_free(&check);
	return status;
}

int vm_plan_print(const struct vm_options *options, const struct cell_choice *choice, struct launch *const *launches,
		  size_t count)
{
	struct cell_choice shown = *choice;
	bool *left_out = NULL;
	struct buffer out = {0};
	struct plan plan;
	struct error err;
	enum status status = vm_plan(launches, count, &plan, &err);

	if (status == STATUS_OK && choice->only_missing)
		status = leave_out(&plan, &left_out, &err);
	shown.left_out = left_out;
	if (status == STATUS_OK)
		(options->json ? plan_write_json : plan_write_text)(&plan, &shown, &out);
	free(left_out);
	plan_free(&plan);
	if (status == STATUS_OK)
		return print_buffer(&out);
	buffer_free(&out);
	return message_error(&err);
}
