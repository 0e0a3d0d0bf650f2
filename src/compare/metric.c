/* SPDX-License-Identifier: MIT */
#include "compare/metric.h"

#include <string.h>

#define HOLDS NULL
static const char cost[] = "work costs instructions there, without caches and parallel CPUs";
static const char latency[] = "its clock counts the instructions of all CPUs, not time";
static const char turns[] = "an idle CPU reacts at its turn there, not at once";

/* A single list generates the table and the list of names. */
#define METRICS(ROW)                                                                                                   \
	ROW(THROUGHPUT, "throughput_per_s", "throughput", "/s", HIGHER_IS_BETTER,                                      \
	    "work done per second, as the workload counts it", cost)                                                   \
	ROW(SWITCHES, "switches_per_s", "switches", "/s", NEUTRAL, "context switches on the workload's CPUs", HOLDS)   \
	ROW(INVOLUNTARY_SHARE, "involuntary_share", "involuntary switches", "%", NEUTRAL,                              \
	    "its tasks were switched out while runnable: preempted or yielded", HOLDS)                                 \
	ROW(SLICE_MEAN, "slice_mean_us", "slice mean", "us", NEUTRAL, "how long its tasks run at a time", HOLDS)       \
	ROW(SLICE_P50, "slice_p50_us", "slice p50", "us", NEUTRAL, "the same, median", HOLDS)                          \
	ROW(SLICE_P90, "slice_p90_us", "slice p90", "us", NEUTRAL, "the same, 90th percentile", HOLDS)                 \
	ROW(SLICE_P99, "slice_p99_us", "slice p99", "us", NEUTRAL, "the same, 99th percentile", HOLDS)                 \
	ROW(WAKEUP_P50, "wakeup_latency_p50_us", "wakeup latency p50", "us", LOWER_IS_BETTER,                          \
	    "how long its tasks wait for a CPU after a wakeup, median", latency)                                       \
	ROW(WAKEUP_P90, "wakeup_latency_p90_us", "wakeup latency p90", "us", LOWER_IS_BETTER,                          \
	    "the same, 90th percentile", latency)                                                                      \
	ROW(WAKEUP_P99, "wakeup_latency_p99_us", "wakeup latency p99", "us", LOWER_IS_BETTER,                          \
	    "the same, 99th percentile", latency)                                                                      \
	ROW(WAKEUP_MAX, "wakeup_latency_max_us", "wakeup latency max", "us", LOWER_IS_BETTER, "the same, longest",     \
	    latency)                                                                                                   \
	ROW(PREEMPTED_P50, "preempted_wait_p50_us", "preempted wait p50", "us", LOWER_IS_BETTER,                       \
	    "how long its tasks wait for a CPU after a preemption, median", latency)                                   \
	ROW(PREEMPTED_P99, "preempted_wait_p99_us", "preempted wait p99", "us", LOWER_IS_BETTER,                       \
	    "the same, 99th percentile", latency)                                                                      \
	ROW(MIGRATIONS, "migrations_per_s", "migrations", "/s", NEUTRAL, "moves of its tasks to another CPU", HOLDS)   \
	ROW(MIGRATIONS_WAKEUP, "migrations_wakeup_per_s", "migrations: wakeup", "/s", NEUTRAL,                         \
	    "of those, at a wakeup", HOLDS)                                                                            \
	ROW(MIGRATIONS_FORK, "migrations_fork_per_s", "migrations: fork", "/s", NEUTRAL, "of those, at a fork", HOLDS) \
	ROW(MIGRATIONS_PULL, "migrations_pull_per_s", "migrations: pull", "/s", NEUTRAL,                               \
	    "of those, pulled by a less busy CPU", HOLDS)                                                              \
	ROW(MIGRATIONS_ACTIVE, "migrations_active_balance_per_s", "migrations: active balance", "/s", NEUTRAL,         \
	    "of those, pushed while running", HOLDS)                                                                   \
	ROW(MIGRATIONS_OTHER, "migrations_other_per_s", "migrations: other", "/s", NEUTRAL,                            \
	    "of those, for any other or an unknown cause", HOLDS)                                                      \
	ROW(FAIRNESS, "fairness_jain", "fairness (Jain)", "", HIGHER_IS_BETTER,                                        \
	    "Jain's index over the CPU time of its equal tasks; 1 is equal", HOLDS)                                    \
	ROW(RUN_QUEUE, "run_queue_length", "run queue length", "tasks", NEUTRAL,                                       \
	    "runnable tasks per CPU, mean over time", HOLDS)                                                           \
	ROW(IDLE_WAITING, "idle_waiting_ms_per_s", "waiting while a CPU idles", "ms/s", LOWER_IS_BETTER,               \
	    "time that tasks waited while another CPU they may use was idle", turns)                                   \
	ROW(IDLE_SHARE, "idle_share", "CPUs idle", "%", NEUTRAL, "share of the time of the workload's CPUs", HOLDS)

#define TABLE_ROW(id, name, heading, unit, direction, help, needs)                                                     \
	[METRIC_##id] = {name, heading, unit, METRIC_##direction, help, needs},
#define NAME_ROW(id, name, heading, unit, direction, help, needs) [METRIC_##id] = name,

const struct metric metric_table[METRIC_COUNT] = {METRICS(TABLE_ROW)};
const char *const metric_names[METRIC_COUNT + 1] = {METRICS(NAME_ROW)};

enum run_metric metric_find(const char *name, size_t length)
{
	enum run_metric metric = 0;

	while (metric < METRIC_COUNT &&
	       (strlen(metric_table[metric].name) != length || memcmp(metric_table[metric].name, name, length) != 0))
		metric++;
	return metric;
}
