/* SPDX-License-Identifier: MIT
 *
 * The built-in mixes: rows in the words of 'picknext help mixes'. Each lasts at least three intervals of load
 * balancing, and makes the wakeups that it is about 100 times a second or more, except in mixes about starvation. Those
 * of category feature are about something that a guest has by an option, or only some kernels have. */
#include "workloads/rows.h"

#include "base/memory.h"
#include "base/message.h"
#include "workloads/mix_tasks.h"

struct row {
	const char *name, *category, *description, *words, *exercises;
};

static const struct row rows[] = {
    {"periodic_beside_hogs", "periodic", "1 ms of work every 2 ms beside 4 hogs",
     "1 periodic run=1ms every=2ms; 4 periodic-hog",
     "a task that sleeps half of the time beside hogs: preemption at its wakeup"},
    {"nice_levels", "nice", "hogs of nice -5, 0, 5, a periodic task of -10",
     "2 hog-neg nice=-5; 2 hog-zero; 2 hog-pos nice=5; 1 tick-neg run=300us every=5ms nice=-10",
     "weights of tasks: shares of CPU time, preemption by weight"},
    {"half_idle", "half_idle", "3 tasks that run half of the time", "3 half run=1ms sleep=1ms jitter=30",
     "CPUs that are often idle: choice of a CPU at wakeup, balance of an idle CPU"},
    {"idle_beside_busy", "half_idle", "a hog that may move, a task bound to each CPU",
     "1 nap-a run=60ms sleep=120ms jitter=60 cpus=0; 1 nap-b run=60ms sleep=120ms jitter=60 cpus=1; 1 free",
     "CPUs without a tick: balancing for them by a busy CPU, since no task wakes up there"},
    {"fork_storm", "fork_storm", "2 tasks that fork 4 children at a time, beside a hog",
     "2 forker forks=4 child=300us jitter=50 sleep=1ms; 1 hog", "placement of new tasks, exit"},
    {"pipeline", "pipeline", "3 stages that wake each other, twice, beside a hog",
     "2 source run=200us sleep=800us jitter=30 wake=filter; 2 filter run=300us wake=sink; 2 sink run=200us; 1 hog",
     "wakeups by tasks that then sleep: choice of a CPU, preemption"},
    {"light_pipelines", "pipeline", "3 askers that each wake an answerer, on CPUs often idle",
     "3 asker run=100us sleep=700us jitter=60 wake=answerer; 3 answerer run=200us; 1 busy run=1ms sleep=1500us "
     "jitter=50",
     "wakeups by a waker that will sleep, of tasks whose CPUs are idle or not"},
    {"yield_beside_hogs", "yield", "2 tasks that yield after 100 us, beside 2 hogs",
     "2 yielder run=100us yields=1; 2 hog", "sched_yield() beside tasks that do not yield"},
    {"delayed_sleepers", "sleepers", "6 tasks of short, uneven sleeps beside 2 hogs, and forks",
     "4 dozer run=400us sleep=400us jitter=60; 2 napper run=1500us sleep=200us jitter=60; 2 hog; "
     "1 forker forks=2 child=150us sleep=1ms",
     "tasks that sleep with negative lag: delayed dequeue, lag at wakeup, wakers that end"},
    {"custom_slices", "slices", "slices of 1 and 20 ms on a CPU, 8 and 0.5 ms on another",
     "2 short slice=1ms cpus=1; 2 long slice=20ms cpus=1; 3 normal slice=8ms cpus=0; "
     "1 brisk slice=500us run=300us sleep=3ms jitter=20 cpus=0",
     "custom slices (Linux 6.12 and later): order by deadline, preemption by a short slice"},
    {"signals", "sleepers", "2 tasks woken by signals, beside a hog",
     "for 500ms; 2 signalled run=200us sleep=300us jitter=50 signals=100us; 1 hog",
     "tasks that go to sleep with a signal pending, and so go on running"},
    {"idle_and_batch", "idle_policy", "tasks of SCHED_IDLE and SCHED_BATCH beside normal ones",
     "3 idler policy=idle; 2 batch policy=batch; 2 normal run=500us sleep=700us jitter=40; "
     "1 idle-nap policy=idle run=200us sleep=1ms",
     "SCHED_IDLE and SCHED_BATCH: preemption at wakeup, shares"},
    {"cgroup_weights", "cgroups", "groups of weight 300, 100, 50 with 2, 3, 3 tasks",
     "group heavy weight=300; group middle; group light weight=50; 2 heavy group=heavy; 3 middle group=middle; "
     "1 light group=light; 2 nap-light run=300us sleep=1ms jitter=30 group=light",
     "shares of cgroups by cpu.weight, preemption across groups"},
    {"cgroup_quota", "cgroups", "a group of 40 % of a CPU in another one, beside hogs",
     "group outer; group outer/limited quota=8ms/20ms; group naps quota=4ms/10ms; group free; "
     "2 limited group=outer/limited; 1 nap-limited run=200us sleep=2ms group=outer/limited; "
     "1 nap run=900us sleep=300us jitter=50 group=naps; 3 free group=free",
     "cpu.max: throttling and its end, of a group in a group, and of one that is asleep"},
    {"cgroup_burst", "cgroups", "a group of 30 % of a CPU whose task needs more at once",
     "group bursty quota=3ms/10ms burst=3ms; 1 bursty run=5ms every=30ms group=bursty; 1 hog",
     "cpu.max.burst: unused quota of earlier periods"},
    {"cgroup_sleepers", "cgroups", "groups that become empty when their tasks sleep",
     "group nappers weight=200; group alone; group lazy weight=50; group busy; "
     "2 napper run=400us sleep=800us jitter=60 group=nappers; 1 alone run=1500us sleep=300us jitter=60 group=alone; "
     "3 lazy policy=idle group=lazy; 2 hog group=busy",
     "lag and weight of empty groups, preemption between groups of different policies"},
    {"cgroup_nested", "cgroups", "groups in groups, with sleepers in the inner ones",
     "group top weight=200; group top/in-a weight=300; group top/in-b; group other; group other/in-c; "
     "2 hog-a group=top/in-a; 1 nap-a run=400us sleep=1ms jitter=30 group=top/in-a; 2 hog-b group=top/in-b; "
     "2 hog-c group=other/in-c; 1 nap-c run=400us sleep=1ms jitter=30 group=other/in-c",
     "nested cgroups: weights multiply, preemption between cousins"},
    {"cgroup_slices", "slices", "slices of 0.5 and 20 ms in groups in a group",
     "group top; group top/in-a; group top/in-b; group other; 1 long-a slice=20ms cpus=0 group=top/in-a; "
     "2 short-a slice=500us run=3ms sleep=4ms jitter=60 cpus=0 group=top/in-a; "
     "1 long-b slice=20ms cpus=0 group=top/in-b; 1 other cpus=0 group=other; 1 free",
     "slices of groups (Linux 6.12 and later): the shortest of their tasks"},
    {"rt_fifo", "real_time", "3 SCHED_FIFO tasks, one a hog, beside normal tasks",
     "for 3s; 1 fifo-high policy=fifo priority=20 run=500us every=4ms; "
     "1 fifo-low policy=fifo priority=10 run=1ms every=7ms; 1 fifo-hog policy=fifo run=1500ms every=2s cpus=0; "
     "3 hog; 1 bound cpus=0; 1 nap run=500us sleep=2ms",
     "SCHED_FIFO before fair tasks, which still get some time: throttling, fair server"},
    {"rt_greedy", "real_time", "SCHED_FIFO for 2.4 s, a fair task that sleeps for 1.1 s",
     "for 3s; 1 fifo-hog policy=fifo run=2400ms every=3s cpus=0; 1 starved run=2ms sleep=1100ms cpus=0; 1 hog cpus=1",
     "the fair server: fair tasks that starve, leave the CPU, and starve again"},
    {"rt_rr", "real_time", "3 SCHED_RR tasks of one priority beside normal tasks",
     "for 3s; 3 rr policy=rr priority=5 run=240ms every=400ms cpus=0; 1 rr-nap policy=rr priority=6 run=300us "
     "every=5ms; 3 hog; 1 nap run=500us sleep=2ms",
     "SCHED_RR: turns of 100 ms, fair tasks beside them"},
    {"rt_overlap", "real_time", "more real-time and deadline tasks at a time than CPUs",
     "1 fifo-long policy=fifo priority=10 run=12ms every=40ms; 1 fifo-mid policy=fifo priority=20 run=9ms jitter=30 "
     "every=30ms; 1 fifo-short policy=fifo priority=30 run=1ms every=7ms; 1 dl policy=deadline budget=12ms run=11ms "
     "every=50ms; 2 fifo-yield policy=fifo priority=5 run=800us jitter=60 every=4ms yields=1 cpus=1; 2 hog",
     "push and pull of real-time tasks, their CPU at wakeup, their sched_yield()"},
    {"deadline", "real_time", "3 SCHED_DEADLINE tasks, one overruns, beside hogs",
     "2 dl policy=deadline budget=2ms run=1ms every=8ms; 1 dl-greedy policy=deadline budget=3ms run=6ms every=20ms; 4 "
     "hog",
     "SCHED_DEADLINE: earliest deadline first, throttling at the end of a budget"},
    {"pinned_imbalance", "affinity", "4 hogs bound to a CPU, 2 that may move, a sleeper",
     "4 pinned cpus=0; 2 free; 1 nap run=500us sleep=1ms jitter=30",
     "balance between CPUs when most tasks of the busy one may not move"},
    {"affinity_churn", "affinity", "tasks that bind themselves to other CPUs, forks, hogs",
     "3 mover run=500us sleep=1500us jitter=40 churn; 3 pair-mover run=500us sleep=1500us jitter=40 churn=2; "
     "1 hog-mover run=2ms churn; 1 forker forks=3 child=300us jitter=50 sleep=2ms churn=3; 2 hog",
     "sched_setaffinity() of running tasks: migrations by the stopper, masks that are kept"},
    {"feature_numa", "feature", "3 tasks with memory on two nodes (--topology numa=2)",
     "for 5s; 2 mover run=400ms memory=2 churn; 1 free memory=2",
     "NUMA balancing: hinting faults, the preferred node, moves and swaps of tasks"},
    {"feature_tickless", "feature", "a task alone on CPU 1 (--guest append=nohz_full=1)",
     "1 alone cpus=1; 1 guest run=2ms sleep=60ms cpus=1; 2 hog cpus=0",
     "nohz_full: the tick stops for a task that is alone, and comes back"},
    {"feature_clamps", "feature", "tasks with utilization clamps (UCLAMP_TASK, such as 7.3)",
     "1 boosted run=500us sleep=1ms jitter=30 clamp=600/1024; 2 capped clamp=0/200; 1 free",
     "uclamp: the clamps of a CPU are those of its runnable tasks"},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

const struct workload *mixes_at(size_t number)
{
	static struct mix_workload *made[ROWS];

	if (number >= ROWS)
		return NULL;
	if (!made[number]) {
		const struct row *row = &rows[number];
		struct mix_workload *one = xcalloc(1, sizeof(*one));
		struct error err = {0};
		if (mix_parse(row->words, row->name, &one->mix, &err) != STATUS_OK)
			message_error(&err); /* a test reads all rows */
		workload_of_mix(one, row->name, row->category, row->description, row->exercises);
		one->workload.is_built_in_mix = true;
		made[number] = one;
	}
	return &made[number]->workload;
}
