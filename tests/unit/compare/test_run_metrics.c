/* SPDX-License-Identifier: MIT
 *
 * Edge cases of metrics, and metrics that tests/support/reference_metrics.py lacks, from events by hand. Times are
 * microseconds. */
#include <math.h>

#include "compare/metric.h"
#include "compare/run_metrics.h"
#include "rules/invariants.h"
#include "support/sched_feed.h"
#include "support/unit.h"

struct feed {
	struct leave_reason_table outs;
	struct task_states states;
	struct run_metrics_work *work;
	struct run_metrics metrics, steady;
};

static struct feed start(void)
{
	return (struct feed){.outs = FEED_OUTS};
}

static void begin(struct feed *feed, const struct run_metrics_scope *scope)
{
	task_states_begin(&feed->states, &feed->outs, NULL);
	feed->work = run_metrics_begin(scope);
}

/* A workload is the tasks of these names. */
static void begin_tasks(struct feed *feed, const char *names)
{
	begin(feed, &(struct run_metrics_scope){.task_names = names, .throughput = NAN});
}

static void take(struct feed *feed, struct sched_event event)
{
	struct task_step step;

	event.ts_ns *= 1000;
	assert_int_equal(task_states_step(&feed->states, &event, &step, NULL), STATUS_OK);
	run_metrics_step(feed->work, &feed->states, &event, &step);
}

static void end(struct feed *feed)
{
	struct task_slice slice;

	for (uint32_t cpu = 0; cpu < feed->states.cpu_count; cpu++)
		if (task_states_end_cpu(&feed->states, cpu, feed->states.last_ns, &slice))
			run_metrics_cut(feed->work, &feed->states, &slice);
	run_metrics_end(feed->work, &feed->states, &feed->metrics, &feed->steady);
}

static void finish(struct feed *feed)
{
	run_metrics_free(&feed->metrics);
	run_metrics_free(&feed->steady);
	task_states_free(&feed->states);
}

static bool is_near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * fabs(expected);
}

static double value_of(const struct run_metrics *metrics, const char *name)
{
	return metrics->values[metric_index(metric_find(name))];
}

#define assert_value(feed, name, value) assert_true(is_near(value_of(&(feed).metrics, name), value))
#define assert_unknown(feed, name)      assert_true(isnan(value_of(&(feed).metrics, name)))

/* 100 works from 10 to 30, and from 40 to its death at 60; 50 is somebody else. */
static void feed_two_slices(struct feed *feed, uint64_t since, const char *worker)
{
	take(feed, feed_wakeup(since + 5, 0, 0, worker, 100, 0));
	take(feed, feed_switch(since + 10, 0, "swapper/0", 0, 'R', worker, 100));
	take(feed, feed_wakeup(since + 20, 0, 100, "other", 50, 0));
	take(feed, feed_switch(since + 30, 0, worker, 100, 'R', "other", 50));
	take(feed, feed_switch(since + 40, 0, "other", 50, 'S', worker, 100));
	take(feed, feed_switch(since + 60, 0, worker, 100, 'X', "swapper/0", 0));
	take(feed, feed_switch(since + 90, 0, "swapper/0", 0, 'R', "other", 50));
}

static void assert_two_slices(const struct feed *feed)
{
	assert_int_equal(feed->metrics.duration_ns, 55000);
	assert_value(*feed, "switches_per_s", 4 / 55e-6);
	assert_value(*feed, "involuntary_share", 50);
	assert_value(*feed, "slice_mean_us", 20);
	assert_value(*feed, "wakeup_latency_max_us", 5);
	assert_value(*feed, "preempted_wait_p50_us", 10);
	/* 100 waits 5, runs 15, both 10, both 10, 100 runs 20: of 55 */
	assert_value(*feed, "run_queue_length", (5 + 10 + 20 + 20 + 20) / 55.0);
	assert_value(*feed, "idle_share", 100 * 5 / 55.0);
	assert_unknown(*feed, "fairness_jain");
	assert_value(*feed, "migrations_per_s", 0);
}

/* The machine goes on from run to run, with the same PIDs; figures are those of the run alone. */
TEST(test_second_run_of_a_machine)
{
	struct feed feed = start();

	for (uint64_t run = 0; run < 3; run++) {
		begin_tasks(&feed, "some worker more");
		feed_two_slices(&feed, 5000 - 1000 * run, "worker");
		end(&feed);
		assert_two_slices(&feed);
		assert_unknown(feed, "throughput_per_s");
		run_metrics_free(&feed.metrics);
	}
	feed.metrics = (struct run_metrics){0};
	finish(&feed);
}

/* The account of idle waiting is left out if no chosen metric needs it. */
TEST(test_unneeded_account)
{
	struct feed feed = start();

	begin(&feed, &(struct run_metrics_scope){.task_names = "worker",
						 .throughput = NAN,
						 .unneeded = 1u << metric_find("idle_waiting_ms_per_s")->account});
	feed_two_slices(&feed, 1000, "worker");
	end(&feed);
	assert_two_slices(&feed);
	assert_unknown(feed, "idle_waiting_ms_per_s");
	finish(&feed);
}

/* 100 is the root: it makes 101, that 102. 50 runs beside them under the same name and makes 103; 100's PID then comes
 * to a task that 50 made. */
TEST(test_descendants_of_a_root)
{
	static const int32_t roots[] = {7, 100};
	struct feed feed = start();

	begin(&feed, &(struct run_metrics_scope){.roots = roots, .root_count = 2, .throughput = NAN});
	take(&feed, feed_wakeup(1000, 0, 50, "picknext", 100, 0));
	take(&feed, feed_switch(1010, 0, "sh", 50, 'R', "sh", 100));
	take(&feed, feed_birth(1012, 0, 100, "sh", 101, 0));
	take(&feed, feed_switch(1020, 0, "sh", 100, 'S', "sh", 101));
	take(&feed, feed_birth(1022, 0, 101, "sh", 102, 0));
	take(&feed, feed_switch(1030, 0, "sh", 101, 'X', "kworker/0:1", 102));
	take(&feed, feed_wakeup(1032, 0, 102, "sh", 100, 0));
	take(&feed, feed_switch(1040, 0, "kworker/0:1", 102, 'X', "sh", 50));
	take(&feed, feed_birth(1042, 0, 50, "sh", 103, 0));
	take(&feed, feed_switch(1050, 0, "sh", 50, 'S', "sh", 103));
	take(&feed, feed_switch(1060, 0, "sh", 103, 'X', "sh", 100));
	take(&feed, feed_switch(1070, 0, "sh", 100, 'X', "swapper/0", 0));
	take(&feed, feed_wakeup(1080, 0, 0, "sh", 50, 0));
	take(&feed, feed_switch(1081, 0, "swapper/0", 0, 'R', "sh", 50));
	take(&feed, feed_birth(1082, 0, 50, "sh", 100, 0));
	take(&feed, feed_switch(1083, 0, "sh", 50, 'R', "sh", 100));
	take(&feed, feed_switch(1090, 0, "sh", 100, 'X', "sh", 50));
	end(&feed);
	assert_int_equal(feed.metrics.duration_ns, 70000);
	assert_int_equal(feed.metrics.distributions[RUN_SLICES].count, 4);
	assert_int_equal(feed.metrics.distributions[RUN_SLICES].sum, 40000);
	assert_int_equal(feed.metrics.distributions[RUN_WAKEUPS].count, 4);
	assert_int_equal(feed.metrics.distributions[RUN_WAKEUPS].sum, (10 + 8 + 8 + 28) * 1000);
	assert_value(feed, "involuntary_share", 0);
	assert_value(feed, "fairness_jain", 1);
	run_metrics_free(&feed.metrics);
	/* Names that are known say more. */
	begin(&feed,
	      &(struct run_metrics_scope){.task_names = "worker", .roots = roots, .root_count = 2, .throughput = NAN});
	feed_two_slices(&feed, 5000, "worker");
	take(&feed, feed_birth(5095, 0, 50, "other", 7, 0));
	end(&feed);
	assert_two_slices(&feed);
	finish(&feed);
}

/* Without names all count but picknext's own and the kernel's. */
TEST(test_whose_tasks_count)
{
	static const struct {
		const char *names, *comm;
		bool counts;
	} cases[] = {
	    {"worker", "worker", true},     {"worker", "worker2", false}, {"worker", "work", false},
	    {"a worker", "a", true},        {NULL, "worker", true},       {NULL, "picknext", false},
	    {NULL, "picknext-lead", false}, {NULL, "kworker/0:1", false}, {NULL, "", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed feed = start();
		begin_tasks(&feed, cases[i].names);
		take(&feed, feed_wakeup(5, 0, 0, cases[i].comm, 100, 0));
		take(&feed, feed_switch(10, 0, "swapper/0", 0, 'R', cases[i].comm, 100));
		take(&feed, feed_switch(25, 0, cases[i].comm, 100, 'S', "swapper/0", 0));
		end(&feed);
		if (cases[i].counts)
			assert_value(feed, "slice_p99_us", 15);
		else
			assert_unknown(feed, "slice_p99_us");
		assert_int_equal(feed.metrics.duration_ns, cases[i].counts ? 20000 : 0);
		finish(&feed);
	}
}

/* Events of CPUs that are not the workload's do not count: here CPU 1. */
TEST(test_only_some_cpus)
{
	static const uint64_t cpus[TASK_CPUS_MAX / 64] = {1};
	struct feed feed = start();

	begin(&feed, &(struct run_metrics_scope){.task_names = "worker", .cpus = cpus, .throughput = NAN});
	take(&feed, feed_switch(1000, 1, "swapper/1", 0, 'R', "tracer", 70));
	feed_two_slices(&feed, 1000, "worker");
	take(&feed, feed_switch(1100, 1, "tracer", 70, 'S', "swapper/1", 0));
	end(&feed);
	assert_two_slices(&feed);
	finish(&feed);
}

/* Three workers that run for 30, 20 and 10 until the second is the first to end; two of another name come one after the
 * other. */
TEST(test_fairness_until_the_first_ends)
{
	struct feed feed = start();

	begin_tasks(&feed, "alpha beta");
	take(&feed, feed_switch(0, 0, "swapper/0", 0, 'R', "alpha", 1));
	take(&feed, feed_switch(0, 1, "swapper/1", 0, 'R', "alpha", 2));
	take(&feed, feed_switch(10, 1, "alpha", 2, 'S', "beta", 4));
	take(&feed, feed_wakeup(15, 1, 4, "alpha", 2, 0));
	take(&feed, feed_switch(20, 1, "beta", 4, 'X', "alpha", 3));
	take(&feed, feed_switch(25, 0, "alpha", 1, 'R', "alpha", 2));
	take(&feed, feed_switch(35, 0, "alpha", 2, 'X', "alpha", 1));
	/* From here on nothing of it counts. */
	take(&feed, feed_switch(95, 0, "alpha", 1, 'X', "swapper/0", 0));
	take(&feed, feed_switch(99, 1, "alpha", 3, 'X', "beta", 5));
	take(&feed, feed_switch(100, 1, "beta", 5, 'X', "swapper/1", 0));
	end(&feed);
	/* 1 ran 25, 2 ran 10 + 10, 3 runs since 15 */
	assert_value(feed, "fairness_jain", 60.0 * 60 / (3 * (25 * 25 + 20 * 20 + 15 * 15)));
	finish(&feed);
}

TEST(test_migrations_by_cause)
{
	static const enum migration_cause causes[] = {MIGRATION_WAKEUP, MIGRATION_PULL,     MIGRATION_PULL,
						      MIGRATION_ACTIVE, MIGRATION_AFFINITY, MIGRATION_UNKNOWN,
						      MIGRATION_FORK,   MIGRATION_NUMA};
	struct feed feed = start();

	begin_tasks(&feed, "worker");
	feed_two_slices(&feed, 0, "worker");
	uint32_t worker = task_states_find(&feed.states, 100, 0);
	uint32_t other = task_states_find(&feed.states, 50, 0);
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		struct migration migration = {.number = worker, .cause = causes[i]};
		run_metrics_migration(feed.work, &feed.states, &migration);
		migration.number = other;
		run_metrics_migration(feed.work, &feed.states, &migration);
	}
	end(&feed);
	assert_value(feed, "migrations_per_s", 7 / 55e-6);
	assert_value(feed, "migrations_wakeup_per_s", 1 / 55e-6);
	assert_value(feed, "migrations_pull_per_s", 2 / 55e-6);
	assert_value(feed, "migrations_active_balance_per_s", 1 / 55e-6);
	assert_value(feed, "migrations_other_per_s", 3 / 55e-6);
	finish(&feed);
}

/* beta waits for CPU 0, where alpha runs, from 20 on; CPU 1, where it ran, is idle. */
static void feed_waiting_beta(struct feed *feed)
{
	take(feed, feed_switch(0, 0, "swapper/0", 0, 'R', "alpha", 1));
	take(feed, feed_switch(0, 1, "swapper/1", 0, 'R', "beta", 2));
	take(feed, feed_switch(10, 1, "beta", 2, 'S', "swapper/1", 0));
	take(feed, feed_wakeup(20, 0, 1, "beta", 2, 0));
}

/* Where the workload's CPUs are known, its tasks may use them all, but for roles that are bound or bind themselves. */
TEST(test_idle_waiting_of_roles)
{
	static const uint64_t cpus[TASK_CPUS_MAX / 64] = {3};
	struct run_role roles[] = {{.name = "alpha", .tasks = 1, .policy = "other"},
				   {.name = "beta", .tasks = 1, .policy = "other"}};
	struct run_work work = {.roles = roles, .role_count = 2, .parameters = "1 alpha; 1 beta"};
	const struct run_metrics_scope scope = {.task_names = "alpha beta", .cpus = cpus, .work = &work};
	const int all_ms = 30 + 50, of_beta_ms = 30;

	for (int i = 0; i < 3; i++) {
		struct feed feed = start();
		CPU_ZERO(&roles[0].cpus);
		if (i == 1)
			CPU_SET(0, &roles[0].cpus);
		work.parameters = i == 2 ? "1 alpha churn; 1 beta" : "1 alpha; 1 beta";
		begin(&feed, &scope);
		feed_waiting_beta(&feed);
		take(&feed, feed_switch(50, 0, "alpha", 1, 'R', "beta", 2));
		take(&feed, feed_switch(100, 0, "beta", 2, 'X', "alpha", 1));
		take(&feed, feed_switch(120, 0, "alpha", 1, 'X', "swapper/0", 0));
		end(&feed);
		assert_value(feed, "idle_waiting_ms_per_s", (i == 0 ? all_ms : of_beta_ms) / 0.12);
		finish(&feed);
	}
}

/* Others that wait on the workload's CPUs are not its own. */
TEST(test_waiting_of_others)
{
	struct feed feed = start();

	begin_tasks(&feed, "alpha");
	take(&feed, feed_switch(0, 0, "swapper/0", 0, 'R', "alpha", 1));
	take(&feed, feed_switch(0, 1, "kworker/u4:1", 2, 'I', "swapper/1", 0));
	take(&feed, feed_wakeup(20, 0, 1, "kworker/u4:1", 2, 0));
	take(&feed, feed_switch(50, 0, "alpha", 1, 'R', "kworker/u4:1", 2));
	take(&feed, feed_switch(70, 0, "kworker/u4:1", 2, 'I', "alpha", 1));
	take(&feed, feed_switch(100, 0, "alpha", 1, 'X', "swapper/0", 0));
	end(&feed);
	assert_value(feed, "idle_waiting_ms_per_s", 0);
	finish(&feed);
}

/* The trace ends before the workload does: beta still waits, since 20, and CPU 1 is idle. */
TEST(test_waiting_at_the_end)
{
	struct feed feed = start();

	begin_tasks(&feed, "alpha beta");
	feed_waiting_beta(&feed);
	take(&feed, feed_wakeup(100, 0, 1, "other", 3, 0));
	end(&feed);
	assert_value(feed, "idle_waiting_ms_per_s", 80 / 0.1);
	finish(&feed);
}

/* alpha is seen on CPU 0 up to 5 and is somewhere else at 20, which the trace does not tell: its end is none of the
 * workload, which was seen at 10 for the last time. */
TEST(test_lost_sight_of)
{
	struct feed feed = start();

	begin_tasks(&feed, "alpha");
	take(&feed, feed_migrate(0, 1, 0, "alpha", 1, 1, 0));
	take(&feed, feed_wakeup(0, 0, 1, "kworker/0:1", 50, 0));
	take(&feed, feed_wakeup(5, 0, 1, "kworker/0:1", 50, 0));
	take(&feed, feed_wakeup(10, 1, 0, "alpha", 3, 1));
	take(&feed, feed_switch(20, 0, "kworker/0:1", 50, 'I', "swapper/0", 0));
	end(&feed);
	assert_int_equal(feed.metrics.duration_ns, 0);
	assert_unknown(feed, "switches_per_s");
	finish(&feed);
}

/* Workers 100 and 101 wait on CPU 0: two switches come before 100 runs. 101 is moved after one of these, and runs after
 * two of CPU 1. */
TEST(test_switches_before_a_woken_task_runs)
{
	struct feed feed = start();

	begin_tasks(&feed, "worker");
	take(&feed, feed_switch(1, 0, "swapper/0", 0, 'R', "a", 1));
	take(&feed, feed_switch(2, 1, "swapper/1", 0, 'R', "b", 2));
	take(&feed, feed_wakeup(3, 0, 1, "worker", 100, 0));
	take(&feed, feed_wakeup(4, 0, 1, "worker", 101, 0));
	take(&feed, feed_switch(5, 0, "a", 1, 'R', "c", 3));
	take(&feed, feed_migrate(6, 1, 2, "worker", 101, 0, 1));
	take(&feed, feed_switch(7, 1, "b", 2, 'R', "d", 4));
	take(&feed, feed_switch(8, 1, "d", 4, 'R', "b", 2));
	take(&feed, feed_switch(9, 1, "b", 2, 'R', "worker", 101));
	take(&feed, feed_switch(10, 0, "c", 3, 'R', "a", 1));
	take(&feed, feed_switch(11, 0, "a", 1, 'R', "worker", 100));
	end(&feed);
	assert_value(feed, "wakeup_switches_p99", 3);
	assert_value(feed, "wakeup_switches_mean", 2.5);
	assert_value(feed, "wakeup_preemption_share", 0);
	finish(&feed);
}

/* One of two workers that are woken on a busy CPU preempts at once; the wakeup on an idle CPU does not count. */
TEST(test_wakeups_that_preempt)
{
	struct feed feed = start();

	begin_tasks(&feed, "worker");
	take(&feed, feed_switch(1, 0, "swapper/0", 0, 'R', "a", 1));
	take(&feed, feed_switch(1, 1, "b", 2, 'S', "swapper/1", 0));
	take(&feed, feed_wakeup(3, 0, 1, "worker", 100, 0));
	take(&feed, feed_switch(4, 0, "a", 1, 'R', "worker", 100));
	take(&feed, feed_wakeup(5, 0, 100, "worker", 101, 0));
	take(&feed, feed_switch(6, 0, "worker", 100, 'R', "a", 1));
	take(&feed, feed_wakeup(7, 0, 1, "worker", 102, 1));
	take(&feed, feed_switch(8, 1, "swapper/1", 0, 'R', "worker", 102));
	take(&feed, feed_switch(9, 0, "a", 1, 'R', "worker", 101));
	end(&feed);
	assert_value(feed, "wakeup_preemption_share", 50);
	finish(&feed);
}

/* One task runs on CPU 0 while CPU 1 idles; after half of the time another one waits there. */
TEST(test_imbalance_of_queues)
{
	struct feed feed = start();

	begin_tasks(&feed, "worker");
	take(&feed, feed_switch(0, 1, "b", 2, 'S', "swapper/1", 0));
	take(&feed, feed_switch(0, 0, "swapper/0", 0, 'R', "worker", 100));
	take(&feed, feed_wakeup(10, 0, 100, "worker", 101, 0));
	take(&feed, feed_switch(20, 0, "worker", 100, 'S', "worker", 101));
	end(&feed);
	assert_value(feed, "queue_imbalance", 1.5);
	finish(&feed);
}

/* A tick is 100 us. Worker 100 waits for 150 us after its wakeup and 50 after a preemption; 101 waits from 200 to the
 * end at 600, which no whole wait shows. */
TEST(test_waits_in_ticks)
{
	struct feed feed = start();

	begin(&feed, &(struct run_metrics_scope){.task_names = "worker", .throughput = NAN, .hz = 10000});
	take(&feed, feed_switch(0, 0, "x", 9, 'S', "other", 1));
	take(&feed, feed_wakeup(50, 0, 1, "worker", 100, 0));
	take(&feed, feed_switch(200, 0, "other", 1, 'R', "worker", 100));
	take(&feed, feed_wakeup(200, 0, 100, "worker", 101, 0));
	take(&feed, feed_switch(300, 0, "worker", 100, 'R', "other", 1));
	take(&feed, feed_switch(350, 0, "other", 1, 'R', "worker", 100));
	take(&feed, feed_switch(600, 0, "worker", 100, 'S', "other", 1));
	end(&feed);
	assert_value(feed, "wakeup_wait_ticks_mean", 1.5);
	assert_value(feed, "wakeup_wait_ticks_p99", 1.5);
	assert_value(feed, "wakeup_wait_ticks_max", 1.5);
	assert_value(feed, "preempted_wait_ticks_mean", 0.5);
	assert_value(feed, "preempted_wait_ticks_max", 0.5);
	assert_value(feed, "longest_wait_ticks", 4);
	finish(&feed);
}

/* 2 of 8 judged decisions are not the rule's; of the keys only lags at a wakeup were checked. */
TEST(test_findings_of_rules)
{
	struct rules_findings found = {
	    .account = {.decisions = 10, .judged = 8, .explained = 6, .gaps = {[GAP_SUMS] = 1}}};
	struct feed feed = start();

	found.invariants.rows[invariant_find("lag_kept")] = (struct invariant_account){.checked = 20, .broken = 1};
	begin(&feed, &(struct run_metrics_scope){.task_names = "worker", .throughput = NAN, .rules = &found});
	feed_two_slices(&feed, 0, "worker");
	end(&feed);
	assert_value(feed, "rule_breaks_share", 25);
	assert_value(feed, "sums_differ_share", 10);
	assert_value(feed, "broken_lag_kept", 5);
	assert_unknown(feed, "broken_weight_of_nice");
	finish(&feed);

	feed = start();
	begin_tasks(&feed, "worker");
	feed_two_slices(&feed, 0, "worker");
	end(&feed);
	assert_unknown(feed, "rule_breaks_share");
	assert_unknown(feed, "sums_differ_share");
	assert_unknown(feed, "broken_lag_kept");
	finish(&feed);
}

/* Two workers share the time from 0 to 120, where nice 0 should have 5 parts of nice 1's 4. 102 sleeps too much. */
TEST(test_error_of_shares)
{
	struct feed feed = start();
	struct sched_event to_nice, from_nice;

	begin_tasks(&feed, "worker");
	to_nice = feed_switch(80, 0, "worker", 100, 'R', "worker", 101);
	from_nice = feed_switch(108, 0, "worker", 101, 'R', "worker", 102);
	to_nice.switched.next.prio = from_nice.switched.prev.prio = 121;
	take(&feed, feed_wakeup(0, 0, 9, "worker", 101, 0));
	take(&feed, feed_switch(0, 0, "x", 9, 'S', "worker", 100));
	take(&feed, to_nice);
	take(&feed, feed_wakeup(107, 0, 101, "worker", 102, 0));
	take(&feed, from_nice);
	take(&feed, feed_switch(110, 0, "worker", 102, 'S', "worker", 100));
	end(&feed);
	/* 80 of 108 instead of 60 */
	assert_value(feed, "share_error", 100 * 20 / 108.0);
	finish(&feed);
}

/* Worker 100 waits from 10 to 40 for CPU 0, which is idle, then runs on CPU 1. */
/* b waits from 0 to 90 while a runs, then runs up to 120. */
static void feed_two_roles(struct feed *feed, const struct run_metrics_scope *scope)
{
	begin(feed, scope);
	take(feed, feed_wakeup(0, 0, 9, "b", 101, 0));
	take(feed, feed_switch(0, 0, "x", 9, 'S', "a", 100));
	take(feed, feed_switch(90, 0, "a", 100, 'R', "b", 101));
	take(feed, feed_switch(120, 0, "b", 101, 'R', "a", 100));
	end(feed);
}

/* One of two tasks of a name has what the other lacks: that is no share without error. */
TEST(test_error_of_shares_of_a_name)
{
	struct run_names names = {0};
	const struct run_metrics_scope scope = {.task_names = "a", .names = &names};
	struct feed feed = start();

	begin(&feed, &scope);
	take(&feed, feed_wakeup(0, 0, 9, "a", 101, 0));
	take(&feed, feed_switch(0, 0, "x", 9, 'S', "a", 100));
	take(&feed, feed_switch(90, 0, "a", 100, 'R', "a", 101));
	take(&feed, feed_switch(120, 0, "a", 101, 'R', "a", 100));
	end(&feed);
	assert_value(feed, "share_error", 25);
	assert_int_equal(names.count, 1);
	assert_true(is_near(value_of(&names.items[0].whole, "share_error"), 50));
	finish(&feed);
	free(names.items);
}

/* The task that starves until another one exits is the one that the exit's switch starts. */
TEST(test_wait_that_ends_with_the_steady_part)
{
	const struct run_metrics_scope scope = {.task_names = "a", .tasks = 2, .hz = 250};
	struct feed feed = start();

	begin(&feed, &scope);
	take(&feed, feed_wakeup(0, 0, 9, "a", 101, 0));
	take(&feed, feed_switch(0, 0, "x", 9, 'S', "a", 100));
	take(&feed, feed_switch(4000, 0, "a", 100, 'R', "a", 101));
	take(&feed, feed_switch(5000, 0, "a", 101, 'R', "a", 100));
	take(&feed, feed_switch(45000, 0, "a", 100, 'X', "a", 101));
	take(&feed, feed_switch(46000, 0, "a", 101, 'X', "x", 9));
	end(&feed);
	assert_true(is_near(value_of(&feed.steady, "longest_wait_ticks"), 10));
	finish(&feed);
}

TEST(test_names_choice_and_roles)
{
	struct run_role roles[] = {{.name = "a", .tasks = 1, .policy = "other"},
				   {.name = "b", .tasks = 1, .policy = "other"}};
	const struct run_work work = {.roles = roles, .role_count = 2};
	const struct run_work with_cgroup = {
	    .roles = roles, .role_count = 2, .cgroups = &(struct run_cgroup){.path = "c"}, .cgroup_count = 1};
	const struct task_choice choice = {.comms = {.items = {"b"}, .count = 1}};
	struct run_names names = {0};
	struct run_metrics_scope scope = {.task_names = "a b", .throughput = 7, .work = &work, .names = &names};
	struct feed feed = start();

	feed_two_roles(&feed, &scope);
	assert_value(feed, "share_error", 25);
	assert_value(feed, "role_share_error", 25);
	assert_value(feed, "throughput_per_s", 7);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0].name, "b");
	const struct run_metrics *b = &names.items[0].whole, *a = &names.items[1].whole;
	assert_true(is_near(value_of(a, "slice_mean_us"), 90) && is_near(value_of(b, "slice_mean_us"), 30));
	assert_true(is_near(value_of(a, "share_error"), 25) && is_near(value_of(b, "share_error"), 25));
	assert_true(is_near(value_of(b, "wakeup_latency_max_us"), 90) && isnan(value_of(a, "wakeup_latency_max_us")));
	assert_true(isnan(value_of(a, "throughput_per_s")) && isnan(value_of(a, "role_share_error")));
	finish(&feed);
	free(names.items);

	scope.names = NULL;
	scope.choice = &choice;
	feed = start();
	feed_two_roles(&feed, &scope);
	assert_value(feed, "slice_mean_us", 30);
	assert_value(feed, "share_error", 25);
	assert_unknown(feed, "throughput_per_s");
	finish(&feed);

	scope.choice = NULL;
	scope.work = &with_cgroup;
	feed = start();
	feed_two_roles(&feed, &scope);
	assert_unknown(feed, "share_error");
	assert_value(feed, "role_share_error", 25);
	finish(&feed);
}

/* A task of SCHED_IDLE has the priority of nice 0, and 3 parts of its 1024. */
TEST(test_error_of_shares_beside_an_idle_task)
{
	struct run_role roles[] = {{.name = "a", .tasks = 1, .policy = "other"},
				   {.name = "b", .tasks = 1, .policy = "idle"}};
	const struct run_work work = {.roles = roles, .role_count = 2};
	const struct run_metrics_scope scope = {.task_names = "a b", .work = &work};
	struct feed feed = start();

	feed_two_roles(&feed, &scope);
	assert_value(feed, "share_error", 100 * (0.25 - 3 / 1027.0));
	assert_value(feed, "role_share_error", 100 * (0.25 - 3 / 1027.0));
	finish(&feed);
}

/* The share of a task that is bound to CPUs depends on the other tasks there. */
TEST(test_error_of_shares_beside_a_bound_task)
{
	struct run_role roles[] = {{.name = "a", .tasks = 1, .policy = "other"},
				   {.name = "b", .tasks = 1, .policy = "other"}};
	const struct run_work work = {.roles = roles, .role_count = 2};
	const struct run_metrics_scope scope = {.task_names = "a b", .work = &work};
	struct feed feed = start();

	feed_two_roles(&feed, &scope);
	assert_value(feed, "share_error", 25);
	finish(&feed);

	CPU_SET(1, &roles[1].cpus);
	feed = start();
	feed_two_roles(&feed, &scope);
	assert_unknown(feed, "share_error");
	finish(&feed);
}

TEST(test_waiting_for_an_idle_cpu)
{
	struct feed feed = start();

	begin_tasks(&feed, "worker");
	take(&feed, feed_switch(0, 0, "b", 2, 'S', "swapper/0", 0));
	take(&feed, feed_switch(0, 1, "b", 3, 'S', "worker", 101));
	take(&feed, feed_wakeup(10, 1, 101, "worker", 100, 0));
	take(&feed, feed_switch(40, 0, "swapper/0", 0, 'R', "worker", 100));
	take(&feed, feed_switch(100, 0, "worker", 100, 'S', "swapper/0", 0));
	end(&feed);
	assert_value(feed, "own_idle_waiting_ms_per_s", 30 / 0.1);
	finish(&feed);
}

/* beta waits for 30 us, and then for 2,500, while CPU 1 is idle; of which the latter counts as long. */
TEST(test_long_waiting_while_idle)
{
	struct feed feed = start();

	begin_tasks(&feed, "alpha beta");
	feed_waiting_beta(&feed);
	take(&feed, feed_switch(50, 0, "alpha", 1, 'S', "beta", 2));
	take(&feed, feed_switch(60, 0, "beta", 2, 'S', "other", 3));
	take(&feed, feed_wakeup(100, 0, 3, "beta", 2, 0));
	take(&feed, feed_switch(2600, 0, "other", 3, 'S', "beta", 2));
	take(&feed, feed_switch(5000, 0, "beta", 2, 'S', "swapper/0", 0));
	end(&feed);
	assert_value(feed, "idle_waiting_ms_per_s", 2530 / 5.0);
	assert_value(feed, "idle_waiting_long_ms_per_s", 2500 / 5.0);
	finish(&feed);
}

/* CPU 0 is little, CPU 1 big and idle, but for 10 ms. alpha is awake since 10 us: so it is a misfit from 100.01 ms on,
 * until it is moved. If CPU 0 is the big one, it is a misfit on CPU 1. If its wakeup is not known, it is none. */
TEST(test_misfits_beside_a_larger_idle_cpu)
{
	static const uint64_t cpus[TASK_CPUS_MAX / 64] = {3};
	static const uint16_t unequal[CPU_LEVELS_CPUS] = {512, 1024}, reversed[CPU_LEVELS_CPUS] = {1024, 512};
	static const struct {
		const uint16_t *capacities;
		bool is_woken;
		double misfit_us, largest_us;
	} cases[] = {
	    {unequal, true, 49990 + 30000, 10000}, {reversed, true, 10000, 189990}, {unequal, false, 0, 10000}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed feed = start();
		begin(&feed,
		      &(struct run_metrics_scope){
			  .task_names = "alpha", .throughput = NAN, .cpus = cpus, .capacities = cases[i].capacities});
		take(&feed, feed_switch(5, 1, "x", 9, 'S', "swapper/1", 0));
		if (cases[i].is_woken)
			take(&feed, feed_wakeup(10, 0, 0, "alpha", 1, 0));
		else
			take(&feed, feed_wakeup(10, 0, 0, "other", 3, 0));
		take(&feed, feed_switch(10, 0, "swapper/0", 0, 'R', "alpha", 1));
		take(&feed, feed_switch(150000, 1, "swapper/1", 0, 'R', "x", 9));
		take(&feed, feed_switch(160000, 1, "x", 9, 'S', "swapper/1", 0));
		take(&feed, feed_switch(190000, 0, "alpha", 1, 'R', "swapper/0", 0));
		take(&feed, feed_migrate(190000, 1, 0, "alpha", 1, 0, 1));
		take(&feed, feed_switch(190000, 1, "swapper/1", 0, 'R', "alpha", 1));
		take(&feed, feed_switch(200000, 1, "alpha", 1, 'X', "swapper/1", 0));
		end(&feed);
		assert_value(feed, "misfit_ms_per_s", cases[i].misfit_us / 1e3 / 0.19999);
		assert_value(feed, "largest_cpus_share", 100 * cases[i].largest_us / 199990);
		finish(&feed);
	}
}

/* CPU 0 is little, CPU 1 big, CPU 2 not of the workload. alpha begins on one of them at 10 and runs to the end of the
 * trace; beta runs on the other one from 410 to 810, or not at all. Before, x runs there, which is no task of the
 * workload; nothing is seen of that CPU before its first event. */
TEST(test_capacity_used)
{
	static const uint64_t cpus[TASK_CPUS_MAX / 64] = {3};
	static const uint16_t unequal[CPU_LEVELS_CPUS] = {446, 1024, 1024};
	enum { LITTLE = 446, BIG = 1024, BOTH = LITTLE + BIG, ALL_US = 1000, BETA_US = 400 };
	static const struct {
		uint32_t alphas, others;
		bool runs_beta;
		uint64_t seen_at; /* the other CPU, after alpha's begin */
		double expected;
	} cases[] = {
	    {0, 1, false, 0, 100.0 * LITTLE / BOTH},
	    {1, 0, false, 0, 100.0 * BIG / BOTH},
	    {0, 1, true, 0, 100.0 * (LITTLE * ALL_US + BIG * BETA_US) / (BOTH * ALL_US)},
	    {1, 0, true, 0, 100.0 * (BIG * ALL_US + LITTLE * BETA_US) / (BOTH * ALL_US)},
	    {0, 1, false, 50, 100.0 * LITTLE * ALL_US / (BOTH * ALL_US - BIG * 50)},
	    {0, 1, false, 100, NAN},                                                   /* 6.8 % of the capacity */
	    {1, 0, false, 100, 100.0 * BIG * ALL_US / (BOTH * ALL_US - LITTLE * 100)}, /* 3.0 % */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed feed = start();
		begin(&feed, &(struct run_metrics_scope){
				 .task_names = "alpha beta", .throughput = NAN, .cpus = cpus, .capacities = unequal});
		const uint32_t here = cases[i].alphas, there = cases[i].others;
		if (!cases[i].seen_at)
			take(&feed, feed_switch(5, there, "swapper", 0, 'R', "x", 9));
		take(&feed, feed_switch(10, here, "swapper", 0, 'R', "alpha", 1));
		if (cases[i].seen_at)
			take(&feed, feed_switch(10 + cases[i].seen_at, there, "y", 8, 'S', "x", 9));
		take(&feed, feed_switch(410, there, "x", 9, 'S', cases[i].runs_beta ? "beta" : "z", 2));
		take(&feed, feed_switch(500, 2, "swapper", 0, 'R', "beta", 3));
		take(&feed, feed_switch(810, there, cases[i].runs_beta ? "beta" : "z", 2, 'S', "swapper", 0));
		take(&feed, feed_switch(1010, 2, "beta", 3, 'S', "swapper", 0));
		end(&feed);
		if (isnan(cases[i].expected))
			assert_unknown(feed, "capacity_used_share");
		else
			assert_value(feed, "capacity_used_share", cases[i].expected);
		finish(&feed);
	}
}

/* The workload has CPUs 0 and 1; a worker begins to run on CPU 2 twice, another task once. */
TEST(test_runs_outside)
{
	static const uint64_t cpus[TASK_CPUS_MAX / 64] = {3};
	struct feed feed = start();

	begin(&feed, &(struct run_metrics_scope){.task_names = "worker", .throughput = NAN, .cpus = cpus});
	take(&feed, feed_switch(0, 0, "x", 9, 'S', "worker", 100));
	take(&feed, feed_switch(10, 2, "swapper/2", 0, 'R', "worker", 101));
	take(&feed, feed_switch(20, 2, "worker", 101, 'R', "other", 1));
	take(&feed, feed_switch(30, 2, "other", 1, 'S', "worker", 101));
	take(&feed, feed_switch(500, 0, "worker", 100, 'S', "swapper/0", 0));
	end(&feed);
	assert_value(feed, "runs_outside_per_s", 2 / 500e-6);
	finish(&feed);
}

TEST(test_table)
{
	assert_true(metric_count() <= METRICS_MAX);
	for (const struct metric *metric = metric_table(); metric->name; metric++) {
		assert_true(metric->heading && metric->heading[0] && metric->unit && metric->help && metric->help[0]);
		assert_non_null(metric->value);
		/* The first lines of compare say in words what is better or worse. */
		assert_true(metric->direction == METRIC_NEUTRAL || (metric->less && metric->more));
		assert_ptr_equal(metric_find(metric->name), metric);
		assert_true(metric_index(metric) < metric_count());
		assert_int_equal(strspn(metric->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(metric->name));
	}
	assert_null(metric_find("slice_p50"));
	assert_null(metric_find(""));
	assert_int_equal(metric_find("wakeup_latency_p99_us")->direction, METRIC_LOWER_IS_BETTER);
	assert_int_equal(metric_find("throughput_per_s")->direction, METRIC_HIGHER_IS_BETTER);
	assert_int_equal(metric_find("slice_p50_us")->direction, METRIC_NEUTRAL);
}

/* Two workers: 100 runs from 10, 101 from 30, the first exit is at 90, the last at 120. */
static void feed_two_workers(struct feed *feed)
{
	take(feed, feed_wakeup(0, 0, 1, "worker", 100, 0));
	take(feed, feed_wakeup(5, 0, 1, "worker", 101, 0));
	take(feed, feed_switch(10, 0, "leader", 1, 'S', "worker", 100));
	take(feed, feed_switch(30, 0, "worker", 100, 'R', "worker", 101));
	take(feed, feed_switch(50, 0, "worker", 101, 'R', "worker", 100));
	take(feed, feed_switch(60, 0, "worker", 100, 'R', "worker", 101));
	take(feed, feed_switch(90, 0, "worker", 101, 'X', "worker", 100));
	take(feed, feed_switch(120, 0, "worker", 100, 'X', "swapper/0", 0));
	end(feed);
}

TEST(test_steady_part)
{
	struct feed feed = start();

	begin(&feed, &(struct run_metrics_scope){.task_names = "worker", .tasks = 2, .throughput = 7});
	feed_two_workers(&feed);
	assert_int_equal(feed.metrics.duration_ns, 120000);
	assert_value(feed, "involuntary_share", 60);
	/* From 30 to 90: the slices from 30, 50 and 60; the waits from 30, 50 and 60, not that which ends at 30. */
	assert_int_equal(feed.steady.begin_ns - feed.metrics.begin_ns, 30000);
	assert_int_equal(feed.steady.duration_ns, 60000);
	assert_int_equal(feed.steady.distributions[RUN_SLICES].count, 3);
	assert_int_equal(feed.steady.distributions[RUN_SLICES].sum, 60000);
	assert_int_equal(feed.steady.distributions[RUN_WAKEUPS].count, 0);
	assert_true(is_near(value_of(&feed.steady, "involuntary_share"), 200 / 3.0));
	assert_true(is_near(value_of(&feed.steady, "preempted_wait_p99_us"), 30));
	assert_true(is_near(value_of(&feed.steady, "switches_per_s"), 3 / 60e-6));
	assert_true(is_near(value_of(&feed.steady, "run_queue_length"), 2));
	/* 10 and 50 of 60 */
	assert_true(is_near(value_of(&feed.steady, "fairness_jain"), 60 * 60 / (2.0 * (10 * 10 + 50 * 50))));
	assert_true(is_near(value_of(&feed.steady, "throughput_per_s"), 7));
	finish(&feed);
}

/* A child has its parent's name, and may exit: it is not one of the tasks that all run, and has no equal share. */
TEST(test_steady_part_with_a_child)
{
	const struct run_metrics_scope scope = {.task_names = "worker", .tasks = 2, .throughput = NAN};
	struct feed feed = start();

	begin(&feed, &scope);
	take(&feed, feed_wakeup(0, 0, 1, "worker", 100, 0));
	take(&feed, feed_wakeup(5, 0, 1, "worker", 101, 0));
	take(&feed, feed_switch(10, 0, "leader", 1, 'S', "worker", 100));
	take(&feed, feed_birth(12, 0, 100, "worker", 102, 0));
	take(&feed, feed_switch(20, 0, "worker", 100, 'R', "worker", 102));
	take(&feed, feed_switch(25, 0, "worker", 102, 'X', "worker", 100));
	take(&feed, feed_switch(30, 0, "worker", 100, 'R', "worker", 101));
	take(&feed, feed_birth(40, 0, 101, "worker", 103, 0));
	take(&feed, feed_switch(50, 0, "worker", 101, 'R', "worker", 103));
	take(&feed, feed_switch(60, 0, "worker", 103, 'X', "worker", 100));
	take(&feed, feed_switch(90, 0, "worker", 100, 'X', "worker", 101));
	take(&feed, feed_switch(120, 0, "worker", 101, 'X', "swapper/0", 0));
	end(&feed);
	assert_int_equal(feed.steady.begin_ns - feed.metrics.begin_ns, 30000);
	assert_int_equal(feed.steady.duration_ns, 60000);
	/* 30 and 20 of 50; up to the exit of the first, 45 and 20. */
	assert_true(is_near(value_of(&feed.steady, "fairness_jain"), 50 * 50 / (2.0 * (30 * 30 + 20 * 20))));
	assert_value(feed, "fairness_jain", 65 * 65 / (2.0 * (45 * 45 + 20 * 20)));
	finish(&feed);
}

/* Two of forty tasks may be absent at either end; with other numbers of tasks there is no steady part. */
TEST(test_tasks_of_the_steady_part)
{
	static const struct {
		uint32_t tasks, begin_us, duration_us;
	} cases[] = {{40, 371, 400 - 371 + 3}, {0, 0, 0}, {43, 0, 0}, {41, 381, 400 - 381 + 3}, {39, 0, 0}, {10, 0, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed feed = start();
		begin(&feed,
		      &(struct run_metrics_scope){.task_names = "worker", .tasks = cases[i].tasks, .throughput = NAN});
		/* One after another begins, at 1, 11, 21..., and exits from 401 on. */
		take(&feed, feed_switch(1, 0, "leader", 1, 'S', "worker", 100));
		for (int32_t task = 1; task < 40; task++)
			take(&feed,
			     feed_switch(1 + 10 * (uint64_t)task, 0, "worker", 99 + task, 'R', "worker", 100 + task));
		for (int32_t task = 0; task < 39; task++)
			take(&feed,
			     feed_switch(401 + (uint64_t)task, 0, "worker", 139 - task, 'X', "worker", 138 - task));
		end(&feed);
		assert_int_equal(feed.steady.duration_ns, cases[i].duration_us * 1000);
		if (cases[i].duration_us)
			assert_int_equal(feed.steady.begin_ns, cases[i].begin_us * 1000);
		finish(&feed);
	}
}

/* Nothing is wanted any more, or nothing came. */
TEST(test_given_up)
{
	struct feed feed = start();

	begin_tasks(&feed, "worker");
	feed_two_slices(&feed, 0, "worker");
	run_metrics_end(feed.work, &feed.states, NULL, NULL);
	run_metrics_end(NULL, &feed.states, NULL, NULL);
	task_states_free(&feed.states);
	feed = start();
	begin(&feed, &(struct run_metrics_scope){.throughput = NAN});
	end(&feed);
	for (const struct metric *metric = metric_table(); metric->name; metric++)
		assert_unknown(feed, metric->name);
	finish(&feed);
}

/* compare, gates and its first lines name what is broken. */
TEST(each_invariant_is_a_metric)
{
	char name[80];

	for (uint32_t i = 0; i < invariant_count(); i++) {
		snprintf(name, sizeof(name), "broken_%s", invariant_row(i)->key);
		const struct metric *metric = metric_find(name);
		assert_non_null(metric);
		assert_int_equal(metric->of, i);
	}
}
