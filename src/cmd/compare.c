/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/analysis_print.h"
#include "cmd/commands.h"
#include "compare/output.h"
#include "compare/run_set.h"
#include "term/print.h"

struct values {
	struct comparison_choice choice;
	struct option_list gates;
	const char *output, *junit;
	bool overview, all, changed, allow_lossy, list;
	bool json, csv, markdown, tap;
};

#define AT(member) .offset = offsetof(struct values, member)

static const struct option options[] = {
    {.name = "workload",
     .letter = 'w',
     .kind = OPTION_LIST,
     AT(choice.workloads),
     .argument = "NAME",
     .help = "only these workloads, separated by commas; * and ? stand\nfor any text and any character"},
    {.name = "metric",
     .letter = 'm',
     .kind = OPTION_LIST,
     AT(choice.metrics),
     .argument = "NAME",
     .help = "only these figures, likewise; --list shows all"},
    {.name = "overview",
     .kind = OPTION_FLAG,
     AT(overview),
     .help = "one row for each workload, with the main figures or those of\n--metric"},
    {.name = "changed",
     .kind = OPTION_FLAG,
     AT(changed),
     .help = "show only what differs (JSON and CSV have all rows)"},
    {.name = "all",
     .kind = OPTION_FLAG,
     AT(all),
     .help = "show also figures that no run has, or that are 0 in all,\nand workloads that only one set has"},
    {.name = "least",
     .kind = OPTION_REAL,
     AT(choice.change_min_percent),
     .argument = "PERCENT",
     .help = "a difference of less is the same",
     .fallback = "1",
     .real_least = 0,
     .real_most = 1000000},
    {.name = "strict",
     .kind = OPTION_FLAG,
     AT(choice.strict),
     .help = "same is also what would not stand among as many figures\n(the verdicts with a ?)"},
    {.name = "fail-if",
     .letter = 'f',
     .kind = OPTION_LIST,
     AT(gates),
     .argument = "GATE",
     .help = "exit with 1 where this is so; may be given more than once"},
    {.name = "junit",
     .kind = OPTION_TEXT,
     AT(junit),
     .argument = "FILE",
     .help = "also write JUnit XML to FILE, for CI"},
    {.name = "json",
     .kind = OPTION_FLAG,
     AT(json),
     .help = "write JSON instead of a table, with the values of every run"},
    {.name = "csv", .kind = OPTION_FLAG, AT(csv), .help = "write CSV instead"},
    {.name = "markdown", .kind = OPTION_FLAG, AT(markdown), .help = "write Markdown instead"},
    {.name = "tap", .kind = OPTION_FLAG, AT(tap), .help = "write TAP 13 instead"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     AT(output),
     .argument = "FILE",
     .help = "write it to FILE instead of standard output"},
    {.name = "allow-lossy", .kind = OPTION_FLAG, AT(allow_lossy), .help = "take runs that lost events too"},
    {.name = "list", .kind = OPTION_FLAG, AT(list), .help = "show all figures and what they mean"},
    {.name = NULL},
};

static const char *const directions[] = {"less is better", "", "more is better"};

/* Where the table would be broken: a figure a line, what it is beneath. */
static void list_narrow(struct buffer *out)
{
	for (enum run_metric metric = 0; metric < METRIC_COUNT; metric++) {
		const char *unit = metric_table[metric].unit;
		const char *direction = directions[metric_table[metric].direction + 1];
		buffer_text(out, metric_table[metric].name);
		if (*unit || *direction)
			buffer_printf(out, " (%s%s%s)", unit, *unit && *direction ? ", " : "", direction);
		buffer_printf(out, "\n    %s\n", metric_table[metric].help);
	}
}

static int list_figures(void)
{
	static const struct table_column columns[] = {
	    {"figure", "figure", TABLE_TEXT, TABLE_ALWAYS},
	    {"unit", "unit", TABLE_TEXT, TABLE_ALWAYS},
	    {"direction", "direction", TABLE_TEXT, TABLE_ALWAYS},
	    {"help", "what it is", TABLE_TEXT, TABLE_ALWAYS},
	    {NULL, NULL, TABLE_TEXT, TABLE_ALWAYS},
	};
	enum { TABLE_WIDTH = 132 };
	struct buffer out = {0};
	struct table table;

	if (terminal_width() && terminal_width() < TABLE_WIDTH) {
		list_narrow(&out);
		return print_buffer(&out);
	}
	table_begin(&table, columns);
	for (enum run_metric metric = 0; metric < METRIC_COUNT; metric++) {
		const char *direction = directions[metric_table[metric].direction + 1];
		table_text(&table, metric_table[metric].name, strlen(metric_table[metric].name));
		table_text(&table, metric_table[metric].unit, strlen(metric_table[metric].unit));
		table_text(&table, direction, strlen(direction));
		table_text(&table, metric_table[metric].help, strlen(metric_table[metric].help));
	}
	out.failed = table.failed;
	table_write_text(&table, 0, &out);
	table_free(&table);
	return print_buffer(&out);
}

static bool wants_workload(const void *context, const char *workload)
{
	return comparison_is_chosen(context, workload);
}

/* Before anything is read, which can take long. The gates' figures are shown whatever was chosen. */
static enum status check(struct values *values, const struct operands *operands, struct compare_gates *gates,
			 struct error *err)
{
	struct option_list *metrics = &values->choice.metrics;

	if (operands->count == 0)
		return error_set(err, STATUS_USAGE, NULL, "name the sets of runs to compare: two directories or more");
	if (values->json + values->csv + values->markdown + values->tap > 1)
		return error_set(err, STATUS_USAGE, NULL,
				 "only one of --json, --csv, --markdown and --tap can be given");
	if (comparison_check_metrics(metrics, err) != STATUS_OK ||
	    compare_gates_parse(&values->gates, gates, err) != STATUS_OK)
		return err->status;
	for (size_t i = 0; metrics->count && i < gates->count && metrics->count < OPTION_LIST_MOST; i++)
		metrics->items[metrics->count++] = metric_table[gates->gates[i].metric].name;
	return STATUS_OK;
}

static enum status check_sets(const struct run_sets *sets, struct error *err)
{
	if (sets->count >= 2 && sets->count <= COMPARISON_SETS_MAX)
		return STATUS_OK;
	if (sets->count > COMPARISON_SETS_MAX)
		return error_set(err, STATUS_USAGE, NULL, "%zu sets of runs; at most %d can be compared", sets->count,
				 COMPARISON_SETS_MAX);
	error_set(err, STATUS_USAGE, sets->count ? sets->items[0].operand : NULL, "is one set of runs");
	return error_remedy(err, "name another to compare it with");
}

static enum status write_file(const struct values *values, struct buffer *out, struct error *err)
{
	enum status status = analysis_write(values->output, out, err);

	buffer_free(out);
	return status;
}

static enum status write_all(const struct values *values, const struct compare_output *output, struct error *err)
{
	struct buffer out = {0};

	if (values->junit) {
		compare_write_junit(output, &out);
		if (out.failed)
			return error_system(err, ENOMEM, values->junit, "is too large");
		enum status status = file_replace(values->junit, out.data, out.length, err);
		buffer_free(&out);
		if (status != STATUS_OK)
			return status;
	}
	if (values->json)
		compare_write_json(output, &out);
	else if (values->csv)
		compare_write_csv(output, &out);
	else if (values->markdown)
		compare_write_markdown(output, &out);
	else if (values->tap)
		compare_write_tap(output, &out);
	else
		compare_write_text(output, &out);
	return write_file(values, &out, err);
}

/* What a CI job's log has to show, whatever else is written. */
static void tell_gates(const struct compare_gates *gates, const struct comparison_rows *rows)
{
	char reason[256];
	struct buffer name = {0};

	for (size_t i = 0; i < gates->case_count; i++) {
		const struct gate_case *gate_case = &gates->cases[i];
		if (gate_case->result == GATE_HOLDS)
			continue;
		gate_case_reason(gate_case, reason, sizeof(reason));
		buffer_clear(&name);
		compare_add_name(&name, rows->workloads[gate_case->row->workload].name);
		buffer_text(&name, " of ");
		compare_add_name(&name, rows->sets->items[gate_case->set].label);
		message_warning("%s: %s, %s: %s", gate_case->gate->text,
				gate_case->result == GATE_FIRES ? "fires" : "is undecided", name.data ? name.data : "",
				reason);
	}
	buffer_free(&name);
}

static int compare(const struct values *values, struct compare_gates *gates, const struct run_sets *sets,
		   struct error *err)
{
	struct buffer notices = {0};
	struct comparison_rows rows;
	enum status status = comparison_rows_make(sets, &values->choice, &rows, err);

	if (status == STATUS_OK)
		status = compare_gates_judge(gates, &rows, err);
	if (status == STATUS_OK) {
		const struct compare_output output = {.rows = &rows,
						      .choice = &values->choice,
						      .gates = gates,
						      .notices = &notices,
						      .overview = values->overview,
						      .all = values->all,
						      .changed = values->changed,
						      .width = values->output ? 0 : terminal_width()};
		compare_add_notices(&rows, &notices);
		status = write_all(values, &output, err);
	}
	bool is_text = !values->json && !values->csv && !values->markdown && !values->tap && !values->output;
	if (status == STATUS_OK && !is_text)
		tell_gates(gates, &rows);
	if (status == STATUS_OK && values->csv && notices.length)
		fwrite(notices.data, 1, notices.length, stderr);
	buffer_free(&notices);
	comparison_rows_free(&rows);
	if (status != STATUS_OK)
		return print_failure(err);
	if (gates->results[GATE_FIRES])
		return 1;
	return gates->results[GATE_UNDECIDED] ? 5 : 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct error err = {0};
	struct values values = {0};
	struct operands operands;
	struct compare_gates gates = {0};
	struct run_sets sets = {0};
	int exit_code;

	if (!options_begin(command, &values, argc, argv, &operands, &exit_code))
		return exit_code;
	if (values.list)
		return list_figures();
	if (check(&values, &operands, &gates, &err) != STATUS_OK)
		return message_error(&err);
	interrupt_catch();
	const struct run_set_options reading = {
	    .allow_lossy = values.allow_lossy, .wants = wants_workload, .context = &values.choice.workloads};
	if (run_sets_read(operands.items, operands.count, &reading, &sets, &err) != STATUS_OK ||
	    check_sets(&sets, &err) != STATUS_OK || run_sets_spare(&sets, values.output, &err) != STATUS_OK ||
	    run_sets_spare(&sets, values.junit, &err) != STATUS_OK)
		exit_code = message_error(&err);
	else
		exit_code = compare(&values, &gates, &sets, &err);
	compare_gates_free(&gates);
	run_sets_free(&sets);
	return exit_code;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "sets of runs, as of two kernels: what differs, and by how much",
    .operands = "A B...",
    .most_operands = SIZE_MAX,
    .details =
	"A and B are directories of runs, as picknext vm, collect or all write them (DIR/raw where there is\n"
	"one), or single traces (- is standard input); a directory of such directories is several sets. Which workload "
	"a trace is\n"
	"of its JSON says, or its name, NAME_run0; single traces are taken to be of one workload. Figures are of the "
	"workload's own tasks: of a command (exec:NAME,\n"
	"picknext record) it and all that it started. The first set is what the others are compared with. For each\n"
	"workload and figure it prints\n"
	"  median, spread  of the runs of the set; the spread is half the distance between the quartiles in\n"
	"                  percent of the median: half of the runs lie about that near\n"
	"  change          of the median, in percent of the first set's (a factor, x11.0, from +1000 % on);\n"
	"                  a difference where that is 0\n"
	"  95 % interval   which holds the true change in 95 of 100 cases: the percentile bootstrap of the\n"
	"                  medians, 9,999 resamples from a fixed seed, so that the same runs give the same\n"
	"                  bytes (where the terminal has 100 columns, and in files and pipes)\n"
	"  verdict         better, worse, or different where neither more nor less is better: the interval\n"
	"                  does not hold 0, and the change is at least --least. same: no difference has\n"
	"                  been shown; there may be a small one. too few: a set has fewer than 5 runs of\n"
	"                  it; with 4 the interval would hold the truth in 92 of 100 cases only, and two\n"
	"                  sets of 3 that do not overlap come by chance once in ten times.\n"
	"Where many figures are compared, up to 5 in 100 differ by chance. The last lines count that, and a\n"
	"verdict with a ? is one that does not stand when it is allowed for: the rank-sum test of Wilcoxon,\n"
	"Mann and Whitney, and the procedure of Benjamini and Hochberg at a rate of 5 %.\n\n"
	"Runs of the same number are not pairs, also not of the same seed: a seed does not make two kernels\n"
	"alike. What differs besides the kernel (HZ, preemption, CPUs, clock, accelerator, scale...) is\n"
	"told first.\n\n"
	"Traces of other tracers need no JSON: in a directory, called WORKLOAD_run0.dat, WORKLOAD_run1.dat...\n"
	"(trace-cmd's) or .txt (the kernel's text), they are runs of WORKLOAD. What is not recorded is not\n"
	"compared: sched_switch, sched_wakeup, sched_wakeup_new and sched_migrate_task give every figure but\n"
	"throughput, which a JSON beside the trace can say (README).\n"
	"\n"
	"GATE is [WORKLOAD:]FIGURE OP NUMBER[%], OP one of < <= > >=. With % it is about the change, and is\n"
	"so where the median changed that much and the interval shows that it changed at all. Without % it\n"
	"is about the median of each later set. Exit code 1 where a gate is so, 5 where none is but one\n"
	"could not be decided (too few runs, no value).",
    .examples = "  picknext compare out/6.1.0-50-amd64 out/6.12.95+deb12-amd64\n"
		"  picknext compare out                                   # every kernel in it against the first\n"
		"  picknext compare traces out/6.12.95+deb12-amd64        # this machine (picknext collect), a guest\n"
		"  picknext compare out/6.12.95+deb12-amd64 theirs        # theirs/io_mixed_run0.dat...: trace-cmd's\n"
		"  picknext compare out --overview                        # one row for each workload\n"
		"  picknext compare base head --changed -w 'hackbench_*,io_mixed' -m '*latency*'\n"
		"  picknext compare base head --fail-if 'wakeup_latency_p99_us > +10%' --junit compare.xml\n"
		"  picknext compare base head -f 'cpu_bound_4p: fairness_jain < 0.9' -f 'throughput_per_s < -5%'\n"
		"  picknext compare base head --markdown -o comment.md    # for a merge request",
    .options = options,
    .run = run,
};
