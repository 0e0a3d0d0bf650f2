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

/* Wraps the line, if it is not empty, and empties it. */
static void put_line(struct buffer *line, unsigned int width, struct buffer *out)
{
	if (line->length)
		wrap_add(line->data, 0, 4, width, out);
	buffer_clear(line);
}

static const struct table_column cpu_columns[] = {
    {"cpu", "CPU", TABLE_TEXT, TABLE_PEOPLE},
    {"cpu", "", TABLE_NUMBER, TABLE_DATA}, /* unused in the line for all CPUs */
    {"events_a", "events\nin A", TABLE_NUMBER, TABLE_ALWAYS},
    {"events_b", "\nin B", TABLE_NUMBER, TABLE_ALWAYS},
    {"same_before", "same\nbefore", TABLE_NUMBER, TABLE_ALWAYS},
    {"parts_at_a_ns", "diverge\nms in A", TABLE_MS, TABLE_ALWAYS},
    {"parts_at_b_ns", "\nms in B", TABLE_MS, TABLE_WIDE},
    {"agreement", "agree\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"same", "same", TABLE_NUMBER, TABLE_DATA},
    {"changed", "changed", TABLE_NUMBER, TABLE_ALWAYS},
    {"only_a", "only\nin A", TABLE_NUMBER, TABLE_ALWAYS},
    {"only_b", "only\nin B", TABLE_NUMBER, TABLE_ALWAYS},
    {"course", "course", TABLE_WORD, TABLE_ALWAYS},
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

/* One character per part: = if all events are identical, otherwise the number of identical tenths. */
static void add_course(struct table *table, const struct alignment *alignment)
{
	char course[ALIGNMENT_PARTS];

	for (uint32_t i = 0; i < alignment->part_count; i++) {
		uint64_t same = alignment->parts[i].same;
		uint64_t all = alignment->parts[i].all;
		course[i] = (char)(same == all ? '=' : '0' + (int)(same * 10 / all));
	}
	table_text(table, course, alignment->part_count);
}

static void add_divergence(struct table *table, const struct trace_diff *diff, const struct diff_cpu *cpu, int run)
{
	TABLE_NUMBER_IF(table, cpu && cpu->divergence.has[run],
			trace_diff_since_first(diff, run, cpu->divergence.ts_ns[run]));
}

/* cpu NULL: all CPUs together. */
static void add_cpu(struct table *table, const struct trace_diff *diff, const struct diff_cpu *cpu,
		    const struct alignment *alignment)
{
	const struct alignment_counts *counts = &alignment->counts;
	char text[16] = "all";

	if (cpu)
		snprintf(text, sizeof(text), "%" PRIu32, cpu->cpu);
	table_string(table, text);
	TABLE_NUMBER_IF(table, cpu, cpu->cpu);
	TABLE_NUMBERS(table, counts->same + counts->changed + counts->only_a,
		      counts->same + counts->changed + counts->only_b);
	TABLE_NUMBER_IF(table, cpu, alignment->prefix);
	add_divergence(table, diff, cpu, 0);
	add_divergence(table, diff, cpu, 1);
	TABLE_NUMBERS(table, alignment_share(counts), counts->same, counts->changed, counts->only_a, counts->only_b);
	if (cpu)
		add_course(table, alignment);
	else
		table_none(table);
	for (int run = 0; run < 2; run++)
		table_string(table, cpu && cpu->divergence.has[run] ? cpu->divergence.words[run] : NULL);
}

static void fill_cpus(struct table *table, const struct trace_diff *diff, struct alignment *all)
{
	for (uint32_t i = 0; i < diff->cpu_count; i++) {
		const struct alignment_counts *counts = &diff->cpus[i].alignment.counts;
		add_cpu(table, diff, &diff->cpus[i], &diff->cpus[i].alignment);
		all->counts.same += counts->same;
		all->counts.changed += counts->changed;
		all->counts.only_a += counts->only_a;
		all->counts.only_b += counts->only_b;
	}
	add_cpu(table, diff, NULL, all);
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

static void add_lines(const struct trace_diff *diff, const struct diff_context *context, uint64_t size,
		      struct buffer *out)
{
	const struct diff_context_line *lines[2] = {context->lines[0], context->lines[1]};
	const struct diff_context_line *ends[2] = {lines[0] + context->counts[0], lines[1] + context->counts[1]};
	uint64_t shown = 0;

	for (uint32_t i = 0; i < context->before; i++)
		add_line(diff, context, ' ', lines[0]++, lines[1]++, out);
	for (const char *op = context->ops; *op && shown < size; op++, shown++) {
		/* If the other trace continues, the rest of this one may be contained in it. */
		if ((lines[0] == ends[0] && !context->ended[0]) || (lines[1] == ends[1] && !context->ended[1]))
			break;
		if (*op == '=')
			add_line(diff, context, ' ', lines[0], lines[1], out);
		if (*op == '-' || *op == '!')
			add_line(diff, context, '-', lines[0], NULL, out);
		if (*op == '+' || *op == '!')
			add_line(diff, context, '+', NULL, lines[1], out);
		lines[0] += *op != '+';
		lines[1] += *op != '-';
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
		add_lines(diff, context, size, out);
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
			      diff->first->alignment.prefix + 1, diff->first->cpu);
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

/* NULL: not known. */
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
		json_u64(&json, "number", diff->first->alignment.prefix + 1);
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
	struct alignment all = {0};
	struct table cpus, tasks;
	enum status status = STATUS_OK;

	cpus = table_of(cpu_columns);
	tasks = table_of(task_columns);
	fill_cpus(&cpus, diff, &all);
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
			      difference->is_text ? "in all that is read of a text trace" : "to the last byte");
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
