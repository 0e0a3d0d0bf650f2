/* SPDX-License-Identifier: MIT */
#include "compare/metric.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compare/metric_period.h"
#include "trace/quality.h"

/* --- Functions --- */

/* Per second. NaN for a period without length, and if other tasks are not in the trace. */
static double rate(const struct metric_period *period, double amount)
{
	const double seconds = (double)(period->end_ns - period->begin_ns) / 1e9;

	return period->known.all_tasks && seconds > 0 ? amount / seconds : NAN;
}

/* A mean over the time of all CPUs. */
static double cpu_mean(const struct metric_period *period, double amount)
{
	const double cpu_ns = (double)(period->end.cpu_ns - period->begin.cpu_ns);

	return period->known.all_tasks && cpu_ns > 0 ? amount / cpu_ns : NAN;
}

enum { OF_MEAN = 0, OF_MAX = 1001 }; /* else a percentile in per mille */

/* Of the lengths of slices or waits; NaN if the beginning or end of some may be missing. */
static double statistic(const struct metric_period *period, const struct distribution *lengths, unsigned int which)
{
	if (!period->known.all_switches || lengths->count == 0)
		return NAN;
	return which == OF_MEAN  ? (double)lengths->sum / (double)lengths->count
	       : which == OF_MAX ? (double)lengths->max
				 : (double)distribution_percentile(lengths, which);
}

static double in_ticks(const struct metric_period *period, double ns)
{
	return period->tick_ns ? ns / (double)period->tick_ns : NAN;
}

static double throughput(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->throughput;
}

static double switch_rate(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return rate(period, (double)(period->end.switches - period->begin.switches));
}

static double involuntary_percent(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->left ? 100.0 * (double)period->involuntary / (double)period->left : NAN;
}

static double slice_us(const struct metric_period *period, unsigned int which)
{
	return statistic(period, &period->slices, which) / 1e3;
}

static double wakeup_us(const struct metric_period *period, unsigned int which)
{
	return statistic(period, &period->wakeups, which) / 1e3;
}

static double wakeup_ticks(const struct metric_period *period, unsigned int which)
{
	return in_ticks(period, statistic(period, &period->wakeups, which));
}

static double preempted_us(const struct metric_period *period, unsigned int which)
{
	return statistic(period, &period->preempted, which) / 1e3;
}

static double preempted_ticks(const struct metric_period *period, unsigned int which)
{
	return in_ticks(period, statistic(period, &period->preempted, which));
}

static double wakeup_switches(const struct metric_period *period, unsigned int which)
{
	return statistic(period, &period->overtaken, which);
}

static double wakeup_preemption_percent(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->known.all_switches && period->busy_wakeups
		   ? 100.0 * (double)period->preempting_wakeups / (double)period->busy_wakeups
		   : NAN;
}

static double longest_wait_ticks(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->known.wakeups && period->known.all_switches && period->has_begun
		   ? in_ticks(period, (double)period->longest_wait_ns)
		   : NAN;
}

static double share_error(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->known.all_switches ? period->share_error : NAN;
}

static double guest_work(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->guest_work;
}

/* CPU time in which it is known who waits; 0 if that is too little of all: after losses, it is that of CPUs that were
 * idle since. */
static uint64_t shown_cpu_time(const struct metric_period *period)
{
	const uint64_t all_ns = period->end.cpu_ns - period->begin.cpu_ns;
	const uint64_t hidden_ns = period->end.hidden_ns - period->begin.hidden_ns;

	return quality_has_enough(all_ns - hidden_ns, hidden_ns) ? all_ns - hidden_ns : 0;
}

/* Whether metrics are known that depend on who waits. */
static bool knows_waiting(const struct metric_period *period)
{
	return period->known.wakeups && period->known.all_switches && shown_cpu_time(period);
}

static double imbalance(const struct metric_period *period, unsigned int argument)
{
	const uint64_t ns = period->end.several_ns - period->begin.several_ns;

	(void)argument;
	return knows_waiting(period) && period->known.all_tasks && ns
		   ? (double)(period->end.imbalance_ns - period->begin.imbalance_ns) / (double)ns
		   : NAN;
}

static double stranded_rate(const struct metric_period *period, unsigned int argument)
{
	const uint64_t waited_ns = period->end.stranded_ns - period->begin.stranded_ns;
	const uint64_t shown_ns = period->end.shown_ns - period->begin.shown_ns;

	(void)argument;
	return knows_waiting(period) && period->known.all_tasks && shown_ns ? 1e3 * (double)waited_ns / (double)shown_ns
									    : NAN;
}

static double idle_waiting_long_rate(const struct metric_period *period, unsigned int argument)
{
	const uint64_t waited_ns = period->end.idle_waiting_long_ns - period->begin.idle_waiting_long_ns;

	(void)argument;
	return knows_waiting(period) ? rate(period, (double)waited_ns / 1e6) : NAN;
}

/* Metrics of roles and cgroups of a mix: place is that of a double in struct role_results. */
static double role_percent(const struct metric_period *period, unsigned int place)
{
	double percent;

	memcpy(&percent, (const char *)&period->roles + place, sizeof(percent));
	return knows_waiting(period) && period->has_roles ? percent : NAN;
}

static double quota_wait_ticks(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return knows_waiting(period) && period->roles.has_quota
		   ? in_ticks(period, (double)period->roles.longest_quota_wait_ns)
		   : NAN;
}

static double role_outside_rate(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->roles.has_masks ? rate(period, (double)period->roles.runs_outside) : NAN;
}

static double outside_rate(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return rate(period, (double)period->runs_outside);
}

/* A trace without sched_migrate_task has no migrations if no task was seen on two CPUs. */
static double rate_of_migrations(const struct metric_period *period, uint64_t count)
{
	return period->known.migrations || !period->known.was_moved ? rate(period, (double)count) : NAN;
}

static double migration_rate(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return rate_of_migrations(period, period->all_migrations - period->migrations[MIGRATION_FORK]);
}

static double migration_cause_rate(const struct metric_period *period, unsigned int cause)
{
	return rate_of_migrations(period, period->migrations[cause]);
}

/* Tasks are created at the start of most workloads: per second, their number would depend on the length of the run. */
static double fork_share(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->forks ? 100.0 * (double)period->migrations[MIGRATION_FORK] / (double)period->forks : NAN;
}

static double sleeper_migration_rate(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->known.wakeups ? rate_of_migrations(period, period->sleeper_migrations) : NAN;
}

static double other_migration_rate(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return rate_of_migrations(period, period->all_migrations - period->migrations[MIGRATION_WAKEUP] -
					      period->migrations[MIGRATION_FORK] - period->migrations[MIGRATION_PULL] -
					      period->migrations[MIGRATION_ACTIVE]);
}

static double fairness(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->known.all_switches ? period->fairness : NAN;
}

static double run_queue_length(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	const uint64_t shown_ns = shown_cpu_time(period);

	return period->known.wakeups && shown_ns
		   ? (double)(period->end.queued_ns - period->begin.queued_ns) / (double)shown_ns
		   : NAN;
}

static double idle_waiting_rate(const struct metric_period *period, unsigned int argument)
{
	const uint64_t waited_ns = period->end.idle_waiting_ns - period->begin.idle_waiting_ns;

	(void)argument;
	return knows_waiting(period) ? rate(period, (double)waited_ns / 1e6) : NAN;
}

/* --- By how near two CPUs are: level is an enum cpu_level --- */

static bool has_level(const struct metric_period *period, unsigned int level)
{
	return (period->levels & 1u << level) != 0;
}

static double placement_percent(const struct metric_period *period, unsigned int level)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < CPU_LEVELS; i++)
		all += period->placed[i];
	return has_level(period, level) && all ? 100.0 * (double)period->placed[level] / (double)all : NAN;
}

static double pull_rate(const struct metric_period *period, unsigned int level)
{
	return has_level(period, level) ? rate_of_migrations(period, period->pulled[level]) : NAN;
}

static double idle_waiting_level_rate(const struct metric_period *period, unsigned int level)
{
	const uint64_t all_ns = period->end.idle_waiting_ns - period->begin.idle_waiting_ns;
	const uint64_t ns = period->end.idle_waiting_level_ns[level] - period->begin.idle_waiting_level_ns[level];
	const double all = idle_waiting_rate(period, 0);

	return !has_level(period, level) ? NAN : all_ns ? all * (double)ns / (double)all_ns : all;
}

static double idle_percent(const struct metric_period *period, unsigned int argument)
{
	(void)argument;
	return period->known.all_switches
		   ? cpu_mean(period, 100.0 * (double)(period->end.idle_ns - period->begin.idle_ns))
		   : NAN;
}

/* Metrics of decisions and keys are of the whole run and of all tasks. */
static double rule_breaks_percent(const struct metric_period *period, unsigned int argument)
{
	const struct rules_account *account = period->rules ? &period->rules->account : NULL;

	(void)argument;
	return account && account->judged
		   ? 100.0 * (double)(account->judged - account->explained) / (double)account->judged
		   : NAN;
}

static double broken_percent(const struct metric_period *period, unsigned int invariant)
{
	const struct invariant_account *account = period->rules ? &period->rules->invariants.rows[invariant] : NULL;

	return account && account->checked ? 100.0 * (double)account->broken / (double)account->checked : NAN;
}

/* --- Rows --- */

static const char cost[] = "work costs instructions there, without caches and parallel CPUs";
static const char latency[] = "its clock counts the instructions of all CPUs, not time";
static const char turns[] = "an idle CPU reacts at its turn there, not at once";

#define FLOOR(floor_, reason) .floor = (floor_), .floor_reason = (reason)
#define WOKEN_WAIT            .less = "woken tasks wait shorter", .more = "woken tasks wait longer"
#define PREEMPTED_WAIT        .less = "preempted tasks wait shorter", .more = "preempted tasks wait longer"
#define SHARES                .less = "CPU time is shared more fairly", .more = "CPU time is shared less fairly"
#define IDLE_WAIT             .less = "tasks wait less beside idle CPUs", .more = "tasks wait more beside idle CPUs"
#define PLACEMENT_FLOOR       FLOOR(1, "one wakeup in 100")
#define IDLE_FLOOR            FLOOR(1, "0.1 % of the time of a task")
#define SLICE_FLOOR           FLOOR(1, "a context switch takes about as long")
#define WAIT_FLOOR            FLOOR(0.5, "recording the events of a wait takes about as long")
#define TICK_FLOOR            FLOOR(0.1, "the kernel decides at ticks")
#define MIGRATION_FLOOR       FLOOR(10, "together they cost at most 0.1 % of a CPU")

#define BROKEN(which, help_)                                                                                           \
	.unit = "%", .help = help_, .value = broken_percent, .argument = (which),                                      \
	.less = "a rule is broken less often", .more = "a rule is broken more often",                                  \
	.direction = METRIC_LOWER_IS_BETTER, .of_workload = true, .breaks_rule = true

const struct metric metric_table[] = {
    {"throughput_per_s", "throughput", "/s", "work done per second, as the workload counts it", cost,
     .value = throughput, .less = "less work is done", .more = "more work is done",
     .direction = METRIC_HIGHER_IS_BETTER, .overview = 1, .of_workload = true},
    {"switches_per_s", "switches", "/s", "context switches on the workload's CPUs", .value = switch_rate,
     FLOOR(10, "together they cost less than 0.01 % of a CPU"), .counts_events = true, .of_workload = true},
    {"involuntary_share", "involuntary switches", "%",
     "its tasks were switched out while runnable: preempted or yielded", .value = involuntary_percent,
     FLOOR(0.5, "one switch in 200"), .overview = 2},
    {"slice_mean_us", "slice mean", "us", "how long its tasks run at a time", .value = slice_us, .argument = OF_MEAN,
     SLICE_FLOOR},
    {"slice_p50_us", "slice p50", "us", "the same, median", .value = slice_us, .argument = 500, SLICE_FLOOR,
     .overview = 5},
    {"slice_p90_us", "slice p90", "us", "the same, 90th percentile", .value = slice_us, .argument = 900, SLICE_FLOOR},
    {"slice_p99_us", "slice p99", "us", "the same, 99th percentile", .value = slice_us, .argument = 990, SLICE_FLOOR},
    {"wakeup_latency_p50_us", "wakeup latency p50", "us", "how long its tasks wait for a CPU after a wakeup, median",
     latency, .value = wakeup_us, .argument = 500, WOKEN_WAIT, .direction = METRIC_LOWER_IS_BETTER, WAIT_FLOOR,
     .overview = 3},
    {"wakeup_latency_p90_us", "wakeup latency p90", "us", "the same, 90th percentile", latency, .value = wakeup_us,
     .argument = 900, WOKEN_WAIT, .direction = METRIC_LOWER_IS_BETTER, WAIT_FLOOR},
    {"wakeup_latency_p99_us", "wakeup latency p99", "us", "the same, 99th percentile", latency, .value = wakeup_us,
     .argument = 990, WOKEN_WAIT, .direction = METRIC_LOWER_IS_BETTER, WAIT_FLOOR, .overview = 4},
    {"wakeup_latency_max_us", "wakeup latency max", "us", "the same, longest", latency, .value = wakeup_us,
     .argument = OF_MAX, WOKEN_WAIT, .direction = METRIC_LOWER_IS_BETTER, WAIT_FLOOR},
    {"wakeup_preemption_share", "wakeups that preempt", "%",
     "wakeups (and forks) onto a CPU that runs another task, after which the task runs there next, within 0.1 ms; in % "
     "of those whose task was not moved to another CPU before it ran",
     .value = wakeup_preemption_percent, FLOOR(1, "one wakeup in 100"), .overview = 8},
    {"wakeup_same_cpu_share", "wakeups on the same CPU", "%",
     "wakeups that leave its tasks on the CPU where they ran last; as all metrics of levels, only of a run whose CPUs "
     "are not equally near to each other (picknext help topology)",
     .value = placement_percent, .argument = CPU_LEVEL_SAME, PLACEMENT_FLOOR},
    {"wakeup_smt_share", "wakeups: same core", "%", "those on another hardware thread of the same core",
     .value = placement_percent, .argument = CPU_LEVEL_SMT, PLACEMENT_FLOOR},
    {"wakeup_llc_share", "wakeups: same cache", "%", "those on another core with the same last-level cache",
     .value = placement_percent, .argument = CPU_LEVEL_LLC, PLACEMENT_FLOOR},
    {"wakeup_node_share", "wakeups: same node", "%", "those on another cache of the same NUMA node",
     .value = placement_percent, .argument = CPU_LEVEL_NODE, PLACEMENT_FLOOR},
    {"wakeup_remote_share", "wakeups: other node", "%", "those on another NUMA node", .value = placement_percent,
     .argument = CPU_LEVEL_REMOTE, PLACEMENT_FLOOR},
    {"wakeup_wait_ticks_mean", "wakeup wait ticks mean", "ticks",
     "how long its tasks wait for a CPU after a wakeup, in ticks of the kernel", .value = wakeup_ticks,
     .argument = OF_MEAN, WOKEN_WAIT, .direction = METRIC_LOWER_IS_BETTER, TICK_FLOOR, .overview = 9},
    {"wakeup_wait_ticks_p99", "wakeup wait ticks p99", "ticks", "the same, 99th percentile", .value = wakeup_ticks,
     .argument = 990, WOKEN_WAIT, .direction = METRIC_LOWER_IS_BETTER, TICK_FLOOR, .overview = 10},
    {"wakeup_wait_ticks_max", "wakeup wait ticks max", "ticks", "the same, longest", .value = wakeup_ticks,
     .argument = OF_MAX, WOKEN_WAIT, .direction = METRIC_LOWER_IS_BETTER, TICK_FLOOR},
    {"preempted_wait_ticks_mean", "preempted wait ticks mean", "ticks",
     "how long its tasks wait for a CPU after a preemption, in ticks", .value = preempted_ticks, .argument = OF_MEAN,
     PREEMPTED_WAIT, .direction = METRIC_LOWER_IS_BETTER, TICK_FLOOR},
    {"preempted_wait_ticks_p99", "preempted wait ticks p99", "ticks", "the same, 99th percentile",
     .value = preempted_ticks, .argument = 990, PREEMPTED_WAIT, .direction = METRIC_LOWER_IS_BETTER, TICK_FLOOR},
    {"preempted_wait_ticks_max", "preempted wait ticks max", "ticks", "the same, longest", .value = preempted_ticks,
     .argument = OF_MAX, PREEMPTED_WAIT, .direction = METRIC_LOWER_IS_BETTER, TICK_FLOOR},
    {"longest_wait_ticks", "longest wait", "ticks",
     "the longest time that one of its tasks waited for a CPU, also if it never ran again", .value = longest_wait_ticks,
     .less = "the longest wait is shorter", .more = "the longest wait is longer", .direction = METRIC_LOWER_IS_BETTER,
     TICK_FLOOR},
    {"wakeup_switches_mean", "switches before run mean", "switches",
     "switches of its CPU between a task's wakeup and its run", .value = wakeup_switches, .argument = OF_MEAN,
     .less = "fewer tasks run before a woken one", .more = "more tasks run before a woken one",
     .direction = METRIC_LOWER_IS_BETTER, FLOOR(0.05, "one more in 20 wakeups")},
    {"wakeup_switches_p50", "switches before run p50", "switches", "the same, median", .value = wakeup_switches,
     .argument = 500, .less = "fewer tasks run before a woken one", .more = "more tasks run before a woken one",
     .direction = METRIC_LOWER_IS_BETTER, FLOOR(1, "a switch is not divisible")},
    {"wakeup_switches_p99", "switches before run p99", "switches",
     "switches of its CPU between a task's wakeup and its run, 99th percentile", .value = wakeup_switches,
     .argument = 990, .less = "fewer tasks run before a woken one", .more = "more tasks run before a woken one",
     .direction = METRIC_LOWER_IS_BETTER, FLOOR(1, "a switch is not divisible")},
    {"preempted_wait_p50_us", "preempted wait p50", "us",
     "how long its tasks wait for a CPU after a preemption, median", latency, .value = preempted_us, .argument = 500,
     PREEMPTED_WAIT, .direction = METRIC_LOWER_IS_BETTER, WAIT_FLOOR},
    {"preempted_wait_p99_us", "preempted wait p99", "us", "the same, 99th percentile", latency, .value = preempted_us,
     .argument = 990, PREEMPTED_WAIT, .direction = METRIC_LOWER_IS_BETTER, WAIT_FLOOR},
    {"migrations_per_s", "migrations", "/s", "moves of its tasks to another CPU, without those at a fork",
     .value = migration_rate, MIGRATION_FLOOR, .counts_events = true, .overview = 6},
    {"migrations_wakeup_per_s", "migrations: wakeup", "/s", "of those, at a wakeup", .value = migration_cause_rate,
     .argument = MIGRATION_WAKEUP, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_pull_per_s", "migrations: pull", "/s", "of those, pulled by a less busy CPU",
     .value = migration_cause_rate, .argument = MIGRATION_PULL, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_active_balance_per_s", "migrations: active balance", "/s", "of those, pushed while running",
     .value = migration_cause_rate, .argument = MIGRATION_ACTIVE, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_other_per_s", "migrations: other", "/s", "of those, for any other or an unknown cause",
     .value = other_migration_rate, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_asleep_per_s", "migrations: asleep", "/s", "of those, of tasks that slept and did not run then",
     .value = sleeper_migration_rate, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_pull_smt_per_s", "pulls: same core", "/s", "pulls by another hardware thread of the same core",
     .value = pull_rate, .argument = CPU_LEVEL_SMT, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_pull_llc_per_s", "pulls: same cache", "/s", "pulls by another core with the same last-level cache",
     .value = pull_rate, .argument = CPU_LEVEL_LLC, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_pull_node_per_s", "pulls: same node", "/s", "pulls by another cache of the same NUMA node",
     .value = pull_rate, .argument = CPU_LEVEL_NODE, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_pull_remote_per_s", "pulls: other node", "/s", "pulls by another NUMA node", .value = pull_rate,
     .argument = CPU_LEVEL_REMOTE, MIGRATION_FLOOR, .counts_events = true},
    {"migrations_fork_share", "forks to another CPU", "%", "share of its new tasks that begin on another CPU",
     .value = fork_share, FLOOR(1, "one new task in 100")},
    {"fairness_jain", "fairness (Jain)", "", "Jain's index over the CPU time of its equal tasks; 1 is equal",
     .value = fairness, .less = "CPU time is shared less fairly", .more = "CPU time is shared more fairly",
     .direction = METRIC_HIGHER_IS_BETTER, FLOOR(0.001, "CPU times within 3 % of each other"), .overview = 7,
     .is_of_squares = true},
    {"share_error", "share error", "%",
     "CPU time that its tasks that always want a CPU have beyond the share of their nice level, or of SCHED_IDLE; "
     "not of mixes with cgroups, nor of roles bound to CPUs",
     .value = share_error, SHARES, .direction = METRIC_LOWER_IS_BETTER, FLOOR(1, "one hundredth of their CPU time")},
    {"role_share_error", "share error of roles", "%",
     "CPU time of the roles of a mix that went to others than their nice levels, weights and quotas say",
     .value = role_percent, .argument = offsetof(struct role_results, role_share_error), SHARES,
     .direction = METRIC_LOWER_IS_BETTER, FLOOR(1, "one hundredth of their CPU time"), .of_workload = true},
    {"cgroup_share_error", "share error of cgroups", "%", "the same of the cgroups of a mix", .value = role_percent,
     .argument = offsetof(struct role_results, cgroup_share_error), SHARES, .direction = METRIC_LOWER_IS_BETTER,
     FLOOR(1, "one hundredth of their CPU time"), .of_workload = true},
    {"quota_share", "periods with quota", "%",
     "quota periods (cpu.max) in which tasks of a cgroup wanted its whole quota, and got it; what a period got beyond "
     "its quota counts for the next one",
     .value = role_percent, .argument = offsetof(struct role_results, quota_share),
     .less = "cgroups get their quota less often", .more = "cgroups get their quota more often",
     .direction = METRIC_HIGHER_IS_BETTER, FLOOR(2, "one period in 50"), .of_workload = true},
    {"throttled_ticks_max", "longest wait with quota", "ticks",
     "the longest time that tasks of a cgroup with a quota waited while none of them ran, throttled or not",
     .value = quota_wait_ticks, .less = "cgroups with a quota wait shorter for a CPU",
     .more = "cgroups with a quota wait longer for a CPU", .direction = METRIC_LOWER_IS_BETTER,
     FLOOR(1, "quotas are given out at ticks"), .of_workload = true},
    {"role_runs_outside_per_s", "runs outside of own CPUs", "/s",
     "times that a task of a mix began to run on none of the CPUs that its role may use", .value = role_outside_rate,
     .less = "fewer runs outside of own CPUs", .more = "more runs outside of own CPUs",
     .direction = METRIC_LOWER_IS_BETTER, FLOOR(1, "one each second"), .counts_events = true, .of_workload = true},
    {"queue_imbalance", "queue imbalance", "tasks",
     "runnable tasks of the fullest CPU minus those of the emptiest, mean over time", .value = imbalance,
     .less = "CPUs have more equal numbers of tasks", .more = "CPUs have less equal numbers of tasks",
     .direction = METRIC_LOWER_IS_BETTER, FLOOR(0.05, "a task more for 5 % of the time"), .of_workload = true},
    {"run_queue_length", "run queue length", "tasks", "runnable tasks per CPU, mean over time",
     .value = run_queue_length, FLOOR(0.02, "a task more for 2 % of the time"), .of_workload = true},
    {"idle_waiting_ms_per_s", "waiting while a CPU idles", "ms/s",
     "time that tasks waited while another CPU they may use was idle; a command's tasks: any of the workload's", turns,
     .value = idle_waiting_rate, IDLE_WAIT, .direction = METRIC_LOWER_IS_BETTER, IDLE_FLOOR, .of_workload = true},
    {"idle_waiting_long_ms_per_s", "long waits while idle", "ms/s", "of that time, the stretches of 2.5 ms and more",
     .value = idle_waiting_long_rate, IDLE_WAIT, .direction = METRIC_LOWER_IS_BETTER, IDLE_FLOOR, .of_workload = true},
    {"idle_waiting_smt_ms_per_s", "idle is the same core", "ms/s",
     "of the time waiting while a CPU idles, while the nearest idle CPU was a hardware thread of the same core", turns,
     .value = idle_waiting_level_rate, .argument = CPU_LEVEL_SMT, IDLE_WAIT, .direction = METRIC_LOWER_IS_BETTER,
     IDLE_FLOOR, .of_workload = true},
    {"idle_waiting_llc_ms_per_s", "idle is the same cache", "ms/s", "while it was one with the same last-level cache",
     turns, .value = idle_waiting_level_rate, .argument = CPU_LEVEL_LLC, IDLE_WAIT, .direction = METRIC_LOWER_IS_BETTER,
     IDLE_FLOOR, .of_workload = true},
    {"idle_waiting_node_ms_per_s", "idle is the same node", "ms/s", "while it was one of the same NUMA node", turns,
     .value = idle_waiting_level_rate, .argument = CPU_LEVEL_NODE, IDLE_WAIT, .direction = METRIC_LOWER_IS_BETTER,
     IDLE_FLOOR, .of_workload = true},
    {"idle_waiting_remote_ms_per_s", "idle is another node", "ms/s", "while it was one of another NUMA node", turns,
     .value = idle_waiting_level_rate, .argument = CPU_LEVEL_REMOTE, IDLE_WAIT, .direction = METRIC_LOWER_IS_BETTER,
     IDLE_FLOOR, .of_workload = true},
    {"own_idle_waiting_ms_per_s", "waiting for an idle CPU", "ms/s",
     "time that tasks waited for a CPU that was idle itself", .value = stranded_rate,
     .less = "tasks wait less for a CPU that idles", .more = "tasks wait more for a CPU that idles",
     .direction = METRIC_LOWER_IS_BETTER, FLOOR(5, "a CPU of a deterministic guest reacts at its turn"),
     .of_workload = true},
    {"runs_outside_per_s", "runs on other CPUs", "/s",
     "times that one of its tasks began to run on a CPU that the workload may not use, such as an isolated one",
     .value = outside_rate, .less = "fewer runs on other CPUs", .more = "more runs on other CPUs",
     .direction = METRIC_LOWER_IS_BETTER, FLOOR(1, "one each second"), .counts_events = true},
    {"work_per_guest_s", "work per guest second", "/s",
     "work per second of a deterministic guest, whose clock counts instructions: that something changed, not which is "
     "faster",
     .value = guest_work, .of_workload = true},
    {"idle_share", "CPUs idle", "%", "share of the time of the workload's CPUs", .value = idle_percent,
     FLOOR(0.5, "half a percent of the time of the CPUs"), .of_workload = true},
    {"rule_breaks_share", "decisions against the rule", "%",
     "decisions that are not those of the published rule, of those that are judged; this and the next need keys "
     "(picknext help rules)",
     .value = rule_breaks_percent, .less = "more decisions are the rule's", .more = "fewer decisions are the rule's",
     .direction = METRIC_LOWER_IS_BETTER, .of_workload = true, .breaks_rule = true},
    {"broken_weight_of_nice", "broken: weight of nice",
     BROKEN(INVARIANT_WEIGHT, "tasks begin to run with a weight that is not that of their nice value")},
    {"broken_group_weight", "broken: weight of groups",
     BROKEN(INVARIANT_GROUP_WEIGHT, "groups weigh more on a CPU than their cpu.weight")},
    {"broken_group_keeps_weight", "broken: weight of empty groups",
     BROKEN(INVARIANT_GROUP_KEPT, "groups get another weight when their last task goes to sleep")},
    {"broken_group_keeps_lag", "broken: lag of groups",
     BROKEN(INVARIANT_GROUP_LAG, "waiting groups get another lag when their weight changes")},
    {"broken_deadline_in_slice", "broken: deadline",
     BROKEN(INVARIANT_DEADLINE, "tasks begin to run with a deadline beyond a slice after their vruntime")},
    {"broken_deadline_renewed", "broken: new deadline",
     BROKEN(INVARIANT_DEADLINE_RENEWED,
	    "tasks that have used their slice keep their deadline, or get one that is not a slice later")},
    {"broken_deadline_placed", "broken: deadline at wakeup",
     BROKEN(INVARIANT_DEADLINE_PLACED,
	    "woken or new tasks get another deadline than a slice, or half of one, after their vruntime")},
    {"broken_group_deadline_placed", "broken: deadline of placed groups",
     BROKEN(INVARIANT_GROUP_PLACED, "groups that get their first task get another deadline than by its slice")},
    {"broken_group_slice", "broken: slices of groups",
     BROKEN(INVARIANT_GROUP_SLICE, "groups get a request longer than the shortest slice of their queue")},
    {"broken_group_request", "broken: request of groups",
     BROKEN(INVARIANT_GROUP_ASKS, "waiting groups are put on their queue again without a request")},
    {"broken_slice_placed", "broken: base slice",
     BROKEN(INVARIANT_SLICE_PLACED, "tasks without a slice of their own are placed with another than the base slice")},
    {"broken_deadline_kept", "broken: deadline of moved tasks",
     BROKEN(INVARIANT_DEADLINE_KEPT, "waiting tasks that are moved get another deadline")},
    {"broken_lag_bounded", "broken: bound of lag",
     BROKEN(INVARIANT_LAG_BOUND, "tasks go to sleep with a lag beyond its bound")},
    {"broken_lag_measured", "broken: lag at sleep",
     BROKEN(INVARIANT_LAG_MEASURED, "tasks go to sleep with another lag than V - vruntime")},
    {"broken_lag_asleep", "broken: lag asleep",
     BROKEN(INVARIANT_LAG_ASLEEP, "the lag of tasks changes while they sleep")},
    {"broken_lag_kept", "broken: lag after sleep",
     BROKEN(INVARIANT_LAG_KEPT, "tasks wake up with another lag than they had")},
    {"broken_vruntime_placed", "broken: vruntime of placed tasks",
     BROKEN(INVARIANT_VRUNTIME_PLACED, "tasks are placed at another vruntime than by V and their lag")},
    {"broken_debt_stays", "broken: debt at sleep",
     BROKEN(INVARIANT_DEBT, "tasks that sleep with negative lag leave their queue")},
    {"broken_delayed_in_debt", "broken: delayed without debt",
     BROKEN(INVARIANT_DELAYED, "what is eligible stays on its queue when it goes to sleep")},
    {"broken_sleeper_leaves", "broken: sleepers leave",
     BROKEN(INVARIANT_LEAVES, "tasks go on running, or wait, that stopped to run asleep by the trace")},
    {"broken_delayed_gains_nothing", "broken: lag of delayed sleepers",
     BROKEN(INVARIANT_DELAYED_LAG, "delayed sleepers wake up with positive lag")},
    {"broken_debt_kept", "broken: keys of delayed sleepers",
     BROKEN(INVARIANT_REQUEUED, "delayed sleepers in debt get other keys when they wake up")},
    {"broken_vruntime_forward", "broken: vruntime",
     BROKEN(INVARIANT_VRUNTIME, "the vruntime of a queued or running task goes back")},
    {"broken_waits_with_its_keys", "broken: keys of waiting tasks",
     BROKEN(INVARIANT_WAITING, "the vruntime or deadline of waiting tasks changes")},
    {"broken_yield_forfeits", "broken: yield",
     BROKEN(INVARIANT_YIELD,
	    "tasks forfeit their request at a yield without being eligible, or do not although they are")},
    {"broken_wakeup_tested", "broken: test at wakeup",
     BROKEN(INVARIANT_WAKEUP_TESTED, "wakeups do not ask whether the task preempts")},
    {"broken_wakeup_preempts", "broken: preemption at wakeup",
     BROKEN(INVARIANT_WAKEUP_PREEMPTS, "wakeups preempt within the granularity, or do not beyond it")},
    {"broken_buddy_asked", "broken: buddies",
     BROKEN(INVARIANT_BUDDY, "woken tasks are picked as buddies, without the feature NEXT_BUDDY")},
    {"broken_short_slice_preempts", "broken: short slices",
     BROKEN(INVARIANT_SHORT_SLICE, "woken tasks with a shorter slice do not end the protection of the running one")},
    {"broken_idle_policy_gives_way", "broken: SCHED_IDLE gives way",
     BROKEN(INVARIANT_GIVES_WAY, "tasks of SCHED_IDLE keep a CPU from a woken task of another policy")},
    {"broken_tick_ends_slice", "broken: preemption by the tick",
     BROKEN(INVARIANT_TICK,
	    "the tick asks a task of a group to give way that shares no queue or has not used its slice")},
    {"broken_woken_before_run", "broken: woken before run",
     BROKEN(INVARIANT_WOKEN, "tasks that slept run without a wakeup")},
    {"broken_cpu_allowed", "broken: affinity",
     BROKEN(INVARIANT_ALLOWED, "tasks run outside of their affinity, or are woken on an isolated CPU")},
    {"broken_sleeper_stays", "broken: sleeping tasks moved",
     BROKEN(INVARIANT_SLEEPER, "sleeping tasks are moved to another CPU without a wakeup")},
    {"broken_pulls_waiting", "broken: sleeping tasks pulled",
     BROKEN(INVARIANT_PULLED, "a CPU that becomes idle takes delayed sleepers in place of waiting tasks")},
    {"broken_busy_cpus_balance", "broken: balance of busy CPUs",
     BROKEN(INVARIANT_BALANCE, "a CPU keeps twice as many equal tasks as another busy one")},
    {"broken_rr_turns", "broken: turns of SCHED_RR",
     BROKEN(INVARIANT_TURN, "SCHED_RR tasks run beyond their slice while an equal one waits")},
    {"broken_urgent_preempts", "broken: preemption above the fair class",
     BROKEN(INVARIANT_URGENT,
	    "woken tasks of a higher real-time priority or an earlier deadline do not ask the running one to leave")},
    {"broken_tasks_counted", "broken: count of tasks",
     BROKEN(INVARIANT_COUNTED, "a CPU's queue counts fewer tasks than run or wait there")},
    {"broken_unthrottled_queued", "broken: end of throttling",
     BROKEN(INVARIANT_FREED, "groups with tasks are on no queue when their throttling has ended")},
    {"broken_woken_on_idle_previous", "broken: idle previous CPU",
     BROKEN(INVARIANT_PLACED_PREVIOUS, "woken tasks leave their previous CPU, which is idle")},
    {"broken_woken_beside_waker", "broken: hint of the waker",
     BROKEN(INVARIANT_PLACED_HINT, "tasks are not woken beside a waker that is alone and will sleep")},
    {"broken_woken_on_idle", "broken: search for an idle CPU",
     BROKEN(INVARIANT_PLACED_SEARCH, "woken tasks do not get the idle CPU that the kernel should find")},
    {"broken_rt_woken", "broken: wakeup of real-time tasks",
     BROKEN(INVARIANT_PLACED_PRIORITY, "woken real-time tasks wait for others while a CPU runs lower classes")},
    {"broken_new_on_idle", "broken: CPU of new tasks",
     BROKEN(INVARIANT_PLACED_NEW, "new tasks are put on a busy CPU while another one is idle")},
    {"broken_service_counted", "broken: CPU time",
     BROKEN(INVARIANT_SERVICE, "the vruntime of running tasks does not advance by CPU time / weight")},
    {"broken_request_kept", "broken: request at another weight",
     BROKEN(INVARIANT_REQUEST, "another weight changes what is left of the request of a group")},
    {"broken_rt_spread", "broken: real-time tasks wait",
     BROKEN(INVARIANT_SPREAD, "a CPU runs a lower priority while a real-time task that may run there waits")},
    {"broken_fair_served", "broken: fair tasks starve",
     BROKEN(INVARIANT_STARVED, "higher classes keep fair tasks waiting for more than a second")},
    {"broken_fair_deferred", "broken: fair server",
     BROKEN(INVARIANT_DEFERRED, "fair tasks run before real-time ones without having waited for it")},
    {"broken_budget_kept", "broken: budget",
     BROKEN(INVARIANT_BUDGET, "deadline tasks have more than their budget, or run more than a tick beyond it")},
    {"broken_budget_refilled", "broken: budget after a refill",
     BROKEN(INVARIANT_REFILLED, "deadline tasks get more than a budget per period")},
    {.name = NULL},
};

const size_t metric_count = sizeof(metric_table) / sizeof(*metric_table) - 1;
_Static_assert(sizeof(metric_table) / sizeof(*metric_table) <= METRICS_MAX - METRIC_VALUES_MAX,
	       "METRICS_MAX is too small");

const struct metric *metric_find(const char *name)
{
	for (const struct metric *metric = metric_table; metric->name; metric++)
		if (strcmp(metric->name, name) == 0)
			return metric;
	return NULL;
}
