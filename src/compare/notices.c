/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/escape.h"
#include "compare/host_wait_notice.h"
#include "compare/output.h"
#include "compare/tunable_differences.h"
#include "workloads/table.h"

void compare_add_name(struct buffer *out, const char *name)
{
	char text[512];

	escape_line(name, strlen(name), text, sizeof(text));
	buffer_text(out, text);
}

static bool says(const struct run_set *set, enum environment_fact fact, const char *value)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->runs[i].facts[fact] && (!value || strcmp(set->runs[i].facts[fact], value) == 0))
			return true;
	return false;
}

static bool any_says(const struct run_sets *sets, enum environment_fact fact, const char *value)
{
	bool any = false;

	for (size_t set = 0; set < sets->count; set++)
		any |= says(&sets->items[set], fact, value);
	return any;
}

static void add_fact(const struct run_sets *sets, enum environment_fact fact, struct buffer *out)
{
	char value[176];

	buffer_printf(out, "  %s:", environment_facts[fact].title);
	for (size_t set = 0; set < sets->count; set++) {
		run_set_fact(&sets->items[set], NULL, fact, value, sizeof(value));
		buffer_text(out, set ? " | " : " ");
		compare_add_name(out, value);
	}
	buffer_text(out, "\n");
}

static void add_heading(bool same_kernel, bool *has_any, struct buffer *out)
{
	if (!*has_any)
		buffer_text(out, same_kernel ? "The kernel is the same. What differs:\n"
					     : "Not only the kernel differs: any of these can be why a figure does.\n");
	*has_any = true;
}

static bool add_tunables(const struct run_sets *sets, bool has_any, struct buffer *out)
{
	for (size_t set = 0; set < sets->count; set++) {
		struct buffer text = {0};
		run_set_tunables(sets, set, &text);
		if (text.length) {
			add_heading(true, &has_any, out);
			buffer_text(out, set ? " | " : "  scheduler tunables: ");
			compare_add_name(out, text.data);
		}
		if (text.length && set + 1 == sets->count)
			buffer_text(out, "\n");
		buffer_free(&text);
	}
	return has_any;
}

static void add_differences(const struct run_sets *sets, struct buffer *out)
{
	bool same_kernel = sets->count > 1 && run_sets_same_kernel(sets);
	bool has_any = false;

	for (enum environment_fact fact = 0; fact < FACT_COUNT; fact++) {
		if (!environment_facts[fact].matters || !run_sets_differ(sets, fact))
			continue;
		add_heading(same_kernel, &has_any, out);
		add_fact(sets, fact, out);
		if (fact == FACT_ACCELERATOR && any_says(sets, fact, "tcg"))
			buffer_text(out,
				    "    tcg translates each instruction, which takes many times as long: latencies,\n"
				    "    slices and rates tell the machines apart, not the kernels.\n");
		if (fact == FACT_SCALE)
			buffer_text(out,
				    "    The runs did different amounts of work: throughput and rates include how they "
				    "begin and end.\n");
	}
	if (same_kernel && !add_tunables(sets, has_any, out))
		buffer_text(out, "The kernel is the same, and all else that is known to matter.\n");
}

static void add_missing(const struct comparison_rows *rows, size_t set, struct buffer *out)
{
	bool has_any = false;

	for (size_t i = 0; i < rows->workload_count; i++) {
		if (rows->workloads[i].runs[set])
			continue;
		if (!has_any) {
			compare_add_name(out, rows->sets->items[set].label);
			buffer_text(out, " has no runs of: ");
		}
		buffer_text(out, has_any ? ", " : "");
		compare_add_name(out, rows->workloads[i].name);
		has_any = true;
	}
	buffer_text(out, has_any ? "\n" : "");
}

/* Traces that are called otherwise are runs of otherwise called workloads. */
static void add_nothing_shared(const struct comparison_rows *rows, struct buffer *out)
{
	for (size_t i = 0; i < rows->workload_count; i++)
		for (size_t set = 1; set < rows->sets->count; set++)
			if (rows->workloads[i].runs[0] && rows->workloads[i].runs[set])
				return;
	buffer_text(out, "No workload is in both: call traces WORKLOAD_run0.dat, or let a JSON beside them name it.\n");
}

const char *compare_no_json(size_t count, size_t unknown)
{
	if (unknown > 1)
		return "s have no JSON beside them";
	return count == 1 ? " has no JSON beside it" : "s has no JSON beside it";
}

static void add_doubtful(const struct run_set *set, struct buffer *out)
{
	size_t lossy = 0, bad = 0, unknown = 0;

	for (size_t i = 0; i < set->count; i++) {
		lossy += set->runs[i].is_lossy;
		bad += !set->runs[i].is_lossy && set->runs[i].grade == QUALITY_BAD;
		unknown += !set->runs[i].has_metadata;
	}
	if (lossy + bad)
		compare_add_name(out, set->label);
	if (lossy)
		buffer_printf(out, ": %zu of %zu runs lost events", lossy, set->count);
	if (bad)
		buffer_printf(out, "%s %zu of %zu runs %s not to be trusted, picknext check says why",
			      lossy ? ";" : ":", bad, set->count, bad == 1 ? "is" : "are");
	buffer_text(out, lossy + bad ? "\n" : "");
	if (!unknown)
		return;
	compare_add_name(out, set->label);
	buffer_printf(
	    out,
	    ": %zu of %zu trace%s: throughput, HZ, preemption and such are not known.\n"
	    "    All CPUs of the trace count, and tasks of its tracer where the workload is not picknext's.\n",
	    unknown, set->count, compare_no_json(set->count, unknown));
}

/* A guest gets the time that the host has left, and its clock goes on. */
static void add_host_load(const struct run_sets *sets, struct buffer *out)
{
	for (size_t set = 0; set < sets->count; set++)
		if (says(&sets->items[set], FACT_ACCELERATOR, NULL) &&
		    says(&sets->items[set], FACT_DETERMINISTIC, "no")) {
			buffer_text(
			    out, "Without --deterministic, how busy the host was shows in all figures of a guest.\n");
			return;
		}
}

void compare_add_taken_as_one(const struct comparison_rows *rows, struct buffer *out)
{
	if (!rows->sets->taken_as_one || rows->workload_count == 0)
		return;
	const char *name = rows->workloads[0].name;
	buffer_printf(out, "The traces are taken to be of %s, whatever their names.\n",
		      workload_find(name) ? name : "the same workload");
}

void compare_add_notices(const struct comparison_rows *rows, struct buffer *out)
{
	compare_add_taken_as_one(rows, out);
	add_differences(rows->sets, out);
	add_host_load(rows->sets, out);
	host_wait_add_notice(rows->sets, out);
	for (size_t set = 0; set < rows->sets->count; set++)
		add_missing(rows, set, out);
	if (rows->sets->count > 1)
		add_nothing_shared(rows, out);
	for (size_t set = 0; set < rows->sets->count; set++)
		add_doubtful(&rows->sets->items[set], out);
}
