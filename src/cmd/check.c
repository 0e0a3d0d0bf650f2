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

static int print_check(const struct plan_check *check, const char *directory, const struct check_options *values)
{
	struct error err;

	if (values->analysis.csv) {
		error_set(&err, STATUS_USAGE, "--csv", "a directory of picknext vm is checked as text or --json");
		return message_error(&err);
	}
	if (plan_report_print(check, directory, values->analysis.json, values->analysis.pass.output, &err) != STATUS_OK)
		return message_error(&err);
	return check->states[RUN_CONTRADICTS] ? 5 : check->states[RUN_WHOLE] < check->count;
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

/* Adds the boots of a directory to the output. Returns code, or the exit code for faults of the boots. */
static int add_runs(const struct plan_check *check, const char *directory, int code)
{
	struct error err;

	if (plan_check_agrees(check, directory, &err) != STATUS_OK)
		return message_error(&err);
	if (plan_check_complete(check, directory, false, &err) == STATUS_OK)
		return code;
	message_error(&err);
	return code ? code : 1;
}

/* If a directory holds sets, checks only their boots; otherwise also its traces. */
static int run_check(const struct call *call)
{
	const struct check_options *values = call->values;
	const struct operands *operands = &call->operands;
	struct plan_check check;
	struct error err;
	int code = 0;

	for (size_t i = 0; i < operands->count; i++) {
		const char *operand = operands->items[i];
		const enum status status =
		    plan_check_make(operand, values->contents ? PLAN_CHECK_CONTENTS : PLAN_CHECK_KERNELS, &check, &err);
		const bool is_of_sets = operands->count == 1 && check.is_of_sets;
		if (status != STATUS_OK)
			return message_error(&err);
		if (i == 0 && !is_of_sets)
			code = check_traces(call);
		code = is_of_sets ? print_check(&check, operand, values) : add_runs(&check, operand, code);
		plan_check_free(&check);
	}
	return code;
}

const struct command command_check = {
    .name = "check",
    .summary = "check the quality of a trace, or a directory of vm for missing boots",
    ANALYSIS_COMMAND(struct check_options, run_check),
    .details =
	"Exit code 0: good, or usable with notes. 5: results from the trace are not to be trusted; one line says\n"
	"why and what to do. 3: the trace or its JSON cannot be read. A trace is not to be trusted if events were\n"
	"lost; if it ends early; if a CPU begins late by more than 1 % of the time, because its first events were\n"
	"overwritten; if more than 0.1 % of its times go back, or one of them by more than a millisecond; if\n"
	"switches are missing and the task is unknown for 2 % of the CPUs' time; if more than 0.5 % of its\n"
	"switches contradict earlier events, unless no events are missing and all of these switches are to tasks\n"
	"that slept, at most 2 % of the wakeups; or if the JSON beside it describes another kernel, or another\n"
	"number of events. With --from, --to or marks, only that part is checked.\n\n"
	"A missing switch between two known tasks is counted separately from impossible transitions, such as a\n"
	"task on two CPUs: its time has bounds (picknext help limits). For several traces, only bad findings are\n"
	"shown; -v shows all. A CPU is offline from its stopper's last switch to its next event: it is neither\n"
	"busy nor idle then, and the places list it.\n\n"
	"For a directory that picknext vm -o wrote, or several copied into one, check counts the boots that vm.json\n"
	"of each set asks for, and lists those that are missing or failed, or that contradict vm.json or their own\n"
	"record. Exit code 0: complete; 1: boots are missing or failed; 5: boots contradict.\n"
	"For a set, DIR/SET, the traces are checked, too.",
    .examples = "  picknext check trace.dat\n"
		"  picknext check -q raw/ && picknext stat raw/      # results only from good traces\n"
		"  picknext check --from 0.25 trace.dat              # without the beginning\n"
		"  picknext check out                                # of picknext vm: is it complete?\n"
		"  picknext check --json trace.dat | jq '.traces[].verdict'",
};
