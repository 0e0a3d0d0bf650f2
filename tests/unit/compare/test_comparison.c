/* SPDX-License-Identifier: MIT
 *
 * Comparisons of two samples, against values by hand; the interval against samples with a known difference. */
#include <math.h>

#include "base/splitmix.h"
#include "compare/comparison.h"
#include "compare/metric_text.h"
#include "compare/rank_sum.h"
#include "support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9f is not %.9f", value, expected);
}

static struct comparison compare_above(double *first, size_t first_count, double *second, size_t second_count,
				       int better, double margin_percent, double floor)
{
	struct comparison_sample a = comparison_sample(first, first_count);
	struct comparison_sample b = comparison_sample(second, second_count);

	return comparison_make(
	    &a, &b, &(struct comparison_meaning){.better = better, .margin_percent = margin_percent, .floor = floor});
}

static struct comparison compare(double *first, size_t first_count, double *second, size_t second_count, int better,
				 double margin_percent)
{
	return compare_above(first, first_count, second, second_count, better, margin_percent, 0);
}

/* 2, 4, 7, 11 (and one unknown): the quartiles lie at places 0.75 and 2.25 of 0 to 3: 3.5 and 8. */
TEST(samples)
{
	double values[] = {11, NAN, 2, 7, 4};
	struct comparison_sample sample = comparison_sample(values, COUNT(values));

	assert_int_equal(sample.count, 4);
	assert_near(sample.median, 5.5, 1e-12);
	assert_near(sample.spread, (8 - 3.5) / 2, 1e-12);
	assert_near(sample.spread_percent, 100 * 2.25 / 5.5, 1e-9);
	assert_near(sample.min, 2, 0);
	assert_near(sample.max, 11, 0);
	sample = comparison_sample(values, 1);
	assert_near(sample.median, 2, 0);
	assert_true(isnan(sample.spread));
	sample = comparison_sample((double[]){NAN, NAN}, 2);
	assert_int_equal(sample.count, 0);
	assert_true(isnan(sample.median));
	sample = comparison_sample((double[]){0, 0, 0}, 3);
	assert_near(sample.spread, 0, 0);
	assert_true(isnan(sample.spread_percent));
}

/* 3 and 3 apart: 2 of the 20 ways. 1, 2, 2 against 2, 3: ranks 1, 3, 3 and 3, 5; the mean of three ranks' sum is 9,
 * theirs is 7; of the ten ways to take three, {1,3,3} three times is 7 and {3,3,5} three times 11, {1,3,5} three times
 * 9, {3,3,3} once 9: six of ten. */
TEST(ranks)
{
	double p;

	p = rank_sum_chance((double[]){1, 2, 3}, 3, (double[]){4, 5, 6}, 3);
	assert_near(p, 0.1, 1e-12);
	p = rank_sum_chance((double[]){4, 5, 6}, 3, (double[]){1, 2, 3}, 3);
	assert_near(p, 0.1, 1e-12);
	p = rank_sum_chance((double[]){1, 2, 2}, 3, (double[]){2, 3}, 2);
	assert_near(p, 0.6, 1e-12);
	p = rank_sum_chance((double[]){7, 7}, 2, (double[]){7, 7, 7}, 3);
	assert_near(p, 1, 1e-12);
	assert_near(rank_sum_smallest(3, 3), 0.1, 1e-12);
	assert_near(rank_sum_smallest(5, 5), 2.0 / 252, 1e-12);
	assert_near(rank_sum_smallest(7, 4), 2.0 / 330, 1e-12);
	assert_near(rank_sum_smallest(1, 1), 1, 0);
	p = rank_sum_chance((double[]){1}, 1, (double[]){2}, 1);
	assert_near(p, 1, 1e-12);
	/* C(10, 5) = 252 */
	p = rank_sum_chance((double[]){1, 2, 3, 4, 5}, 5, (double[]){6, 7, 8, 9, 10}, 5);
	assert_near(p, 2.0 / 252, 1e-12);
}

/* Above RANK_SUM_EXACT values it is drawn: near what the exact one says of two values fewer. */
TEST(many_ranks_are_drawn)
{
	double first[25], second[24];
	double exact, drawn;

	for (size_t i = 0; i < 12; i++) {
		first[i] = (double)(i * 3);
		first[i + 13] = (double)(i * 3 + 36);
	}
	first[12] = 35;
	for (size_t i = 0; i < COUNT(second); i++)
		second[i] = (double)(i * 3) + 10;
	exact = rank_sum_chance(first, 24, second, 23);
	drawn = rank_sum_chance(first, 25, second, 24);
	if (!(exact > 0.03 && exact < 0.2))
		fail_msg("exact %f", exact);
	assert_near(drawn, exact, 0.03);
}

TEST(verdicts)
{
	double low[] = {100, 102, 101, 99, 98};
	double high[] = {150, 149, 152, 151, 148}, wide[] = {60, 80, 100, 115, 125};
	struct comparison comparison = compare(low, 5, high, 5, 1, 1);

	assert_int_equal(comparison.verdict, VERDICT_BETTER);
	assert_near(comparison.change, 50, 1e-9);
	assert_true(comparison.low > 45 && comparison.low < 50 && comparison.high > 50 && comparison.high < 55);
	assert_int_equal(compare(low, 5, high, 5, -1, 1).verdict, VERDICT_WORSE);
	assert_int_equal(compare(high, 5, low, 5, -1, 1).verdict, VERDICT_BETTER);
	assert_int_equal(compare(high, 5, low, 5, 0, 1).verdict, VERDICT_DIFFERENT);
	/* Equal is what is within the margin as a whole, whether it differs or not. */
	assert_int_equal(compare(low, 5, high, 5, 1, 60).verdict, VERDICT_EQUAL);
	assert_int_equal(compare(low, 5, high, 5, 1, 52).verdict, VERDICT_BETTER);
	assert_int_equal(compare(low, 5, low, 5, 1, 1).verdict, VERDICT_UNCLEAR);
	assert_int_equal(compare(low, 5, low, 5, 1, 5).verdict, VERDICT_EQUAL);
	comparison = compare(low, 5, wide, 5, 1, 5);
	assert_int_equal(comparison.verdict, VERDICT_UNCLEAR);
	assert_true(comparison.low < -40 && comparison.high > 20);
	comparison = compare(low, 4, high, 5, 1, 1);
	assert_int_equal(comparison.verdict, VERDICT_TOO_FEW);
	assert_true(isnan(comparison.low) && !isnan(comparison.change));
	comparison = compare(low, 0, high, 5, 1, 1);
	assert_int_equal(comparison.verdict, VERDICT_NONE);
	assert_true(isnan(comparison.change) && isnan(comparison.p));
}

TEST(zeros_and_equal_values)
{
	double none[] = {0, 0, 0, 0, 0}, some[] = {3, 4, 5, 6, 7}, few[] = {0, 0, 0, 2, 2, 2, 2};
	double tiny[] = {0, 0, 0, 1e-9, 1e-9}, fixed[] = {8, 8, 8, 8, 8}, more[] = {9, 9, 9, 9, 9};
	struct comparison comparison = compare(none, 5, some, 5, -1, 1);

	assert_false(comparison.is_percent);
	assert_near(comparison.change, 5, 0);
	assert_int_equal(comparison.verdict, VERDICT_WORSE);
	comparison = compare(none, 5, none, 5, -1, 1);
	assert_int_equal(comparison.verdict, VERDICT_NOT_EXERCISED);
	/* 0 has no margin in percent. */
	comparison = compare(none, 5, tiny, 5, -1, 1);
	assert_int_equal(comparison.verdict, VERDICT_UNCLEAR);
	assert_false(comparison.is_percent);
	assert_near(comparison.change, 0, 0);
	comparison = compare(some, 5, none, 5, -1, 1);
	assert_true(comparison.is_percent);
	assert_near(comparison.change, -100, 0);
	assert_int_equal(comparison.verdict, VERDICT_BETTER);
	comparison = compare(few, 7, some, 5, -1, 1);
	assert_true(comparison.is_percent && isinf(comparison.high) && comparison.low > 0);
	comparison = compare(fixed, 5, more, 5, 0, 1);
	assert_near(comparison.low, 12.5, 1e-12);
	assert_near(comparison.high, 12.5, 1e-12);
	assert_int_equal(comparison.verdict, VERDICT_DIFFERENT);
}

TEST(what_no_run_exercises)
{
	double none[] = {0, 0, 0, 0, 0}, eight[] = {8, 8, 8, 8, 8}, nine[] = {8, 8, 8, 8, 9};

	assert_int_equal(compare(none, 1, none, 2, 0, 5).verdict, VERDICT_NOT_EXERCISED);
	assert_int_equal(compare(eight, 5, eight, 5, 0, 5).verdict, VERDICT_NOT_EXERCISED);
	/* Two traces with the same value may differ in the next one. */
	assert_int_equal(compare(eight, 1, eight, 1, 0, 5).verdict, VERDICT_TOO_FEW);
	assert_int_equal(compare(eight, 5, nine, 5, 0, 50).verdict, VERDICT_EQUAL);
	assert_int_equal(compare(none, 5, eight, 5, 0, 5).verdict, VERDICT_DIFFERENT);
}

/* Idle for 0.127 % of the time and for 0.088 %: a third less, of what nobody notices. */
TEST(what_cannot_matter)
{
	double idle[] = {0.125, 0.126, 0.127, 0.128, 0.129}, less[] = {0.086, 0.087, 0.088, 0.089, 0.09};
	double wide[] = {0.086, 0.3, 0.4, 0.5, 2}, much[] = {3, 3.1, 3.2, 3.3, 3.4};

	assert_int_equal(compare(idle, 5, less, 5, 0, 5).verdict, VERDICT_DIFFERENT);
	struct comparison comparison = compare_above(idle, 5, less, 5, 0, 5, 0.5);
	assert_int_equal(comparison.verdict, VERDICT_NEGLIGIBLE);
	assert_true(comparison.is_percent && comparison.is_negligible && comparison.is_within_floor);
	assert_near(comparison.change, -30.7, 0.1);
	/* Equal comes first: it says more. */
	assert_int_equal(compare_above(idle, 5, less, 5, 0, 50, 0.5).verdict, VERDICT_EQUAL);
	/* The interval goes beyond what cannot matter. */
	comparison = compare_above(idle, 5, wide, 5, 0, 5, 0.5);
	assert_int_equal(comparison.verdict, VERDICT_UNCLEAR);
	assert_true(comparison.is_negligible && !comparison.is_within_floor);
	assert_int_equal(compare_above(idle, 5, much, 5, 0, 5, 0.5).verdict, VERDICT_DIFFERENT);
}

/* The limits of five chances at a rate of 5 % are 0.01, 0.02, 0.03, 0.04 and 0.05: 0.03 is above 0.02, but
 * significant because 0.029 is the third. */
TEST(what_is_significant)
{
	const double p[] = {0.9, 0.001, 0.03, NAN, 0.029, 0.2};
	const bool expected[] = {false, true, true, false, true, false};
	bool significant[COUNT(p)];

	comparison_find_significant(p, COUNT(p), 0.05, significant);
	assert_memory_equal(significant, expected, sizeof(significant));
	comparison_find_significant((double[]){0.02, 0.06, 0.9}, 3, 0.05, significant);
	assert_false(significant[0] || significant[1] || significant[2]);
	comparison_find_significant(p, 0, 0.05, significant);
}

TEST(same_bytes_again)
{
	double first[] = {1.5, 2.25, 9.125, 4, 4, 7.75}, second[] = {4, 3.5, 8, 2, 9.5};
	struct comparison once = compare(first, 6, second, 5, 1, 1);
	struct comparison again = compare(first, 6, second, 5, 1, 1);

	assert_near(once.low, again.low, 0);
	assert_near(once.high, again.high, 0);
	assert_near(once.p, again.p, 0);
}

static double uniform(uint64_t *state)
{
	return ((double)(splitmix64(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	return sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
}

/* Few different values. */
static double tied(uint64_t *state)
{
	return floor(1.2 * normal(state) + 0.5);
}

static double lognormal(uint64_t *state)
{
	return exp(normal(state)) - 1;
}

/* The spread of the first side is that of the second, times ratio; each has the median 0. */
struct coverage_case {
	double (*draw)(uint64_t *state);
	size_t first, second;
	double ratio;
};

/* The medians are 100 and 120: how often the interval contains 20 %, in percent. */
static double coverage(const struct coverage_case *at)
{
	enum { TRIALS = 600 };
	double first[32], second[32];
	uint64_t state = 12345;
	unsigned int held = 0;

	for (unsigned int trial = 0; trial < TRIALS; trial++) {
		for (size_t i = 0; i < at->first; i++)
			first[i] = 100 + 8 * at->ratio * at->draw(&state);
		for (size_t i = 0; i < at->second; i++)
			second[i] = 120 + 8 * at->draw(&state);
		struct comparison comparison = compare(first, at->first, second, at->second, 1, 0);
		held += comparison.low <= 20 + 1e-9 && comparison.high >= 20 - 1e-9;
	}
	return 100.0 * held / TRIALS;
}

/* 600 trials at 95 % scatter by 0.9 %. The percentile bootstrap has
 * 87 to 91 % at 7 and 8 runs if one side hardly varies. */
TEST(interval_holds_the_truth)
{
	static double (*const draws[])(uint64_t *) = {normal, lognormal, tied};
	static const size_t sizes[][2] = {{5, 5}, {7, 7}, {8, 8}, {10, 10}, {6, 12}};
	static const double ratios[] = {1, 0.1, 0.01};

	for (size_t i = 0; i < COUNT(draws) * COUNT(sizes) * COUNT(ratios); i++) {
		const struct coverage_case at = {.draw = draws[i % COUNT(draws)],
						 .first = sizes[i / COUNT(draws) % COUNT(sizes)][0],
						 .second = sizes[i / COUNT(draws) % COUNT(sizes)][1],
						 .ratio = ratios[i / COUNT(draws) / COUNT(sizes)]};
		double share = coverage(&at);
		if (share < 93)
			fail_msg("case %zu, %zu and %zu runs, ratio %g: %.1f %%", i % COUNT(draws), at.first, at.second,
				 at.ratio, share);
	}
}

/* Two kernels that differ by a little more than the margin are seldom equal: at most as often as an interval misses the
 * change on one side. */
TEST(equal_keeps_its_promise)
{
	enum { TRIALS = 600 };
	static double (*const draws[])(uint64_t *) = {normal, lognormal, tied};
	static const size_t sizes[] = {5, 8};
	double first[32], second[32];
	uint64_t random = 4711;

	for (size_t i = 0; i < COUNT(draws) * COUNT(sizes); i++) {
		double (*draw)(uint64_t *) = draws[i % COUNT(draws)];
		size_t count = sizes[i / COUNT(draws)];
		unsigned int false_equal = 0, equal = 0;
		for (unsigned int trial = 0; trial < 2 * TRIALS; trial++) {
			double centre = trial < TRIALS ? 105.1 : 100;
			for (size_t run = 0; run < count; run++) {
				first[run] = 100 + 0.5 * draw(&random);
				second[run] = centre + 0.5 * draw(&random);
			}
			bool is_equal = compare(first, count, second, count, 1, 5).verdict == VERDICT_EQUAL;
			*(trial < TRIALS ? &false_equal : &equal) += is_equal;
		}
		if (false_equal > TRIALS * 4 / 100)
			fail_msg("case %zu, %zu runs: %u of %d equal", i % COUNT(draws), count, false_equal, TRIALS);
		if (equal < TRIALS * (count < 8 ? 75 : 95) / 100)
			fail_msg("case %zu, %zu runs: only %u of %d equal", i % COUNT(draws), count, equal, TRIALS);
	}
}

/* It is no wider than it has to be: six runs of 100 +- 1 % and of 105 +- 1 % differ nearly always. */
TEST(interval_is_narrow_enough)
{
	enum { TRIALS = 300 };
	double first[6], second[6];
	uint64_t draws = 99;
	unsigned int shown = 0;

	for (unsigned int trial = 0; trial < TRIALS; trial++) {
		for (size_t i = 0; i < 6; i++) {
			first[i] = 100 + normal(&draws);
			second[i] = 105 + normal(&draws);
		}
		shown += compare(first, 6, second, 6, 1, 0).verdict == VERDICT_BETTER;
	}
	assert_true(shown > TRIALS * 95 / 100);
}

/* Half the runs do nothing: the interval reaches down to nothing. Most do nothing: they are worse. */
TEST(runs_that_do_nothing)
{
	double good[] = {100, 101, 99, 100, 102, 98}, half[] = {0, 100, 0, 101, 0, 99}, most[] = {0, 0, 0, 0, 0, 100};
	struct comparison comparison = compare(good, 6, half, 6, 1, 1);

	assert_near(comparison.change, (49.5 - 100) / 100 * 100, 1e-9);
	assert_true(comparison.low < -90 && comparison.high > -5);
	comparison = compare(good, 6, most, 6, 1, 1);
	assert_near(comparison.change, -100, 0);
	assert_true(comparison.low == -100 && comparison.high < 0);
	assert_int_equal(comparison.verdict, VERDICT_WORSE);
}

TEST(extremes)
{
	const double huge = 1.7e308, tiny = 5e-324;
	double large[] = {1e308, 1.1e308, 1.2e308, 1.3e308, 1.4e308},
	       twice[] = {0.5e308, 0.55e308, 0.6e308, 0.65e308, 0.7e308};
	double small[] = {1e-310, 1.1e-310, 1.2e-310, 1.3e-310, 1.4e-310},
	       smaller[] = {5e-311, 5.5e-311, 6e-311, 6.5e-311, 7e-311};
	double wide[] = {0, tiny, tiny, 1, huge}, zeros[] = {0, 0, 0, 0, 0}, some[] = {1, 2, 3, 4, 5};
	double five[] = {tiny, tiny, tiny, tiny, tiny}, huges[] = {huge, huge, huge, huge, huge};
	double *const all[] = {large, twice, small, smaller, wide, zeros, some, five, huges};

	assert_near(compare(twice, 5, large, 5, 1, 1).change, 100, 1e-9);
	assert_near(compare(large, 5, twice, 5, 1, 1).change, -50, 1e-9);
	assert_int_equal(compare(large, 5, twice, 5, 1, 1).verdict, VERDICT_WORSE);
	assert_near(compare(small, 5, smaller, 5, 1, 1).change, -50, 1e-6);
	assert_int_equal(compare(smaller, 5, small, 5, 1, 1).verdict, VERDICT_BETTER);
	/* No percentage can hold it: a difference. */
	struct comparison comparison = compare(five, 5, huges, 5, 1, 1);
	assert_false(comparison.is_percent);
	assert_near(comparison.change, huge, 0);
	assert_int_equal(comparison.verdict, VERDICT_BETTER);
	comparison = compare(huges, 5, five, 5, 1, 1);
	assert_near(comparison.change, -100, 0);
	for (size_t i = 0; i < COUNT(all) * COUNT(all); i++) {
		comparison = compare(all[i / COUNT(all)], 5, all[i % COUNT(all)], 5, 1, 1);
		bool is_same = i / COUNT(all) == i % COUNT(all);
		assert_true(isfinite(comparison.change) && !isnan(comparison.low) && !isnan(comparison.high));
		assert_true(comparison.low <= comparison.change && comparison.change <= comparison.high);
		assert_true(!comparison.is_percent || comparison.low >= -100);
		assert_true(!is_same || (comparison.change == 0 && !comparison_differs(&comparison)));
	}
}

/* Equal values that are no sums of powers of two: the interval ends exactly at 0. */
TEST(ties_are_not_differences)
{
	double first[] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3}, second[] = {0.1, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3};

	for (unsigned int scale = 1; scale < 100; scale++) {
		double a[7], b[7];
		for (size_t i = 0; i < 7; i++) {
			a[i] = first[i] * scale / 7;
			b[i] = second[i] * scale / 7;
		}
		struct comparison comparison = compare(a, 7, b, 7, 1, 1);
		assert_true(comparison.high == 0);
		assert_int_equal(comparison.verdict, VERDICT_UNCLEAR);
		comparison = compare(b, 7, a, 7, 1, 1);
		assert_true(comparison.low == 0);
		assert_int_equal(comparison.verdict, VERDICT_UNCLEAR);
	}
}

TEST(many_runs)
{
	enum { RUNS = 3000 };
	static double first[RUNS], second[RUNS];
	uint64_t draws = 7;

	for (size_t i = 0; i < RUNS; i++) {
		first[i] = 100 + 10 * normal(&draws);
		second[i] = 105 + 10 * normal(&draws);
	}
	struct comparison comparison = compare(first, RUNS, second, RUNS, 1, 1);
	assert_true(comparison.low > 3 && comparison.high < 7 && comparison.high - comparison.low > 0.5);
}

/* The interval excludes 0, and the change is below the floor: more runs would not make it matter. */
TEST(a_change_that_is_too_small_to_matter_is_called_small)
{
	struct comparison_cell cell = {.against = {.verdict = VERDICT_UNCLEAR,
						   .is_percent = true,
						   .change = -23,
						   .low = -26.7,
						   .high = -21,
						   .is_negligible = true},
				       .runs_needed = 40};
	char text[METRIC_TEXT_SIZE];

	assert_string_equal(verdict_text(&cell, NULL, text), "unclear ≤26.7%, small");
	cell.against.is_negligible = false;
	assert_string_equal(verdict_text(&cell, NULL, text), "unclear ≤26.7%, ~40 runs decide");
	cell.runs_needed = 4785;
	assert_string_equal(verdict_text(&cell, NULL, text), "unclear ≤26.7%, ~4800 runs decide");
	cell.runs_needed = 40;
	cell.against.is_negligible = true;
	cell.against.high = 1;
	assert_string_equal(verdict_text(&cell, NULL, text), "unclear ≤26.7%, ~40 runs decide");
}

/* 5 % between CPU times is 0.25 % of Jain's index. */
TEST(the_margin_of_an_index_of_squares_is_a_square)
{
	assert_true(comparison_meaning_of(metric_find("fairness_jain"), 5).margin_percent == 0.25);
	assert_true(comparison_meaning_of(metric_find("share_error"), 5).margin_percent == 5);
}
