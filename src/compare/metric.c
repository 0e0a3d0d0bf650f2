/* SPDX-License-Identifier: MIT */
#include "compare/metric.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "compare/metric_period.h"

/* --- How a metric is read from a period --- */

/* A double of the period: offsetof. */
static double number(const struct metric_period *period, const struct metric *metric)
{
	double value;

	memcpy(&value, (const char *)period + metric->of, sizeof(value));
	return value;
}

static double quotient(const struct metric_period *period, const struct metric *metric)
{
	const double per = (double)period->sums[metric->per];

	return per > 0 ? metric->scale * (double)period->sums[metric->of] / per : NAN;
}

static double rate(const struct metric_period *period, double amount)
{
	const double seconds = (double)(period->end_ns - period->begin_ns) / 1e9;

	return seconds > 0 ? amount / seconds : NAN;
}

static double per_second(const struct metric_period *period, const struct metric *metric)
{
	return rate(period, (double)period->sums[metric->of]);
}

static double ms_per_second(const struct metric_period *period, const struct metric *metric)
{
	return rate(period, (double)period->sums[metric->of] / 1e6);
}

enum { OF_MEAN = 0, OF_MAX = 1001 }; /* else a percentile in per mille */

static double statistic(const struct metric_period *period, const struct metric *metric)
{
	const struct distribution *lengths = &period->distributions[metric->of];

	if (lengths->count == 0)
		return NAN;
	return metric->statistic == OF_MEAN  ? (double)lengths->sum / (double)lengths->count
	       : metric->statistic == OF_MAX ? (double)lengths->max
					     : (double)distribution_percentile(lengths, metric->statistic);
}

static double statistic_us(const struct metric_period *period, const struct metric *metric)
{
	return statistic(period, metric) / 1e3;
}

static double statistic_ticks(const struct metric_period *period, const struct metric *metric)
{
	return statistic(period, metric) / period->tick_ns;
}

static double longest_wait_ticks(const struct metric_period *period, const struct metric *metric)
{
	(void)metric;
	return period->has_begun ? (double)period->longest_wait_ns / period->tick_ns : NAN;
}

static double quota_wait_ticks(const struct metric_period *period, const struct metric *metric)
{
	(void)metric;
	return period->roles.has_quota ? (double)period->roles.longest_quota_wait_ns / period->tick_ns : NAN;
}

static double role_outside_rate(const struct metric_period *period, const struct metric *metric)
{
	(void)metric;
	return period->roles.has_masks ? rate(period, (double)period->roles.runs_outside) : NAN;
}

/* Metrics of decisions and keys are of the whole run and of all tasks. */
static double rule_breaks_percent(const struct metric_period *period, const struct metric *metric)
{
	const struct rules_account *account = period->rules ? &period->rules->account : NULL;

	(void)metric;
	return account && account->judged
		   ? 100.0 * (double)(account->judged - account->explained) / (double)account->judged
		   : NAN;
}

static double sums_differ_percent(const struct metric_period *period, const struct metric *metric)
{
	const struct rules_account *account = period->rules ? &period->rules->account : NULL;

	(void)metric;
	return account && account->decisions ? 100.0 * (double)account->gaps[GAP_SUMS] / (double)account->decisions
					     : NAN;
}

static double broken_percent(const struct metric_period *period, const struct metric *metric)
{
	const struct invariant_account *account = period->rules ? &period->rules->invariants.rows[metric->of] : NULL;

	return account && account->checked ? 100.0 * (double)account->broken / (double)account->checked : NAN;
}

double metric_value(const struct metric *metric, const struct metric_period *period)
{
	return metric->needs & ~period->knows ? NAN : metric->value(period, metric);
}

/* --- Rows --- */

static const char cost[] = "work costs instructions there, without caches and parallel CPUs";
static const char latency[] = "its clock counts the instructions of all CPUs, not time";
static const char turns[] = "an idle CPU reacts at its turn there, not at once";

#define FLOOR(floor_, reason)          .floor = (floor_), .floor_reason = (reason)
#define LOWER_IS_BETTER(less_, more_)  .less = (less_), .more = (more_), .direction = METRIC_LOWER_IS_BETTER
#define NUMBER(member)                 .value = number, .of = offsetof(struct metric_period, member)
#define QUOTIENT(sum, sum_per, scale_) .value = quotient, .of = (sum), .per = (sum_per), .scale = (scale_)
#define PER_SECOND(sum, needs_)        .value = per_second, .of = (sum), .needs = KNOWS_ALL_TASKS | (needs_)
#define IDLE_WAITING(sum, needs_)                                                                                      \
	.value = ms_per_second, .of = (sum), .account = METRIC_ACCOUNT_IDLE,                                           \
	.needs = KNOWS_WAITING | KNOWS_ALL_TASKS | (needs_), FLOOR(1, "0.1 % of the time of a task")
#define IDLE_WAIT LOWER_IS_BETTER("tasks wait less beside idle CPUs", "tasks wait more beside idle CPUs")
#define MOVES(sum, needs_)                                                                                             \
	PER_SECOND(sum, KNOWS_MIGRATIONS | (needs_)), FLOOR(10, "together they cost at most 0.1 % of a CPU"),          \
	    .counts_events = true
#define MIGRATIONS(sum)         MOVES(sum, 0)
#define LEVEL_MIGRATIONS(level) MOVES(SUM_MIGRATIONS_LEVELS + (level), KNOWS_LEVELS << (level))
#define STATISTIC(function, which, of_which)                                                                           \
	.value = (function), .of = (which), .statistic = (of_which), .needs = KNOWS_ALL_SWITCHES
#define SWITCHES(of_which)                                                                                             \
	.account = METRIC_ACCOUNT_ORDER, STATISTIC(statistic, RUN_OVERTAKEN, of_which),                                \
	LOWER_IS_BETTER("fewer tasks run before a woken one", "more tasks run before a woken one")
#define SLICE(of_which)                STATISTIC(statistic_us, RUN_SLICES, of_which), FLOOR(1, "a context switch takes about as long")
#define WAIT_FLOOR                     FLOOR(0.5, "recording the events of a wait takes about as long")
#define TICK_FLOOR                     FLOOR(0.1, "the kernel decides at ticks")
#define WOKEN_WAIT                     LOWER_IS_BETTER("woken tasks wait less", "woken tasks wait longer")
#define WOKEN_WAIT_US(of_which)        STATISTIC(statistic_us, RUN_WAKEUPS, of_which), WOKEN_WAIT, WAIT_FLOOR
#define WOKEN_WAIT_TICKS(of_which)     STATISTIC(statistic_ticks, RUN_WAKEUPS, of_which), WOKEN_WAIT, TICK_FLOOR
#define PREEMPTED_WAIT                 LOWER_IS_BETTER("preempted tasks wait less", "preempted tasks wait longer")
#define PREEMPTED_WAIT_US(of_which)    STATISTIC(statistic_us, RUN_PREEMPTED, of_which), PREEMPTED_WAIT, WAIT_FLOOR
#define PREEMPTED_WAIT_TICKS(of_which) STATISTIC(statistic_ticks, RUN_PREEMPTED, of_which), PREEMPTED_WAIT, TICK_FLOOR
#define SHARES                         LOWER_IS_BETTER("CPU time is shared more fairly", "CPU time is shared less fairly")

static const struct metric fixed_rows[] = {
    {"throughput_per_s", "throughput", "/s", "work done per second, as the workload counts it", cost,
     NUMBER(throughput), .less = "less work is done", .more = "more work is done", .direction = METRIC_HIGHER_IS_BETTER,
     .overview = 1, .of_workload = true},
    {"switches_per_s", "switches", "/s", "context switches on the workload's CPUs", PER_SECOND(SUM_SWITCHES, 0),
     FLOOR(10, "together they cost less than 0.01 % of a CPU"), .counts_events = true, .of_workload = true},
    {"involuntary_share", "involuntary switches", "%",
     "its tasks were switched out while runnable: preempted or yielded", QUOTIENT(SUM_INVOLUNTARY, SUM_LEFT, 100),
     FLOOR(0.5, "one switch in 200"), .overview = 2},
    {"slice_mean_us", "slice mean", "us", "how long its tasks run at a time", SLICE(OF_MEAN)},
    {"slice_p50_us", "slice p50", "us", "the same, median", SLICE(500), .overview = 5},
    {"slice_p90_us", "slice p90", "us", "the same, 90th percentile", SLICE(900)},
    {"slice_p99_us", "slice p99", "us", "the same, 99th percentile", SLICE(990)},
    {"wakeup_latency_p50_us", "wakeup latency p50", "us", "how long its tasks wait for a CPU after a wakeup, median",
     latency, WOKEN_WAIT_US(500), .overview = 3},
    {"wakeup_latency_p90_us", "wakeup latency p90", "us", "the same, 90th percentile", latency, WOKEN_WAIT_US(900)},
    {"wakeup_latency_p99_us", "wakeup latency p99", "us", "the same, 99th percentile", latency, WOKEN_WAIT_US(990),
     .overview = 4},
    {"wakeup_latency_max_us", "wakeup latency max", "us", "the same, longest", latency, WOKEN_WAIT_US(OF_MAX)},
    {"wakeup_preemption_share", "wakeups that preempt", "%",
     "wakeups (and forks) onto a CPU that runs another task, after which the task runs there next, within 0.1 ms; in % "
     "of those whose task was not moved to another CPU before it ran",
     QUOTIENT(SUM_PREEMPTING_WAKEUPS, SUM_BUSY_WAKEUPS, 100), .account = METRIC_ACCOUNT_ORDER,
     .needs = KNOWS_ALL_SWITCHES, FLOOR(1, "one wakeup in 100"), .overview = 8},
    {"wakeup_wait_ticks_mean", "wakeup wait ticks mean", "ticks",
     "how long its tasks wait for a CPU after a wakeup, in ticks of the kernel", WOKEN_WAIT_TICKS(OF_MEAN),
     .overview = 9},
    {"wakeup_wait_ticks_p99", "wakeup wait ticks p99", "ticks", "the same, 99th percentile", WOKEN_WAIT_TICKS(990),
     .overview = 10},
    {"wakeup_wait_ticks_max", "wakeup wait ticks max", "ticks", "the same, longest", WOKEN_WAIT_TICKS(OF_MAX)},
    {"preempted_wait_ticks_mean", "preempted wait ticks mean", "ticks",
     "how long its tasks wait for a CPU after a preemption, in ticks", PREEMPTED_WAIT_TICKS(OF_MEAN)},
    {"preempted_wait_ticks_p99", "preempted wait ticks p99", "ticks", "the same, 99th percentile",
     PREEMPTED_WAIT_TICKS(990)},
    {"preempted_wait_ticks_max", "preempted wait ticks max", "ticks", "the same, longest",
     PREEMPTED_WAIT_TICKS(OF_MAX)},
    {"longest_wait_ticks", "longest wait", "ticks",
     "the longest time that one of its tasks waited for a CPU, also if it never ran again", .value = longest_wait_ticks,
     .needs = KNOWS_WAKEUPS | KNOWS_ALL_SWITCHES,
     LOWER_IS_BETTER("the longest wait is shorter", "the longest wait is longer"), TICK_FLOOR},
    {"wakeup_switches_mean", "switches before run mean", "switches",
     "switches of its CPU between a task's wakeup and its run", SWITCHES(OF_MEAN),
     FLOOR(0.05, "one more in 20 wakeups")},
    {"wakeup_switches_p50", "switches before run p50", "switches", "the same, median", SWITCHES(500),
     FLOOR(1, "a switch is not divisible")},
    {"wakeup_switches_p99", "switches before run p99", "switches",
     "switches of its CPU between a task's wakeup and its run, 99th percentile", SWITCHES(990),
     FLOOR(1, "a switch is not divisible")},
    {"preempted_wait_p50_us", "preempted wait p50", "us",
     "how long its tasks wait for a CPU after a preemption, median", latency, PREEMPTED_WAIT_US(500)},
    {"preempted_wait_p99_us", "preempted wait p99", "us", "the same, 99th percentile", latency, PREEMPTED_WAIT_US(990)},
    {"migrations_per_s", "migrations", "/s", "moves of its tasks to another CPU, without those at a fork",
     MIGRATIONS(SUM_MIGRATIONS), .overview = 6},
    {"migrations_wakeup_per_s", "migrations: wakeup", "/s", "of those, at a wakeup",
     MIGRATIONS(SUM_MIGRATIONS_CAUSES + MIGRATION_WAKEUP)},
    {"migrations_pull_per_s", "migrations: pull", "/s", "of those, pulled by a less busy CPU",
     MIGRATIONS(SUM_MIGRATIONS_CAUSES + MIGRATION_PULL)},
    {"migrations_pull_newidle_per_s", "pulls: newidle", "/s", "of those pulls, by a CPU that becomes idle",
     MIGRATIONS(SUM_PULLS + PULL_NEWIDLE)},
    {"migrations_pull_periodic_per_s", "pulls: periodic", "/s", "of those pulls, by a CPU at its ticks",
     MIGRATIONS(SUM_PULLS + PULL_PERIODIC)},
    {"migrations_pull_nohz_per_s", "pulls: nohz", "/s", "of those pulls, by another CPU for an idle one without a tick",
     MIGRATIONS(SUM_PULLS + PULL_NOHZ)},
    {"migrations_pull_unknown_per_s", "pulls: unknown", "/s", "of those pulls, of an idle CPU, periodic or nohz",
     MIGRATIONS(SUM_PULLS + PULL_UNKNOWN)},
    {"migrations_active_balance_per_s", "migrations: active balance", "/s", "of those, pushed while running",
     MIGRATIONS(SUM_MIGRATIONS_CAUSES + MIGRATION_ACTIVE)},
    {"migrations_other_per_s", "migrations: other", "/s", "of those, for any other or an unknown cause",
     MIGRATIONS(SUM_MIGRATIONS_OTHER)},
    {"migrations_asleep_per_s", "migrations: asleep", "/s", "of those, of tasks that slept and did not run then",
     MOVES(SUM_MIGRATIONS_ASLEEP, KNOWS_WAKEUPS)},
    {"migrations_cache_per_s", "migrations: between caches", "/s",
     "of those, to a CPU with another last-level cache of the same NUMA node; this and the next two only of a run "
     "whose "
     "CPUs are not equally near to each other (picknext help topology)",
     LEVEL_MIGRATIONS(CPU_LEVEL_NODE)},
    {"migrations_node_per_s", "migrations: between nodes", "/s", "of those, to a CPU of another NUMA node",
     LEVEL_MIGRATIONS(CPU_LEVEL_REMOTE)},
    {"migrations_up_per_s", "migrations: up", "/s",
     "of those, to a CPU of larger capacity; this and the next one only of a run whose CPUs have different capacities "
     "(picknext help topology)",
     MOVES(SUM_MIGRATIONS_UP, KNOWS_CAPACITIES)},
    {"migrations_down_per_s", "migrations: down", "/s", "of those, to a CPU of smaller capacity",
     MOVES(SUM_MIGRATIONS_DOWN, KNOWS_CAPACITIES)},
    {"migrations_fork_share", "forks to another CPU", "%", "share of its new tasks that begin on another CPU",
     QUOTIENT(SUM_MIGRATIONS_CAUSES + MIGRATION_FORK, SUM_FORKS, 100), FLOOR(1, "one new task in 100")},
    {"fairness_jain", "fairness (Jain)", "", "Jain's index over the CPU time of its equal tasks; 1 is equal",
     NUMBER(fairness), .account = METRIC_ACCOUNT_SHARES, .needs = KNOWS_ALL_SWITCHES,
     .less = "CPU time is shared less fairly", .more = "CPU time is shared more fairly",
     .direction = METRIC_HIGHER_IS_BETTER, FLOOR(0.001, "CPU times within 3 % of each other"), .overview = 7,
     .is_of_squares = true},
    {"share_error", "share error", "%",
     "CPU time that its tasks that always want a CPU have beyond the share of their nice level, or of SCHED_IDLE; "
     "not of mixes with cgroups, nor of roles bound to CPUs",
     NUMBER(share_error), .account = METRIC_ACCOUNT_SHARES, .needs = KNOWS_ALL_SWITCHES, SHARES,
     FLOOR(1, "one hundredth of their CPU time")},
    {"role_share_error", "share error of roles", "%",
     "CPU time of the roles of a mix that went to others than their nice levels, weights and quotas say",
     NUMBER(roles.role_share_error), .account = METRIC_ACCOUNT_MIX, .needs = KNOWS_WAITING, SHARES,
     FLOOR(1, "one hundredth of their CPU time"), .of_workload = true},
    {"cgroup_share_error", "share error of cgroups", "%", "the same of the cgroups of a mix",
     NUMBER(roles.cgroup_share_error), .account = METRIC_ACCOUNT_MIX, .needs = KNOWS_WAITING, SHARES,
     FLOOR(1, "one hundredth of their CPU time"), .of_workload = true},
    {"quota_share", "periods with quota", "%",
     "quota periods (cpu.max) in which tasks of a cgroup wanted its whole quota, and got it; what a period got beyond "
     "its quota counts for the next one",
     NUMBER(roles.quota_share), .account = METRIC_ACCOUNT_MIX, .needs = KNOWS_WAITING,
     .less = "cgroups get their quota less often", .more = "cgroups get their quota more often",
     .direction = METRIC_HIGHER_IS_BETTER, FLOOR(2, "one period in 50"), .of_workload = true},
    {"throttled_ticks_max", "longest wait with quota", "ticks",
     "the longest time that tasks of a cgroup with a quota waited while none of them ran, throttled or not",
     .value = quota_wait_ticks, .account = METRIC_ACCOUNT_MIX, .needs = KNOWS_WAITING,
     LOWER_IS_BETTER("cgroups with a quota wait less for a CPU", "cgroups with a quota wait longer for a CPU"),
     FLOOR(1, "quotas are given out at ticks"), .of_workload = true},
    {"throttled_ms_per_s", "throttled", "ms/s",
     "time that its tasks could run, but their cgroup had used its quota (cpu.max): it is no part of waits; it needs "
     "keys (picknext help rules)",
     .value = ms_per_second, .of = SUM_THROTTLED_NS, .needs = KNOWS_WAKEUPS | KNOWS_ALL_SWITCHES | KNOWS_THROTTLING,
     .less = "tasks are throttled less", .more = "tasks are throttled longer", FLOOR(1, "a thousandth of the time")},
    {"role_runs_outside_per_s", "runs outside of own CPUs", "/s",
     "times that a task of a mix began to run on none of the CPUs that its role may use", .value = role_outside_rate,
     .account = METRIC_ACCOUNT_MIX, .needs = KNOWS_ALL_TASKS,
     LOWER_IS_BETTER("fewer runs outside of own CPUs", "more runs outside of own CPUs"), FLOOR(1, "one each second"),
     .counts_events = true, .of_workload = true},
    {"queue_imbalance", "queue imbalance", "tasks",
     "runnable tasks of the fullest CPU minus those of the emptiest, mean over time",
     QUOTIENT(SUM_IMBALANCE_NS, SUM_SEVERAL_NS, 1), .needs = KNOWS_WAITING | KNOWS_ALL_TASKS,
     LOWER_IS_BETTER("CPUs have more equal numbers of tasks", "CPUs have less equal numbers of tasks"),
     FLOOR(0.05, "a task more for 5 % of the time"), .of_workload = true},
    {"run_queue_length", "run queue length", "tasks", "runnable tasks per CPU, mean over time",
     QUOTIENT(SUM_QUEUED_NS, SUM_SHOWN_CPU_NS, 1), .needs = KNOWS_WAKEUPS | KNOWS_QUEUES,
     FLOOR(0.02, "a task more for 2 % of the time"), .of_workload = true},
    {"idle_waiting_ms_per_s", "waiting while a CPU idles", "ms/s",
     "time that tasks waited while another CPU they may use was idle; a command's tasks: any of the workload's", turns,
     IDLE_WAITING(SUM_IDLE_WAITING_NS, 0), IDLE_WAIT, .of_workload = true},
    {"idle_waiting_long_ms_per_s", "long waits while idle", "ms/s", "of that time, the stretches of 2.5 ms and more",
     IDLE_WAITING(SUM_IDLE_WAITING_LONG_NS, 0), IDLE_WAIT, .of_workload = true},
    {"idle_waiting_cache_ms_per_s", "idle is the same cache", "ms/s",
     "of the time waiting while a CPU idles, while an idle CPU had the same last-level cache", turns,
     IDLE_WAITING(SUM_IDLE_WAITING_CACHE_NS, KNOWS_NEAR_CPUS), IDLE_WAIT, .of_workload = true},
    {"own_idle_waiting_ms_per_s", "waiting for an idle CPU", "ms/s",
     "time that tasks waited for a CPU that was idle itself", QUOTIENT(SUM_STRANDED_NS, SUM_SHOWN_NS, 1e3),
     .needs = KNOWS_WAITING | KNOWS_ALL_TASKS,
     LOWER_IS_BETTER("tasks wait less for a CPU that idles", "tasks wait more for a CPU that idles"),
     FLOOR(5, "a CPU of a deterministic guest reacts at its turn"), .of_workload = true},
    {"misfit_ms_per_s", "misfits beside an idle CPU", "ms/s",
     "time that tasks which had not slept for 0.1 s ran on a CPU while one of larger capacity, which they may use, was "
     "idle",
     turns, IDLE_WAITING(SUM_MISFIT_NS, KNOWS_CAPACITIES),
     LOWER_IS_BETTER("tasks run less beside larger idle CPUs", "tasks run more beside larger idle CPUs"),
     .of_workload = true},
    {"largest_cpus_share", "time on the largest CPUs", "%",
     "share of the CPU time of its tasks that they spent on the CPUs of the largest capacity",
     QUOTIENT(SUM_RAN_LARGEST_NS, SUM_RAN_NS, 100), .needs = KNOWS_ALL_SWITCHES | KNOWS_CAPACITIES,
     FLOOR(1, "one hundredth of their CPU time")},
    {"capacity_used_share", "capacity used", "%",
     "share of the capacity of the workload's CPUs that its tasks used: their CPU time, each part multiplied by the "
     "capacity of its CPU, of the time of all these CPUs, multiplied likewise; 100 % if all are busy all the time; "
     "unknown if one of them shows no event for long",
     QUOTIENT(SUM_CAPACITY_USED, SUM_CAPACITY, 100),
     .needs = KNOWS_ALL_SWITCHES | KNOWS_ALL_TASKS | KNOWS_CAPACITY_USED, .less = "tasks use less of the capacity",
     .more = "tasks use more of the capacity", FLOOR(0.5, "half a percent of the capacity of the CPUs"),
     .of_workload = true},
    {"runs_outside_per_s", "runs on other CPUs", "/s",
     "times that one of its tasks began to run on a CPU that the workload may not use, such as an isolated one",
     PER_SECOND(SUM_RUNS_OUTSIDE, 0), LOWER_IS_BETTER("fewer runs on other CPUs", "more runs on other CPUs"),
     FLOOR(1, "one each second"), .counts_events = true},
    {"work_per_guest_s", "work per guest second", "/s",
     "work per second of a deterministic guest, whose clock counts instructions: that something changed, not which is "
     "faster",
     NUMBER(guest_work), .of_workload = true},
    {"idle_share", "CPUs idle", "%", "share of the time of the workload's CPUs", QUOTIENT(SUM_IDLE_NS, SUM_CPU_NS, 100),
     .needs = KNOWS_ALL_SWITCHES | KNOWS_ALL_TASKS, FLOOR(0.5, "half a percent of the time of the CPUs"),
     .of_workload = true},
    {"rule_breaks_share", "decisions against the rule", "%",
     "decisions that are not those of the published rule, of those that are judged; this and the next need keys "
     "(picknext help rules)",
     .value = rule_breaks_percent, LOWER_IS_BETTER("more decisions are the rule's", "fewer decisions are the rule's"),
     .of_workload = true, .breaks_rule = true},
    {"sums_differ_share", "queues with other sums", "%",
     "decisions that cannot be judged: the sums of the queue (weights, vruntimes, count) are not those of what it is "
     "known to have",
     .value = sums_differ_percent, LOWER_IS_BETTER("fewer queues with other sums", "more queues with other sums"),
     FLOOR(1, "one decision in a hundred"), .of_workload = true},
};

enum { FIXED_ROWS = sizeof(fixed_rows) / sizeof(*fixed_rows), NAME_SIZE = 48, HELP_SIZE = 192 };
_Static_assert(FIXED_ROWS + INVARIANTS_MAX < METRICS_MAX - METRIC_VALUES_MAX, "METRICS_MAX is too small");

/* The fixed rows, and one for each invariant: broken_KEY, of the words of its row. */
static struct metric table[METRICS_MAX];
static size_t count;

static void fill_table(void)
{
	static char names[INVARIANTS_MAX][NAME_SIZE], headings[INVARIANTS_MAX][NAME_SIZE],
	    helps[INVARIANTS_MAX][HELP_SIZE];

	memcpy(table, fixed_rows, sizeof(fixed_rows));
	count = FIXED_ROWS;
	for (unsigned int i = 0; i < invariant_count(); i++) {
		const struct invariant_row *row = invariant_row(i);
		snprintf(names[i], NAME_SIZE, "broken_%s", row->key);
		snprintf(headings[i], NAME_SIZE, "broken: %s", row->broken);
		snprintf(helps[i], HELP_SIZE, "checks at which this does not hold: %s", row->holds);
		table[count++] = (struct metric){.name = names[i],
						 .heading = headings[i],
						 .unit = "%",
						 .help = helps[i],
						 .value = broken_percent,
						 .of = i,
						 .less = "a rule is broken less often",
						 .more = "a rule is broken more often",
						 .direction = METRIC_LOWER_IS_BETTER,
						 .of_workload = true,
						 .breaks_rule = true,
						 .is_of_invariant = true};
	}
}

/* Not before the first use: most commands know no metrics. */
const struct metric *metric_table(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fill_table);
	return table;
}

size_t metric_count(void)
{
	metric_table();
	return count;
}

const struct metric *metric_find(const char *name)
{
	for (const struct metric *metric = metric_table(); metric->name; metric++)
		if (strcmp(metric->name, name) == 0)
			return metric;
	return NULL;
}
