/* SPDX-License-Identifier: MIT */
#include "compare/adaptive.h"

#include <stdint.h>

#include "compare/run_pairs.h"
#include "compare/run_reader.h"

size_t adaptive_looks(size_t runs_min, size_t runs_max, size_t looks[ADAPTIVE_LOOKS_MAX])
{
	size_t count = 0;

	for (size_t runs = runs_min; runs < runs_max && count + 1 < ADAPTIVE_LOOKS_MAX; runs += (runs + 1) / 2)
		looks[count++] = runs;
	looks[count++] = runs_max;
	return count;
}

double adaptive_rate(size_t runs_min, size_t runs_max, size_t runs)
{
	size_t looks[ADAPTIVE_LOOKS_MAX], look = 0;
	const size_t count = adaptive_looks(runs_min, runs_max, looks);

	while (look + 1 < count && looks[look + 1] <= runs)
		look++;
	if (count == 1)
		return COMPARISON_FALSE_RATE;
	if (look == 0)
		return COMPARISON_FALSE_RATE / 2;
	return COMPARISON_FALSE_RATE / 2 * (double)(looks[look] - looks[look - 1]) / (double)(runs_max - runs_min);
}

double adaptive_sets_rate(const struct run_sets *sets)
{
	const struct recorded_set *first = sets->count ? &sets->items[0].recorded : NULL;
	size_t runs = SIZE_MAX;

	for (size_t i = 0; i < sets->count; i++) {
		const struct run_set *set = &sets->items[i];
		size_t count = 0;
		if (!first->runs_max || set->recorded.runs_min != first->runs_min ||
		    set->recorded.runs_max != first->runs_max)
			return COMPARISON_FALSE_RATE;
		for (size_t run = 0; run < set->count; run++)
			count += run_is_of(&set->runs[run], set->runs[0].workload);
		runs = count < runs ? count : runs;
	}
	return first ? adaptive_rate(first->runs_min, first->runs_max, runs) : COMPARISON_FALSE_RATE;
}

struct adaptive_state adaptive_state(const struct comparison_rows *rows)
{
	struct adaptive_state state = {0};

	for (size_t i = 0; i < rows->workload_count; i++)
		for (size_t set = 1; set < rows->sets->count; set++) {
			size_t undecided = 0, first;
			const size_t count = comparison_family(rows, i, &first);
			bool is_significant = false;
			for (size_t row = 0; row < count; row++) {
				const struct comparison_row *at = &rows->rows[first + row];
				const struct comparison_cell *cell = &at->cells[set];
				if (at->is_excluded || cell->against.verdict == VERDICT_NONE)
					continue;
				state.metrics++;
				undecided += comparison_is_undecided(cell);
				is_significant |= comparison_differs(&cell->against) && cell->is_significant;
			}
			state.workloads += count > 0;
			state.decided += count && (is_significant || !undecided);
		}
	state.runs_needed = comparison_runs_to_decide(rows, 0.5);
	return state;
}

enum status adaptive_read(char *const *directories, size_t count, const struct run_set_options *options,
			  const struct comparison_choice *choice, double rate, struct adaptive_state *state,
			  struct error *err)
{
	struct comparison_choice at_look = *choice;
	struct comparison_rows rows = {0};
	struct run_sets sets = {0};
	enum status status = run_sets_list(directories, count, options, &sets, err);

	at_look.false_rate = rate;
	if (status == STATUS_OK)
		status = run_sets_read(&sets, true, 1, err);
	if (status == STATUS_OK) {
		run_sets_pair(&sets);
		comparison_rows_make(&sets, &at_look, &rows);
		*state = adaptive_state(&rows);
	}
	comparison_rows_free(&rows);
	run_sets_free(&sets);
	return status;
}
