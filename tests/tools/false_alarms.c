/* SPDX-License-Identifier: MIT
 *
 * false_alarms TRIES RUNS DIR...: false alarms of compare among real runs of one kernel, the sets DIR. The runs of each
 * workload are dealt at random to two sets of RUNS and compared. Prints how many tries have a significant difference.
 *
 * With SLICES=WORKLOAD:FACTOR in the environment its power: all slice_... metrics of the workload are FACTOR times as
 * large in the second set, and only these count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/splitmix.h"
#include "compare/comparison_rows.h"
#include "compare/run_reader.h"
#include "workloads/table.h"

enum { WORKLOADS = 64 };

/* The effect that SLICES asks for. */
static struct effect {
	char workload[64]; /* "": none */
	double factor;
} effect;

struct dealt {
	struct run_set items[2];
	struct run_results *results; /* of the second one */
	struct run_sets sets;
};

static bool is_affected(const char *workload, const struct metric *metric)
{
	return strcmp(workload, effect.workload) == 0 && strncmp(metric->name, "slice_", strlen("slice_")) == 0;
}

/* results: room for those of the run. */
static void lengthen(const char *workload, struct run *run, struct run_results *results)
{
	*results = *run->results;
	run->results = results;
	for (size_t i = 0; i < metric_count(); i++)
		if (is_affected(workload, &metric_table()[i])) {
			results->whole.values[i] *= effect.factor;
			results->steady.values[i] *= effect.factor;
		}
}

/* Deals runs of each workload to each set; order has the numbers of runs. */
static void deal(const struct run_sets *all, const char *const *workloads, size_t count, const size_t *order,
		 size_t runs, struct dealt *dealt)
{
	dealt->items[0].count = dealt->items[1].count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct run *of[256] = {NULL};
		size_t found = 0;
		for (const struct run *run = NULL; (run = run_sets_next(all, run)) && found < 256;)
			if (run_is_of(run, workloads[i]))
				of[found++] = run;
		for (size_t set = 0; set < 2; set++)
			for (size_t at = 0; at < runs; at++) {
				const size_t place = dealt->items[set].count++;
				dealt->items[set].runs[place] = *of[order[set * runs + at]];
				if (set == 1)
					lengthen(workloads[i], &dealt->items[set].runs[place], &dealt->results[place]);
			}
	}
}

static bool is_found(const struct run_sets *sets)
{
	const struct comparison_choice choice = {.margin_percent = 5};
	struct comparison_rows rows;
	bool found = false;

	comparison_rows_make(sets, &choice, &rows);
	for (size_t i = 0; i < rows.row_count && !found; i++)
		found = rows.rows[i].cells[1].is_significant && comparison_differs(&rows.rows[i].cells[1].against) &&
			(!effect.workload[0] ||
			 is_affected(rows.workloads[rows.rows[i].workload].workload, rows.rows[i].metric));
	comparison_rows_free(&rows);
	return found;
}

static void shuffle(size_t *order, size_t count, uint64_t *random)
{
	for (size_t i = 0; i + 1 < count; i++) {
		const size_t other = i + splitmix_below(random, count - i);
		const size_t moved = order[i];
		order[i] = order[other];
		order[other] = moved;
	}
}

/* The runs of the workload that has fewest. */
static size_t fewest_runs(const struct run_sets *all, const char *const *workloads, size_t count)
{
	size_t fewest = 256;

	for (size_t i = 0; i < count; i++) {
		size_t found = 0;
		for (const struct run *run = NULL; (run = run_sets_next(all, run));)
			found += run_is_of(run, workloads[i]);
		fewest = found < fewest ? found : fewest;
	}
	return fewest;
}

static void try_all(const struct run_sets *all, size_t tries, size_t runs)
{
	const char *const *workloads = all->workloads;
	size_t order[256], found = 0;
	const size_t count = all->workload_count, existing = fewest_runs(all, workloads, count);
	struct dealt dealt = {.sets = all[0]};
	uint64_t random = 1;

	if (existing < 2 * runs) {
		fprintf(stderr, "%zu runs of a workload: two sets of %zu are needed\n", existing, runs);
		exit(2);
	}
	dealt.sets.items = dealt.items;
	dealt.sets.count = 2;
	dealt.sets.pair_count = 0;
	for (size_t set = 0; set < 2; set++) {
		dealt.items[set].label = (char[]){"set"};
		dealt.items[set].runs = xcalloc(count * runs, sizeof(struct run));
	}
	dealt.results = xcalloc(count * runs, sizeof(*dealt.results));
	for (size_t i = 0; i < existing; i++)
		order[i] = i;
	for (size_t try = 0; try < tries; try++) {
		shuffle(order, existing, &random);
		deal(all, workloads, count, order, runs, &dealt);
		found += is_found(&dealt.sets);
	}
	printf("%zu of %zu tries have a %s\n", found, tries, effect.workload[0] ? "difference" : "false alarm");
	free(dealt.items[0].runs);
	free(dealt.items[1].runs);
	free(dealt.results);
}

int main(int argc, char **argv)
{
	struct known_workload known[WORKLOADS];
	struct run_set_options options = {.known = known, .allowed = ALLOW_FAILED};
	struct run_sets sets;
	struct error err = {0};
	char line[1024];

	const char *slices = getenv("SLICES");
	if (argc < 4 || (slices && sscanf(slices, "%63[^:]:%lf", effect.workload, &effect.factor) != 2))
		return 2;
	for (; workload_at(options.known_count) && options.known_count < WORKLOADS; options.known_count++) {
		const struct workload *workload = workload_at(options.known_count);
		known[options.known_count] =
		    (struct known_workload){workload->name, workload->task_names, workload->tasks};
	}
	enum status status = run_sets_list(argv + 3, (size_t)argc - 3, &options, &sets, &err);
	if (status == STATUS_OK)
		status = run_sets_read(&sets, true, 1, &err);
	if (status == STATUS_OK)
		try_all(&sets, strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10));
	if (status != STATUS_OK) {
		error_text(&err, line, sizeof(line));
		fprintf(stderr, "%s\n", line);
	}
	run_sets_free(&sets);
	return status == STATUS_OK ? 0 : 1;
}
