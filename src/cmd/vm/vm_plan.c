/* SPDX-License-Identifier: MIT */
#include "cmd/vm/vm_plan.h"

#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/message.h"
#include "base/options_words.h"
#include "print/print.h"
#include "vm/plan/plan.h"
#include "vm/plan/plan_check.h"

enum status vm_plan_check(const struct vm_options *options, struct cell_choice *choice, struct error *err)
{
	const char *part = options->plan ? "--plan" : options->shard ? "--shard" : options->cell ? "--cell" : NULL;
	const char *other = options->shell      ? "--shell"
			    : options->no_trace ? "--no-trace"
			    : options->until    ? "--until"
			    : options->dry_run  ? "--dry-run"
						: NULL;

	if (part && other)
		return error_set(err, STATUS_USAGE, NULL, "%s and %s are mutually exclusive", part, other);
	if (options->shard && options->cell)
		return error_set(err, STATUS_USAGE, NULL, "--shard and --cell are mutually exclusive");
	if ((options->json || options->missing) && !options->plan)
		return error_set(err, STATUS_USAGE, NULL, "%s is for --plan", options->json ? "--json" : "--missing");
	choice->id = options->cell;
	return options->shard ? cell_choice_parse(options->shard, choice, err) : STATUS_OK;
}

void vm_plan_words(const struct call *call, struct arguments *words, struct arguments *operands)
{
	static const char *const omitted[] = {"seeds", "runs",    "jobs",       "output-dir", "shard", "cell", "plan",
					      "json",  "missing", "no-compare", "no-dataset", "force", NULL};
	const struct vm_options *options = call->values;

	options_words(call->command->options, options, omitted, words);
	for (char *const *word = options->collection.wanted.command; word && *word; word++)
		arguments_add(operands, "%s", *word);
}

/* Marks the cells that are there; *left_out is to be freed. */
static enum status leave_out(const struct plan *plan, bool **left_out, struct error *err)
{
	struct plan_check check = {0};
	enum status status = STATUS_OK;

	if (file_same(plan->directory, plan->directory))
		status = plan_check_make(plan, plan->directory, false, &check, err);
	*left_out = calloc(check.count + 1, sizeof(**left_out));
	if (!*left_out && status == STATUS_OK)
		status = error_system(err, ENOMEM, NULL, "cannot plan");
	for (size_t i = 0; *left_out && i < check.count; i++)
		(*left_out)[i] = check.cells[i].state == CELL_WHOLE;
	if (check.count == 0) {
		free(*left_out);
		*left_out = NULL;
	}
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

	if (status == STATUS_OK && options->missing)
		status = leave_out(&plan, &left_out, &err);
	shown.left_out = left_out;
	if (status == STATUS_OK)
		status = (options->json ? plan_write_json : plan_write_text)(&plan, &shown, &out, &err);
	free(left_out);
	plan_free(&plan);
	if (status == STATUS_OK)
		return print_buffer(&out);
	buffer_free(&out);
	return message_error(&err);
}
