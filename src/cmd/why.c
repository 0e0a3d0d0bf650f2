/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmd/commands.h"
#include "measure/worst_waits.h"
#include "print/decision_print.h"
#include "rules/reading.h"

/* A time that was printed with six digits is meant. */
#define ROUNDING_NS 500

struct why_options {
	struct analysis_options analysis;
	const char *at;
	uint64_t switch_number, decision, max, worst;
	const char *task;
};

static const struct option options[] = {
    OPTION(struct why_options, at, "at", .argument = "SECONDS",
	   .help = "the first switch at or after this time, counted from the first event"),
    OPTION(struct why_options, switch_number, "switch", .argument = "N", .min = 1,
	   .help = "the Nth switch of the trace"),
    OPTION(struct why_options, decision, "decision", .argument = "N", .min = 1,
	   .help = "the Nth decision, as picknext check-rule counts them: picks and tests of wakeups"),
    OPTION(struct why_options, task, "task", .argument = "NAME-PID",
	   .help = "each switch that this task was a candidate of"),
    OPTION(struct why_options, worst, "worst", .argument = "N", .min = 1, .max = WORST_WAITS_MAX,
	   .help = "of each of the N longest waits for a CPU the first switch that\npicked another task"),
    OPTION(struct why_options, max, "max", .argument = "N",
	   .help = "that decision and those after it, N at most (default: 1; with --task 20)"),
    ANALYSIS_OPTION_ROWS(struct why_options, analysis),
    {.name = NULL},
};

struct why {
	const struct why_options *given;
	const struct pass *pass;
	struct rules rules;
	struct rules_consumer consumer;
	uint64_t at_ns, number, shown;
	/* The pass begins near at_ns: decisions have no number, and times count from the trace's first event. */
	bool is_partial, is_judged;
	uint64_t first_ns;
	struct key_mark mark;
	struct worst_waits waits; /* of --worst */
	bool *has_shown;          /* by wait */
	struct decision_print print;
	bool is_done;
};

static uint64_t since_start(const struct why *why, uint64_t ts_ns)
{
	return why->is_partial ? ts_ns - why->first_ns : pass_since_start(why->pass, ts_ns);
}

/* Another task is picked during one of the waits, on the CPU where the task waits then; the first time. */
static bool ends_no_wait(struct why *why, const struct task_states *states, const struct rule_decision *decision)
{
	for (uint32_t i = 0; i < why->waits.count; i++) {
		const struct worst_wait *wait = &why->waits.list[i];
		if (why->has_shown[i] || decision->ts_ns < wait->since_ns || decision->ts_ns >= wait->end_ns ||
		    decision->next == wait->task ||
		    !rules_has_candidate(&why->rules, states, decision, wait->task, NULL))
			continue;
		why->has_shown[i] = true;
		buffer_printf(&why->print.text, "PID %" PRId32 " waits %.3f ms\n", states->tasks[wait->task].pid,
			      (double)(wait->end_ns - wait->since_ns) / 1e6);
		return true;
	}
	return false;
}

static bool is_wanted(struct why *why, const struct task_states *states, const struct rule_decision *decision)
{
	const struct why_options *given = why->given;

	if (given->decision)
		return why->number >= given->decision && pass_wants_cpu(why->pass, decision->cpu);
	if (decision->kind != DECISION_SWITCH || !pass_wants_cpu(why->pass, decision->cpu))
		return false;
	if (given->switch_number)
		return decision->switch_number >= given->switch_number;
	if (given->worst)
		return ends_no_wait(why, states, decision);
	if (given->task)
		return rules_has_candidate(&why->rules, states, decision, TASK_NONE, given->task);
	return since_start(why, decision->ts_ns) + ROUNDING_NS >= why->at_ns;
}

static void decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	struct why *why = context;

	why->number++;
	if (why->is_done || !is_wanted(why, states, decision))
		return;
	decision_print_add(&why->print, states, decision, why->is_partial ? 0 : why->number,
			   since_start(why, decision->ts_ns));
	why->is_judged = why->is_judged && decision->verdict != VERDICT_NOT_JUDGED;
	why->shown++;
	why->is_done = why->shown == (why->given->max     ? why->given->max
				      : why->given->worst ? why->given->worst
				      : why->given->task  ? 20
							  : 1);
}

static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct why *why = context;

	rules_begin(&why->rules, &why->consumer, pass);
	if (why->is_partial)
		rules_apply_mark(&why->rules, &why->mark);
	return rules_need_keys(&why->rules, pass, err);
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *changes, struct error *err)
{
	struct why *why = context;

	(void)err;
	why->pass = pass;
	rules_step(&why->rules, pass, event, changes);
	return why->is_done ? STATUS_END : STATUS_OK;
}

static enum status check_options(struct why *why, struct error *err)
{
	const struct why_options *given = why->given;
	char *end = NULL;

	if (!!given->at + !!given->switch_number + !!given->decision + !!given->task + !!given->worst != 1)
		return error_set(err, STATUS_USAGE, NULL, "give one of --at, --switch, --decision, --task and --worst");
	if (given->at) {
		const double seconds = strtod(given->at, &end);
		if (end == given->at || (*end && strcmp(end, "s") != 0) || !(seconds >= 0 && seconds < 1e9))
			return error_set(err, STATUS_USAGE, "--at", "'%s' is not a time in seconds", given->at);
		why->at_ns = (uint64_t)(seconds * 1e9 + 0.5);
	}
	return STATUS_OK;
}

static enum status print_why(struct why *why, const struct pass *pass, struct error *err)
{
	if (why->shown == 0 && why->given->task)
		return error_set(err, STATUS_USAGE, "--task", "'%s' is a candidate of no decision", why->given->task);
	if (why->shown == 0)
		return error_set(err, STATUS_USAGE, NULL, "the trace has no such decision");
	return decision_print_write(&why->print, pass, err);
}

static void forget_result(struct why *why)
{
	why->number = why->shown = 0;
	why->is_done = false;
	why->is_judged = true;
	decision_print_begin(&why->print);
}

/* The time of the first event, and the mark that follows it. */
static enum status read_beginning(struct why *why, const struct input *input, struct error *err)
{
	enum { EVENTS_MAX = 1000 };
	struct sched_source *source;
	struct sched_event event;
	enum status status = input_source(input, &source, err);

	if (status != STATUS_OK)
		return status;
	why->mark = (struct key_mark){.hz = 0};
	for (int i = 0; i < EVENTS_MAX && (status = sched_source_next(source, &event, err)) == STATUS_OK; i++) {
		if (i == 0)
			why->first_ns = event.ts_ns;
		if (event.kind == SCHED_MARK && key_mark_read(event.mark.text, event.mark.length, &why->mark))
			break;
	}
	sched_source_close(source);
	return status == STATUS_END ? STATUS_OK : status;
}

/* Reads from a short time before --at on, or else from a longer one, until the decision is judged. */
static enum status read_near(struct why *why, const struct operands *operands, const struct pass_consumer *consumer,
			     struct pass *pass, struct error *err)
{
	const struct pass_options *given = &why->given->analysis.pass;
	struct input input = {0};
	enum status status = input_open(&input, operands->items[0], err);

	if (status != STATUS_OK)
		return status;
	status = input.kind == INPUT_DAT ? read_beginning(why, &input, err) : STATUS_OK;
	const struct tracedat whole = input.trace;
	struct tracedat_cpu *cpus = xcalloc(whole.cpu_count + 1, sizeof(*cpus));
	bool is_found = false;
	if (whole.cpu_count)
		memcpy(cpus, whole.cpus, whole.cpu_count * sizeof(*cpus));
	for (uint64_t span_ns = UINT64_C(100000000); status == STATUS_OK && !is_found; span_ns *= 10) {
		why->is_partial = input.kind == INPUT_DAT && span_ns < why->at_ns;
		if (whole.cpu_count)
			memcpy(input.trace.cpus, cpus, whole.cpu_count * sizeof(*cpus));
		if (why->is_partial)
			tracedat_skip_before(&input.trace, why->first_ns + why->at_ns - span_ns);
		forget_result(why);
		pass_free(pass);
		status = pass_read_inputs(given, &input, 1, consumer, pass, err);
		is_found = !why->is_partial || (why->shown && why->is_judged);
	}
	free(cpus);
	input_close(&input);
	return status;
}

static enum status read_trace(struct why *why, const struct operands *operands, const struct pass_consumer *consumer,
			      struct pass *pass, struct error *err)
{
	const struct pass_options *given = &why->given->analysis.pass;

	if (why->given->worst) {
		const struct pass_consumer waits = worst_waits_consumer(&why->waits);
		why->waits.max = (uint32_t)why->given->worst;
		enum status found = analysis_read(&why->given->analysis, operands, &waits, pass, err);
		pass_free(pass);
		if (found != STATUS_OK)
			return found;
		why->has_shown = xcalloc(why->waits.count + 1, sizeof(*why->has_shown));
	}
	if (!why->given->at || operands->count == 0 || file_is_directory(operands->items[0]) || given->from > 0 ||
	    given->to > 0 || given->from_mark || given->to_mark)
		return analysis_read(&why->given->analysis, operands, consumer, pass, err);
	enum status status = analysis_check_options(&why->given->analysis, err);
	return status == STATUS_OK ? read_near(why, operands, consumer, pass, err) : status;
}

static int run_why(const struct call *call)
{
	const struct why_options *given = call->values;
	struct why why = {.given = given, .print = {.options = &given->analysis, .rules = &why.rules}};
	const struct pass_consumer consumer = {.context = &why, .begin = begin, .step = step};
	struct pass pass = {0};
	struct error err = {0};
	enum status status = check_options(&why, &err);

	why.consumer = (struct rules_consumer){.context = &why, .decide = decide};
	forget_result(&why);
	if (status == STATUS_OK)
		status = read_trace(&why, &call->operands, &consumer, &pass, &err);
	if (status == STATUS_OK)
		status = print_why(&why, &pass, &err);
	rules_free(&why.rules);
	worst_waits_free(&why.waits);
	free(why.has_shown);
	decision_print_free(&why.print);
	return analysis_exit(&pass, status, &err);
}

const struct command command_why = {
    .name = "why",
    .summary = "why a task was picked: the candidates with their keys, and the rule",
    .operands = "[FILE]",
    .operands_max = 1,
    .details =
	"Needs a trace with keys. Shows the candidates of a decision with weight, lag (V - vruntime, in virtual time\n"
	"and as CPU time), deadline - V, slice and whether they are eligible; the task that was picked, what asked\n"
	"for the switch, and the reason. If the published rule (picknext help rules) picks another task, that one is\n"
	"named. V is the weighted average of all vruntimes on the queue.",
    .examples = "  picknext why --at 3.640829 trace.dat\n"
		"  picknext why --decision 1042 trace.dat      # as picknext check-rule numbers them\n"
		"  picknext why --task worker-217 --json trace.dat\n"
		"  picknext why --worst 3 trace.dat\n",
    .options = options,
    .values_size = sizeof(struct why_options),
    .run = run_why,
};
