/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "base/ordered.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/known_workloads.h"
#include "print/print.h"
#include "report/page.h"
#include "report/sections.h"

struct report_command_options {
	const char *output, *format;
	struct report_options read;
};

static const struct option options[] = {
    OPTION(struct report_command_options, output, "output", .letter = 'o', .argument = "FILE",
	   .help = "the page (report.html), or the directory of the charts\n(report-svg)"),
    OPTION_CHOICES(struct report_command_options, format, "format", "html|svg", .letter = 'f', .argument = "WHAT",
		   .help = "one page with everything, or one file per chart", .fallback = "html"),
    OPTION(struct report_command_options, read.is_history, "history",
	   .help = "sets in the order of their kernels, such as one per commit: the page\nshows each metric over "
		   "them, and where it changed"),
    RUN_SET_OPTION_ROWS(struct report_command_options, read.sets),
    COMPARISON_MARGIN_ROW(struct report_command_options, read.margin_percent),
    OPTION(struct report_command_options, read.from_s, "from", .argument = "SECONDS", .real_max = 1e9,
	   .help = "start of the timelines, counted from the start of the workload"),
    OPTION(
	struct report_command_options, read.to_s, "to", .argument = "SECONDS", .real_min = 1e-9, .real_max = 1e9,
	.help =
	    "end of the timelines; by default they show some sixty\nswitches of a CPU, at the same time in all sets, "
	    "where the\nrates of switches are the most typical"),
    JOBS_OPTION_ROW(struct report_command_options, read.jobs),
    {.name = NULL},
};

/* Runs before any trace is read, since reading can take long. */
static enum status check_values(const struct report_command_options *values, bool is_svg, const char *output,
				struct error *err)
{
	if (values->read.is_history && (is_svg || values->read.from_s > 0 || values->read.to_s > 0))
		return error_set(err, STATUS_USAGE, "--history",
				 "makes a page of sets; leave out --format svg, --from and --to");
	if (values->read.to_s > 0 && values->read.from_s >= values->read.to_s)
		return error_set(err, STATUS_USAGE, NULL, "--from must be before --to");
	if (is_svg && values->output && strcmp(values->output, "-") == 0)
		return error_set(err, STATUS_USAGE, NULL, "--output is a directory with --format svg, not a pipe");
	return is_svg ? STATUS_OK : output_check(output, err);
}

static int run_report(const struct call *call)
{
	struct report_command_options *values = call->values;
	struct error err = {0};
	struct report report = {0};

	interrupt_catch();
	bool is_svg = strcmp(values->format, "svg") == 0;
	const char *output = values->output ? values->output : is_svg ? "report-svg" : "report.html";
	enum status status = check_values(values, is_svg, output, &err);
	if (status == STATUS_OK)
		status = run_set_options_check(&values->read.sets, &call->operands, &err);
	if (status == STATUS_OK)
		status = report_read(&report, call->operands.items, call->operands.count, &values->read, output, &err);
	if (status == STATUS_OK)
		status = is_svg ? report_charts_write(&report, output, &err) : report_page_write(&report, output, &err);
	if (status == STATUS_OK && !values->output)
		message_info("%s %s", is_svg ? "the charts are in" : "the page is", output);
	report_free(&report);
	return status == STATUS_OK ? 0 : print_failure(&err);
}

const struct command command_report = {
    .name = "report",
    .summary = "one page of charts and tables about sets of runs",
    .operands = "DIR|FILE|-...",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .details =
	"Each operand is a directory of runs (DIR/raw if there is one), a directory of such directories, or one\n"
	"trace (- is standard input). All other sets are compared with the first, as picknext compare does. The\n"
	"page is one file that loads nothing and runs no script: it can be mailed, kept with a build, printed,\n"
	"or read on a phone.\n\n"
	"It has a summary in words, the comparison, and for each workload: waits after wakeup and preemption,\n"
	"switches before a woken task runs, and slices as curves, which task ran on which CPU in a short window of\n"
	"the first run, the longest waits for a CPU with a timeline around each, how tasks spent their time, by\n"
	"name and by CPU, how many ran or waited, and migrations. Timelines of several sets show the same time\n"
	"after the start of the workload; tasks of one name, in the order in which they appeared, have one colour\n"
	"in all of them. Of traces with keys (picknext help rules), the candidates of each switch and their keys\n"
	"are shown while the pointer is at it, or it is chosen by touch or arrow keys, for the first 90 KB of a\n"
	"window; and the summary begins with the share of the decisions that are the rule's. The last sections\n"
	"are lost events and other findings in the traces, and the machines that they were recorded on. Each chart\n"
	"has a table of its values. Task names, paths and metadata are data: markup in them stays text. The same\n"
	"runs give the same bytes.\n\n"
	"--history takes three or more sets in order of time or commit, as compare --history: the page names the set\n"
	"at which each metric changed, and draws each metric over all sets, with intervals and changes.\n\n"
	"On paper, A4 or letter, all workloads are expanded, charts are in two columns, and the table of a chart\n"
	"is printed if it was open. A browser without CSS's ::details-content prints only open workloads.",
    .examples = "  picknext report out                                  # compare all kernels of a picknext vm run\n"
		"  picknext report out/6.1.0 out/6.12.95 -o report.html\n"
		"  picknext report -w 'hackbench*' --from 0.5 --to 0.51 before after\n"
		"  picknext report io.dat -o io.html                    # a single trace\n"
		"  picknext report --history c1 c2 c3 c4 c5 c6          # a set per commit: where did it change?\n"
		"  picknext report --format svg -o charts before after",
    .options = options,
    .values_size = sizeof(struct report_command_options),
    .run = run_report,
};
