/* SPDX-License-Identifier: MIT
 *
 * CPU time of roles and cgroups, of runs by hand. Times are milliseconds. */
#include "measure/role_account.h"

#include <math.h>

#include "support/sched_feed.h"
#include "support/unit.h"

#define MS UINT64_C(1000000)

struct feed {
	struct leave_reason_table outs;
	struct task_states states;
	struct role_account *account;
	struct role_results results;
};

static struct feed begin(const struct run_work *work)
{
	struct feed feed = {.outs = FEED_OUTS, .account = role_account_begin(work)};

	task_states_begin(&feed.states, &feed.outs, NULL);
	return feed;
}

static void take(struct feed *feed, struct sched_event event)
{
	struct task_step step;

	event.ts_ns *= MS;
	feed->states.leave_reasons = &feed->outs;
	assert_int_equal(task_states_step(&feed->states, &event, &step, NULL), STATUS_OK);
	role_account_step(feed->account, &feed->states, &event, &step);
}

static void end(struct feed *feed, uint64_t ms)
{
	role_account_end(feed->account, ms * MS, &feed->results);
	role_account_free(feed->account);
	task_states_free(&feed->states);
}

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-6)
		fail_msg("%g instead of %g", value, expected);
}

/* a runs for first ms, then b for second ms, then a again for a moment: both always want the CPU. */
static void feed_two(struct feed *feed, uint64_t first, uint64_t second)
{
	take(feed, feed_wakeup(1000, 0, 9, "b", 2, 0));
	take(feed, feed_switch(1000, 0, "x", 9, 'S', "a", 1));
	take(feed, feed_switch(1000 + first, 0, "a", 1, 'R', "b", 2));
	take(feed, feed_switch(1000 + first + second, 0, "b", 2, 'R', "a", 1));
}

TEST(which_cpus_a_role_may_use)
{
	struct run_role mover = {.name = "mover"}, hog = {.name = "hog"}, bound = {.name = "bound"};
	const struct run_work work = {.parameters = "3 mover run=5us churn=2; 2 hog; 1 hog-mover churn"},
			      later = {.parameters = "1 hog-mover churn; 2 hog;1 mover sleep=1ms churn"};

	CPU_SET(0, &bound.cpus);
	assert_int_equal(role_binding(&work, &mover), ROLE_BINDS_ITSELF);
	assert_int_equal(role_binding(&later, &mover), ROLE_BINDS_ITSELF);
	assert_int_equal(role_binding(&work, &hog), ROLE_FREE);
	assert_int_equal(role_binding(&later, &hog), ROLE_FREE);
	assert_int_equal(role_binding(&work, &bound), ROLE_BOUND);
	assert_int_equal(role_binding(&(struct run_work){.parameters = NULL}, &mover), ROLE_FREE);
}

TEST(shares_follow_nice_levels)
{
	struct run_role roles[] = {{.name = "a", .policy = "other", .nice = -1}, {.name = "b", .policy = "batch"}};
	const struct run_work work = {.roles = roles, .role_count = 2};
	struct feed feed = begin(&work);

	feed_two(&feed, 50, 40);
	end(&feed, 1090);
	assert_near(feed.results.role_share_error, 0);
	assert_true(isnan(feed.results.cgroup_share_error) && isnan(feed.results.quota_share));
	assert_true(!feed.results.has_quota && !feed.results.has_masks);

	feed = begin(&work);
	feed_two(&feed, 80, 10);
	end(&feed, 1090);
	assert_near(feed.results.role_share_error, 100 * (80 - 50) / 90.0);

	/* A real-time role gets what it wants. */
	roles[0].policy = "fifo";
	feed = begin(&work);
	feed_two(&feed, 80, 10);
	end(&feed, 1090);
	assert_true(isnan(feed.results.role_share_error));
}

/* c sleeps for most of the time: what is left is divided. */
TEST(sleepers_get_what_they_want)
{
	struct run_role roles[] = {{.name = "a"}, {.name = "b"}, {.name = "c", .nice = 19}};
	const struct run_work work = {.roles = roles, .role_count = 3};
	struct feed feed = begin(&work);

	feed_two(&feed, 60, 30);
	take(&feed, feed_wakeup(1090, 0, 1, "c", 3, 0));
	take(&feed, feed_switch(1090, 0, "a", 1, 'R', "c", 3));
	take(&feed, feed_switch(1100, 0, "c", 3, 'S', "b", 2));
	end(&feed, 1100);
	assert_near(feed.results.role_share_error, 15);
}

/* top/in has 3 of 4 parts of top, top 1 of 2; "plain" is beside the group of all groups. */
TEST(shares_follow_groups)
{
	struct run_role roles[] = {
	    {.name = "a", .cgroup = "top/in"}, {.name = "b", .cgroup = "other"}, {.name = "plain"}};
	struct run_cgroup groups[] = {
	    {.path = "top", .weight = 300}, {.path = "top/in", .weight = 1}, {.path = "other", .weight = 100}};
	const struct run_work work = {.roles = roles, .role_count = 3, .cgroups = groups, .cgroup_count = 3};
	struct feed feed = begin(&work);

	take(&feed, feed_wakeup(1000, 0, 9, "plain", 3, 0));
	feed_two(&feed, 75, 25);
	take(&feed, feed_switch(1100, 0, "a", 1, 'R', "plain", 3));
	end(&feed, 1200);
	assert_near(feed.results.role_share_error, 0);
	assert_near(feed.results.cgroup_share_error, 0);

	feed = begin(&work);
	take(&feed, feed_wakeup(1000, 0, 9, "plain", 3, 0));
	feed_two(&feed, 95, 25);
	take(&feed, feed_switch(1120, 0, "a", 1, 'R', "plain", 3));
	end(&feed, 1200);
	/* Fair are 75, 25 and 100. */
	assert_near(feed.results.role_share_error, 10);
	assert_near(feed.results.cgroup_share_error, 10);
}

TEST(quota_by_periods)
{
	struct run_role roles[] = {{.name = "a", .cgroup = "limited"}};
	struct run_cgroup groups[] = {{.path = "limited", .weight = 100, .quota_ns = 8 * MS, .period_ns = 20 * MS}};
	const struct run_work work = {.roles = roles, .role_count = 1, .cgroups = groups, .cgroup_count = 1};
	struct feed feed = begin(&work);

	take(&feed, feed_switch(960, 0, "x", 9, 'S', "a", 1)); /* 10 of 20 ms: 2 too many */
	take(&feed, feed_switch(970, 0, "a", 1, 'R', "x", 9));
	take(&feed, feed_switch(980, 0, "x", 9, 'R', "a", 1)); /* 6 of 20 ms */
	take(&feed, feed_switch(986, 0, "a", 1, 'R', "x", 9));
	take(&feed, feed_switch(1000, 0, "x", 9, 'S', "a", 1)); /* 8 of 20 ms */
	take(&feed, feed_switch(1008, 0, "a", 1, 'R', "x", 9));
	take(&feed, feed_switch(1020, 0, "x", 9, 'R', "a", 1)); /* 5 of 20 ms, and none for 35 ms */
	take(&feed, feed_switch(1025, 0, "a", 1, 'R', "x", 9));
	take(&feed, feed_switch(1060, 0, "x", 9, 'R', "a", 1)); /* from 1040: nothing; then asleep */
	take(&feed, feed_switch(1062, 0, "a", 1, 'S', "x", 9));
	take(&feed, feed_wakeup(1100, 0, 9, "a", 1, 0)); /* three periods of 20 ms */
	take(&feed, feed_switch(1100, 0, "x", 9, 'R', "a", 1));
	end(&feed, 1160);
	assert_true(feed.results.has_quota);
	assert_int_equal(feed.results.longest_quota_wait_ns, 35 * MS);
	/* Wanted in 960 to 1060, 1100, 1120, 1140; not whole in 1020 and 1040. */
	assert_near(feed.results.quota_share, 100 * 6 / 8.0);
}

TEST(a_part_begins_anew)
{
	struct run_role roles[] = {{.name = "a"}, {.name = "b"}};
	const struct run_work work = {.roles = roles, .role_count = 2};

	CPU_SET(1, &roles[0].cpus);
	struct feed feed = begin(&work);
	feed_two(&feed, 80, 10);
	role_account_restart(feed.account, 1090 * MS);
	take(&feed, feed_switch(1100, 0, "a", 1, 'R', "b", 2));
	take(&feed, feed_switch(1110, 0, "b", 2, 'R', "a", 1));
	end(&feed, 1110);
	/* Bound to CPU 1, a is not divided, and ran elsewhere. */
	assert_true(isnan(feed.results.role_share_error));
	assert_true(feed.results.has_masks);
	assert_int_equal(feed.results.runs_outside, 1);
}

TEST(hostile_groups_take_no_time)
{
	struct run_role roles[] = {{.name = "a", .cgroup = "g/h"}, {.name = NULL, .cgroup = ""}};
	struct run_cgroup groups[] = {{.path = "g/h", .weight = 0, .quota_ns = 1, .period_ns = 1},
				      {.path = "g", .weight = UINT32_MAX, .quota_ns = UINT64_MAX, .period_ns = 1 * MS},
				      {.path = "g/h", .quota_ns = 1, .period_ns = UINT64_MAX},
				      {.path = NULL}};
	const struct run_work work = {.roles = roles, .role_count = 2, .cgroups = groups, .cgroup_count = 4};
	struct feed feed = begin(&work);

	take(&feed, feed_switch(1, 0, "x", 9, 'S', "a", 1));
	take(&feed, feed_lost(2, 0, 1));
	take(&feed, feed_switch(UINT64_C(15000000000000), 0, "a", 1, 'R', "x", 9));
	end(&feed, UINT64_C(18000000000000));
	assert_null(role_account_begin(&(struct run_work){.tasks = 1}));
	role_account_step(NULL, NULL, NULL, NULL);
	role_account_restart(NULL, 1);
	role_account_end(NULL, 1, &feed.results);
	role_account_free(NULL);
	assert_true(isnan(feed.results.role_share_error));
}
