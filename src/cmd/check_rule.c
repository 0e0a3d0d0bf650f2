/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "cmd/commands.h"
#include "measure/trace_identity.h"
#include "print/rules_print.h"

struct check_rule_options {
	struct analysis_options analysis;
};

static const struct option options[] = {
    ANALYSIS_OPTION_ROWS(struct check_rule_options, analysis),
    {.name = NULL},
};

/* The consumer of the decisions, and the JSON beside the current trace. */
struct rule_check {
	struct rules_reading reading;
	struct pass_consumer rules;
	struct pass pass;
	struct run run;
	uint32_t untrusted_before;
};

/* Without a JSON that can be read, nothing speaks against the trace. */
static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct rule_check *check = context;
	struct error unreadable;

	check->untrusted_before = pass->summary.untrusted_runs;
	run_free(&check->run);
	check->run = (struct run){.id = NULL};
	if (strcmp(pass->run.path, INPUT_STANDARD) != 0)
		run_open(&check->run, pass->run.path, &unreadable);
	return check->rules.begin(check->rules.context, pass, err);
}

static enum status step_rules(void *context, const struct pass *pass, const struct sched_event *event,
			      const struct task_step *step, struct error *err)
{
	const struct rule_check *check = context;

	return check->rules.step(check->rules.context, pass, event, step, err);
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct rule_check *check = context;
	const struct trace_identity trace = trace_identity_of_pass(pass);
	struct quality_finding finding;

	trace_identity_judge(&check->run, &trace, &finding);
	if (finding.grade == QUALITY_BAD && pass->summary.untrusted_runs == check->untrusted_before)
		pass_summary_add_finding(&check->pass.summary, pass->run.number, &finding);
	return check->rules.end(check->rules.context, pass, err);
}

static int run_check_rule(const struct call *call)
{
	const struct check_rule_options *given = call->values;
	struct rule_check check = {.untrusted_before = 0};
	const struct pass_consumer consumer = {
	    .context = &check, .begin = begin_trace, .step = step_rules, .end = end_trace};
	struct error err = {0};

	check.rules = rules_reading_begin(&check.reading);
	enum status status = analysis_read(&given->analysis, &call->operands, &consumer, &check.pass, &err);
	if (status == STATUS_OK)
		status = rules_print(&check.reading, &given->analysis, &check.pass, &err);
	const bool has_breaks = check.reading.has_breaks;
	if (status == STATUS_OK && !has_breaks)
		status = rules_print_find_doubt(&check.reading, &check.pass, &err);
	rules_reading_free(&check.reading);
	run_free(&check.run);
	const int code = analysis_exit(&check.pass, status, &err);
	return code ? code : has_breaks;
}

const struct command command_check_rule = {
    .name = "check-rule",
    .summary = "whether each decision is that of the scheduler's published rule",
    .operands = ANALYSIS_OPERANDS,
    .operands_max = SIZE_MAX,
    .details = ANALYSIS_DETAILS
    "\n\n"
    "Needs traces with keys, which only trace.dat files have. Rebuilds the queue of each CPU and applies the\n"
    "published rule (picknext help rules) to each pick and to each test of a wakeup. A decision is judged only if the\n"
    "sums that the kernel keeps of its queue prove that all candidates are known. Invariants are what must hold\n"
    "for the keys themselves.\n"
    "Exit code 1: at least one decision breaks the rule (picknext why shows it), or an invariant is broken. One\n"
    "trace is enough: no statistics are needed. 5: a trace is not to be trusted (picknext check), and no other\n"
    "one has a break.\n"
    "With --from or --from-mark the numbers of decisions, which count from the beginning, are not known.",
    .examples = "  picknext check-rule trace.dat\n"
		"  picknext check-rule --json raw | jq '.breaks[].what'\n",
    .options = options,
    .values_size = sizeof(struct check_rule_options),
    .run = run_check_rule,
};
