/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "base/ordered.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/known_workloads.h"
#include "print/analysis_print.h"
#include "print/print.h"
#include "report/page.h"
#include "report/sections.h"

struct report_command_options {
	const char *output, *format, *instance;
	struct report_options read;
};

static const struct option options[] = {
    OPTION(struct report_command_options, output, "output", .letter = 'o', .argument = "FILE",
	   .help = "the page (report.html), or the directory of the charts\n(report-svg)"),
    OPTION_CHOICES(struct report_command_options, format, "format", "html|svg", .letter = 'f', .argument = "WHAT",
		   .help = "one page with everything, or one file per chart", .fallback = "html"),
    RUN_SET_OPTION_ROWS(struct report_command_options, read.sets),
    COMPARISON_MARGIN_ROW(struct report_command_options, read.margin_percent),
    OPTION(struct report_command_options, read.from_s, "from", .argument = "SECONDS", .real_max = 1e9,
	   .help = "start of the timelines, counted from the start of the workload"),
    OPTION(
	struct report_command_options, read.to_s, "to", .argument = "SECONDS", .real_min = 1e-9, .real_max = 1e9,
	.help =
	    "end of the timelines; by default they show some sixty\nswitches of a CPU, at the same time in all sets, "
	    "where the\nrates of switches are the most typical; with keys, from the\nlongest wait of a first run on"),
    JOBS_OPTION_ROW(struct report_command_options, read.jobs),
    OPTION_INSTANCE(struct report_command_options, instance),
    {.name = NULL},
};

/* Called before any trace is read, because reading can take long. */
static enum status check_values(const struct report_command_options *values, bool is_svg, const char *output,
				struct error *err)
{
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
	"the first run, and the longest waits for a CPU with a timeline around each. Timelines of several sets show\n"
	"the same time after the start of the workload; tasks of one name, in the order in which they appeared, have\n"
	"one colour in all of them. If the traces have keys (picknext help rules), the page shows the candidates of a\n"
	"switch and their keys under the pointer or after a touch, for the first 90 KB of a window, and the summary\n"
	"begins with the share of the decisions that are the rule's. Timelines then begin at the longest wait, and\n"
	"show below the CPUs the lag of the task that waits, in all sets, at each decision with it as a candidate; a\n"
	"dot is one that picks another. The last section lists lost events and other findings in the traces. Each\n"
	"chart has a table of its values. Task names, paths and metadata are data: markup in them stays text. The\n"
	"same runs give the same bytes. picknext stat, migrations and compare --json have the times of tasks and\n"
	"CPUs, the migrations, and the environment of each set.\n\n"
	"On paper, A4 or letter, all workloads are expanded, charts are in two columns, and the table of a chart\n"
	"is printed if it was open. A browser without CSS's ::details-content prints only open workloads.",
    .examples = "  picknext report out                                  # compare all kernels of a picknext vm run\n"
		"  picknext report out/6.1.0 out/6.12.95 -o report.html\n"
		"  picknext report -w 'hackbench*' --from 0.5 --to 0.51 before after\n"
		"  picknext report io.dat -o io.html                    # a single trace\n"
		"  picknext report --format svg -o charts before after",
    .options = options,
    .values_size = sizeof(struct report_command_options),
    .run = run_report,
};
