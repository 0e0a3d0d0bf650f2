/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/message.h"
#include "cmd/diff.h"
#include "export/switch_line.h"

static const struct table_column cpu_columns[] = {
    {"cpu", "CPU", TABLE_TEXT, TABLE_PEOPLE},
    {"cpu", "", TABLE_NUMBER, TABLE_DATA}, /* none in the line of all */
    {"events_a", "events\nin A", TABLE_NUMBER, TABLE_ALWAYS},
    {"events_b", "\nin B", TABLE_NUMBER, TABLE_ALWAYS},
    {"same_before", "same\nbefore", TABLE_NUMBER, TABLE_ALWAYS},
    {"parts_at_a_ns", "part at\nms in A", TABLE_MS, TABLE_ALWAYS},
    {"parts_at_b_ns", "\nms in B", TABLE_MS, TABLE_WIDE},
    {"agreement", "agree\n%", TABLE_PERCENT, TABLE_ALWAYS},
    {"same", "same", TABLE_NUMBER, TABLE_DATA},
    {"changed", "changed", TABLE_NUMBER, TABLE_ALWAYS},
    {"only_a", "only\nin A", TABLE_NUMBER, TABLE_ALWAYS},
    {"only_b", "only\nin B", TABLE_NUMBER, TABLE_ALWAYS},
    {"course", "course", TABLE_TEXT, TABLE_ALWAYS},
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

static uint64_t since_first(const struct diff *diff, int run, uint64_t ts_ns)
{
	return ts_ns - diff->runs[run].first_ns;
}

/* A character a part: = all the same, else the tenths that are. */
static void add_course(struct table *table, const struct agreement *agreement)
{
	char course[AGREEMENT_PARTS];

	for (uint32_t i = 0; i < agreement->part_count; i++) {
		uint64_t same = agreement->parts[i].same;
		uint64_t all = agreement->parts[i].all;
		course[i] = (char)(same == all ? '=' : '0' + (int)(same * 10 / all));
	}
	table_text(table, course, agreement->part_count);
}

static void add_parting(struct table *table, const struct diff *diff, const struct diff_cpu *cpu, int run)
{
	if (cpu && cpu->parting.has[run])
		table_number(table, since_first(diff, run, cpu->parting.ts_ns[run]));
	else
		table_none(table);
}

static void add_words(struct table *table, const struct diff_cpu *cpu, int run)
{
	if (cpu && cpu->parting.has[run])
		table_text(table, cpu->parting.words[run], strlen(cpu->parting.words[run]));
	else
		table_none(table);
}

/* cpu NULL: all together. */
static void add_cpu(struct table *table, const struct diff *diff, const struct diff_cpu *cpu,
		    const struct agreement *agreement)
{
	const struct agreement_counts *counts = &agreement->counts;
	char text[16] = "all";

	if (cpu)
		snprintf(text, sizeof(text), "%" PRIu32, cpu->cpu);
	table_text(table, text, strlen(text));
	if (cpu)
		table_number(table, cpu->cpu);
	else
		table_none(table);
	table_number(table, counts->same + counts->changed + counts->only_a);
	table_number(table, counts->same + counts->changed + counts->only_b);
	if (cpu)
		table_number(table, agreement->prefix);
	else
		table_none(table);
	add_parting(table, diff, cpu, 0);
	add_parting(table, diff, cpu, 1);
	table_number(table, agreement_share(counts));
	table_number(table, counts->same);
	table_number(table, counts->changed);
	table_number(table, counts->only_a);
	table_number(table, counts->only_b);
	if (cpu)
		add_course(table, agreement);
	else
		table_none(table);
	add_words(table, cpu, 0);
	add_words(table, cpu, 1);
}

static void fill_cpus(struct table *table, const struct diff *diff, struct agreement *all)
{
	for (uint32_t i = 0; i < diff->cpu_count; i++) {
		const struct agreement_counts *counts = &diff->cpus[i].agreement.counts;
		add_cpu(table, diff, &diff->cpus[i], &diff->cpus[i].agreement);
		all->counts.same += counts->same;
		all->counts.changed += counts->changed;
		all->counts.only_a += counts->only_a;
		all->counts.only_b += counts->only_b;
	}
	add_cpu(table, diff, NULL, all);
}

static void fill_tasks(struct table *table, const struct diff *diff)
{
	const struct task_states *machine = &diff->pass.machine;

	for (uint32_t i = 1; i < diff->match.pair_count; i++) {
		const struct task_pair *pair = &diff->match.pairs[i];
		uint32_t named = pair->tasks[0] != TASK_NONE ? pair->tasks[0] : pair->tasks[1];
		const struct sched_comm *comm = &machine->comms.comms[machine->tasks[named].comm];
		table_text(table, comm->bytes, comm->length);
		table_number(table, pair->rank);
		for (int run = 0; run < 2; run++) {
			if (pair->tasks[run] != TASK_NONE)
				table_signed(table, machine->tasks[pair->tasks[run]].pid);
			else
				table_none(table);
		}
	}
}

/* The lines around the place where they part. */
struct context_line {
	uint64_t ts_ns, number;
	size_t words; /* offset in the texts */
};

/* Before, behind, and as many again, which tell how those are best laid side by side. */
#define DIFF_CONTEXT_LINES (3 * DIFF_CONTEXT_MOST)

struct context {
	uint32_t before;
	uint32_t counts[2];
	bool ended[2]; /* with its last line the CPU's events end */
	struct context_line lines[2][DIFF_CONTEXT_LINES];
	uint64_t symbols[2][DIFF_CONTEXT_LINES];
	struct buffer texts;
	char ops[2 * DIFF_CONTEXT_LINES + 1];
};

static enum status read_context(struct diff *diff, struct context *context, int run, struct error *err)
{
	struct diff_cursor cursor;
	uint64_t prefix = diff->first->agreement.prefix;
	uint32_t wanted = (uint32_t)diff->options->context;
	enum status status = diff_cursor_open(diff, run, diff->first->cpu, &cursor, err);

	context->before = prefix < wanted ? (uint32_t)prefix : wanted;
	while (status == STATUS_OK && context->counts[run] < context->before + 2 * wanted) {
		status = diff_cursor_next(&cursor, err);
		if (status != STATUS_OK || cursor.read + context->before <= prefix)
			continue;
		uint32_t at = context->counts[run]++;
		context->symbols[run][at] = cursor.symbol;
		context->lines[run][at] = (struct context_line){cursor.event.ts_ns, cursor.read, context->texts.length};
		diff_cursor_words(&cursor, &context->texts);
		buffer_add(&context->texts, "", 1);
	}
	context->ended[run] = status == STATUS_END;
	diff_cursor_close(&cursor);
	return status == STATUS_END ? STATUS_OK : status;
}

/* op: ' ' in both, '-' in A alone, '+' in B alone. a or b is NULL where it is not there. */
static void add_line(const struct diff *diff, const struct context *context, char op, const struct context_line *a,
		     const struct context_line *b, struct buffer *out)
{
	const struct context_line *lines[2] = {a, b};
	const struct context_line *told = a ? a : b;

	buffer_printf(out, "%c %8" PRIu64, op, told->number);
	for (int run = 0; run < 2; run++) {
		buffer_text(out, " ");
		if (lines[run])
			/* Rounded, as in the table beneath. */
			switch_line_time(since_first(diff, run, lines[run]->ts_ns) + 500, out);
		else
			buffer_text(out, "         ");
	}
	buffer_printf(out, "  %s\n", context->texts.data + told->words);
}

static void add_lines(const struct diff *diff, const struct context *context, struct buffer *out)
{
	const struct context_line *lines[2] = {context->lines[0], context->lines[1]};
	const struct context_line *ends[2] = {lines[0] + context->counts[0], lines[1] + context->counts[1]};
	uint64_t shown = 0;

	for (uint32_t i = 0; i < context->before; i++)
		add_line(diff, context, ' ', lines[0]++, lines[1]++, out);
	for (const char *op = context->ops; *op && shown < diff->options->context; op++, shown++) {
		/* What one goes on with is not known to be its own where the other was not read to its end. */
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

static enum status add_context(struct diff *diff, struct buffer *out, struct error *err)
{
	struct context *context = calloc(1, sizeof(*context));
	enum status status = STATUS_OK;

	if (!context)
		return error_system(err, ENOMEM, "diff", "out of memory");
	for (int run = 0; run < 2 && status == STATUS_OK; run++)
		status = read_context(diff, context, run, err);
	uint32_t before = context->before;
	if (status == STATUS_OK && (context->counts[0] < before || context->counts[1] < before))
		status = error_set(err, STATUS_CORRUPT, "diff", "a trace changed while it was read");
	if (status == STATUS_OK &&
	    (context->texts.failed ||
	     !edit_script(context->symbols[0] + before, context->counts[0] - before, context->symbols[1] + before,
			  context->counts[1] - before, context->ops)))
		status = error_system(err, ENOMEM, "diff", "out of memory");
	if (status == STATUS_OK && context->counts[0] + context->counts[1]) {
		buffer_printf(out, "CPU %" PRIu32 " there (- only in A, + only in B; PIDs of A where in both)\n",
			      diff->first->cpu);
		buffer_text(out, "    number   ms in A   ms in B  event\n");
		add_lines(diff, context, out);
		buffer_text(out, "\n");
	}
	buffer_free(&context->texts);
	free(context);
	return status;
}

static bool is_identical(const struct diff *diff)
{
	return !diff->first && !diff->times_differ && diff->match.renumbered == 0;
}

static void add_place(const struct diff *diff, int run, struct buffer *out)
{
	const struct diff_parting *parting = &diff->first->parting;

	if (parting->has[run])
		buffer_printf(out, "%.6f s into %c", (double)since_first(diff, run, parting->ts_ns[run]) / 1e9,
			      'A' + run);
	else
		buffer_printf(out, "at the end of %c", 'A' + run);
}

static void add_verdict(const struct diff *diff, struct buffer *out)
{
	const char *what = diff->all_events ? "event" : "switch";

	if (diff->first) {
		buffer_printf(out, "They differ from %s %" PRIu64 " of CPU %" PRIu32 " on, ", what,
			      diff->first->agreement.prefix + 1, diff->first->cpu);
		add_place(diff, 0, out);
		buffer_text(out, " and ");
		add_place(diff, 1, out);
		buffer_text(out, ".\n");
		return;
	}
	buffer_printf(out, "The same %s on every CPU, in the same order", diff->all_events ? "events" : "switches");
	if (!diff->times_differ)
		buffer_text(out, " and at the same times");
	else if (diff->drift_most_ns)
		buffer_printf(out, "; times differ, by %.3f us at most", (double)diff->drift_most_ns / 1e3);
	else
		buffer_text(out, " and as long after the first");
	buffer_text(out, diff->match.renumbered ? "; PIDs differ.\n" : ".\n");
}

static const char *uname_of(const struct diff *diff, int run)
{
	const struct input *input = &diff->inputs[run];

	return input->kind == INPUT_DAT && input->trace.uname[0] ? input->trace.uname : NULL;
}

static void add_head(const struct diff *diff, struct buffer *out)
{
	for (int run = 0; run < 2; run++) {
		buffer_printf(out, "%c: ", 'A' + run);
		escape_line_add(diff->inputs[run].name, strlen(diff->inputs[run].name), out);
		if (uname_of(diff, run)) {
			buffer_text(out, ", ");
			escape_line_add(uname_of(diff, run), strlen(uname_of(diff, run)), out);
		}
		buffer_text(out, "\n");
	}
	add_verdict(diff, out);
	buffer_text(out, "\n");
}

static enum status print_text(struct diff *diff, const struct table *cpus, const struct table *tasks,
			      struct buffer *out, struct error *err)
{
	unsigned int width = diff->options->analysis.pass.output ? 0 : terminal_width();
	const struct task_match *match = &diff->match;
	enum status status = STATUS_OK;
	char verdict[512];

	add_head(diff, out);
	if (diff->first && diff->options->context)
		status = add_context(diff, out, err);
	table_write_text(cpus, width, out);
	buffer_printf(out,
		      "\nTasks: %" PRIu32 " in both, %" PRIu32 " of them with another PID; %" PRIu32
		      " only in A, %" PRIu32 " only in B.\n",
		      match->matched, match->renumbered, match->only[0], match->only[1]);
	if (diff->options->tasks)
		table_write_text(tasks, width, out);
	analysis_summary(&diff->pass, verdict, sizeof(verdict));
	buffer_printf(out, "%s\n", verdict);
	return status;
}

static void add_json_parting(const struct diff *diff, struct json_writer *json, int run)
{
	const struct diff_parting *parting = &diff->first->parting;

	if (!parting->has[run]) {
		json_null(json, run ? "b" : "a");
		return;
	}
	json_object_begin(json, run ? "b" : "a");
	json_u64(json, "ts_ns", parting->ts_ns[run]);
	json_u64(json, "since_first_ns", since_first(diff, run, parting->ts_ns[run]));
	json_bytes(json, "event", parting->words[run], strlen(parting->words[run]));
	json_object_end(json);
}

static void print_json(const struct diff *diff, const struct table *cpus, const struct table *tasks, struct buffer *out)
{
	struct json_writer json = {.out = out};
	const char *verdict = diff->first ? "differ" : is_identical(diff) ? "identical" : "same order";

	json_object_begin(&json, NULL);
	json_text(&json, "verdict", verdict);
	json_bool(&json, "times_differ", diff->times_differ);
	json_u64(&json, "times_apart_most_ns", diff->drift_most_ns);
	if (diff->first) {
		json_object_begin(&json, "first_difference");
		json_u64(&json, "cpu", diff->first->cpu);
		json_u64(&json, "number", diff->first->agreement.prefix + 1);
		add_json_parting(diff, &json, 0);
		add_json_parting(diff, &json, 1);
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
	if (diff->options->tasks)
		table_write_json(tasks, &json, "list");
	json_object_end(&json);
	json_array_begin(&json, "traces");
	for (int run = 0; run < 2; run++) {
		json_object_begin(&json, NULL);
		json_text(&json, "name", diff->inputs[run].name);
		json_text(&json, "uname", uname_of(diff, run));
		json_object_end(&json);
	}
	json_array_end(&json);
	analysis_add_summary(&diff->pass, &json);
	json_object_end(&json);
	buffer_text(out, "\n");
}

enum status diff_print(struct diff *diff, struct error *err)
{
	const struct analysis_options *options = &diff->options->analysis;
	struct agreement all = {0};
	struct table cpus, tasks;
	struct buffer out = {0};
	enum status status = STATUS_OK;

	table_begin(&cpus, cpu_columns);
	table_begin(&tasks, task_columns);
	fill_cpus(&cpus, diff, &all);
	if (diff->options->tasks)
		fill_tasks(&tasks, diff);
	if (options->json)
		print_json(diff, &cpus, &tasks, &out);
	else if (options->csv)
		table_write_csv(diff->options->tasks ? &tasks : &cpus, &out);
	else
		status = print_text(diff, &cpus, &tasks, &out, err);
	out.failed = out.failed || cpus.failed || tasks.failed;
	if (status == STATUS_OK)
		status = analysis_write(options->pass.output, &out, err);
	if (status == STATUS_OK && (options->csv || options->pass.output)) {
		struct buffer verdict = {0};
		add_verdict(diff, &verdict);
		if (verdict.length)
			message_info("%.*s", (int)verdict.length - 1, verdict.data);
		buffer_free(&verdict);
	}
	table_free(&cpus);
	table_free(&tasks);
	buffer_free(&out);
	return status;
}
