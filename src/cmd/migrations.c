/* SPDX-License-Identifier: MIT */
#include "cmd/migrations.h"

#include <string.h>

#include "base/message.h"
#include "cmd/commands.h"

static const struct option options[] = {
    {.name = "list",
     .letter = 'l',
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, list),
     .help = "every migration, a line each"},
    {.name = "top",
     .letter = 'n',
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct migrations_values, top),
     .argument = "N",
     .help = "show the N tasks that moved most, and N pairs of CPUs",
     .fallback = "20"},
    {.name = "compare",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, compare),
     .help = "with stacks: what the trace alone would have told"},
    {.name = "period",
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct migrations_values, period_ms),
     .argument = "MS",
     .help = "statistics instead: a line of counts each MS milliseconds",
     .least = 1,
     .most = 86400000},
    {.name = "period-all",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, period_all),
     .help = "a field of all (this one and the next without any of the four)"},
    {.name = "period-cause",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, period_cause),
     .help = "a field a cause"},
    {.name = "period-cpu",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, period_cpu),
     .help = "fields for from and to each CPU"},
    {.name = "period-cpu-pair",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, period_cpu_pair),
     .help = "a field for from each CPU to each other"},
    {.name = "live",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, live),
     .help = "count what happens now (root); a period is 1000 ms without --period"},
    {.name = "hours",
     .kind = OPTION_REAL,
     .offset = offsetof(struct migrations_values, hours),
     .argument = "H",
     .help = "--live: end after so long (0.5: half an hour)",
     .real_least = 0.0001,
     .real_most = 100000},
    {.name = "reset",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, reset),
     .help = "--live: empty FILE first; else one that holds something is refused"},
    {.name = "no-stacks",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct migrations_values, no_stacks),
     .help = "--live: count without causes, which costs least"},
    {.name = "buffer-size",
     .letter = 'b',
     .kind = OPTION_NUMBER,
     .offset = offsetof(struct migrations_values, buffer_size_kb),
     .argument = "KB",
     .help = "--live: trace buffer of each CPU",
     .fallback = "1024",
     .least = 8,
     .most = 1ull << 32},
    ANALYSIS_OPTION_ROWS(struct migrations_values, analysis),
    {.name = NULL},
};

unsigned int migrations_period_fields(const struct migrations_values *values)
{
	unsigned int fields = (values->period_all ? PERIOD_ALL : 0u) | (values->period_cause ? PERIOD_CAUSES : 0u) |
			      (values->period_cpu ? PERIOD_CPUS : 0u) |
			      (values->period_cpu_pair ? PERIOD_CPU_PAIRS : 0u);

	if (fields)
		return fields;
	return values->no_stacks ? PERIOD_ALL : PERIOD_ALL | PERIOD_CAUSES;
}

struct reading {
	const struct migrations_taker *taker;
	struct migration_feed feed;
};

static enum status hand_on(struct reading *reading, const struct pass *pass, struct error *err)
{
	struct migration migration;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && migrations_next(reading->feed.migrations, &migration))
		if (migrations_want(pass, &migration))
			status = reading->taker->take(reading->taker->context, pass, &migration, err);
	return status;
}

static enum status step(void *context, const struct pass *pass, const struct sched_event *event,
			const struct task_step *step, struct error *err)
{
	struct reading *reading = context;
	struct migration_moment moment;
	enum status status = STATUS_OK;

	if (!migration_moment_of(&pass->machine, event, step, &moment))
		return STATUS_OK;
	if (event->kind == SCHED_LOST && reading->taker->lost)
		status = reading->taker->lost(reading->taker->context, pass, event, err);
	if (status == STATUS_OK)
		status =
		    migration_feed_event(&reading->feed, sched_source_stream(pass->run.source), event, &moment, err);
	return status == STATUS_OK ? hand_on(reading, pass, err) : status;
}

static enum status begin(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;
	const struct sched_stream *stream = sched_source_stream(pass->run.source);

	migration_feed_close(&reading->feed);
	enum status status =
	    migration_feed_open(&reading->feed, stream ? sched_stream_trace(stream) : NULL, NULL, false, err);
	if (status == STATUS_OK && reading->taker->begin)
		status = reading->taker->begin(reading->taker->context, pass, &reading->feed, err);
	return status;
}

static enum status end(void *context, const struct pass *pass, struct error *err)
{
	struct reading *reading = context;

	migrations_end(reading->feed.migrations);
	enum status status = hand_on(reading, pass, err);
	if (status == STATUS_OK && reading->taker->end)
		status = reading->taker->end(reading->taker->context, pass, err);
	return status;
}

enum status migrations_read(const struct migrations_values *values, const struct operands *operands,
			    const struct migrations_taker *taker, struct pass *pass, struct error *err)
{
	struct reading reading = {.taker = taker};
	const struct pass_consumer consumer = {.context = &reading, .step = step, .begin = begin, .end = end};
	enum status status = analysis_read(&values->analysis, operands, &consumer, pass, err);

	migration_feed_close(&reading.feed);
	return status;
}

static enum status refuse(struct error *err, const char *option, const char *why)
{
	return error_set(err, STATUS_USAGE, option, "%s", why);
}

static enum status check_options(const struct migrations_values *values, const struct operands *operands,
				 struct error *err)
{
	const struct analysis_options *given = &values->analysis;
	bool has_fields = values->period_all || values->period_cause || values->period_cpu || values->period_cpu_pair;

	if (has_fields && !values->period_ms && !values->live)
		return refuse(err, "--period", "say how long a period is, in milliseconds");
	if ((values->period_ms || values->live) && (values->list || values->compare || given->json || given->csv))
		return refuse(err, values->live ? "--live" : "--period",
			      "has a format of its own; leave --list, --compare, --json and --csv out");
	if (values->list && values->compare)
		return refuse(err, "--compare", "belongs to the summary; leave --list out");
	if (!values->live && (values->hours > 0 || values->reset || values->no_stacks))
		return refuse(err,
			      values->reset       ? "--reset"
			      : values->no_stacks ? "--no-stacks"
						  : "--hours",
			      "belongs to --live");
	if (values->no_stacks && values->period_cause)
		return refuse(err, "--period-cause", "needs the stacks that --no-stacks leaves out");
	if (values->live && (operands->count || given->pass.cpus || given->pass.from > 0 || given->pass.to > 0 ||
			     given->pass.from_mark || given->pass.to_mark))
		return refuse(err, "--live", "counts what happens now, on all CPUs; it reads no trace");
	return STATUS_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct migrations_values values = {0};
	struct pass pass = {0};
	struct operands operands;
	int exit_code;
	struct error err = {0};

	if (argc > 1 && strcmp(argv[1], "extract") == 0)
		return command_migrations_extract.run(&command_migrations_extract, argc - 1, argv + 1);
	if (!options_begin(command, &values, argc, argv, &operands, &exit_code))
		return exit_code;
	if (check_options(&values, &operands, &err) != STATUS_OK)
		return message_error(&err);
	if (values.live)
		return migrations_live(&values);
	enum status status = values.period_ms ? migrations_periods(&values, &operands, &pass, &err)
			     : values.list    ? migrations_list(&values, &operands, &pass, &err)
					      : migrations_summary(&values, &operands, &pass, &err);
	return analysis_exit(&pass, status, &err);
}

const struct command command_migrations = {
    .name = "migrations",
    .summary = "which tasks moved from where to where, and why",
    .operands = ANALYSIS_OPERANDS " | extract",
    .most_operands = SIZE_MAX,
    .details = ANALYSIS_DETAILS
    "\n\n"
    "A cause is told from the events around a migration or, where certain, by the kernel function that moved the\n"
    "task (record --migration-stacks). What cannot be told is unknown.\n\n"
    "  wakeup          woken onto another CPU\n"
    "  fork            began on another CPU than its parent's; the kernel does not count it\n"
    "  exec            balanced as it began another program; self without stacks\n"
    "  self            asked for it: exec, its own affinity, or NUMA balancing\n"
    "  pull            waited, and was pulled by a CPU with less to do\n"
    "  active-balance  ran, and was pushed to an idle CPU\n"
    "  numa            to its memory's node; without stacks only where two are swapped\n"
    "  affinity        another task changed its allowed CPUs\n"
    "  rt-push, -pull  real-time, off a CPU with more urgent work\n"
    "  hotplug         its CPU went offline; with stacks only\n\n"
    "--cpu chooses those from or to these CPUs. --live counts in memory that is fixed from the start, until --hours\n"
    "are over or Ctrl+C. picknext migrations extract --help: series out of the statistics.",
    .examples = "  picknext migrations trace.dat\n"
		"  picknext migrations --list --from-mark 'second phase' trace.dat | less\n"
		"  picknext migrations --period 100 --period-cpu-pair trace.dat > stat\n"
		"  picknext migrations extract --extract cpu_0_to_1 stat > cpu_0_to_1.xy\n"
		"  sudo picknext migrations --live --hours 8 -o stat",
    .options = options,
    .run = run,
};
