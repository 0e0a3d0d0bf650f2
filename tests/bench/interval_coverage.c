/* SPDX-License-Identifier: MIT
 *
 * interval_coverage [TRIALS [METHOD]]: how often the 95 % interval of a change contains the true change, as the table
 * in tests/bench/README.md. METHOD: picknext (the interval of picknext compare), bootstrap (the percentile bootstrap
 * of the medians, which picknext used before) or welch (Welch's t, of the means). With equal instead of a METHOD: how
 * often the verdict is equal with a margin of 5 %. Always the same for a number of trials. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/change_interval.h"
#include "compare/comparison.h"
#include "compare/splitmix.h"
#include "record/estimate.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { VALUES_MAX = 32 };

static double uniform(uint64_t *state)
{
	return ((double)(splitmix64(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	return sqrt(-2 * log(uniform(state))) * cos(6.283185307179586 * uniform(state));
}

static double lognormal(uint64_t *state)
{
	return exp(normal(state));
}

static double exponential(uint64_t *state)
{
	return -log(uniform(state));
}

static double t3(uint64_t *state)
{
	double chi = 0;

	for (unsigned int i = 0; i < 3; i++)
		chi += pow(normal(state), 2);
	return normal(state) / sqrt(chi / 3);
}

/* Few different values. */
static double tied(uint64_t *state)
{
	return floor(1.2 * normal(state) + 0.5);
}

/* One value in ten has ten times the deviation. */
static double contaminated(uint64_t *state)
{
	double factor = uniform(state) < 0.1 ? 10 : 1;

	return factor * normal(state);
}

/* Four values in ten are far below the others; the median is near the lower end of these. */
static double clustered(uint64_t *state)
{
	return uniform(state) < 0.4 ? 0.1 * normal(state) - 1 : 1 + 0.065 * normal(state);
}

static const struct distribution {
	const char *name;
	double (*draw)(uint64_t *state);
	double median, mean, deviation;
} distributions[] = {
    {"normal", normal, 0, 0, 1},
    {"lognormal", lognormal, 1, 1.6487212707, 2.1611974},
    {"exponential", exponential, 0.6931471805599453, 1, 1},
    {"t, 3 degrees", t3, 0, 0, 1.7320508},
    {"tied", tied, 0, 0, 1.25},
    {"contaminated", contaminated, 0, 0, 3.3015148},
    {"two clusters", clustered, 0.9371176, 0.2, 0.9831},
};

/* The last one is a table of its own. */
enum { REGULAR = COUNT(distributions) - 1 };

static const size_t sizes[][2] = {{5, 5},   {6, 6},   {7, 7},   {8, 8},  {9, 9}, {10, 10},
				  {12, 12}, {15, 15}, {20, 20}, {5, 20}, {6, 12}};
static const double ratios[] = {1, 0.3, 0.1, 0.03, 0.01};

struct sides {
	double first[VALUES_MAX], second[VALUES_MAX];
	size_t first_count, second_count;
};

/* Runs of a metric of 100 with a deviation of 10 x spread, or of 100 x factor. Centred at the mean for welch. */
static void draw_side(const struct distribution *of, double spread, double factor, double centre, double *values,
		      size_t count, uint64_t *state)
{
	for (size_t i = 0; i < count; i++) {
		double value = factor * (100 + 10 * spread * (of->draw(state) - centre) / of->deviation);
		values[i] = value > 0 ? value : 0;
	}
	(void)comparison_sample(values, count);
}

static bool by_picknext(const struct sides *sides, double percent)
{
	struct change_interval interval =
	    change_interval(sides->first, sides->first_count, sides->second, sides->second_count);

	return interval.low <= percent + 1e-9 && interval.high >= percent - 1e-9;
}

/* Of as many draws as there are values, counted by value. */
static double resampled_median(const double *values, size_t count, uint64_t *state)
{
	unsigned int drawn[VALUES_MAX] = {0};
	size_t seen = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		drawn[splitmix_below(state, count)]++;
	while (seen + drawn[at] <= (count - 1) / 2)
		seen += drawn[at++];
	double low = values[at];
	while (seen + drawn[at] <= count / 2)
		seen += drawn[at++];
	return (low + values[at]) / 2;
}

static bool by_bootstrap(const struct sides *sides, double percent)
{
	enum { RESAMPLES = 999 };
	double changes[RESAMPLES];
	uint64_t state = 1;

	for (size_t i = 0; i < RESAMPLES; i++) {
		double from = resampled_median(sides->first, sides->first_count, &state);
		changes[i] = (resampled_median(sides->second, sides->second_count, &state) / from - 1) * 100;
	}
	(void)comparison_sample(changes, RESAMPLES);
	return changes[24] <= percent + 1e-9 && changes[RESAMPLES - 25] >= percent - 1e-9;
}

static void moments(const double *values, size_t count, double *mean, double *square_error)
{
	*mean = *square_error = 0;
	for (size_t i = 0; i < count; i++)
		*mean += values[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		*square_error += pow(values[i] - *mean, 2) / (double)(count - 1) / (double)count;
}

static bool by_welch(const struct sides *sides, double percent)
{
	double first, second, first_error, second_error;
	double factor = 1 + percent / 100;

	moments(sides->first, sides->first_count, &first, &first_error);
	moments(sides->second, sides->second_count, &second, &second_error);
	first_error *= factor * factor;
	double freedom =
	    pow(first_error + second_error, 2) / (pow(first_error, 2) / (double)(sides->first_count - 1) +
						  pow(second_error, 2) / (double)(sides->second_count - 1));
	return fabs(second - factor * first) <= student_t_975((size_t)freedom) * sqrt(first_error + second_error);
}

static const struct method {
	const char *name;
	bool (*holds)(const struct sides *sides, double percent);
	bool of_means;
} methods[] = {{"picknext", by_picknext, false}, {"bootstrap", by_bootstrap, false}, {"welch", by_welch, true}};

/* One case: its share of intervals that contain the true change, in percent. */
struct coverage_case {
	const struct distribution *of;
	size_t first_count, second_count;
	double first_spread, second_spread;
	double percent; /* the true change */
};

static double coverage(const struct method *method, const struct coverage_case *at, unsigned int trials, uint64_t seed)
{
	struct sides sides = {.first_count = at->first_count, .second_count = at->second_count};
	double centre = method->of_means ? at->of->mean : at->of->median;
	uint64_t state = seed;
	unsigned int held = 0;

	for (unsigned int trial = 0; trial < trials; trial++) {
		draw_side(at->of, at->first_spread, 1, centre, sides.first, sides.first_count, &state);
		draw_side(at->of, at->second_spread, 1 + at->percent / 100, centre, sides.second, sides.second_count,
			  &state);
		held += method->holds(&sides, at->percent);
	}
	return 100.0 * held / trials;
}

struct result {
	double min, false_max, sum;
	unsigned int cases, below;
};

/* The lowest of both directions, without a change and with one of +50 %. */
static double lowest(const struct method *method, const struct distribution *of, const size_t size[2], double ratio,
		     unsigned int trials, struct result *result)
{
	double min = 100;

	for (unsigned int variant = 0; variant < 4; variant++) {
		bool turned = variant & 1;
		const struct coverage_case at = {.of = of,
						 .first_count = size[turned],
						 .second_count = size[!turned],
						 .first_spread = turned ? ratio : 1,
						 .second_spread = turned ? 1 : ratio,
						 .percent = variant & 2 ? 50 : 0};
		double held = coverage(method, &at, trials, ++result->cases);
		min = held < min ? held : min;
		result->below += held < 94;
		result->sum += held;
		if (at.percent == 0 && 100 - held > result->false_max)
			result->false_max = 100 - held;
	}
	result->min = min < result->min ? min : result->min;
	return min;
}

static void print_table(const struct method *method, size_t from, size_t to, unsigned int trials)
{
	struct result result = {.min = 100};

	printf("| distribution | spread |");
	for (size_t size = 0; size < COUNT(sizes); size++)
		printf(" %zu, %zu |", sizes[size][0], sizes[size][1]);
	printf("\n|---|---|");
	for (size_t size = 0; size < COUNT(sizes); size++)
		printf("---|");
	for (size_t i = from * COUNT(ratios); i < to * COUNT(ratios); i++) {
		const struct distribution *of = &distributions[i / COUNT(ratios)];
		double ratio = ratios[i % COUNT(ratios)];
		printf("\n| %s | %g |", of->name, ratio);
		for (size_t size = 0; size < COUNT(sizes); size++)
			printf(" %.1f |", lowest(method, of, sizes[size], ratio, trials, &result));
	}
	printf("\n\n%s, %u trials in each of %u cases: lowest %.2f %%, mean %.1f %%, %u below 94 %%; "
	       "false verdicts: at most %.2f %%\n\n",
	       method->name, trials, result.cases, result.min, result.sum / result.cases, result.below,
	       result.false_max);
}

/* The share of verdicts that are equal, in percent; the lowest or highest of the regular distributions. */
static double equal_share(size_t count, double deviation_percent, double percent, bool highest, unsigned int trials)
{
	const double margin_percent = 5;
	double result = highest ? 0 : 100;

	for (size_t i = 0; i < REGULAR; i++) {
		const struct distribution *of = &distributions[i];
		struct sides sides = {.first_count = count, .second_count = count};
		uint64_t state = i + 1;
		unsigned int equal = 0;
		for (unsigned int trial = 0; trial < trials; trial++) {
			draw_side(of, deviation_percent / 10, 1, of->median, sides.first, count, &state);
			draw_side(of, deviation_percent / 10, 1 + percent / 100, of->median, sides.second, count,
				  &state);
			struct change_interval interval = change_interval(sides.first, count, sides.second, count);
			equal += interval.low >= -margin_percent && interval.high <= margin_percent;
		}
		double share = 100.0 * equal / trials;
		result = (highest ? share > result : share < result) ? share : result;
	}
	return result;
}

static void print_equal(unsigned int trials)
{
	static const size_t counts[] = {5, 10, 20};
	static const double deviations[] = {0.5, 1, 2, 4, 8}, changes[] = {0, 2.5, 5.1, 7.5};

	printf("| runs | deviation |");
	for (size_t i = 0; i < COUNT(changes); i++)
		printf(" %g %% |", changes[i]);
	printf("\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < COUNT(counts) * COUNT(deviations); i++) {
		size_t count = counts[i / COUNT(deviations)];
		double deviation = deviations[i % COUNT(deviations)];
		printf("| %zu | %g %% |", count, deviation);
		for (size_t at = 0; at < COUNT(changes); at++)
			printf(" %.1f |", equal_share(count, deviation, changes[at], changes[at] >= 5, trials));
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	unsigned int trials = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 4000;
	const struct method *method = methods;

	if (argc > 2 && strcmp(argv[2], "equal") == 0) {
		print_equal(trials);
		return 0;
	}
	for (size_t i = 0; argc > 2 && i < COUNT(methods); i++)
		if (strcmp(argv[2], methods[i].name) == 0)
			method = &methods[i];
	print_table(method, 0, REGULAR, trials);
	print_table(method, REGULAR, COUNT(distributions), trials);
	return 0;
}
