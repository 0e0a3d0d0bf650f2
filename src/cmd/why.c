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
	uint64_t number, shown, judged;
	/* Where what is asked for begins: that time, and with --switch that CPU, and switches that a pass leaves out.
	 */
	uint64_t at_ns, switches_before;
	uint32_t at_cpu;
	/* Of --task: its PID, or 0; the last event that names it. */
	int32_t task_pid;
	uint64_t last_ns;
	/* The pass begins near at_ns: decisions have no number, and times count from the trace's first event. A trial
	 * shows nothing. */
	bool is_partial, is_trial;
	uint64_t first_ns;
	struct key_mark mark;
	/* Of --worst: the waits, the PIDs that wait, whether each is shown; which of them a pass looks for. */
	struct worst_waits waits;
	int32_t *pids;
	bool *has_shown;
	uint32_t wait, wait_end;
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
	for (uint32_t i = why->wait; i < why->wait_end; i++) {
		const struct worst_wait *wait = &why->waits.list[i];
		const uint32_t task = task_states_find(states, why->pids[i], decision->cpu);
		why->is_done = why->is_partial && decision->ts_ns >= wait->end_ns;
		if (why->has_shown[i] || decision->ts_ns < wait->since_ns || decision->ts_ns >= wait->end_ns ||
		    task == TASK_NONE || decision->next == task ||
		    !rules_has_candidate(&why->rules, states, decision, task, NULL))
			continue;
		why->has_shown[i] = !why->is_trial;
		if (!why->is_trial)
			buffer_printf(&why->print.text, "PID %" PRId32 " waits %.3f ms\n", why->pids[i],
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
	if (given->switch_number && !why->is_partial)
		return decision->switch_number >= given->switch_number;
	const uint64_t since_ns = since_start(why, decision->ts_ns);
	if (given->switch_number)
		return since_ns > why->at_ns || (since_ns == why->at_ns && decision->cpu == why->at_cpu);
	if (given->worst)
		return ends_no_wait(why, states, decision);
	if (given->task && rules_has_candidate(&why->rules, states, decision, TASK_NONE, given->task))
		return true;
	why->is_done = why->task_pid && decision->ts_ns > why->last_ns &&
		       !queues_waits(&why->rules.queues, rules_entity_of(&why->rules, why->task_pid));
	if (given->task)
		return false;
	return since_ns + ROUNDING_NS >= why->at_ns;
}

static void decide(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	struct why *why = context;

	why->number++;
	if (why->is_done || !is_wanted(why, states, decision))
		return;
	if (why->shown == 0)
		why->switches_before = why->given->switch_number - decision->switch_number;
	if (!why->is_trial)
		decision_print_add(&why->print, states, decision, why->is_partial ? 0 : why->number,
				   !why->is_partial            ? decision->switch_number
				   : why->given->switch_number ? decision->switch_number + why->switches_before
							       : 0,
				   since_start(why, decision->ts_ns));
	/* What is missing may be further back. */
	why->judged += decision->verdict != VERDICT_NOT_JUDGED;
	why->shown++;
	why->is_done = why->shown == (why->given->worst  ? why->wait_end - why->wait
				      : why->given->max  ? why->given->max
				      : why->given->task ? 20
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
	if (why->print.tables[1].table.cell_count == 0)
		return error_set(err, STATUS_USAGE, NULL, "the trace has no such decision");
	return decision_print_write(&why->print, pass, err);
}

static bool names_task(const struct sched_event *event, int32_t pid)
{
	switch (event->kind) {
	case SCHED_SWITCH:
		return event->switched.prev.pid == pid || event->switched.next.pid == pid;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		return event->wakeup.task.pid == pid;
	case SCHED_MIGRATE:
		return event->migrate.task.pid == pid;
	default:
		return false;
	}
}

/* Reads without judging: the time of the first event, the mark that follows it, and where what is asked for begins. */
static enum status find_beginning(struct why *why, struct input *input, struct error *err)
{
	enum { MARK_EVENTS_MAX = 1000 };
	const struct why_options *given = why->given;
	bool is_known = !given->switch_number && !why->task_pid;
	uint64_t switches = 0;
	struct sched_source *source;
	struct sched_event event = {.ts_ns = 0};
	enum status status = input_source(input, &source, err);

	if (status != STATUS_OK)
		return status;
	for (uint64_t i = 0; !is_known || (i < MARK_EVENTS_MAX && !why->mark.hz); i++) {
		status = sched_source_next(source, &event, err);
		if (status == STATUS_OK)
			status = input_step(input, err);
		if (status != STATUS_OK)
			break;
		if (i == 0)
			why->first_ns = event.ts_ns;
		if (i < MARK_EVENTS_MAX && event.kind == SCHED_MARK)
			key_mark_read(event.mark.text, event.mark.length, &why->mark);
		switches += event.kind == SCHED_SWITCH;
		if (given->switch_number && switches == given->switch_number && !is_known) {
			is_known = true;
			why->at_ns = event.ts_ns - why->first_ns;
			why->at_cpu = event.cpu;
		} else if (why->task_pid && names_task(&event, why->task_pid)) {
			why->at_ns = why->last_ns ? why->at_ns : event.ts_ns - why->first_ns;
			why->last_ns = event.ts_ns;
		}
	}
	/* None: no decision is after the end. */
	if (!is_known && !why->last_ns)
		why->at_ns = event.ts_ns - why->first_ns;
	sched_source_close(source);
	return status == STATUS_END ? STATUS_OK : status;
}

/* Reads from this long before what is asked for; all if that is the beginning. */
static enum status read_from(struct why *why, struct input *input, uint64_t span_ns,
			     const struct pass_consumer *consumer, struct pass *pass, struct error *err)
{
	const struct tracedat whole = input->trace;
	const size_t size = whole.cpu_count * sizeof(*whole.cpus);
	struct tracedat_cpu *cpus = xmalloc(size + 1);

	if (size)
		memcpy(cpus, whole.cpus, size);
	if (why->is_partial)
		tracedat_skip_before(&input->trace, why->first_ns + why->at_ns - span_ns);
	why->number = why->shown = why->judged = 0;
	why->is_done = false;
	pass_free(pass);
	const enum status status = pass_read_inputs(&why->given->analysis.pass, input, 1, consumer, pass, err);
	if (size)
		memcpy(whole.cpus, cpus, size);
	free(cpus);
	return status;
}

/* Reads from a short time before on, or else from a longer one, until a longer one does not judge more. */
static enum status read_near(struct why *why, struct input *input, const struct pass_consumer *consumer,
			     struct pass *pass, struct error *err)
{
	enum status status = STATUS_OK;
	uint64_t judged = UINT64_MAX;

	for (uint64_t span_ns = UINT64_C(100000000); status == STATUS_OK; span_ns *= 10) {
		why->is_partial = why->is_trial = input->kind == INPUT_DAT && span_ns < why->at_ns;
		status = read_from(why, input, span_ns, consumer, pass, err);
		const bool is_found = why->judged == why->shown || why->judged == judged;
		judged = why->judged;
		if (!why->is_trial || status != STATUS_OK)
			return status;
		if (is_found) {
			why->is_trial = false;
			return read_from(why, input, span_ns, consumer, pass, err);
		}
	}
	return status;
}

/* What is asked for is near a time that can be found without judging what is before it. */
static enum status read_parts(struct why *why, const char *path, const struct pass_consumer *consumer,
			      struct pass *pass, struct error *err)
{
	struct input input = {0};
	enum status status = input_open(&input, path, err);

	if (status != STATUS_OK)
		return status;
	const char *dash = why->given->task ? strrchr(why->given->task, '-') : NULL;
	why->task_pid = dash ? (int32_t)strtol(dash + 1, NULL, 10) : 0;
	if (input.kind == INPUT_DAT)
		status = find_beginning(why, &input, err);
	if (!why->given->worst && status == STATUS_OK)
		status = read_near(why, &input, consumer, pass, err);
	for (uint32_t i = 0; i < why->waits.count && status == STATUS_OK; i++) {
		why->at_ns = why->waits.list[i].since_start_ns;
		why->wait = i;
		why->wait_end = i + 1;
		status = read_near(why, &input, consumer, pass, err);
	}
	input_close(&input);
	return status;
}

/* The longest waits. */
static enum status find_waits(struct why *why, const struct operands *operands, struct pass *pass, struct error *err)
{
	const struct pass_consumer consumer = worst_waits_consumer(&why->waits);

	why->waits.max = (uint32_t)why->given->worst;
	enum status status = analysis_read(&why->given->analysis, operands, &consumer, pass, err);
	why->wait_end = why->waits.count;
	why->has_shown = xcalloc(why->waits.count + 1, sizeof(*why->has_shown));
	why->pids = xcalloc(why->waits.count + 1, sizeof(*why->pids));
	for (uint32_t i = 0; i < why->waits.count && status == STATUS_OK; i++)
		why->pids[i] = pass->states.tasks[why->waits.list[i].task].pid;
	pass_free(pass);
	return status;
}

static enum status read_trace(struct why *why, const struct operands *operands, const struct pass_consumer *consumer,
			      struct pass *pass, struct error *err)
{
	const struct pass_options *given = &why->given->analysis.pass;
	const bool is_whole = why->given->decision || operands->count == 0 || file_is_directory(operands->items[0]) ||
			      given->from > 0 || given->to > 0 || given->from_mark || given->to_mark;
	enum status status = analysis_check_options(&why->given->analysis, err);

	if (status == STATUS_OK && why->given->worst)
		status = find_waits(why, operands, pass, err);
	if (status != STATUS_OK)
		return status;
	return is_whole ? analysis_read(&why->given->analysis, operands, consumer, pass, err)
			: read_parts(why, operands->items[0], consumer, pass, err);
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
	decision_print_begin(&why.print);
	if (status == STATUS_OK)
		status = read_trace(&why, &call->operands, &consumer, &pass, &err);
	if (status == STATUS_OK)
		status = print_why(&why, &pass, &err);
	rules_free(&why.rules);
	worst_waits_free(&why.waits);
	free(why.has_shown);
	free(why.pids);
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
