/* SPDX-License-Identifier: MIT */
#include "print/plan_report.h"

#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "print/print.h"

static const char *const state_names[] = {
    [RUN_WHOLE] = "whole", [RUN_MISSING] = "missing", [RUN_FAILED] = "failed", [RUN_CONTRADICTS] = "contradicts"};

static void add_line(const struct checked_run *run, struct buffer *out)
{
	buffer_printf(out, "  %s: ", state_names[run->state]);
	escape_line_add(run->set, strlen(run->set), out);
	buffer_printf(out, ", run %u%s", run->run, run->text[0] ? ": " : "");
	escape_line_add(run->text, strlen(run->text), out);
	buffer_text(out, "\n");
}

static void write_text(const struct plan_check *check, const char *directory, struct buffer *out)
{
	escape_line_add(directory, strlen(directory), out);
	buffer_printf(out, ": %zu of %zu boots are there", check->states[RUN_WHOLE], check->count);
	for (size_t state = RUN_MISSING; state <= RUN_CONTRADICTS; state++)
		if (check->states[state])
			buffer_printf(out, ", %zu %s", check->states[state],
				      state == RUN_CONTRADICTS && check->states[state] > 1 ? "contradict"
											   : state_names[state]);
	if (check->beyond)
		buffer_printf(out, "; %zu more were not asked for", check->beyond);
	buffer_text(out, "\n");
	for (size_t i = 0; i < check->count; i++)
		if (check->runs[i].state != RUN_WHOLE)
			add_line(&check->runs[i], out);
	if (check->states[RUN_WHOLE] < check->count)
		buffer_text(out, "The same picknext vm command boots these; with --plan it lists them.\n");
}

static void write_run(const struct checked_run *run, struct json_writer *json)
{
	json_object_begin(json, NULL);
	json_text(json, "set", run->set);
	json_u64(json, "run", run->run);
	json_text(json, "state", state_names[run->state]);
	json_text(json, "why", run->text[0] ? run->text : NULL);
	json_object_end(json);
}

static void write_json(const struct plan_check *check, const char *directory, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	json_text(&json, "directory", directory);
	json_bool(&json, "complete", check->states[RUN_WHOLE] == check->count);
	json_u64(&json, "boots", check->count);
	for (size_t state = RUN_WHOLE; state <= RUN_CONTRADICTS; state++)
		json_u64(&json, state_names[state], check->states[state]);
	json_u64(&json, "not_asked_for", check->beyond);
	json_array_begin(&json, "to_do");
	for (size_t i = 0; i < check->count; i++)
		if (check->runs[i].state != RUN_WHOLE)
			write_run(&check->runs[i], &json);
	json_array_end(&json);
	json_object_end(&json);
}

enum status plan_report_print(const struct plan_check *check, const char *directory, bool json, const char *output,
			      struct error *err)
{
	struct buffer out = {0};

	(json ? write_json : write_text)(check, directory, &out);
	enum status status = print_to_output(output, &out, err);
	buffer_free(&out);
	return status;
}
