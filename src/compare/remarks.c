/* SPDX-License-Identifier: MIT */
#include "compare/remarks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/escape.h"
#include "base/memory.h"
#include "compare/run_facts.h"
#include "compare/run_pairs.h"
#include "compare/run_reader.h"

/* Takes over the text. */
static struct remark *add_remark(struct remarks *remarks, enum remark_kind kind, size_t set, char *text)
{
	remarks->items = xreallocarray(remarks->items, remarks->count + 1, sizeof(*remarks->items));
	remarks->items[remarks->count] = (struct remark){.kind = kind, .set = set, .text = text};
	return &remarks->items[remarks->count++];
}

static struct remark *add_sentence(struct remarks *remarks, enum remark_kind kind, const char *sentence)
{
	return add_remark(remarks, kind, REMARK_ALL_SETS, xstrdup(sentence));
}

/* --- Differences --- */

static struct remark_item *add_item(struct remarks *remarks, enum run_sets_kernel kernel, const char *title)
{
	static const char *const headings[] = {
	    [RUN_SETS_KERNELS] = "Not only the kernel differs. Each of these can explain a difference:",
	    [RUN_SETS_ONE_RELEASE] =
		"The release and the build of the kernel are the same, its image is not. These differ:",
	    [RUN_SETS_ONE_BUILD] = "The release and the build of the kernel are the same. These settings differ:",
	    [RUN_SETS_ONE_KERNEL_IMAGE] = "The kernel is the same. These settings differ:",
	};
	struct remark *remark = remarks->count ? &remarks->items[remarks->count - 1] : NULL;

	if (!remark || remark->kind != REMARK_DIFFERENCES)
		remark = add_sentence(remarks, REMARK_DIFFERENCES, headings[kernel]);
	remark->items = xreallocarray(remark->items, remark->item_count + 1, sizeof(*remark->items));
	remark->items[remark->item_count] = (struct remark_item){.title = title};
	return &remark->items[remark->item_count++];
}

static void add_fact(struct remarks *remarks, const struct run_sets *sets, enum run_sets_kernel kernel,
		     enum environment_fact fact)
{
	struct remark_item *item = add_item(remarks, kernel, compared_field(fact)->title);

	for (size_t set = 0; set < sets->count; set++)
		item->values[set] = run_sets_fact_text(sets, set, fact);
	item->advice = run_sets_fact_advice(sets, fact);
}

static void add_differences(struct remarks *remarks, const struct run_sets *sets)
{
	const enum run_sets_kernel kernel = run_sets_kernel(sets);

	if (kernel == RUN_SETS_ONE_RELEASE)
		add_fact(remarks, sets, kernel,
			 run_sets_differ(sets, FACT_KERNEL_BUILD_ID) ? FACT_KERNEL_BUILD_ID : FACT_KERNEL_IMAGE);
	for (enum environment_fact fact = 0; fact < COMPARED_FACTS; fact++)
		if (run_sets_differ_besides_kernel(sets, fact))
			add_fact(remarks, sets, kernel, fact);
	if (remarks_have(remarks, REMARK_DIFFERENCES))
		return;
	if (kernel == RUN_SETS_ONE_KERNEL_IMAGE)
		add_sentence(remarks, REMARK_NO_DIFFERENCE,
			     "The kernel is the same, and no other known setting differs.");
	else if (kernel == RUN_SETS_ONE_BUILD)
		add_sentence(remarks, REMARK_NO_DIFFERENCE,
			     "The release and the build of the kernel are the same; whether its image is, is not "
			     "known. No other known setting differs.");
}

/* --- Guests --- */

static bool has_loaded_guest(const struct run_sets *sets)
{
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run->metadata.work.accelerator && !run->metadata.is_deterministic)
			return true;
	return false;
}

static void add_guest_time(struct remarks *remarks, const struct run_sets *sets)
{
	bool is_reported = sets->count > 1 && run_sets_differ(sets, FACT_ACCELERATOR);

	if (!is_reported && !run_sets_have_value(sets, FACT_DETERMINISTIC, "yes") &&
	    run_sets_have_value(sets, FACT_ACCELERATOR, "tcg"))
		add_sentence(
		    remarks, REMARK_GUEST_TIME,
		    "The guests were emulated (tcg): shares, causes and order are meaningful, but absolute times are "
		    "longer than on hardware.");
	/* The host's load is part of a guest's time, because the guest's clock goes on while it waits. */
	if (has_loaded_guest(sets))
		add_sentence(remarks, REMARK_HOST_LOAD,
			     "Host load affects the metrics of a guest; use --mode deterministic to exclude it.");
}

static void add_host_wait(struct remarks *remarks, const struct run_sets *sets)
{
	struct buffer text = {0};
	bool is_notable = false;

	buffer_text(&text, "Share of their time that the guests' CPUs waited for host CPUs: ");
	for (size_t set = 0; set < sets->count; set++) {
		double share = recorded_set_wait_share(&sets->items[set].recorded);
		is_notable |= share >= HOST_WAIT_NOTABLE;
		buffer_text(&text, set ? " | " : "");
		if (isnan(share))
			buffer_text(&text, "unknown");
		else
			buffer_printf(&text, "%.1f %%", 100 * share);
	}
	buffer_text(&text, ".");
	if (!is_notable) {
		buffer_free(&text);
		return;
	}
	struct remark *remark = add_remark(remarks, REMARK_HOST_WAIT, REMARK_ALL_SETS, text.data);
	remark->advice = "Times, rates and latencies include this wait: record again on a quiet host, or with "
			 "--mode deterministic.";
}

/* --- The part of the runs --- */

struct left_out_range {
	double start_min, start_max, end_min, end_max;
};

static void add_percent(struct buffer *text, double min, double max)
{
	char low[16], high[16];

	snprintf(low, sizeof(low), "%.0f", min);
	snprintf(high, sizeof(high), "%.0f", max);
	buffer_text(text, low);
	if (strcmp(low, high) != 0)
		buffer_printf(text, " to %s", high);
	buffer_text(text, " %");
}

static void add_left_out(struct remarks *remarks, const struct left_out_range *range)
{
	struct buffer text = {0};

	if (range->start_max < 0.5 && range->end_max < 0.5)
		return;
	buffer_text(&text, "Metrics except throughput are of the part of a run in which all tasks of the workload run. "
			   "Left out: ");
	add_percent(&text, range->start_min, range->start_max);
	buffer_text(&text, " of the time at the start, ");
	add_percent(&text, range->end_min, range->end_max);
	buffer_text(&text, " at the end.");
	add_remark(remarks, REMARK_LEFT_OUT, REMARK_ALL_SETS, text.data);
}

static void add_parts(struct remarks *remarks, const struct comparison_rows *rows)
{
	struct left_out_range range = {100, 0, 100, 0};
	struct buffer whole = {0};

	for (size_t i = 0; i < rows->workload_count; i++) {
		const char *workload = rows->workloads[i].workload;
		if (rows->workloads[i].family != i)
			continue;
		enum run_part part = run_sets_part(rows->sets, workload);
		if (part == RUN_PART_TOO_SHORT) {
			buffer_text(&whole, whole.length ? ", " : "Whole runs, with their start and end, count for ");
			buffer_text(&whole, workload);
		}
		for (size_t set = 0; set < rows->sets->count && part == RUN_PART_STEADY; set++) {
			const struct run_left_out left_out = run_set_left_out(&rows->sets->items[set], workload);
			range.start_min = fmin(range.start_min, left_out.start);
			range.start_max = fmax(range.start_max, left_out.start);
			range.end_min = fmin(range.end_min, left_out.end);
			range.end_max = fmax(range.end_max, left_out.end);
		}
	}
	add_left_out(remarks, &range);
	if (!whole.length)
		return;
	buffer_printf(&whole, ": all tasks run together for less than %d %% of a run. A larger --scale makes it more.",
		      RUN_STEADY_MIN_PERCENT);
	add_remark(remarks, REMARK_WHOLE_RUNS, REMARK_ALL_SETS, whole.data);
}

/* --- Missing or doubtful data --- */

/* Names the workloads of which this is true. */
static void add_workloads(struct remarks *remarks, const struct comparison_rows *rows, size_t set,
			  enum remark_kind kind, const char *beginning,
			  bool (*is_true)(const struct comparison_rows *rows,
					  const struct comparison_workload *workload, size_t set))
{
	struct buffer text = {0};

	for (size_t i = 0; i < rows->workload_count; i++)
		if (rows->workloads[i].family == i && is_true(rows, &rows->workloads[i], set))
			buffer_printf(&text, "%s%s", text.length ? ", " : beginning, rows->workloads[i].workload);
	if (text.length)
		add_remark(remarks, kind, set, text.data);
}

static bool has_no_runs(const struct comparison_rows *rows, const struct comparison_workload *workload, size_t set)
{
	(void)rows;
	return workload->runs[set] == 0;
}

static bool is_not_affected(const struct comparison_rows *rows, const struct comparison_workload *workload, size_t set)
{
	return run_sets_not_affected(rows->sets, workload->workload, set, workload->runs);
}

enum { FAILED = 1, EJECTED = 2, LOSSY = 4, BAD = 8, FOLLOWED = 16, LACKS_SWITCHES = 32, NO_METADATA = 64 };

static unsigned int find_faults(const struct run *run)
{
	const struct run_results *results = run->results;
	char failure[RUN_FAILURE_SIZE];
	unsigned int faults = run_has_metadata(run) ? 0 : NO_METADATA;

	if (run->metadata.scheduler.ejection)
		faults |= EJECTED;
	else if (run_failure(&run->metadata, failure))
		faults |= FAILED;
	if (results->is_lossy)
		faults |= LOSSY;
	else if (results->grade == QUALITY_BAD)
		faults |= BAD;
	return faults | (results->followed_only ? FOLLOWED : 0) | (results->lacks_switches ? LACKS_SWITCHES : 0);
}

#define WHY_BAD " not trustworthy (picknext check reports why)"
#define FOLLOW  "runs have events of followed tasks only (record --pid)"
#define LACKING "runs lack many switches: their kernel leaves them out"
#define NO_JSON " no JSON: throughput, HZ, preemption mode and other settings are unknown."

/* Words before and after "2 of 6", "1 of 6" and "1 of 1". Those of one kind are one remark. */
static const struct run_fault {
	unsigned int fault;
	enum remark_kind kind;
	const char *before, *several, *one, *lone;
	const char *advice;
} run_faults[] = {
    {FAILED, REMARK_DOUBTFUL, "the command failed in ", "runs", "runs", "runs", NULL},
    {EJECTED, REMARK_DOUBTFUL, "the scheduler was ejected in ", "runs", "runs", "runs", NULL},
    {LOSSY, REMARK_DOUBTFUL, "", "runs lack events", "runs lack events", "runs lack events", NULL},
    {BAD, REMARK_DOUBTFUL, "", "runs are" WHY_BAD, "runs is" WHY_BAD, "runs is" WHY_BAD, NULL},
    {FOLLOWED, REMARK_FOLLOWED, "", FOLLOW, FOLLOW, FOLLOW,
     "Metrics that depend on other tasks are missing: idle time, run queue, migrations."},
    {LACKS_SWITCHES, REMARK_LACKS_SWITCHES, "", LACKING, LACKING, LACKING,
     "Metrics that need each switch are missing: slices, waits, fairness, idle time."},
    {NO_METADATA, REMARK_NO_METADATA, "", "traces have" NO_JSON, "traces has" NO_JSON, "trace has" NO_JSON,
     "All CPUs of the trace count, and the tasks of its tracer unless the workload is one of picknext's."},
    {.fault = 0},
};

static void add_faults(struct remarks *remarks, const struct run_set *set, size_t number)
{
	struct buffer text = {0};

	for (const struct run_fault *row = run_faults; row->fault; row++) {
		size_t count = 0;
		for (size_t i = 0; i < set->count; i++)
			count += (find_faults(&set->runs[i]) & row->fault) != 0;
		const char *words = count > 1 ? row->several : set->count > 1 ? row->one : row->lone;
		if (count)
			buffer_printf(&text, "%s%s%zu of %zu %s", text.length ? "; " : "", row->before, count,
				      set->count, words);
		if (text.length && row[1].kind != row->kind) {
			add_remark(remarks, row->kind, number, text.data)->advice = row->advice;
			text = (struct buffer){0};
		}
	}
}

/* words: the command and its options, separated by spaces. */
static char *command_of_pair(const char *words, const struct run_pairs *pairs)
{
	struct arguments line = {0};
	struct buffer command = {0};

	arguments_add(&line, "picknext");
	for (size_t length; *words; words += length + (words[length] == ' ')) {
		length = strcspn(words, " ");
		arguments_add(&line, "%.*s", (int)length, words);
	}
	for (int i = 0; i < 2; i++)
		arguments_add(&line, "%s", pairs->runs[i]->path);
	arguments_quote(&line, " ", &command);
	arguments_free(&line);
	return command.data;
}

/* "CPU 1: hog#1 [300] R -> others" */
static void add_divergence(struct remarks *remarks, const struct run_sets *sets, size_t set)
{
	const struct run_pairs *first = NULL;
	struct buffer text = {0};

	for (size_t i = 0; i < sets->pair_count; i++) {
		const struct run_pairs *pairs = &sets->pairs[i];
		if (pairs->set == set && pairs->runs[0] && (!first || pairs->since_ns < first->since_ns))
			first = pairs;
	}
	if (!first)
		return;
	buffer_printf(
	    &text, "the first decision that differs with the same seed: %s, seed %" PRIu64 ", after %.6f s, CPU %u: ",
	    first->workload, first->runs[0]->number, (double)first->since_ns / 1e9, first->cpu);
	for (int i = 0; i < 2; i++)
		buffer_printf(&text, "%s%s %s", i ? ", " : "", sets->items[i ? set : 0].label,
			      first->words[i][0] ? first->words[i] : "ends");
	add_remark(remarks, REMARK_DIVERGENCE, set, text.data)->command = command_of_pair("diff", first);
	if (first->runs[0]->is_text || first->runs[1]->is_text)
		return;
	add_remark(remarks, REMARK_DIVERGENCE, set, xstrdup("both over time, for ui.perfetto.dev"))->command =
	    command_of_pair("export -f perfetto -o both.perfetto-trace", first);
}

static void add_not_exercised(struct remarks *remarks, const struct comparison_rows *rows, size_t set)
{
	const size_t count = rows->counts[set].verdicts[VERDICT_NOT_EXERCISED];

	if (count)
		add_remark(remarks, REMARK_NOT_EXERCISED, set,
			   xasprintf("%zu metric%s constant in all runs, not tested (compare --details=all)", count,
				     count == 1 ? " was" : "s were"));
}

/* --- Lines --- */

void remark_lines_add(struct remark_lines *lines, unsigned int indent, struct buffer *text)
{
	lines->items = xreallocarray(lines->items, lines->count + 1, sizeof(*lines->items));
	buffer_text(text, "");
	lines->items[lines->count++] = (struct remark_line){indent, text->data};
	*text = (struct buffer){0};
}

void remark_lines_free(struct remark_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->items[i].text);
	free(lines->items);
	*lines = (struct remark_lines){0};
}

static void add_advice(struct remarks *remarks, const char *advice)
{
	struct buffer text = {0};

	if (!advice)
		return;
	buffer_text(&text, advice);
	remark_lines_add(&remarks->lines, 4, &text);
}

static void add_name(struct buffer *out, const char *name)
{
	escape_line_add(name, strlen(name), out);
}

static void add_item_lines(struct remarks *remarks, const struct remark_item *item, size_t sets)
{
	struct buffer text = {0};

	buffer_printf(&text, "%s:", item->title);
	for (size_t set = 0; set < sets; set++) {
		buffer_text(&text, set ? " | " : " ");
		add_name(&text, item->values[set] ? item->values[set] : "");
	}
	remark_lines_add(&remarks->lines, 2, &text);
	add_advice(remarks, item->advice);
}

static void add_lines(struct remarks *remarks, const struct comparison_rows *rows)
{
	for (size_t i = 0; i < remarks->count; i++) {
		const struct remark *remark = &remarks->items[i];
		struct buffer text = {0};
		if (remark->set != REMARK_ALL_SETS) {
			add_name(&text, rows->sets->items[remark->set].label);
			buffer_text(&text, ": ");
		}
		add_name(&text, remark->text);
		remark_lines_add(&remarks->lines, 0, &text);
		for (size_t at = 0; at < remark->item_count; at++)
			add_item_lines(remarks, &remark->items[at], rows->sets->count);
		add_advice(remarks, remark->advice);
		add_advice(remarks, remark->command);
	}
}

/* --- Interface --- */

void remarks_make(const struct comparison_rows *rows, struct remarks *remarks)
{
	const struct run_sets *sets = rows->sets;

	*remarks = (struct remarks){0};
	if (sets->count > 1)
		add_differences(remarks, sets);
	if (!task_choice_is_all(sets->items[0].runs[0].results->choice))
		add_sentence(
		    remarks, REMARK_TASKS,
		    "Metrics are of the chosen tasks, in the time of the whole workload; those of the workload "
		    "or its CPUs are left out.");
	add_guest_time(remarks, sets);
	add_host_wait(remarks, sets);
	add_parts(remarks, rows);
	for (size_t set = 0; set < sets->count; set++)
		add_workloads(remarks, rows, set, REMARK_MISSING_RUNS, "no runs of ", has_no_runs);
	for (size_t set = 0; set < sets->count; set++) {
		add_workloads(remarks, rows, set, REMARK_NOT_AFFECTED,
			      "not affected (the traces are the same at each seed): ", is_not_affected);
		add_divergence(remarks, sets, set);
		add_not_exercised(remarks, rows, set);
		add_faults(remarks, &sets->items[set], set);
	}
	add_lines(remarks, rows);
}

void remarks_free(struct remarks *remarks)
{
	for (size_t i = 0; i < remarks->count; i++) {
		struct remark *remark = &remarks->items[i];
		for (size_t item = 0; item < remark->item_count; item++)
			for (size_t set = 0; set < COMPARISON_SETS_MAX; set++)
				free(remark->items[item].values[set]);
		free(remark->items);
		free(remark->text);
		free(remark->command);
	}
	remark_lines_free(&remarks->lines);
	free(remarks->items);
	*remarks = (struct remarks){0};
}

bool remarks_have(const struct remarks *remarks, enum remark_kind kind)
{
	for (size_t i = 0; i < remarks->count; i++)
		if (remarks->items[i].kind == kind)
			return true;
	return false;
}
