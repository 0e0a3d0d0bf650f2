/* SPDX-License-Identifier: MIT
 *
 * Comparisons that are made again as runs are added, until each workload is decided. Looking repeatedly would find more
 * false differences: the error rate is spent over the looks, which are at numbers of runs that are fixed beforehand
 * (Lan and DeMets, 1983). The first look may spend half, since six runs need much for a verdict; the others share the
 * rest in proportion to the runs that they add. Rates of looks are added up, which holds however they depend on each
 * other. */
#ifndef COMPARE_ADAPTIVE_H
#define COMPARE_ADAPTIVE_H

#include "compare/comparison_rows.h"
#include "compare/run_set.h"

#define ADAPTIVE_LOOKS_MAX 16

/* The numbers of runs of each set at which it looks: ascending, from runs_min (1 or more), each half as much again, to
 * runs_max. Returns how many. */
size_t adaptive_looks(size_t runs_min, size_t runs_max, size_t looks[ADAPTIVE_LOOKS_MAX]);

/* comparison_choice.false_rate of the look at this number of runs; between two looks that of the one before. */
double adaptive_rate(size_t runs_min, size_t runs_max, size_t runs);

/* The rate of a comparison of the sets: of the look at their runs if all were made by one --runs MIN-MAX, so that it
 * agrees with what vm decided; else COMPARISON_FALSE_RATE. */
double adaptive_sets_rate(const struct run_sets *sets);

/* A workload is decided if one of its metrics is significant, or if all are equal, negligible or not exercised. One
 * significant metric suffices: to decide each of its forty metrics would take hundreds of runs
 * (adaptive_state.runs_needed). */
struct adaptive_state {
	size_t workloads, decided; /* of each later set */
	size_t metrics;
	size_t runs_needed; /* of each set, to decide half of these metrics; 0 if none can be estimated */
};

struct adaptive_state adaptive_state(const struct comparison_rows *rows);

/* Reads the sets of runs (directories, as picknext compare takes them; the first is the base) and reports what is
 * decided with the runs that are there. rate: of the look. Errors are those of run_sets_list() and run_sets_read(). */
enum status adaptive_read(char *const *directories, size_t count, const struct run_set_options *options,
			  const struct comparison_choice *choice, double rate, struct adaptive_state *state,
			  struct error *err);

#endif
