/* SPDX-License-Identifier: MIT */
#include "compare/run_pairs.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "measure/exact_difference.h"
#include "measure/trace_diff.h"

/* *since_ns: of the divergence, since the first event. False also if already the first switches differ, unless the same
 * task leaves: what made them do so was before, so they say nothing of a decision. */
static bool find_divergence(const struct run *const runs[2], const struct diff_cpu **cpu, uint64_t *since_ns,
			    struct trace_diff *diff)
{
	struct error err;
	enum status status = STATUS_OK;

	for (int i = 0; i < 2; i++) {
		diff->workloads[i] =
		    (struct diff_workload){run_task_names(runs[i]), runs[i]->roots, runs[i]->root_count};
		diff->workload_only = diff->workloads[i].task_names || diff->workloads[i].root_count;
		if (status == STATUS_OK)
			status = input_open(&diff->inputs[i], runs[i]->path, &err);
	}
	if (status != STATUS_OK || diff_compare(diff, &err) != STATUS_OK || !diff->first ||
	    (diff->first->prefix == 0 && !diff->first->divergence.is_pick))
		return false;
	*cpu = diff->first;
	*since_ns = UINT64_MAX;
	for (int i = 0; i < 2; i++) {
		const uint64_t since = trace_diff_since_first(diff, i, diff->first->divergence.ts_ns[i]);
		if (diff->first->divergence.has[i] && since < *since_ns)
			*since_ns = since;
	}
	return true;
}

static void add_pair(struct run_pairs *pairs, const struct run *const runs[2])
{
	static const struct task_choice all = {0};
	static const struct pass_options window = {0};
	struct trace_diff diff = {.window = &window, .tasks_wanted = &all, .first_only = true};
	struct exact_difference exact;
	const struct diff_cpu *cpu;
	uint64_t since_ns;
	struct error err;

	if (exact_difference_find(runs[0]->path, runs[1]->path, &exact, &err) != STATUS_OK)
		return;
	pairs->count++;
	pairs->identical += !exact.found;
	if (exact.found && find_divergence(runs, &cpu, &since_ns, &diff) &&
	    (!pairs->runs[0] || since_ns < pairs->since_ns)) {
		memcpy(pairs->runs, runs, sizeof(pairs->runs));
		memcpy(pairs->words, cpu->divergence.words, sizeof(pairs->words));
		pairs->since_ns = since_ns;
		pairs->cpu = cpu->cpu;
	}
	trace_diff_free(&diff);
}

static void add_pairs(struct run_pairs *pairs, const struct run_set *first, const struct run_set *other)
{
	for (size_t i = 0; i < first->count; i++)
		for (size_t at = 0; at < other->count && run_is_of(&first->runs[i], pairs->workload); at++) {
			const struct run *const runs[2] = {&first->runs[i], &other->runs[at]};
			if (run_is_of(runs[1], pairs->workload) && runs[0]->number == runs[1]->number)
				add_pair(pairs, runs);
		}
}

void run_sets_pair(struct run_sets *sets)
{
	const size_t count = run_sets_are_deterministic(sets) ? sets->workload_count : 0;

	sets->pairs = xcalloc(count * sets->count + 1, sizeof(*sets->pairs));
	for (size_t i = 0; i < count; i++)
		for (size_t set = 1; set < sets->count; set++) {
			struct run_pairs *pairs = &sets->pairs[sets->pair_count++];
			*pairs = (struct run_pairs){.workload = sets->workloads[i], .set = set};
			add_pairs(pairs, &sets->items[0], &sets->items[set]);
		}
}

bool run_sets_not_affected(const struct run_sets *sets, const char *workload, size_t set, const size_t *runs)
{
	for (size_t i = 0; i < sets->pair_count; i++) {
		const struct run_pairs *pairs = &sets->pairs[i];
		if (pairs->set == set && strcmp(pairs->workload, workload) == 0)
			return pairs->count && pairs->identical == pairs->count && pairs->count == runs[0] &&
			       runs[0] == runs[set];
	}
	return false;
}
