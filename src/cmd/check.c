/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/message.h"
#include "cmd/commands.h"
#include "print/check_report.h"
#include "print/plan_report.h"
#include "vm/plan/plan_check.h"

struct check_options {
	struct analysis_options analysis;
	uint64_t places;
	bool contents;
};

static const struct option options[] = {
    OPTION(struct check_options, places, "places", .argument = "N",
	   .help = "list at most N places with lost or wrong events, or an offline CPU", .fallback = "20"),
    OPTION(struct check_options, contents, "contents",
	   .help = "of a directory of picknext vm: compare the bytes of all files with\ntheir recorded hashes, not "
		   "only their sizes"),
    ANALYSIS_OPTION_ROWS(struct check_options, analysis),
    {.name = NULL},
};

static int check_directory(const char *directory, const struct check_options *values)
{
	const struct plan_report_form form = {
	    .json = values->analysis.json, .with_content = values->contents, .output = values->analysis.pass.output};
	struct plan_check check = {0};
	struct error err;

	if (values->analysis.csv) {
		error_set(&err, STATUS_USAGE, "--csv", "a directory with a plan is checked as text or --json");
		return message_error(&err);
	}
	enum status status = plan_report_print(directory, &form, &check, &err);
	const bool contradicts = check.states[CELL_CONTRADICTS], is_whole = check.states[CELL_WHOLE] == check.count;
	plan_check_free(&check);
	if (status != STATUS_OK)
		return message_error(&err);
	return contradicts ? 5 : !is_whole;
}

static int check_traces(const struct call *call)
{
	const struct check_options *values = call->values;
	struct check_report report = {.wanted = &values->analysis, .trace = {.places_max = values->places}};
	const struct trace_check *trace = &report.trace;
	struct pass pass = {0};
	struct error err = {0};

	enum status status = check_report_print(&report, &call->operands, &pass, &err);
	if (status == STATUS_OK && trace->bad + trace->unreadable) {
		err = trace->first;
		status = err.status;
	}
	if (status == trace->first.status && trace->bad + trace->unreadable > 1)
		message_warning("traces that cannot be read: %" PRIu32 ", that are not to be trusted: %" PRIu32
				"; the first:",
				trace->unreadable, trace->bad);
	check_report_free(&report);
	return analysis_exit(&pass, status, &err);
}

/* The exit code of the traces, or of the first set that is not what its plan says. */
static int check_plans(const struct operands *operands, bool with_content, int of_traces)
{
	int code = of_traces;
	struct error err;

	for (size_t i = 0; i < operands->count; i++) {
		if (plan_check_agrees(operands->items[i], with_content, &err) != STATUS_OK)
			code = message_error(&err);
		else if (plan_check_complete(operands->items[i], false, &err) != STATUS_OK) {
			message_error(&err);
			code = code ? code : 1;
		}
	}
	return code;
}

static int run_check(const struct call *call)
{
	const struct operands *operands = &call->operands;

	if (operands->count == 1 && plan_report_wants(operands->items[0]))
		return check_directory(operands->items[0], call->values);
	const struct check_options *values = call->values;
	return check_plans(operands, values->contents, check_traces(call));
}

const struct command command_check = {
    .name = "check",
    .summary = "the quality of a trace; what is missing in a directory of vm",
    .operands = ANALYSIS_OPERANDS,
    .operands_max = SIZE_MAX,
    .details =
	"Exit code 0: good, or usable with notes. 5: results from the trace are not to be trusted; one line says\n"
	"why and what to do. 3: the trace or its JSON cannot be read. A trace is not to be trusted if events were\n"
	"lost; if it ends early; if a CPU begins late by more than 1 % of the time, because its first events were\n"
	"overwritten; if more than 0.1 % of its times go back, or one of them by more than a millisecond; if\n"
	"switches are missing and the task is unknown for 2 % of the CPUs' time; if more than 0.5 % of its\n"
	"switches contradict those before, unless no events are missing and all of these are to tasks that slept,\n"
	"2 % of the wakeups at most; or if the JSON beside it describes another kernel, or another number of\n"
	"events. --from, --to and the marks check that part only.\n\n"
	"A missing switch between two known tasks is counted separately from impossible transitions, such as a\n"
	"task on two CPUs: it leaves bounds (picknext help limits). Of several traces only the bad findings are\n"
	"shown; -v shows all. A CPU is offline from its stopper's last switch to its next event: it is neither\n"
	"busy nor idle then, and the places list it.\n\n"
	"A directory that picknext vm -o wrote, or several copied into one, is checked against its plan instead:\n"
	"which of the boots (cells) are there, which are missing or failed, with the command that makes each, and\n"
	"which contradict the plan or their own record. vm.json of each set is brought up to date with its boots.\n"
	"Exit code 0: complete; 1: boots are missing or failed; 5: boots contradict. Of a set, DIR/SET, the\n"
	"traces are checked too.",
    .examples = "  picknext check trace.dat\n"
		"  picknext check -q raw/ && picknext stat raw/      # results only from good traces\n"
		"  picknext check --from 0.25 trace.dat              # without the beginning\n"
		"  picknext check out                                # of picknext vm --cells: is it complete?\n"
		"  picknext check --json trace.dat | jq '.traces[].verdict'",
    .options = options,
    .values_size = sizeof(struct check_options),
    .run = run_check,
};
