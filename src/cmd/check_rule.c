/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "cmd/commands.h"
#include "print/rules_print.h"

struct check_rule_options {
	struct analysis_options analysis;
};

static const struct option options[] = {
    ANALYSIS_OPTION_ROWS(struct check_rule_options, analysis),
    {.name = NULL},
};

static int run_check_rule(const struct call *call)
{
	const struct check_rule_options *given = call->values;
	struct rules_reading reading;
	const struct pass_consumer consumer = rules_reading_begin(&reading);
	struct pass pass;
	struct error err = {0};

	enum status status = analysis_read(&given->analysis, &call->operands, &consumer, &pass, &err);
	if (status == STATUS_OK)
		status = rules_print(&reading, &given->analysis, &pass, &err);
	const bool has_breaks = reading.has_breaks;
	if (status == STATUS_OK && !has_breaks)
		status = rules_print_find_doubt(&reading, &pass, &err);
	if (status == STATUS_OK && !has_breaks && !reading.found.account.judged) {
		error_set(&err, STATUS_LOST, reading.paths[0], "none of its decisions could be judged");
		status = error_remedy(&err, "record a longer time, with --keys (picknext help rules)");
	}
	rules_reading_free(&reading);
	const int code = analysis_exit(&pass, status, &err);
	return code ? code : has_breaks;
}

const struct command command_check_rule = {
    .name = "check-rule",
    .summary = "check each decision against the scheduler's published rule",
    ANALYSIS_COMMAND(struct check_rule_options, run_check_rule),
    .details = ANALYSIS_DETAILS
    "\n\n"
    "Needs traces with keys, which only trace.dat files have. Rebuilds the queue of each CPU and applies the\n"
    "published rule (picknext help rules) to each pick and to each test of a wakeup. A decision is judged only if the\n"
    "sums that the kernel keeps of its queue prove that all candidates are known. Invariants are\n"
    "conditions that the keys themselves must meet.\n"
    "Exit code 1: at least one decision breaks the rule (picknext why shows it), or an invariant is broken. One\n"
    "trace is enough: no statistics are needed. 5: a trace is not to be trusted (picknext check), and no other\n"
    "one has a break; or no decision could be judged.\n"
    "Decisions are numbered from the beginning of the trace, so with --from or --from-mark they have no numbers.",
    .examples = "  picknext check-rule trace.dat\n"
		"  picknext check-rule --json raw | jq '.breaks[].what'\n",
};
