/* SPDX-License-Identifier: MIT */
#include "print/diff_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/wrap.h"
#include "print/table.h"
#include "trace/pass.h"

/* Wraps the line and empties it; does nothing if it is empty. */
static void put_line(struct buffer *line, unsigned int width, struct buffer *out)
{
	if (line->length)
		wrap_add(line->data, 0, 4, width, out);
	buffer_clear(line);
}

static const struct table_column cpu_columns[] = {
    {"cpu", "CPU", TABLE_TEXT, TABLE_PEOPLE},
    {"cpu", "", TABLE_NUMBER, TABLE_DATA}, /* not used in the line for all CPUs */
    {"events_a", "events\nin A", TABLE_NUMBER, TABLE_ALWAYS},
    {"events_b", "\nin B", TABLE_NUMBER, TABLE_ALWAYS},
    {"same_before", "same\nbefore", TABLE_NUMBER, TABLE_ALWAYS},
    {"parts_at_a_ns", "diverge\nms in A", TABLE_MS, TABLE_ALWAYS},
    {"parts_at_b_ns", "\nms in B", TABLE_MS, TABLE_ALWAYS},
    {"first_a", "", TABLE_TEXT, TABLE_DATA},
    {"first_b", "", TABLE_TEXT, TABLE_DATA},
    {NULL, NULL, 0, 0},
};

static const struct table_column task_columns[] = {
    {"comm", "name", TABLE_TEXT, TABLE_ALWAYS},
    {"rank", "number", TABLE_NUMBER, TABLE_ALWAYS},
    {"pid_a", "PID in A", TABLE_SIGNED, TABLE_ALWAYS},
    {"pid_b", "PID in B", TABLE_SIGNED, TABLE_ALWAYS},
    {NULL, NULL, 0, 0},
};

static void fill_cpus(struct table *table, const struct trace_diff *diff)
{
	uint64_t events[2] = {0};
	char text[16];

	for (const struct diff_cpu *cpu = diff->cpus; cpu < diff->cpus + diff->cpu_count; cpu++) {
		snprintf(text, sizeof(text), "%" PRIu32, cpu->cpu);
		table_string(table, text);
		TABLE_NUMBERS(table, cpu->cpu, cpu->events[0], cpu->events[1], cpu->prefix);
		for (int run = 0; run < 2; run++) {
			TABLE_NUMBER_IF(table, cpu->divergence.has[run],
					trace_diff_since_first(diff, run, cpu->divergence.ts_ns[run]));
			events[run] += cpu->events[run];
		}
		for (int run = 0; run < 2; run++)
			table_string(table, cpu->divergence.has[run] ? cpu->divergence.words[run] : NULL);
	}
	table_string(table, "all");
	table_none(table);
	TABLE_NUMBERS(table, events[0], events[1]);
	for (int i = 0; i < 5; i++)
		table_none(table);
}

static void fill_tasks(struct table *table, const struct trace_diff *diff)
{
	const struct task_states *states = &diff->pass.states;

	for (uint32_t i = 1; i < diff->match.pair_count; i++) {
		const struct task_pair *pair = &diff->match.pairs[i];
		uint32_t named = pair->tasks[0] != TASK_NONE ? pair->tasks[0] : pair->tasks[1];
		const struct sched_comm *comm = &states->comms.comms[states->tasks[named].comm];
		table_text(table, comm->bytes, comm->length);
		table_number(table, pair->rank);
		for (int run = 0; run < 2; run++)
			TABLE_SIGNED_IF(table, pair->tasks[run] != TASK_NONE, states->tasks[pair->tasks[run]].pid);
	}
}

static void add_ms(uint64_t time_ns, struct buffer *out)
{
	buffer_printf(out, "%5" PRIu64 ".%03u", time_ns / 1000000, (unsigned int)(time_ns % 1000000 / 1000));
}

/* op: ' ' in both, '-' only in A, '+' only in B. a or b is NULL if the trace does not have the line. */
static void add_line(const struct trace_diff *diff, const struct diff_context *context, char op,
		     const struct diff_context_line *a, const struct diff_context_line *b, struct buffer *out)
{
	const struct diff_context_line *lines[2] = {a, b};
	const struct diff_context_line *line = a ? a : b;

	buffer_printf(out, "%c %8" PRIu64, op, line->number);
	for (int run = 0; run < 2; run++) {
		buffer_text(out, " ");
		if (lines[run])
			/* Rounded as in the table below. */
			add_ms(trace_diff_since_first(diff, run, lines[run]->ts_ns) + 500, out);
		else
			buffer_text(out, "         ");
	}
	buffer_printf(out, "  %s\n", context->texts.data + line->words);
}

/* Adds the events around the first difference. From there on, events at the same position of both traces are side by
 * side. */
static void add_lines(const struct trace_diff *diff, const struct diff_context *context, struct buffer *out)
{
	for (uint32_t i = 0; i < context->counts[0] || i < context->counts[1]; i++) {
		const struct diff_context_line *a = i < context->counts[0] ? &context->lines[0][i] : NULL;
		const struct diff_context_line *b = i < context->counts[1] ? &context->lines[1][i] : NULL;
		if (a && b && a->symbol == b->symbol) {
			add_line(diff, context, ' ', a, b, out);
			continue;
		}
		if (a)
			add_line(diff, context, '-', a, NULL, out);
		if (b)
			add_line(diff, context, '+', NULL, b, out);
	}
}

static enum status add_context(struct trace_diff *diff, uint64_t size, struct buffer *out, struct error *err)
{
	struct diff_context *context;
	enum status status = diff_context_read(diff, (uint32_t)size, &context, err);

	if (status == STATUS_OK && context->counts[0] + context->counts[1]) {
		buffer_printf(out, "CPU %" PRIu32 " there (- only in A, + only in B; PIDs of A if in both)\n",
			      diff->first->cpu);
		buffer_text(out, "    number   ms in A   ms in B  event\n");
		add_lines(diff, context, out);
		buffer_text(out, "\n");
	}
	diff_context_free(context);
	return status;
}

static void add_place(const struct trace_diff *diff, int run, struct buffer *out)
{
	const struct diff_divergence *divergence = &diff->first->divergence;

	if (divergence->has[run])
		buffer_printf(out, "%.6f s into %c",
			      (double)trace_diff_since_first(diff, run, divergence->ts_ns[run]) / 1e9, 'A' + run);
	else
		buffer_printf(out, "at the end of %c", 'A' + run);
}

void diff_output_add_verdict(const struct trace_diff *diff, struct buffer *out)
{
	const char *what = diff->all_events ? "event" : "switch";

	if (diff->first) {
		buffer_printf(out, "The traces differ from %s %" PRIu64 " of CPU %" PRIu32 " on, ", what,
			      diff->first->prefix + 1, diff->first->cpu);
		add_place(diff, 0, out);
		buffer_text(out, " and ");
		add_place(diff, 1, out);
		buffer_text(out, ".\n");
		return;
	}
	buffer_printf(out, "The same %s on every CPU, in the same order", diff->all_events ? "events" : "switches");
	if (!diff->times_differ)
		buffer_text(out, " and at the same times");
	else if (diff->drift_max_ns)
		buffer_printf(out, "; times differ by up to %.3f us", (double)diff->drift_max_ns / 1e3);
	else
		buffer_text(out, " and with the same times since the first event");
	buffer_text(out, diff->match.renumbered ? "; PIDs differ.\n" : ".\n");
}

static const char *uname_of(const struct trace_diff *diff, int run)
{
	const struct input *input = &diff->inputs[run];

	return input->kind == INPUT_DAT && input->trace.uname[0] ? input->trace.uname : NULL;
}

static void add_scheduler(const struct trace_diff *diff, int run, struct buffer *out)
{
	const char *name = diff->runs[run].scheduler;

	if (!diff->runs[run].has_scheduler)
		return;
	buffer_text(out, *name ? ", scheduler " : ", the kernel's own scheduler");
	escape_line_add(name, strlen(name), out);
}

static void add_head(const struct trace_diff *diff, unsigned int width, struct buffer *out)
{
	struct buffer line = {0};

	for (int run = 0; run < 2; run++) {
		buffer_printf(&line, "%c: ", 'A' + run);
		escape_line_add(diff->inputs[run].name, strlen(diff->inputs[run].name), &line);
		if (uname_of(diff, run)) {
			buffer_text(&line, ", ");
			escape_line_add(uname_of(diff, run), strlen(uname_of(diff, run)), &line);
		}
		add_scheduler(diff, run, &line);
		put_line(&line, width, out);
	}
	diff_output_add_verdict(diff, &line);
	line.data[--line.length] = '\0';
	put_line(&line, width, out);
	if (diff->workload_only)
		buffer_text(&line, "Only the tasks of the workload are compared, from its start (--all-tasks: all).");
	put_line(&line, width, out);
	buffer_free(&line);
	buffer_text(out, "\n");
}

static enum status add_text(const struct diff_output *output, struct trace_diff *diff, const struct table *cpus,
			    const struct table *tasks, struct buffer *out, struct error *err)
{
	const struct task_match *match = &diff->match;
	enum status status = STATUS_OK;
	char verdict[512];
	struct buffer line = {0};

	if (diff->pass.summary.truncated_runs) {
		pass_truncation_text(&diff->pass, verdict, sizeof(verdict));
		buffer_text(&line, verdict);
		put_line(&line, output->width, out);
	}
	add_head(diff, output->width, out);
	if (diff->first && output->context)
		status = add_context(diff, output->context, out, err);
	table_write_text(cpus, output->width, out);
	buffer_text(out, "\n");
	buffer_printf(&line,
		      "Tasks: %" PRIu32 " in both, %" PRIu32 " of them with another PID; %" PRIu32
		      " only in A, %" PRIu32 " only in B.",
		      match->matched, match->renumbered, match->only[0], match->only[1]);
	put_line(&line, output->width, out);
	if (output->tasks)
		table_write_text(tasks, output->width, out);
	pass_summary_text(&diff->pass, verdict, sizeof(verdict));
	buffer_text(&line, verdict);
	put_line(&line, output->width, out);
	buffer_free(&line);
	return status;
}

static void add_json_divergence(const struct trace_diff *diff, struct json_writer *json, int run)
{
	const struct diff_divergence *divergence = &diff->first->divergence;

	if (!divergence->has[run]) {
		json_null(json, run ? "b" : "a");
		return;
	}
	json_object_begin(json, run ? "b" : "a");
	json_u64(json, "ts_ns", divergence->ts_ns[run]);
	json_u64(json, "since_first_ns", trace_diff_since_first(diff, run, divergence->ts_ns[run]));
	json_bytes(json, "event", divergence->words[run], strlen(divergence->words[run]));
	json_object_end(json);
}

/* NULL: unknown. */
static const char *scheduler_of(const struct trace_diff *diff, int run)
{
	const char *name = diff->runs[run].scheduler;

	return !diff->runs[run].has_scheduler ? NULL : *name ? name : "none";
}

static void add_json(const struct trace_diff *diff, const struct table *cpus, const struct table *tasks,
		     struct buffer *out)
{
	struct json_writer json = {.out = out};
	const bool is_identical = !diff->times_differ && diff->match.renumbered == 0;
	const char *verdict = diff->first ? "differ" : is_identical ? "identical" : "same order";

	json_object_begin(&json, NULL);
	json_text(&json, "verdict", verdict);
	json_text(&json, "compared_tasks", diff->workload_only ? "workload" : "all");
	json_bool(&json, "times_differ", diff->times_differ);
	json_u64(&json, "times_apart_most_ns", diff->drift_max_ns);
	if (diff->first) {
		json_object_begin(&json, "first_difference");
		json_u64(&json, "cpu", diff->first->cpu);
		json_u64(&json, "number", diff->first->prefix + 1);
		add_json_divergence(diff, &json, 0);
		add_json_divergence(diff, &json, 1);
		json_object_end(&json);
	} else {
		json_null(&json, "first_difference");
	}
	table_write_json(cpus, &json, "cpus");
	json_object_begin(&json, "tasks");
	json_u64(&json, "in_both", diff->match.matched);
	json_u64(&json, "renumbered", diff->match.renumbered);
	json_u64(&json, "only_a", diff->match.only[0]);
	json_u64(&json, "only_b", diff->match.only[1]);
	if (tasks)
		table_write_json(tasks, &json, "list");
	json_object_end(&json);
	json_array_begin(&json, "traces");
	for (int run = 0; run < 2; run++) {
		json_object_begin(&json, NULL);
		json_text(&json, "name", diff->inputs[run].name);
		json_text(&json, "uname", uname_of(diff, run));
		json_text(&json, "scheduler", scheduler_of(diff, run));
		json_object_end(&json);
	}
	json_array_end(&json);
	pass_summary_add_json(&diff->pass, &json);
	json_object_end(&json);
	buffer_text(out, "\n");
}

enum status diff_output_add(const struct diff_output *output, struct trace_diff *diff, struct buffer *out,
			    struct error *err)
{
	struct table cpus, tasks;
	enum status status = STATUS_OK;

	cpus = table_of(cpu_columns);
	tasks = table_of(task_columns);
	fill_cpus(&cpus, diff);
	if (output->tasks)
		fill_tasks(&tasks, diff);
	if (output->json)
		add_json(diff, &cpus, output->tasks ? &tasks : NULL, out);
	else if (output->csv)
		table_write_csv(output->tasks ? &tasks : &cpus, out);
	else
		status = add_text(output, diff, &cpus, &tasks, out, err);
	table_free(&cpus);
	table_free(&tasks);
	return status;
}

static void add_exact_text(const struct exact_difference *difference, struct buffer *out)
{
	if (difference->found && difference->events == 0)
		buffer_text(out, "The traces differ from the first event on:");
	else if (difference->found && difference->events == 1)
		buffer_text(out, "The first event is identical, the next is not:");
	else if (difference->found)
		buffer_printf(out, "The first %" PRIu64 " events are identical, the next is not:", difference->events);
	if (difference->found)
		buffer_printf(out, "\nA: %s\nB: %s\n", difference->a, difference->b);
	else
		buffer_printf(out, "Identical: %" PRIu64 " events, %s.\n", difference->events,
			      difference->is_text ? "in all parsed fields of the text trace" : "to the last byte");
}

static void add_exact_json(const struct exact_difference *difference, struct buffer *out)
{
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	json_text(&json, "verdict", difference->found ? "differ" : "identical");
	json_u64(&json, "events_before", difference->events);
	json_bool(&json, "whole_events", !difference->is_text);
	json_text(&json, "a", difference->found ? difference->a : NULL);
	json_text(&json, "b", difference->found ? difference->b : NULL);
	json_object_end(&json);
	buffer_text(out, "\n");
}

void diff_output_add_exact(const struct exact_difference *difference, bool json, struct buffer *out)
{
	if (json)
		add_exact_json(difference, out);
	else
		add_exact_text(difference, out);
}
