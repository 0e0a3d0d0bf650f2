/* SPDX-License-Identifier: MIT
 *
 * The correction of a comparison: one metric among many, and the measured rate of false alarms, with fixed seeds. */
#include <math.h>

#include "base/splitmix.h"
#include "compare/comparison_rows.h"
#include "compare/family_test.h"
#include "compare/run_set.h"
#include "support/unit.h"

enum { RUNS_MAX = 8, METRICS = 40, WORKLOADS_MAX = 7 };

static double uniform(uint64_t *state)
{
	return ((double)(splitmix64(state) >> 12) + 0.5) / 0x1p52;
}

static double normal(uint64_t *state)
{
	const double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(6.283185307179586 * uniform(state));
}

/* One of 40 metrics is far apart in both sets: all 924 ways but this and its mirror image are less extreme. Ranks alone
 * could not tell: 2/924 is not significant among 40 tests. */
TEST(one_metric_among_many)
{
	double first[METRICS][6], second[METRICS][6];
	struct family_metric metrics[METRICS];
	uint64_t random = 1;

	for (size_t i = 0; i < METRICS; i++) {
		for (size_t run = 0; run < 6; run++) {
			first[i][run] = 100 + normal(&random);
			second[i][run] = 100 + normal(&random) + (i == 7 ? 40 : 0);
		}
		metrics[i] = (struct family_metric){first[i], second[i], 1, 1};
	}
	family_test(metrics, METRICS, 6, 6);
	for (size_t i = 0; i < METRICS; i++)
		if (i == 7)
			assert_true(fabs(metrics[i].p - 2.0 / 924) < 1e-12);
		else
			assert_true(metrics[i].p > 0.05);
	assert_true(fabs(family_smallest(6, 6) - 2.0 / 924) < 1e-12);
	assert_true(family_smallest(12, 12) == 1.0 / FAMILY_WAYS_MAX);
}

/* Two of three known values against two: 3 of the 10 ways to choose the sets of five runs, of which one is unknown,
 * are as extreme as that; counted by hand. */
TEST(unknown_values)
{
	struct family_metric metric = {(double[]){1, 1, NAN}, (double[]){9, 9}, 1, 0};

	family_test(&metric, 1, 3, 2);
	/* The first set of three: {1, 1, NaN}, or its counterpart {9, 9, NaN}. */
	assert_true(fabs(metric.p - 0.2) < 1e-12);
	metric = (struct family_metric){(double[]){3, 3, 3}, (double[]){3, 3}, 1, 0};
	family_test(&metric, 1, 3, 2);
	assert_true(metric.p == 1);
}

TEST(more_runs_than_ways_are_counted)
{
	double first[12], second[12];
	struct family_metric metric = {first, second, 1, 0};

	for (size_t i = 0; i < 12; i++) {
		first[i] = (double)i;
		second[i] = (double)i + 100;
	}
	family_test(&metric, 1, 12, 12);
	assert_true(metric.p == 1.0 / FAMILY_WAYS_MAX);
	memcpy(second, first, sizeof(second));
	family_test(&metric, 1, 12, 12);
	assert_true(metric.p == 1);
}

/* --- Simulated comparisons --- */

static char workload_names[WORKLOADS_MAX][2] = {"a", "b", "c", "d", "e", "f", "g"};
static const char *workload_list[WORKLOADS_MAX];

struct simulation {
	struct run runs[2][WORKLOADS_MAX * RUNS_MAX];
	struct run_results results[2][WORKLOADS_MAX * RUNS_MAX];
	struct run_set items[2];
	struct run_sets sets;
};

/* Both sets are draws of one distribution. The metrics of a run depend on each other, and have long tails. */
static void draw(struct simulation *simulation, size_t workloads, size_t runs, uint64_t *random)
{
	for (size_t i = 0; i < workloads; i++)
		workload_list[i] = workload_names[i];
	for (size_t set = 0; set < 2; set++) {
		for (size_t i = 0; i < workloads * runs; i++) {
			struct run_results *results = &simulation->results[set][i];
			const double common = normal(random);
			simulation->runs[set][i] =
			    (struct run){.workload = workload_names[i / runs], .results = results};
			for (size_t metric = 0; metric < metric_count(); metric++)
				results->whole.values[metric] = 1000 * exp(0.3 * (common + normal(random)));
		}
		simulation->items[set] = (struct run_set){
		    .runs = simulation->runs[set], .count = workloads * runs, .label = workload_names[set]};
	}
	simulation->sets = (struct run_sets){.items = simulation->items,
					     .count = 2,
					     .workloads = workload_list,
					     .workload_count = workloads,
					     .metric_count = metric_count()};
	for (size_t metric = 0; metric < metric_count(); metric++)
		simulation->sets.metrics[metric] = &metric_table()[metric];
}

static bool has_alarm(const struct simulation *simulation)
{
	const struct comparison_choice choice = {.margin_percent = 5};
	struct comparison_rows rows;

	comparison_rows_make(&simulation->sets, &choice, &rows);
	const bool found = rows.counts[1].significant > 0;
	comparison_rows_free(&rows);
	return found;
}

/* At most 5 of 100 comparisons of a kernel with itself have a significant difference: with 300, 21 is one chance in 20
 * more. */
TEST(false_alarms)
{
	enum { COMPARISONS = 300 };
	struct simulation *simulation = calloc(1, sizeof(*simulation));
	uint64_t random = 1;
	size_t alarms = 0;

	assert_non_null(simulation);
	for (size_t i = 0; i < COMPARISONS; i++) {
		draw(simulation, 3, 6, &random);
		alarms += has_alarm(simulation);
	}
	print_message("%zu of %d comparisons have a false alarm\n", alarms, COMPARISONS);
	assert_in_range(alarms, 1, 21);
	free(simulation);
}

/* One of seven workloads differs. With 5 runs the smallest p-value is 2/252, above 0.05/7; with 6 it is 2/924. */
TEST(too_few_runs_for_any_verdict)
{
	const struct comparison_choice choice = {.margin_percent = 5};
	struct simulation *simulation = calloc(1, sizeof(*simulation));
	struct comparison_rows rows;
	uint64_t random = 3;

	assert_non_null(simulation);
	draw(simulation, WORKLOADS_MAX, 5, &random);
	memcpy(simulation->results[1], simulation->results[0], sizeof(simulation->results[0]));
	for (size_t i = 0; i < 5; i++)
		for (size_t metric = 0; metric < metric_count(); metric++)
			simulation->results[1][i].whole.values[metric] *= 100;
	comparison_rows_make(&simulation->sets, &choice, &rows);
	assert_int_equal(rows.family_count, WORKLOADS_MAX);
	assert_true(rows.counts[1].verdicts[VERDICT_DIFFERENT] > 0);
	assert_int_equal(rows.counts[1].significant, 0);
	assert_int_equal(rows.counts[1].runs_needed, 6);
	comparison_rows_free(&rows);
	free(simulation);
}

/* Intervals shrink with the root of the number of runs. */
TEST(runs_that_would_decide)
{
	const struct comparison unclear = {
	    .verdict = VERDICT_UNCLEAR, .is_percent = true, .change = 10, .low = -10, .high = 25};

	assert_int_equal(comparison_runs_needed(&unclear, 6, 5), 24); /* a difference: 20 must become 10 */
	assert_int_equal(comparison_runs_needed(&unclear, 6, 50), 7); /* equal: 20 is within 40 */
	struct comparison other = unclear;
	other.change = 0;
	assert_int_equal(comparison_runs_needed(&other, 6, 5), 150);
	other.verdict = VERDICT_EQUAL;
	assert_int_equal(comparison_runs_needed(&other, 6, 5), 0);
	other = unclear;
	other.high = INFINITY;
	assert_int_equal(comparison_runs_needed(&other, 6, 5), 0);
}
