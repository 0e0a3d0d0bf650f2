/* SPDX-License-Identifier: MIT */
#include "print/plan_report.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/message.h"
#include "print/print.h"
#include "vm/plan/plan.h"
#include "vm/plan/run_record.h"

static const char *const state_names[] = {
    [CELL_WHOLE] = "whole", [CELL_MISSING] = "missing", [CELL_FAILED] = "failed", [CELL_CONTRADICTS] = "contradicts"};

bool plan_report_wants(const char *operand)
{
	struct plan plan;
	struct error err;
	enum status status = plan_load(operand, &plan, &err);
	bool is_one = plan.count > 0 || status == STATUS_CORRUPT || status == STATUS_UNSUPPORTED;

	plan_free(&plan);
	return is_one;
}

/* After directories were copied together, it is that of one of them. */
static enum status renew_sets(const struct plan *plan, const char *directory, struct error *err)
{
	char path[PATH_MAX];
	enum status status = STATUS_OK;

	for (size_t i = 0; i < plan->count && status == STATUS_OK; i++) {
		bool changed = false;
		struct stat info;
		status = file_join(path, sizeof(path), directory, plan->sets[i].name, err);
		/* A set that is linked is elsewhere. */
		if (status == STATUS_OK && !(lstat(path, &info) == 0 && S_ISLNK(info.st_mode)))
			status = set_record_write(path, &changed, err);
		if (changed)
			message_info("%s/vm.json: made again from the records of its cells", path);
	}
	return status;
}

static void add_line(const struct plan *plan, const struct checked_run *cell, struct buffer *out)
{
	const struct plan_set *set = &plan->sets[cell->cell.set];
	char text[sizeof(cell->text) * 4];

	escape_line(cell->text, strlen(cell->text), text, sizeof(text));
	buffer_printf(out, "  %s: ", state_names[cell->state]);
	escape_line_add(set->name, strlen(set->name), out);
	buffer_printf(out, ", %s %u%s%s\n    ", set->deterministic ? "seed" : "run", cell->cell.run,
		      text[0] ? ": " : "", text);
	plan_command_write(plan, &cell->cell, out);
	buffer_text(out, "\n");
}

static void write_text(const struct plan *plan, const struct plan_check *check, const char *directory,
		       struct buffer *out)
{

	escape_line_add(directory, strlen(directory), out);
	buffer_printf(out, ": %zu of %zu cells are there", check->states[CELL_WHOLE], check->count);
	for (size_t state = CELL_MISSING; state <= CELL_CONTRADICTS; state++)
		if (check->states[state])
			buffer_printf(out, ", %zu %s", check->states[state],
				      state == CELL_CONTRADICTS && check->states[state] > 1 ? "contradict"
											    : state_names[state]);
	if (check->beyond)
		buffer_printf(out, "; %zu more in no plan", check->beyond);
	buffer_text(out, "\n");
	for (size_t i = 0; i < check->count; i++)
		if (check->cells[i].state != CELL_WHOLE)
			add_line(plan, &check->cells[i], out);
}

static void write_cell(const struct plan *plan, const struct checked_run *cell, struct json_writer *json)
{
	const struct plan_set *set = &plan->sets[cell->cell.set];
	struct buffer command = {0};

	plan_command_write(plan, &cell->cell, &command);
	json_object_begin(json, NULL);
	json_text(json, "id", cell->cell.id);
	json_text(json, "set", set->name);
	json_u64(json, "run", cell->cell.run);
	json_text(json, "state", state_names[cell->state]);
	json_text(json, "why", cell->text[0] ? cell->text : NULL);
	json_bytes(json, "command", command.data, command.length);
	json_object_end(json);
	buffer_free(&command);
}

static void write_json(const struct plan *plan, const struct plan_check *check, const char *directory,
		       struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	json_text(&json, "directory", directory);
	json_bool(&json, "complete", check->states[CELL_WHOLE] == check->count);
	json_u64(&json, "cells", check->count);
	for (size_t state = CELL_WHOLE; state <= CELL_CONTRADICTS; state++)
		json_u64(&json, state_names[state], check->states[state]);
	json_u64(&json, "in_no_plan", check->beyond);
	json_array_begin(&json, "to_do");
	for (size_t i = 0; i < check->count; i++)
		if (check->cells[i].state != CELL_WHOLE)
			write_cell(plan, &check->cells[i], &json);
	json_array_end(&json);
	json_object_end(&json);
}

enum status plan_report_print(const char *directory, const struct plan_report_form *form, struct plan_check *check,
			      struct error *err)
{
	struct buffer out = {0};
	struct plan plan;
	enum status status = plan_load(directory, &plan, err);

	if (status == STATUS_OK)
		status = renew_sets(&plan, directory, err);
	if (status == STATUS_OK)
		status = plan_check_make(&plan, directory, form->with_content, check, err);
	if (status == STATUS_OK) {
		(form->json ? write_json : write_text)(&plan, check, directory, &out);
		status = print_to_output(form->output, &out, err);
	}
	buffer_free(&out);
	plan_free(&plan);
	return status;
}
