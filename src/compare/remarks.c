/* SPDX-License-Identifier: MIT */
#include "compare/remarks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/comparison_text.h"
#include "compare/run_facts.h"
#include "compare/run_part.h"

/* Moves the text, which becomes empty. */
static struct notice *add_notice(struct notices *notices, enum notice_kind kind, size_t set, struct buffer *text)
{
	struct notice *grown = realloc(notices->items, (notices->count + 1) * sizeof(*grown));

	notices->items = grown ? grown : notices->items;
	notices->failed |= !grown || text->failed;
	if (notices->failed) {
		buffer_free(text);
		return NULL;
	}
	struct notice *notice = &grown[notices->count++];
	*notice = (struct notice){.kind = kind, .set = set, .text = text->data};
	*text = (struct buffer){0};
	return notice;
}

static struct notice *add_sentence(struct notices *notices, enum notice_kind kind, const char *sentence)
{
	struct buffer text = {0};

	buffer_text(&text, sentence);
	return add_notice(notices, kind, NOTICE_ALL_SETS, &text);
}

/* --- Differences --- */

static bool has_value(const struct run_sets *sets, enum environment_fact fact, const char *value)
{
	for (size_t set = 0; set < sets->count; set++)
		for (size_t i = 0; i < sets->items[set].count; i++) {
			const char *fact_value = sets->items[set].runs[i].facts[fact];
			if (fact_value && (!value || strcmp(fact_value, value) == 0))
				return true;
		}
	return false;
}

static struct notice_item *add_item(struct notices *notices, bool same_kernel, const char *title)
{
	struct notice *notice = notices->count ? &notices->items[notices->count - 1] : NULL;

	if (!notice || notice->kind != NOTICE_DIFFERENCES)
		notice = add_sentence(notices, NOTICE_DIFFERENCES,
				      same_kernel ? "The kernel is the same. These settings differ:"
						  : "Not only the kernel differs. Each of these can explain a "
						    "difference:");
	struct notice_item *grown = notice ? realloc(notice->items, (notice->item_count + 1) * sizeof(*grown)) : NULL;
	notices->failed |= !grown;
	if (!grown)
		return NULL;
	notice->items = grown;
	grown[notice->item_count] = (struct notice_item){.title = title};
	return &grown[notice->item_count++];
}

static const char *remark_on(const struct run_sets *sets, enum environment_fact fact)
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
	return NULL;
}

static void add_fact(struct notices *notices, const struct run_sets *sets, bool same_kernel, enum environment_fact fact)
{
	struct notice_item *item = add_item(notices, same_kernel, environment_facts[fact].title);
	char value[176];

	for (size_t set = 0; item && set < sets->count; set++) {
		run_set_fact(&sets->items[set], NULL, fact, value, sizeof(value));
		item->values[set] = strdup(value);
		notices->failed |= !item->values[set];
	}
	if (item)
		item->remark = remark_on(sets, fact);
}

static void add_tunables(struct notices *notices, const struct run_sets *sets)
{
	struct notice_item *item = NULL;

	for (size_t set = 0; set < sets->count; set++) {
		struct buffer text = {0};
		run_set_add_tunables(sets, set, &text);
		if (!text.length && !item) {
			buffer_free(&text);
			return;
		}
		item = item ? item : add_item(notices, true, "scheduler tunables");
		if (item && !text.failed)
			item->values[set] = strdup(text.data ? text.data : "");
		notices->failed |= !item || !item->values[set];
		buffer_free(&text);
	}
}

static void add_differences(struct notices *notices, const struct run_sets *sets)
{
	bool same_kernel = run_sets_same_kernel(sets);

	for (enum environment_fact fact = 0; fact < FACT_COUNT && !notices->failed; fact++)
		if (environment_facts[fact].matters && run_sets_differ(sets, fact))
			add_fact(notices, sets, same_kernel, fact);
	if (same_kernel && !notices->failed)
		add_tunables(notices, sets);
	if (same_kernel && !notices_have(notices, NOTICE_DIFFERENCES))
		add_sentence(notices, NOTICE_NO_DIFFERENCE,
			     "The kernel is the same, and no other known setting differs.");
}

/* --- Guests --- */

static void add_guest_time(struct notices *notices, const struct run_sets *sets)
{
	bool is_reported = sets->count > 1 && run_sets_differ(sets, FACT_ACCELERATOR);

	if (has_value(sets, FACT_DETERMINISTIC, "yes"))
		add_sentence(notices, NOTICE_GUEST_TIME, COMPARE_DETERMINISTIC_MEANING);
	else if (!is_reported && has_value(sets, FACT_ACCELERATOR, "tcg"))
		add_sentence(
		    notices, NOTICE_GUEST_TIME,
		    "The guests were emulated (tcg): shares, causes and order are meaningful, but absolute times are "
		    "longer than on hardware.");
	/* The host's load is part of a guest's time, because the guest's clock goes on while it waits. */
	if (has_value(sets, FACT_ACCELERATOR, NULL) && has_value(sets, FACT_DETERMINISTIC, "no"))
		add_sentence(notices, NOTICE_HOST_LOAD,
			     "Host load affects the metrics of a guest; use --deterministic to exclude it.");
}

static void add_host_wait(struct notices *notices, const struct run_sets *sets)
{
	struct buffer text = {0};
	bool is_notable = false;

	buffer_text(&text, "Share of their time that the guests' CPUs waited for host CPUs: ");
	for (size_t set = 0; set < sets->count; set++) {
		double share = sets->items[set].host_wait_share;
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
	struct notice *notice = add_notice(notices, NOTICE_HOST_WAIT, NOTICE_ALL_SETS, &text);
	if (notice)
		notice->remark = "Times, rates and latencies include this wait: record again on a quiet host, or with "
				 "--deterministic.";
}

/* --- The part of the runs --- */

struct left_out_range {
	double start_min, start_max, end_min, end_max;
};

static void widen_range(struct left_out_range *range, const struct run_left_out *left_out)
{
	range->start_min = fmin(range->start_min, left_out->start);
	range->start_max = fmax(range->start_max, left_out->start);
	range->end_min = fmin(range->end_min, left_out->end);
	range->end_max = fmax(range->end_max, left_out->end);
}

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

static void add_left_out(struct notices *notices, const struct left_out_range *range)
{
	struct buffer text = {0};

	buffer_text(&text, "Metrics except throughput are of the part of a run in which all tasks of the workload run. "
			   "Left out: ");
	add_percent(&text, range->start_min, range->start_max);
	buffer_text(&text, " of the time at the start, ");
	add_percent(&text, range->end_min, range->end_max);
	buffer_text(&text, " at the end.");
	add_notice(notices, NOTICE_LEFT_OUT, NOTICE_ALL_SETS, &text);
}

static void add_whole_runs(struct notices *notices, struct buffer *workloads)
{
	struct buffer text = {0};

	buffer_text(&text, "Whole runs, with their start and end, count for ");
	buffer_add(&text, workloads->data, workloads->length);
	buffer_printf(&text, ": all tasks run together for less than %d %% of a run. A larger --scale makes it more.",
		      RUN_STEADY_MIN_PERCENT);
	add_notice(notices, NOTICE_WHOLE_RUNS, NOTICE_ALL_SETS, &text);
}

static void add_parts(struct notices *notices, const struct comparison_rows *rows)
{
	struct left_out_range range = {100, 0, 100, 0};
	struct buffer whole = {0};
	bool has_left_out = false;

	for (size_t i = 0; i < rows->workload_count; i++) {
		const char *workload = rows->workloads[i].name;
		enum run_part part = run_sets_part(rows->sets, workload);
		if (part == RUN_PART_TOO_SHORT) {
			buffer_text(&whole, whole.length ? ", " : "");
			buffer_text(&whole, workload);
		}
		for (size_t set = 0; set < rows->sets->count && part == RUN_PART_STEADY; set++) {
			struct run_left_out left_out = run_set_left_out(&rows->sets->items[set], workload);
			widen_range(&range, &left_out);
			has_left_out = true;
		}
	}
	if (has_left_out)
		add_left_out(notices, &range);
	if (whole.length)
		add_whole_runs(notices, &whole);
	notices->failed |= whole.failed;
	buffer_free(&whole);
}

/* --- Missing or doubtful data --- */

static void add_missing_runs(struct notices *notices, const struct comparison_rows *rows, size_t set)
{
	struct buffer text = {0};

	for (size_t i = 0; i < rows->workload_count; i++) {
		if (rows->workloads[i].runs[set])
			continue;
		buffer_text(&text, text.length ? ", " : "no runs of ");
		buffer_text(&text, rows->workloads[i].name);
	}
	if (text.length || text.failed)
		add_notice(notices, NOTICE_MISSING_RUNS, set, &text);
}

static void add_doubtful(struct notices *notices, const struct run_set *set, size_t number)
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
		buffer_printf(&text, "%s%zu of %zu runs lost events", text.length ? "; " : "", lossy, set->count);
	if (bad)
		buffer_printf(&text, "%s%zu of %zu runs %s not trustworthy (picknext check reports why)",
			      text.length ? "; " : "", bad, set->count, bad == 1 ? "is" : "are");
	if (failed || ejected || lossy || bad)
		add_notice(notices, NOTICE_DOUBTFUL, number, &text);
}

static void add_followed(struct notices *notices, const struct run_set *set, size_t number)
{
	size_t followed = 0;
	struct buffer text = {0};

	for (size_t i = 0; i < set->count; i++)
		followed += set->runs[i].results->followed_only;
	if (!followed)
		return;
	buffer_printf(&text, "%zu of %zu runs have events of followed tasks only (record --pid)", followed, set->count);
	struct notice *notice = add_notice(notices, NOTICE_FOLLOWED, number, &text);
	if (notice)
		notice->remark = "Metrics that depend on other tasks are missing: idle time, run queue, migrations.";
}

static void add_no_metadata(struct notices *notices, const struct run_set *set, size_t number)
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
	struct notice *notice = add_notice(notices, NOTICE_NO_METADATA, number, &text);
	if (notice)
		notice->remark =
		    "All CPUs of the trace count, and the tasks of its tracer unless the workload is one of "
		    "picknext's.";
}

void notices_make(const struct comparison_rows *rows, struct notices *notices)
{
	const struct run_sets *sets = rows->sets;

	*notices = (struct notices){0};
	if (sets->count > 1)
		add_differences(notices, sets);
	add_guest_time(notices, sets);
	add_host_wait(notices, sets);
	add_parts(notices, rows);
	for (size_t set = 0; set < sets->count; set++)
		add_missing_runs(notices, rows, set);
	if (sets->count > 1 && !run_sets_share_workload(sets))
		add_sentence(notices, NOTICE_NOTHING_SHARED,
			     "No workload is in both sets: name traces WORKLOAD_run0.dat, or let their JSON name it.");
	for (size_t set = 0; set < sets->count; set++) {
		add_doubtful(notices, &sets->items[set], set);
		add_followed(notices, &sets->items[set], set);
		add_no_metadata(notices, &sets->items[set], set);
	}
}

void notices_free(struct notices *notices)
{
	for (size_t i = 0; i < notices->count; i++) {
		struct notice *notice = &notices->items[i];
		for (size_t item = 0; item < notice->item_count; item++)
			for (size_t set = 0; set < COMPARISON_SETS_MAX; set++)
				free(notice->items[item].values[set]);
		free(notice->items);
		free(notice->text);
	}
	free(notices->items);
	*notices = (struct notices){0};
}

bool notices_have(const struct notices *notices, enum notice_kind kind)
{
	for (size_t i = 0; i < notices->count; i++)
		if (notices->items[i].kind == kind)
			return true;
	return false;
}

void notices_add_lines(const struct notices *notices, const struct comparison_rows *rows, struct buffer *out)
{
	const struct run_sets *sets = rows->sets;
	out->failed |= notices->failed;
	for (size_t i = 0; i < notices->count; i++) {
		const struct notice *notice = &notices->items[i];
		if (rows->is_deterministic && notice->kind == NOTICE_GUEST_TIME)
			continue;
		if (notice->set != NOTICE_ALL_SETS) {
			compare_add_name(out, sets->items[notice->set].label);
			buffer_text(out, ": ");
		}
		compare_add_name(out, notice->text);
		buffer_text(out, "\n");
		for (size_t at = 0; at < notice->item_count; at++) {
			const struct notice_item *item = &notice->items[at];
			buffer_printf(out, "  %s:", item->title);
			for (size_t set = 0; set < sets->count; set++) {
				buffer_text(out, set ? " | " : " ");
				compare_add_name(out, item->values[set] ? item->values[set] : "");
			}
			buffer_text(out, "\n");
			if (item->remark)
				buffer_printf(out, "    %s\n", item->remark);
		}
		if (notice->remark)
			buffer_printf(out, "    %s\n", notice->remark);
	}
}
