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

/* Moves the text, which becomes empty. */
static struct remark *add_remark(struct remarks *remarks, enum remark_kind kind, size_t set, struct buffer *text)
{
	remarks->items = xreallocarray(remarks->items, remarks->count + 1, sizeof(*remarks->items));
	struct remark *remark = &remarks->items[remarks->count++];
	*remark = (struct remark){.kind = kind, .set = set, .text = text->data};
	*text = (struct buffer){0};
	return remark;
}

static struct remark *add_sentence(struct remarks *remarks, enum remark_kind kind, const char *sentence)
{
	struct buffer text = {0};

	buffer_text(&text, sentence);
	return add_remark(remarks, kind, REMARK_ALL_SETS, &text);
}

/* --- Differences --- */

static bool has_value(const struct run_sets *sets, enum environment_fact fact, const char *value)
{
	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run->facts[fact] && (!value || strcmp(run->facts[fact], value) == 0))
			return true;
	return false;
}

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

static const char *advice_on(const struct run_sets *sets, enum environment_fact fact)
{
	if (fact == FACT_ACCELERATOR && has_value(sets, fact, "tcg"))
		return "tcg translates each instruction, which takes many times as long: latencies, slices and rates "
		       "depend on the machine more than on the kernel.";
	if (fact == FACT_ISOLATION)
		return "Schedulers treat tasks with an affinity differently: record all sets with the same choice, "
		       "that of "
		       "the kernel's own scheduler with --scheduler none.";
	if (fact == FACT_SCALE)
		return "The runs did different amounts of work: throughput includes how they start and end.";
	if (fact == FACT_EARLIER_WORKLOADS)
		return "They change the state in which a run begins: record all sets with the same workloads, in the "
		       "same order.";
	return NULL;
}

/* The first digits show that hashes differ. */
static void shorten_hash(char *value)
{
	enum { HASH_MIN = 40, SHOWN = 12 };
	const size_t length = strlen(value);

	if (length >= HASH_MIN && strspn(value, "0123456789abcdef") == length)
		value[SHOWN] = '\0';
}

static char *fact_text(const struct run_sets *sets, size_t set, enum environment_fact fact)
{
	const struct run_set *shared = sets->count > 2 ? NULL : &sets->items[!set];
	char value[176];
	struct buffer text = {0};

	if (fact == FACT_TUNABLES)
		run_set_add_tunables(sets, set, &text);
	if (fact == FACT_EARLIER_WORKLOADS)
		run_set_add_earlier_workloads(sets, set, &text);
	if (text.length)
		return text.data;
	run_set_fact(&sets->items[set], shared, fact, value, sizeof(value));
	shorten_hash(value);
	return xstrdup(value);
}

static void add_fact(struct remarks *remarks, const struct run_sets *sets, enum run_sets_kernel kernel,
		     enum environment_fact fact)
{
	struct remark_item *item = add_item(remarks, kernel, compared_field(fact)->title);

	for (size_t set = 0; set < sets->count; set++)
		item->values[set] = fact_text(sets, set, fact);
	item->advice = advice_on(sets, fact);
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

	if (has_value(sets, FACT_DETERMINISTIC, "yes"))
		add_sentence(remarks, REMARK_GUEST_TIME, COMPARE_DETERMINISTIC_MEANING);
	else if (!is_reported && has_value(sets, FACT_ACCELERATOR, "tcg"))
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
		double share = sets->items[set].recorded.host_wait_share;
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
	struct remark *remark = add_remark(remarks, REMARK_HOST_WAIT, REMARK_ALL_SETS, &text);
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

	buffer_text(&text, "Metrics except throughput are of the part of a run in which all tasks of the workload run. "
			   "Left out: ");
	add_percent(&text, range->start_min, range->start_max);
	buffer_text(&text, " of the time at the start, ");
	add_percent(&text, range->end_min, range->end_max);
	buffer_text(&text, " at the end.");
	add_remark(remarks, REMARK_LEFT_OUT, REMARK_ALL_SETS, &text);
}

static void add_whole_runs(struct remarks *remarks, struct buffer *workloads)
{
	struct buffer text = {0};

	buffer_text(&text, "Whole runs, with their start and end, count for ");
	buffer_add(&text, workloads->data, workloads->length);
	buffer_printf(&text, ": all tasks run together for less than %d %% of a run. A larger --scale makes it more.",
		      RUN_STEADY_MIN_PERCENT);
	add_remark(remarks, REMARK_WHOLE_RUNS, REMARK_ALL_SETS, &text);
}

static void add_parts(struct remarks *remarks, const struct comparison_rows *rows)
{
	struct left_out_range range = {100, 0, 100, 0};
	struct buffer whole = {0};
	bool has_steady_part = false;

	for (size_t i = 0; i < rows->workload_count; i++) {
		const char *workload = rows->workloads[i].workload;
		if (rows->workloads[i].family != i)
			continue;
		enum run_part part = run_sets_part(rows->sets, workload);
		if (part == RUN_PART_TOO_SHORT) {
			buffer_text(&whole, whole.length ? ", " : "");
			buffer_text(&whole, workload);
		}
		for (size_t set = 0; set < rows->sets->count && part == RUN_PART_STEADY; set++) {
			const struct run_left_out left_out = run_set_left_out(&rows->sets->items[set], workload);
			range.start_min = fmin(range.start_min, left_out.start);
			range.start_max = fmax(range.start_max, left_out.start);
			range.end_min = fmin(range.end_min, left_out.end);
			range.end_max = fmax(range.end_max, left_out.end);
			has_steady_part = true;
		}
	}
	if (has_steady_part)
		add_left_out(remarks, &range);
	if (whole.length)
		add_whole_runs(remarks, &whole);
	buffer_free(&whole);
}

/* --- Missing or doubtful data --- */

static void add_missing_runs(struct remarks *remarks, const struct comparison_rows *rows, size_t set)
{
	struct buffer text = {0};

	for (size_t i = 0; i < rows->workload_count; i++) {
		if (rows->workloads[i].runs[set] || rows->workloads[i].family != i)
			continue;
		buffer_text(&text, text.length ? ", " : "no runs of ");
		buffer_text(&text, rows->workloads[i].workload);
	}
	if (text.length)
		add_remark(remarks, REMARK_MISSING_RUNS, set, &text);
}

static void add_doubtful(struct remarks *remarks, const struct run_set *set, size_t number)
{
	size_t failed = 0, ejected = 0, lossy = 0, bad = 0;
	char failure[RUN_FAILURE_SIZE];
	struct buffer text = {0};

	for (size_t i = 0; i < set->count; i++) {
		const struct run_metadata *metadata = &set->runs[i].metadata;
		ejected += metadata->scheduler.ejection != NULL;
		failed += !metadata->scheduler.ejection && run_failure(metadata, failure);
		lossy += set->runs[i].results->is_lossy;
		bad += !set->runs[i].results->is_lossy && set->runs[i].results->grade == QUALITY_BAD;
	}
	if (failed)
		buffer_printf(&text, "the command failed in %zu of %zu runs", failed, set->count);
	if (ejected)
		buffer_printf(&text, "%sthe scheduler was ejected in %zu of %zu runs", text.length ? "; " : "", ejected,
			      set->count);
	if (lossy)
		buffer_printf(&text, "%s%zu of %zu runs lack events", text.length ? "; " : "", lossy, set->count);
	if (bad)
		buffer_printf(&text, "%s%zu of %zu runs %s not trustworthy (picknext check reports why)",
			      text.length ? "; " : "", bad, set->count, bad == 1 ? "is" : "are");
	if (failed || ejected || lossy || bad)
		add_remark(remarks, REMARK_DOUBTFUL, number, &text);
}

/* Runs of which something is true, and what that means. */
static void add_runs(struct remarks *remarks, enum remark_kind kind, const struct run_set *set, size_t number,
		     size_t count, const char *what, const char *advice)
{
	struct buffer text = {0};

	if (!count)
		return;
	buffer_printf(&text, "%zu of %zu runs %s", count, set->count, what);
	add_remark(remarks, kind, number, &text)->advice = advice;
}

static void add_not_affected(struct remarks *remarks, const struct comparison_rows *rows, size_t set)
{
	struct buffer text = {0};

	for (size_t i = 0; i < rows->workload_count; i++) {
		const struct comparison_workload *workload = &rows->workloads[i];
		if (workload->family != i ||
		    !run_pairs_not_affected(run_sets_pairs(rows->sets, workload->workload, set), workload->runs[0],
					    workload->runs[set]))
			continue;
		buffer_printf(
		    &text, "%s%s",
		    text.length ? ", " : "not affected (the traces are the same at each seed): ", workload->workload);
	}
	if (text.length)
		add_remark(remarks, REMARK_NOT_AFFECTED, set, &text);
}

/* "CPU 1: hog#1 [300] R -> others" */
static void add_divergence(struct remarks *remarks, const struct run_sets *sets, size_t set)
{
	const struct run_pairs *first = NULL;
	struct arguments line = {0};
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
	struct remark *remark = add_remark(remarks, REMARK_DIVERGENCE, set, &text);
	arguments_add(&line, "picknext");
	arguments_add(&line, "diff");
	for (int i = 0; i < 2; i++)
		arguments_add(&line, "%s", first->runs[i]->path);
	arguments_quote(&line, " ", &text);
	remark->command = text.data;
	arguments_free(&line);
}

static void add_not_exercised(struct remarks *remarks, const struct comparison_rows *rows, size_t set)
{
	const size_t count = rows->counts[set].verdicts[VERDICT_NOT_EXERCISED];
	struct buffer text = {0};

	if (!count)
		return;
	buffer_printf(&text, "%zu metric%s not exercised (0, or the same value, in all runs of both sets): no test",
		      count, count == 1 ? " is" : "s are");
	add_remark(remarks, REMARK_NOT_EXERCISED, set, &text);
}

static void add_missing_events(struct remarks *remarks, const struct run_set *set, size_t number)
{
	size_t followed = 0, lacking = 0;

	for (size_t i = 0; i < set->count; i++) {
		followed += set->runs[i].results->followed_only;
		lacking += set->runs[i].results->lacks_switches;
	}
	add_runs(remarks, REMARK_FOLLOWED, set, number, followed, "have events of followed tasks only (record --pid)",
		 "Metrics that depend on other tasks are missing: idle time, run queue, migrations.");
	add_runs(remarks, REMARK_LACKS_SWITCHES, set, number, lacking,
		 "lack many switches: their kernel leaves them out",
		 "Metrics that need each switch are missing: slices, waits, fairness, idle time.");
}

static void add_no_metadata(struct remarks *remarks, const struct run_set *set, size_t number)
{
	size_t unknown = 0;
	struct buffer text = {0};

	for (size_t i = 0; i < set->count; i++)
		unknown += !run_has_metadata(&set->runs[i]);
	if (!unknown)
		return;
	buffer_printf(&text,
		      "%zu of %zu trace%s no JSON: throughput, HZ, preemption mode and other settings are unknown.",
		      unknown, set->count,
		      set->count == 1 ? " has"
		      : unknown == 1  ? "s has"
				      : "s have");
	struct remark *remark = add_remark(remarks, REMARK_NO_METADATA, number, &text);
	remark->advice = "All CPUs of the trace count, and the tasks of its tracer unless the workload is one of "
			 "picknext's.";
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
		if (rows->is_deterministic && remark->kind == REMARK_GUEST_TIME)
			continue;
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
		add_missing_runs(remarks, rows, set);
	for (size_t set = 0; set < sets->count; set++) {
		add_not_affected(remarks, rows, set);
		add_divergence(remarks, sets, set);
		add_not_exercised(remarks, rows, set);
		add_doubtful(remarks, &sets->items[set], set);
		add_missing_events(remarks, &sets->items[set], set);
		add_no_metadata(remarks, &sets->items[set], set);
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
