/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/migrations/forms.h"
#include "live/migrations.h"
#include "measure/migration_periods.h"
#include "print/period_counts.h"
#include "print/print.h"

static const struct option options[] = {
    OPTION(struct migrations_options, list, "list", .letter = 'l', .help = "list every migration, one per line"),
    OPTION(struct migrations_options, top, "top", .letter = 'n', .argument = "N",
	   .help = "show the N tasks and CPU pairs with the most migrations; 0 is all", .fallback = "20"),
    OPTION(struct migrations_options, period_ms, "period", .argument = "MS", .unit = "ms",
	   .help = "write statistics instead: one line of counts per period", .min = 1, .max = 86400000),
    OPTION(struct migrations_options, period_all, "period-all",
	   .help = "a field for all migrations (default, with --period-cause)"),
    OPTION(struct migrations_options, period_cause, "period-cause", .help = "one field per cause"),
    OPTION(struct migrations_options, period_cpu, "period-cpu", .help = "fields for migrations from and to each CPU"),
    OPTION(struct migrations_options, period_cpu_pair, "period-cpu-pair", .help = "a field for each pair of CPUs"),
    OPTION(struct migrations_options, live, "live",
	   .help = "count migrations as they happen (root); the default period is 1000 ms"),
    OPTION(struct migrations_options, hours, "hours", .argument = "H", .unit = "h",
	   .help = "--live: end after H hours (0.5 or 30min: half an hour)", .real_min = 0.0001, .real_max = 100000),
    OPTION(struct migrations_options, reset, "reset",
	   .help = "--live: empty FILE first; without it, a FILE that is not empty is an error"),
    OPTION(struct migrations_options, no_stacks, "no-stacks",
	   .help = "--live: count without causes, at the lowest cost"),
    OPTION(struct migrations_options, buffer_size_kb, "buffer-size", .letter = 'b', .argument = "KB", .unit = "KB",
	   .help = "--live: size of the trace buffer of each CPU", .fallback = "1024", .min = 8, .max = 1ull << 32),
    ANALYSIS_OPTION_ROWS(struct migrations_options, analysis),
    {.name = NULL},
};

static enum status refuse_option(struct error *err, const char *option, const char *why)
{
	return error_set(err, STATUS_USAGE, NULL, "%s %s", option, why);
}

static enum status check_options(const struct migrations_options *values, const struct operands *operands,
				 struct error *err)
{
	const struct analysis_options *given = &values->analysis;
	bool has_fields = values->period_all || values->period_cause || values->period_cpu || values->period_cpu_pair;

	if (has_fields && !values->period_ms && !values->live)
		return refuse_option(err, "--period", "is missing: give the length of a period, such as 100ms");
	if ((values->period_ms || values->live) && (values->list || given->json || given->csv))
		return refuse_option(err, values->live ? "--live" : "--period",
				     "has its own format; leave out --list, --json and --csv");
	if (!values->live && (values->hours > 0 || values->reset || values->no_stacks))
		return refuse_option(err,
				     values->reset       ? "--reset"
				     : values->no_stacks ? "--no-stacks"
							 : "--hours",
				     "requires --live");
	if (values->no_stacks && values->period_cause)
		return refuse_option(err, "--period-cause", "and --no-stacks are mutually exclusive");
	if (values->live && (operands->count || given->pass.cpus || given->pass.from > 0 || given->pass.to > 0 ||
			     given->pass.from_mark || given->pass.to_mark))
		return refuse_option(
		    err, "--live",
		    "counts on all CPUs and reads no trace; leave out operands, --cpu, --from, --to and marks");
	return STATUS_OK;
}

/* Bits of enum migration_period_fields, from the options. */
static unsigned int choose_fields(const struct migrations_options *values)
{
	const unsigned int fields =
	    (values->period_all ? PERIOD_ALL : 0u) | (values->period_cause ? PERIOD_CAUSES : 0u) |
	    (values->period_cpu ? PERIOD_CPUS : 0u) | (values->period_cpu_pair ? PERIOD_CPU_PAIRS : 0u);

	if (fields)
		return fields;
	return values->no_stacks ? PERIOD_ALL : PERIOD_ALL | PERIOD_CAUSES;
}

static int watch(const struct migrations_options *values)
{
	const struct live_migrations wanted = {
	    .output = values->analysis.pass.output,
	    .reset = values->reset,
	    .no_stacks = values->no_stacks,
	    .fields = choose_fields(values),
	    .period_ms = values->period_ms,
	    .buffer_size_kb = values->buffer_size_kb,
	    .hours = values->hours,
	};
	struct error err = {0};

	interrupt_catch();
	if (live_migrations_run(&wanted, &err) != STATUS_OK)
		return print_failure(&err);
	/* The counts up to the signal have been written. */
	return interrupt_signal() ? 128 + interrupt_signal() : 0;
}

static int run_migrations(const struct call *call)
{
	struct migrations_options *values = call->values;
	struct pass pass = {0};
	struct error err = {0};

	/* --live checks its output itself, because it writes in place. */
	if ((!values->live && analysis_check_options(&values->analysis, &err) != STATUS_OK) ||
	    check_options(values, &call->operands, &err) != STATUS_OK)
		return message_error(&err);
	if (values->live)
		return watch(values);
	enum status status = values->period_ms
				 ? period_counts_print(values->period_ms, choose_fields(values), &values->analysis.pass,
						       &call->operands, &pass, &err)
			     : values->list ? migrations_list(values, &call->operands, &pass, &err)
					    : migrations_summary(values, &call->operands, &pass, &err);
	return analysis_exit(&pass, status, &err);
}

const struct command command_migrations = {
    .name = "migrations",
    .summary = "which tasks moved between CPUs, and why",
    .operands = ANALYSIS_OPERANDS " | extract",
    .operands_max = SIZE_MAX,
    .details = ANALYSIS_DETAILS
    "\n\n"
    "The cause follows from the events around a migration or, with certainty, from the kernel function that\n"
    "moved the task (record --migration-stacks). Else it is unknown.\n\n"
    "  wakeup          woken onto another CPU\n"
    "  fork            started on another CPU than its parent; the kernel does not count it\n"
    "  exec            balanced at exec; shown as self without stacks\n"
    "  self            it changed its own allowed CPUs; without stacks also exec or NUMA balancing\n"
    "  pull            waiting; pulled by a CPU with less load: newidle (a CPU that becomes idle),\n"
    "                  periodic (at its ticks), nohz (by another CPU, for idle ones without a tick)\n"
    "  active-balance  running; pushed to an idle CPU\n"
    "  numa            to the node of its memory; without stacks only if two tasks are swapped\n"
    "  affinity        another task changed its allowed CPUs\n"
    "  rt-push, -pull  real-time or deadline, away from a CPU with more urgent work\n"
    "  hotplug         its CPU went offline; with stacks only\n"
    "  dispatch        waiting; taken from a queue of a sched_ext scheduler by the\n"
    "                  CPU that runs it next\n\n"
    "--cpu selects migrations from or to these CPUs. --live counts in a fixed amount of memory, until --hours\n"
    "have passed or Ctrl+C. See also picknext migrations extract --help: one series of the statistics.",
    .examples = "  picknext migrations trace.dat\n"
		"  picknext migrations --list --from-mark 'second phase' trace.dat | less\n"
		"  picknext migrations --period 100 --period-cpu-pair trace.dat > stat\n"
		"  picknext migrations extract --extract cpu_0_to_1 stat > cpu_0_to_1.xy\n"
		"  sudo picknext migrations --live --hours 8 -o stat",
    .options = options,
    .values_size = sizeof(struct migrations_options),
    .subcommand = &command_migrations_extract,
    .run = run_migrations,
};
