/* SPDX-License-Identifier: MIT */
#include "measure/idle_waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "cmd/commands.h"
#include "print/analysis_print.h"

struct idle_waiting_options {
	struct analysis_options analysis;
	const char *may_use;
	uint64_t threshold_us;
};

static const struct option options[] = {
    OPTION(struct idle_waiting_options, threshold_us, "threshold", .argument = "US", .unit = "us",
	   .help = "leave out stretches shorter than US microseconds (or 1ms)", .fallback = "0", .max = 1000000000),
    OPTION_CHOICES(struct idle_waiting_options, may_use, "may-use", "seen|any", .argument = "WHICH",
		   .help =
		       "CPUs that a task may use: those it was seen on so far, or\nany CPU of the trace (or of --cpu)",
		   .fallback = "seen"),
    ANALYSIS_OPTION_ROWS(struct idle_waiting_options, analysis),
    {.name = NULL},
};

static const struct table_column columns[] = {
    {"cpu", "CPU", TABLE_TEXT, TABLE_PEOPLE},
    {"cpu", "", TABLE_NUMBER, TABLE_DATA}, /* empty in the row of all CPUs */
    {"waited_ns", "waited while\nanother idled\nms", TABLE_MS, TABLE_ALWAYS},
    {"stretches", "stretches", TABLE_NUMBER, TABLE_ALWAYS},
    {"mean_ns", "mean\nus", TABLE_US, TABLE_ALWAYS},
    {"p50_ns", "p50\nus", TABLE_US, TABLE_ALWAYS},
    {"p99_ns", "p99\nus", TABLE_US, TABLE_ALWAYS},
    {"longest_ns", "longest\nus", TABLE_US, TABLE_ALWAYS},
    {"idle_ns", "CPU idle\nms", TABLE_MS, TABLE_ALWAYS},
    {"unknown_ns", "", TABLE_NUMBER, TABLE_DATA},
    {.key = NULL},
};

static const struct table_column longest_columns[] = {
    {"at_ns", "at\ns", TABLE_SECONDS, TABLE_ALWAYS}, {"duration_ns", "waited\nus", TABLE_US, TABLE_ALWAYS},
    {"comm", "name", TABLE_TEXT, TABLE_ALWAYS},      {"pid", "PID", TABLE_SIGNED, TABLE_ALWAYS},
    {"cpu", "CPU", TABLE_NUMBER, TABLE_ALWAYS},      {"idle_cpu", "idle CPU", TABLE_NUMBER, TABLE_ALWAYS},
    {"run", "run", TABLE_NUMBER, TABLE_WIDE},        {.key = NULL},
};

/* cpu -1: all CPUs. */
static void add_row(struct table *table, const struct pass *pass, int64_t cpu, const struct distribution *waits,
		    uint64_t idle_ns)
{
	char text[24] = "all";
	uint64_t hidden_ns;
	bool is_known =
	    pass_shows_waiting(pass, cpu < 0 ? 0 : (uint32_t)cpu, cpu < 0 ? UINT32_MAX : (uint32_t)cpu, &hidden_ns);
	const uint64_t values[] = {waits->sum,
				   waits->count,
				   distribution_mean(waits),
				   distribution_percentile(waits, 500),
				   distribution_percentile(waits, 990),
				   waits->max};

	if (cpu >= 0)
		snprintf(text, sizeof(text), "%" PRId64, cpu);
	table_string(table, text);
	TABLE_NUMBER_IF(table, cpu >= 0, (uint64_t)cpu);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		TABLE_NUMBER_IF(table, is_known, values[i]);
	TABLE_NUMBERS(table, idle_ns, hidden_ns);
}

static enum status print_tables(void *state, const void *values, const struct pass *pass, struct error *err)
{
	struct analysis_table tables[] = {analysis_table_of("longest", "The longest stretches", longest_columns),
					  analysis_table_of("cpus", "Per CPU", columns)};
	struct table *longest = &tables[0].table, *table = &tables[1].table;
	const struct idle_waiting *waiting = state;
	uint64_t idle_ns = 0;

	for (uint32_t i = 0; i < waiting->cpu_count; i++) {
		if (!idle_waiting_has_cpu(waiting, pass, i))
			continue;
		add_row(table, pass, i, &waiting->by_cpu[i], waiting->idle_ns[i]);
		idle_ns += waiting->idle_ns[i];
	}
	add_row(table, pass, -1, &waiting->all, idle_ns);
	for (uint32_t i = 0; i < waiting->longest.count; i++) {
		const struct longest_episode *it = &waiting->longest.list[i];
		TABLE_NUMBERS(longest, it->since_ns, it->duration_ns);
		table_task(longest, &pass->states, it->task, it->comm);
		TABLE_NUMBERS(longest, it->cpu, it->blamed, it->run);
	}
	tables[0].is_extra = tables[0].needs_rows = true;
	return analysis_print(values, pass, tables, 2, err);
}

static int run_idle_waiting(const struct call *call)
{
	const struct idle_waiting_options *values = call->values;
	struct idle_waiting waiting = {0};
	const struct pass_consumer consumer = idle_waiting_consumer(&waiting);

	waiting.may_use = strcmp(values->may_use, "any") == 0 ? idle_waiting_any_cpu : NULL;
	waiting.threshold_ns = values->threshold_us * 1000;
	const int code = analysis_run(call, &consumer, print_tables, &waiting);
	idle_waiting_free(&waiting);
	return code;
}

const struct command command_idle_waiting = {
    .name = "idle-waiting",
    .summary = "time that tasks waited while another CPU they may use was idle",
    ANALYSIS_COMMAND(struct idle_waiting_options, run_idle_waiting),
    .details = ANALYSIS_DETAILS
    "\n\n"
    "Sums, per CPU, how long tasks waited in its queue while another CPU that they may use was idle: time that\n"
    "a work-conserving scheduler would have used (the \"wasted cores\" measure). Two tasks that wait at once\n"
    "count twice. A trace does not show which CPUs a task may use: the default is those it ran on, or was woken\n"
    "or moved to, so far. Short stretches are normal: an idle CPU needs some time to find new work. A CPU\n"
    "counts as idle from its first event on; idle_ns in CSV and JSON is from the beginning, as in stat. A task\n"
    "that has used up its CPU quota (cpu.max) or deadline runtime seems to wait: see picknext help limits. After\n"
    "lost events, the tasks that wait for a CPU are unknown until it has been idle: this time is unknown_ns, and\n"
    "the values of a CPU are empty if it is more than 5 % of its time. In CSV and JSON the row of all CPUs has no cpu.",
    .examples = "  picknext idle-waiting raw/hackbench_pipe_small_run1.dat\n"
		"  picknext idle-waiting --threshold 100 out/eevdf    # only stretches of 100 us or more\n"
		"  picknext idle-waiting --may-use any --cpu 0-1 t.dat # either of the two workload CPUs",
};
