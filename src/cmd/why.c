/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmd/commands.h"
#include "cmd/run_choice.h"
#include "measure/worst_waits.h"
#include "print/decision_print.h"
#include "rules/decision_search.h"

struct why_options {
	struct analysis_options analysis;
	const char *at;
	uint64_t switch_number, decision, max, worst;
	const char *task, *run, *workload;
	struct task_choice tasks;
};

static const struct option options[] = {
    OPTION(struct why_options, at, "at", .argument = "SECONDS",
	   .help =
	       "the last pick or preemption test of a wakeup at or before this time,\ncounted from the first event, "
	       "and the next one; the invariants that are\nbroken at this time"),
    OPTION(struct why_options, switch_number, "switch", .argument = "N", .min = 1,
	   .help = "the Nth switch of the trace"),
    OPTION(struct why_options, decision, "decision", .argument = "N", .min = 1,
	   .help = "the Nth decision, as picknext check-rule counts them: picks and tests of wakeups"),
    OPTION(struct why_options, task, "task", .argument = "NAME-PID",
	   .help = "each pick with this task as a candidate, including picks that let\nthe running task go on"),
    OPTION(struct why_options, worst, "worst", .argument = "N", .min = 1, .max = WORST_WAITS_MAX,
	   .help =
	       "the N longest waits for a CPU: the tasks that ran meanwhile, and\nthe first switch that picked "
	       "another candidate than the task or, if it\nwas none, than its group; if there is no such switch, the "
	       "test at\nits wakeup, which did not preempt"),
    TASK_CHOICE_ROWS(struct why_options, tasks, "--worst, --at: "),
    TASK_CHOICE_ROLE_ROW(struct why_options, tasks, "--worst, --at: "),
    RUN_CHOICE_ROWS(struct why_options, run, workload, ""),
    OPTION(struct why_options, max, "max", .argument = "N", .min = 1,
	   .help = "show at most N decisions, from that one on (default: 1; with --at 2,\nwith --task 20)"),
    ANALYSIS_OPTION_ROWS(struct why_options, analysis),
    {.name = NULL},
};

struct why {
	struct why_options *given;
	struct decision_search search;
	struct decision_print print;
	/* For --worst. */
	struct worst_waits waits;
};

static void add_found(void *context, const struct task_states *states, const struct found_decision *found)
{
	decision_print_add(context, states, found);
}

static void add_break(void *context, const struct invariant_break *found)
{
	decision_print_add_break(context, found);
}

/* NAME-PID, "cgroup PATH", "group of NAME-PID", or "group 00a1b2". */
static bool is_task_label(const char *text)
{
	const char *dash = strrchr(text, '-');

	return strncmp(text, "group ", 6) == 0 || strncmp(text, "cgroup ", 7) == 0 ||
	       (dash && dash > text && dash[1] && strspn(dash + 1, "0123456789") == strlen(dash + 1));
}

/* A chosen task is picked, or is a candidate. */
static bool is_of_chosen(const void *context, const struct rules *rules, const struct task_states *states,
			 const struct rule_decision *decision)
{
	const struct task_choice *tasks = &((const struct why *)context)->given->tasks;

	if (decision->next != TASK_NONE &&
	    task_choice_has(tasks, states, decision->next, states->tasks[decision->next].comm))
		return true;
	for (uint32_t i = 0; i < decision->level_count; i++)
		for (uint32_t k = 0; k < decision->levels[i].level.count; k++) {
			const uint32_t task =
			    machine_task_state(&rules->machine, states, decision->levels[i].level.entities[k].id);
			if (task != TASK_NONE && task_choice_has(tasks, states, task, states->tasks[task].comm))
				return true;
		}
	return false;
}

static enum status choose_decision(struct why *why, struct error *err)
{
	struct why_options *given = why->given;
	char *end = NULL;

	if (given->task && !is_task_label(given->task)) {
		error_set(err, STATUS_USAGE, "--task", "'%s' is not NAME-PID, such as cpu-bound-169", given->task);
		return error_remedy(err, "picknext stat lists tasks and their PIDs");
	}
	if ((given->decision || given->switch_number) &&
	    (given->analysis.pass.from > 0 || given->analysis.pass.from_mark))
		return error_set(err, STATUS_USAGE, given->decision ? "--decision" : "--switch",
				 "counts from the beginning of the trace, without --from and --from-mark");
	if (!!given->at + !!given->switch_number + !!given->decision + !!given->task + !!given->worst != 1)
		return error_set(err, STATUS_USAGE, NULL, "give one of --at, --switch, --decision, --task and --worst");
	if (!task_choice_is_all(&given->tasks) && !given->at && !given->worst)
		return error_set(err, STATUS_USAGE, NULL, "--comm, --pid and --role need --at or --worst");
	why->search = (struct decision_search){.has_time = given->at != NULL,
					       .switch_number = given->switch_number,
					       .decision = given->decision,
					       .task = given->task,
					       .max = given->max    ? given->max
						      : given->task ? 20
						      : given->at   ? 2
								    : 1,
					       .found = add_found,
					       .found_break = add_break,
					       .context = &why->print,
					       .is_of = task_choice_is_all(&given->tasks) ? NULL : is_of_chosen,
					       .is_of_context = why};
	if (given->at) {
		const double seconds = strtod(given->at, &end);
		if (end == given->at || (*end && strcmp(end, "s") != 0) || !(seconds >= 0 && seconds < 1e9))
			return error_set(err, STATUS_USAGE, "--at", "'%s' is not a time in seconds", given->at);
		why->search.at_ns = (uint64_t)(seconds * 1e9 + 0.5);
	}
	if (analysis_check_options(&given->analysis, err) != STATUS_OK)
		return err->status;
	if (given->task) {
		/* Decisions depend on what was before: the window chooses among those of the whole trace. */
		why->search.from_ns = (uint64_t)(given->analysis.pass.from * 1e9 + 0.5);
		why->search.to_ns = (uint64_t)(given->analysis.pass.to * 1e9 + 0.5);
		given->analysis.pass.from = given->analysis.pass.to = 0;
	}
	return STATUS_OK;
}

/* input: the open trace if there is one file, since a pipe cannot be opened twice; else NULL. */
static enum status read_whole(const struct why *why, const struct operands *operands, struct input *input,
			      const struct pass_consumer *consumer, struct pass *pass, struct error *err)
{
	struct pass_consumer warning = *consumer;

	warning.warn = analysis_warn;
	pass_free(pass);
	return input ? pass_read_inputs(&why->given->analysis.pass, input, 1, &warning, pass, err)
		     : analysis_read(&why->given->analysis, operands, consumer, pass, err);
}

/* --- The longest waits, each in its trace --- */

/* Shows the wait, and the first switch of its longest part that picked another candidate. */
static enum status show_wait(struct why *why, const struct worst_wait *wait, struct input *input,
			     const struct pass *whole, struct error *err)
{
	const struct pass_options whole_trace = {.cpus = why->given->analysis.pass.cpus};
	const struct decision_wait part = {
	    .pid = whole->states.tasks[wait->task].pid,
	    .cpu = wait->longest.cpu,
	    .since_ns = wait->longest.since_ns,
	    .end_ns = wait->longest.end_ns,
	    .since_start_ns = wait->since_start_ns + (wait->longest.since_ns - wait->since_ns),
	};
	struct pass pass = {0};

	decision_print_wait(&why->print, &whole->states, wait, whole->paths[wait->run], whole->summary.runs > 1);
	enum status status = STATUS_OK;
	/* If there was no such pick, the preemption test of the wakeup shows why the running task went on. */
	for (int wants_test = 0; wants_test < 2 && status == STATUS_OK; wants_test++) {
		if (wants_test && why->search.count)
			break;
		decision_search_free(&why->search);
		why->search = (struct decision_search){
		    .wait = &part, .wants_test = wants_test, .max = 1, .found = add_found, .context = &why->print};
		decision_search_begin(&why->search);
		pass_free(&pass);
		status = decision_search_read(&why->search, &whole_trace, input, &pass, err);
	}
	if (status == STATUS_OK)
		decision_print_end_wait(&why->print, &whole->states, wait, &why->search);
	pass_free(&pass);
	return status;
}

static enum status show_waits(struct why *why, const struct operands *operands, struct input *input, struct pass *pass,
			      struct error *err)
{
	const struct pass_consumer consumer = worst_waits_consumer(&why->waits);

	why->waits.max = (uint32_t)why->given->worst;
	why->waits.tasks = &why->given->tasks;
	enum status status = read_whole(why, operands, input, &consumer, pass, err);
	for (uint32_t i = 0; i < why->waits.count && status == STATUS_OK; i++) {
		const struct worst_wait *wait = &why->waits.list[i];
		struct input opened = {0};
		if (!input)
			status = input_open(&opened, pass->paths[wait->run], err);
		if (status != STATUS_OK)
			break;
		status = show_wait(why, wait, input ? input : &opened, pass, err);
		input_close(&opened);
	}
	return status;
}

static enum status search_trace(struct why *why, const struct operands *operands, struct input *input,
				struct pass *pass, struct error *err)
{
	const struct pass_options *given = &why->given->analysis.pass;
	const bool is_whole =
	    why->given->decision || !input || given->from > 0 || given->to > 0 || given->from_mark || given->to_mark;

	if (why->given->worst)
		return show_waits(why, operands, input, pass, err);
	decision_search_begin(&why->search);
	const struct pass_consumer consumer = decision_search_consumer(&why->search);
	if (is_whole) {
		decision_search_restart(&why->search, why->given->at != NULL);
		enum status status = read_whole(why, operands, input, &consumer, pass, err);
		if (status != STATUS_OK || !why->given->at)
			return status;
		decision_search_restart(&why->search, false);
		return read_whole(why, operands, input, &consumer, pass, err);
	}
	/* The decision is near a time that can be found without judging all decisions before it. */
	pass_free(pass);
	return decision_search_read(&why->search, given, input, pass, err);
}

static enum status read_operand(struct why *why, const struct operands *operands, struct pass *pass, struct error *err)
{
	const bool is_directory = operands->count && file_is_directory(operands->items[0]);

	if (is_directory && !why->given->worst) {
		error_set(err, STATUS_USAGE, operands->items[0], "is a directory, and a decision is one of a trace");
		return error_remedy(err, "choose one of its traces with --run, or use --worst");
	}
	if (operands->count == 0 || is_directory)
		return search_trace(why, operands, NULL, pass, err);
	struct input input = {0};
	enum status status = input_open(&input, operands->items[0], err);

	if (status != STATUS_OK)
		return status;
	status = search_trace(why, operands, &input, pass, err);
	input_close(&input);
	return status;
}

/* Reads the chosen run of a directory instead of all. */
static enum status read_trace(struct why *why, const struct operands *operands, struct pass *pass, struct error *err)
{
	struct run_choice choice = {.workload = why->given->workload};
	struct run run = {.path = NULL};
	enum status status = run_choice_parse(&choice, why->given->run, err);

	if (status != STATUS_OK || (!why->given->run && !why->given->workload))
		return status == STATUS_OK ? read_operand(why, operands, pass, err) : status;
	if (operands->count == 0)
		return error_set(err, STATUS_USAGE, NULL,
				 "--run and --workload choose a trace of a directory: name it");
	status = run_choice_open(operands->items[0], &choice, &run, err);
	if (status == STATUS_OK)
		status = read_operand(why, &(struct operands){.items = &run.path, .count = 1}, pass, err);
	run_free(&run);
	return status;
}

/* Words for the part of the trace that was read. */
static const char *part_of(const struct why *why)
{
	const struct pass_options *given = &why->given->analysis.pass;

	return given->cpus || given->from > 0 || given->to > 0 || given->from_mark || given->to_mark
		   ? "the part that was chosen"
		   : "the trace";
}

static enum status print_why(struct why *why, const struct pass *pass, struct error *err)
{
	if (why->print.text.length)
		return decision_print_write(&why->print, pass, err);
	if (why->given->task)
		return error_set(err, STATUS_USAGE, "--task", "'%s' is a candidate of no decision", why->given->task);
	const struct decision_search *search = &why->search;
	if (why->given->decision)
		return error_set(err, STATUS_USAGE, "--decision", "the last one of %s is %" PRIu64, part_of(why),
				 search->number);
	if (why->given->switch_number)
		return error_set(err, STATUS_USAGE, "--switch", "the last one of %s is %" PRIu64, part_of(why),
				 search->switches);
	if (why->given->at)
		return error_set(err, STATUS_USAGE, "--at", "%s ends at %.6f s, and has no decision%s at %s s",
				 part_of(why), (double)search->length_ns / 1e9,
				 search->is_of ? " with a chosen task as a candidate" : "", why->given->at);
	const char *chosen = task_choice_is_all(&why->given->tasks) ? "" : " of a chosen task";
	if (why->waits.unknown)
		return error_set(err, STATUS_USAGE, "--worst",
				 "%s has no known waits%s: the lengths of %" PRIu64 " are not known (picknext check)",
				 part_of(why), chosen, why->waits.unknown);
	return error_set(err, STATUS_USAGE, "--worst", "%s has no waits%s", part_of(why), chosen);
}

static int run_why(const struct call *call)
{
	struct why_options *given = call->values;
	struct why why = {.given = given, .print = {.options = &given->analysis}};
	struct pass pass = {0};
	struct error err = {0};
	enum status status = task_choice_check(&given->tasks, &given->analysis.pass, &err);

	if (status == STATUS_OK)
		status = choose_decision(&why, &err);

	decision_print_begin(&why.print);
	if (status == STATUS_OK)
		status = read_trace(&why, &call->operands, &pass, &err);
	if (status == STATUS_OK)
		status = print_why(&why, &pass, &err);
	decision_search_free(&why.search);
	worst_waits_free(&why.waits);
	decision_print_free(&why.print);
	return analysis_exit(&pass, status, &err);
}

const struct command command_why = {
    .name = "why",
    .summary = "show why a task was picked: candidates with their keys, and the rule",
    .operands = "[FILE|DIR]",
    .operands_max = 1,
    .details =
	"Needs a trace with keys. Shows the candidates of a decision with weight, lag (V - vruntime, in virtual time\n"
	"and as CPU time), deadline - V, slice and whether they are eligible; the task that was picked, what asked\n"
	"for the switch, and the reason. If the published rule (picknext help rules) picks another task, that one is\n"
	"named. V is the weighted average of all vruntimes on the queue. \"older keys\": the keys of\n"
	"this group have changed since, without an event; the last recorded ones are shown.\n\n"
	"The preemption test of a wakeup does not pick a task yet: in CSV and JSON, picked marks the woken task. By\n"
	"the rule it preempts if rules marks the same task.",
    .examples = "  picknext why --at 3.640829 trace.dat\n"
		"  picknext why --decision 1042 trace.dat      # as picknext check-rule numbers them\n"
		"  picknext why --task worker-217 --json trace.dat\n"
		"  picknext why --worst 3 trace.dat\n"
		"  picknext why --worst 3 --role 'hog#2' out/6.12.95   # of all its runs\n"
		"  picknext why --at 1.2 --comm hog -w io_mixed --run 1 out/6.12.95\n",
    .options = options,
    .values_size = sizeof(struct why_options),
    .run = run_why,
};
