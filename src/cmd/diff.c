/* SPDX-License-Identifier: MIT */
#include "cmd/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/exact_difference.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"

static const struct option options[] = {
    {.name = "events",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct diff_options, events),
     .argument = "WHICH",
     .help = "what is compared: switches, or wakeups, migrations and marks too",
     .fallback = "switch",
     .choices = "switch|all"},
    {.name = "by",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct diff_options, by),
     .argument = "WHAT",
     .help = "when a task is the same: task tells those of one name apart by\nthe order of their birth, name does not",
     .fallback = "task",
     .choices = "task|name"},
    {.name = "comm",
     .kind = OPTION_LIST,
     .offset = offsetof(struct diff_options, tasks_wanted.comms),
     .argument = "NAME",
     .help = "only what tasks of this name do, in which * and ? are wildcards;\nmay be given again"},
    {.name = "context",
     .letter = 'n',
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct diff_options, context),
     .argument = "N",
     .help = "show N events before and after the place where they part",
     .fallback = "5",
     .most = DIFF_CONTEXT_MOST},
    {.name = "window",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct diff_options, window),
     .argument = "N",
     .help = "events of a CPU that are laid side by side at a time: what one\nhas more is found up to half of it "
	     "(8192; where a CPU has more\nthan 60000 events, 1000)",
     .least = 2,
     .most = EDIT_WINDOW_MOST},
    {.name = "tasks",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct diff_options, tasks),
     .help = "list which task of A was taken for which of B"},
    {.name = "exact",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct diff_options, exact),
     .help = "compare every event of any kind to its last byte, with its time"},
    ANALYSIS_OPTION_ROWS(struct diff_options, analysis),
    {.name = NULL},
};

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, "diff", "out of memory");
}

/* Tasks that this event brought are as old as it is. */
static enum status note_starts(struct diff *diff, const struct pass *pass, uint64_t ts_ns, struct error *err)
{
	uint32_t count = pass->machine.task_count;

	if (count > diff->start_capacity) {
		uint32_t capacity = count + count / 2 + 64;
		uint64_t *starts = realloc(diff->starts_ns, capacity * sizeof(*starts));
		if (!starts)
			return no_memory(err);
		diff->starts_ns = starts;
		diff->start_capacity = capacity;
	}
	while (diff->start_count < count)
		diff->starts_ns[diff->start_count++] = ts_ns;
	return STATUS_OK;
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *what, struct error *err)
{
	struct diff *diff = context;
	uint32_t run = pass->run.number;

	(void)what;
	/* Those of before the window were there all the time. */
	uint64_t start_ns = diff->runs[run].has_events ? event->ts_ns : 0;
	if (!diff->runs[run].has_events)
		diff->runs[run].from_ns = event->ts_ns;
	diff->runs[run].has_events = true;
	diff->runs[run].to_ns = event->ts_ns;
	diff->runs[run].first_ns = pass->run.first_ns;
	if (diff_wants(diff, event) && event->cpu < TASK_CPUS_MOST)
		diff->runs[run].counts[event->cpu]++;
	return note_starts(diff, pass, start_ns, err);
}

static enum status compare(struct diff *diff, struct error *err)
{
	const struct pass_consumer consumer = {.context = diff, .step = step};

	for (int run = 0; run < 2; run++) {
		diff->runs[run].counts = calloc(TASK_CPUS_MOST, sizeof(uint64_t));
		if (!diff->runs[run].counts)
			return no_memory(err);
	}
	enum status status =
	    pass_read_inputs(&diff->options->analysis.pass, diff->inputs, 2, &consumer, &diff->pass, err);
	if (status == STATUS_OK && !task_match_make(&diff->pass.machine, diff->starts_ns, &diff->match))
		status = no_memory(err);
	if (status == STATUS_OK)
		status = diff_compare(diff, err);
	/* Two nothings are no agreement. */
	if (status == STATUS_OK && diff->cpu_count == 0)
		status = error_set(err, STATUS_USAGE,
				   diff->options->tasks_wanted.comms.count ? "--comm"
				   : diff->options->analysis.pass.cpus     ? "--cpu"
									   : "diff",
				   "there is nothing to compare: neither trace has such %s",
				   diff->all_events ? "an event" : "a switch");
	if (status == STATUS_OK)
		status = diff_print(diff, err);
	return status;
}

static void free_diff(struct diff *diff)
{
	for (int run = 0; run < 2; run++) {
		free(diff->runs[run].counts);
		input_close(&diff->inputs[run]);
	}
	task_match_free(&diff->match);
	free(diff->starts_ns);
	free(diff->cpus);
}

static void print_exact_text(const struct exact_difference *difference, struct buffer *out)
{
	if (difference->found && difference->events == 0)
		buffer_text(out, "They differ from the first event on:");
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

static void print_exact_json(const struct exact_difference *difference, struct buffer *out)
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

static enum status compare_exactly(const struct diff_options *values, struct operands *operands, bool *differ,
				   struct error *err)
{
	const struct analysis_options *wanted = &values->analysis;
	struct exact_difference difference;
	struct buffer out = {0};

	if (values->tasks_wanted.comms.count || values->tasks || wanted->csv || wanted->pass.cpus ||
	    wanted->pass.from > 0 || wanted->pass.to > 0 || wanted->pass.from_mark || wanted->pass.to_mark)
		return error_set(
		    err, STATUS_USAGE, "--exact",
		    "compares whole traces; leave out --csv, --tasks, --comm, --cpu, --from, --to and marks");
	enum status status = STATUS_OK;
	for (size_t i = 0; i < 2 && wanted->pass.output && status == STATUS_OK; i++)
		status = input_refuse_overwriting(operands->items[i], wanted->pass.output, err);
	if (status != STATUS_OK)
		return status;
	status = exact_difference_find(operands->items[0], operands->items[1], &difference, err);
	if (status != STATUS_OK)
		return status;
	*differ = difference.found;
	if (wanted->json)
		print_exact_json(&difference, &out);
	else
		print_exact_text(&difference, &out);
	status = analysis_write(wanted->pass.output, &out, err);
	buffer_free(&out);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct diff_options values = {0};
	struct diff diff = {.options = &values};
	struct operands operands;
	int exit_code;
	bool differ = false;
	struct error err = {0};
	enum status status = STATUS_OK;

	if (!options_begin(command, &values, argc, argv, &operands, &exit_code))
		return exit_code;
	interrupt_catch();
	diff.all_events = strcmp(values.events, "all") == 0;
	diff.by_name = strcmp(values.by, "name") == 0;
	if (values.exact) {
		status = compare_exactly(&values, &operands, &differ, &err);
	} else {
		for (int i = 0; i < 2 && status == STATUS_OK; i++)
			status = input_open(&diff.inputs[i], operands.items[i], &err);
		for (int i = 0; i < 2 && status == STATUS_OK; i++)
			input_warn_skipped(&diff.inputs[i]);
		if (status == STATUS_OK)
			status = compare(&diff, &err);
		differ = diff.first;
	}
	free_diff(&diff);
	exit_code = analysis_exit(&diff.pass, status, &err);
	return exit_code ? exit_code : differ;
}

const struct command command_diff = {
    .name = "diff",
    .summary = "where two traces part, and how far they agree, switch by switch",
    .operands = "A B",
    .least_operands = 2,
    .most_operands = 2,
    .details =
	"Lays the switches of each CPU of trace A beside those of trace B, in their order; times do not matter. A\n"
	"switch is the same where the same task leaves for the same reason (S, D, R, R+...) and the same task comes.\n"
	"PIDs do not matter either: tasks are matched by name, those of one name by the order of their birth (of "
	"those\n"
	"that were there before, by PID). A and B are trace.dat files, the kernel's text traces, or - (one of "
	"them).\n\n"
	"Where they part is the first event of any CPU that is another. Behind it they go on side by side: an event\n"
	"that both have in its place is the same, else it was changed, or only one has it; the fewest edits are\n"
	"taken, in windows. agree is the share that is the same. course shows it from the first event to the last:\n"
	"= all the same, 9 at least nine in ten, 0 less than one in ten.\n\n"
	"--exact is for runs that are meant to repeat to the byte (picknext vm --deterministic). Of a text trace it\n"
	"compares what picknext reads of it: the scheduler's events and marks, and of others when and where they "
	"were.\n\n"
	"Exit code 0: no difference (times and PIDs may differ, but with --exact); 1: they differ.",
    .examples = "  picknext diff 6.12/raw/io_mixed_run0.dat 6.12/raw/io_mixed_run1.dat\n"
		"  picknext diff --by name --cpu 0-1 before.dat after.dat   # which of equal workers does not matter\n"
		"  picknext diff --events all -n 20 a.dat b.dat             # wakeups and migrations as well\n"
		"  picknext diff --exact first.dat again.dat && echo identical",
    .options = options,
    .run = run,
};
