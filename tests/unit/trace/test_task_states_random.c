/* SPDX-License-Identifier: MIT
 *
 * The task machine against a scheduler made of random numbers, which knows what its tasks really did. */
#include <stdlib.h>
#include <string.h>

#include "support/text_run.h"

#include "support/random_scheduler.h"

static bool has_span(const struct span *spans, size_t count, struct span wanted)
{
	for (size_t i = 0; i < count; i++)
		if (spans[i].pid == wanted.pid && spans[i].cpu == wanted.cpu && spans[i].from_ns == wanted.from_ns &&
		    spans[i].to_ns == wanted.to_ns)
			return true;
	return false;
}

/* A task of which nothing is known behind a gap may be waiting already when it is woken: then less is seen of its wait
 * than there is, never more. */
static bool is_end_of_wait(const struct truth *truth, struct span seen)
{
	for (size_t i = 0; i < truth->wait_count; i++)
		if (truth->waits[i].pid == seen.pid && truth->waits[i].cpu == seen.cpu &&
		    truth->waits[i].to_ns == seen.to_ns)
			return truth->waits[i].from_ns <= seen.from_ns;
	return false;
}

struct found {
	uint64_t waits, short_waits, slices, spurious, cut;
	uint64_t cpu_ns[CPUS];
	uint64_t comm_ns[64];
};

static void take_slice(const struct truth *truth, const struct task_states *states, const struct task_slice *slice,
		       struct found *found)
{
	struct span span = {states->tasks[slice->task].pid, slice->cpu, slice->start_ns, slice->end_ns};

	assert_true(slice->end_ns >= slice->start_ns);
	found->cpu_ns[slice->cpu] += slice->end_ns - slice->start_ns;
	found->comm_ns[slice->comm] += slice->end_ns - slice->start_ns;
	if (slice->start_cut || slice->end_cut) {
		found->cut++;
		return;
	}
	found->slices++;
	assert_true(has_span(truth->slices, truth->slice_count, span));
}

/* Everything that the machine says is so; what it does not say is counted by the caller. */
static void take_step(const struct truth *truth, const struct task_states *states, const struct task_step *step,
		      struct found *found)
{
	for (unsigned int i = 0; i < step->slice_count; i++)
		take_slice(truth, states, &step->slices[i], found);
	if (step->changes & STEP_WAIT) {
		struct span span = {states->tasks[step->wait.task].pid, step->wait.cpu, step->wait.since_ns,
				    step->wait.end_ns};
		found->waits++;
		if (!has_span(truth->waits, truth->wait_count, span)) {
			assert_true(is_end_of_wait(truth, span));
			found->short_waits++;
		}
	}
	found->spurious += (step->changes & STEP_SPURIOUS) != 0;
}

static void end_run(const struct truth *truth, struct task_states *states, uint64_t ts_ns, struct found *found)
{
	struct task_slice slice;

	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		if (task_states_end_cpu(states, cpu, ts_ns, &slice))
			take_slice(truth, states, &slice, found);
}

static void feed(const struct truth *truth, struct task_states *states, const struct sched_event *event,
		 struct found *found)
{
	struct task_step step;
	struct error err;

	assert_int_equal(task_states_step(states, event, &step, &err), STATUS_OK);
	take_step(truth, states, &step, found);
}

static void assert_no_faults(const struct task_states *states)
{
	assert_int_equal(states->faults.switches_from_other, 0);
	assert_int_equal(states->faults.on_two_cpus, 0);
	assert_int_equal(states->faults.runs_without_wakeup, 0);
	assert_int_equal(states->faults.acts_of_dead, 0);
	assert_int_equal(states->faults.migrations_from_elsewhere, 0);
}

TEST(all_that_happened_is_told_and_times_sum_up)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct truth *truth = make_truth(seed);
		struct task_states states = {0};
		struct leave_reason_table outs = FEED_OUTS;
		struct found found = {0};
		task_states_begin(&states, &outs, NULL);
		for (size_t i = 0; i < truth->event_count; i++)
			feed(truth, &states, &truth->events[i], &found);
		uint64_t window = states.last_ns - states.first_ns;
		end_run(truth, &states, states.last_ns, &found);
		assert_int_equal(found.waits, truth->wait_count);
		assert_int_equal(found.short_waits, 0);
		/* Each CPU's first is cut. */
		assert_int_equal(found.slices + CPUS, truth->slice_count);
		assert_int_equal(found.cut, 2 * CPUS);
		assert_int_equal(found.spurious, truth->spurious);
		assert_no_faults(&states);
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			assert_int_equal(found.cpu_ns[cpu], window);
			assert_int_equal(states.cpus[cpu].observed_ns, window);
			assert_int_equal(states.cpus[cpu].observed_absent_ns[CPU_UNKNOWN], 0);
		}
		task_states_free(&states);
		free(truth);
	}
}

/* Leaves out runs of events of single CPUs, and tells of them as sched_stream does. */
static void feed_with_gaps(struct truth *truth, struct task_states *states, bool tells_gaps, struct found *found)
{
	uint32_t left[CPUS] = {0};
	struct sched_event gap;

	for (size_t i = 0; i < truth->event_count; i++) {
		const struct sched_event *event = &truth->events[i];
		if (left[event->cpu]) {
			if (--left[event->cpu])
				continue;
			gap = feed_lost(event->ts_ns, event->cpu, 1);
			feed(truth, states, &gap, found);
		}
		feed(truth, states, event, found);
		if (draw(truth, 60) == 0) {
			left[event->cpu] = 2 + draw(truth, 30);
			gap = feed_lost(event->ts_ns, event->cpu, 0);
			gap.kind = SCHED_GAP;
			if (tells_gaps)
				feed(truth, states, &gap, found);
		}
	}
}

TEST(what_is_told_of_a_lossy_trace_is_true)
{
	uint64_t waits = 0;
	uint64_t short_waits = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct truth *truth = make_truth(seed);
		struct task_states states = {0};
		struct leave_reason_table outs = FEED_OUTS;
		struct found found = {0};
		task_states_begin(&states, &outs, NULL);
		feed_with_gaps(truth, &states, true, &found);
		uint64_t window = states.last_ns - states.first_ns;
		end_run(truth, &states, states.last_ns, &found);
		assert_true(states.faults.losses > 0);
		assert_no_faults(&states);
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			assert_int_equal(found.cpu_ns[cpu] + states.cpus[cpu].observed_absent_ns[CPU_UNKNOWN], window);
			assert_int_equal(states.cpus[cpu].observed_ns, window);
		}
		waits += found.waits;
		short_waits += found.short_waits;
		task_states_free(&states);
		free(truth);
	}
	assert_true(waits > 1000 && short_waits < waits / 10);
}

TEST(a_window_counts_what_lies_in_it)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct truth *truth = make_truth(seed);
		struct task_states states = {0};
		struct leave_reason_table outs = FEED_OUTS;
		struct found before = {0};
		struct found found = {0};
		size_t first = EVENTS / 4 + draw(truth, EVENTS / 4);
		size_t end = first + 1 + draw(truth, EVENTS / 2);
		uint64_t from = truth->events[first].ts_ns - draw(truth, 2);
		if (from < truth->events[first - 1].ts_ns)
			from++;
		task_states_begin(&states, &outs, NULL);
		for (size_t i = 0; i < end; i++) {
			if (i == first)
				task_states_open_window(&states, from);
			feed(truth, &states, &truth->events[i], i < first ? &before : &found);
		}
		uint64_t to = truth->events[end - 1].ts_ns + draw(truth, 2);
		end_run(truth, &states, to, &found);
		for (uint32_t cpu = 0; cpu < CPUS; cpu++)
			assert_int_equal(found.cpu_ns[cpu], to - from);
		task_states_free(&states);
		free(truth);
	}
}

/* Numbers of names differ from machine to machine; the names do not. */
static uint64_t comm_time(const struct task_states *states, const struct found *found, const char *name)
{
	for (uint32_t i = 0; i < states->comms.count; i++)
		if (states->comms.comms[i].length == strlen(name) &&
		    memcmp(states->comms.comms[i].bytes, name, strlen(name)) == 0)
			return found->comm_ns[i];
	return 0;
}

static void feed_all(struct truth *truth, struct task_states *states, struct leave_reason_table *outs,
		     struct found *found)
{
	task_states_begin(states, outs, NULL);
	feed_with_gaps(truth, states, true, found);
	end_run(truth, states, states->last_ns, found);
}

TEST(two_runs_through_one_machine_are_their_sum)
{
	static const char *const names[] = {"red", "green", "blue", "swapper/0", "swapper/2"};

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct task_states single[2] = {{0}, {0}};
		struct task_states both = {0};
		struct found apart[2] = {{0}, {0}};
		struct found together = {0};
		for (uint64_t n = 0; n < 2; n++) {
			struct leave_reason_table outs = FEED_OUTS;
			struct truth *truth = make_truth(2 * seed + n);
			uint64_t draws = truth->seed;
			feed_all(truth, &single[n], &outs, &apart[n]);
			truth->seed = draws;
			feed_all(truth, &both, &outs, &together);
			free(truth);
		}
		assert_int_equal(together.waits, apart[0].waits + apart[1].waits);
		assert_int_equal(together.slices, apart[0].slices + apart[1].slices);
		assert_int_equal(together.spurious, apart[0].spurious + apart[1].spurious);
		assert_int_equal(both.task_count, single[0].task_count + single[1].task_count);
		assert_int_equal(both.faults.losses, single[0].faults.losses + single[1].faults.losses);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			uint64_t sum =
			    comm_time(&single[0], &apart[0], names[i]) + comm_time(&single[1], &apart[1], names[i]);
			assert_true(sum > 0);
			assert_int_equal(comm_time(&both, &together, names[i]), sum);
		}
		for (uint32_t cpu = 0; cpu < CPUS; cpu++)
			assert_int_equal(both.cpus[cpu].observed_ns,
					 single[0].cpus[cpu].observed_ns + single[1].cpus[cpu].observed_ns);
		task_states_free(&single[0]);
		task_states_free(&single[1]);
		task_states_free(&both);
	}
}

/* Every list of runnable tasks holds those that wait for its CPU, once each. */
static void assert_lists(const struct task_states *states)
{
	uint32_t all = 0;

	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++) {
		uint32_t count = 0;
		uint32_t previous = TASK_NONE;
		for (uint32_t i = states->cpus[cpu].runnable_first; i != TASK_NONE; i = states->tasks[i].next) {
			assert_int_equal(states->tasks[i].previous, previous);
			assert_int_equal(states->tasks[i].cpu, cpu);
			assert_int_equal(states->tasks[i].state, TASK_RUNNABLE);
			previous = i;
			count++;
		}
		assert_int_equal(count, states->cpus[cpu].runnable);
		all += count;
	}
	assert_int_equal(all, states->runnable);
}

/* Events that contradict one another, of few tasks and CPUs, so that all of it happens. */
TEST(nonsense_is_survived)
{
	struct truth *truth = calloc(1, sizeof(*truth));
	struct task_states states = {0};
	struct leave_reason_table outs = FEED_OUTS;
	uint64_t slices_ns = 0;
	struct task_slice slice;

	assert_non_null(truth);
	truth->seed = 7;
	task_states_begin(&states, &outs, NULL);
	for (uint64_t now = 1000; now < 200000; now += draw(truth, 3)) {
		struct task_step step;
		struct error err;
		uint32_t cpu = draw(truth, 3);
		int32_t pid = (int32_t)draw(truth, 5);
		int32_t other = (int32_t)draw(truth, 5) - (draw(truth, 20) == 0);
		struct sched_event event;
		uint32_t kind = draw(truth, 40);
		if (kind < 16)
			event = feed_switch(now, cpu, "a", pid, "SDRpXIT?"[draw(truth, 8)], "b", other);
		else if (kind < 30)
			event = feed_wakeup(now, cpu, other, "c", pid, draw(truth, 3));
		else if (kind < 38)
			event = feed_migrate(now, cpu, other, "d", pid, draw(truth, 3), draw(truth, 3));
		else
			event = feed_lost(now, cpu, 0);
		if (kind >= 16 && kind < 30 && draw(truth, 3) == 0)
			event.kind = SCHED_WAKEUP_NEW;
		if (kind == 39)
			event.kind = SCHED_GAP;
		assert_int_equal(task_states_step(&states, &event, &step, &err), STATUS_OK);
		assert_lists(&states);
		for (unsigned int i = 0; i < step.slice_count; i++) {
			assert_true(step.slices[i].end_ns >= step.slices[i].start_ns);
			slices_ns += step.slices[i].end_ns - step.slices[i].start_ns;
		}
		if (step.changes & STEP_WAIT)
			assert_true(step.wait.end_ns >= step.wait.since_ns);
		if (step.changes & STEP_SWITCH_MISSING)
			assert_true(step.missing.until_ns >= step.missing.since_ns);
	}
	uint64_t observed_ns = 0;
	for (uint32_t cpu = 0; cpu < states.cpu_count; cpu++) {
		if (task_states_end_cpu(&states, cpu, states.last_ns, &slice))
			slices_ns += slice.end_ns - slice.start_ns;
		observed_ns += states.cpus[cpu].observed_ns - states.cpus[cpu].observed_absent_ns[CPU_UNKNOWN] -
			       states.cpus[cpu].observed_absent_ns[CPU_BETWEEN];
	}
	assert_int_equal(slices_ns, observed_ns);
	assert_true(states.faults.switches_from_other > 100 && states.faults.on_two_cpus > 100);
	assert_true(states.faults.acts_of_dead > 100 && states.faults.migrations_from_elsewhere > 100);
	task_states_free(&states);
	free(truth);
}

TEST(a_cpu_that_cannot_be_is_refused)
{
	struct task_states states = {0};
	struct leave_reason_table outs = FEED_OUTS;
	struct task_step step;
	struct error err;
	struct sched_event events[] = {
	    feed_switch(1, TASK_CPUS_MAX, "a", 1, 'S', "b", 2),
	    feed_wakeup(1, 0, 0, "a", 1, UINT32_MAX),
	    feed_migrate(1, 0, 0, "a", 1, 0, TASK_CPUS_MAX),
	};

	task_states_begin(&states, &outs, NULL);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		assert_int_equal(task_states_step(&states, &events[i], &step, &err), STATUS_CORRUPT);
	task_states_free(&states);
}

#define PIDS_MAX (100 + EVENTS)

static uint64_t count_followed(const struct span *spans, size_t count, const bool *follows)
{
	uint64_t followed = 0;

	for (size_t i = 0; i < count; i++)
		followed += follows[spans[i].pid];
	return followed;
}

/* Followed tasks have all that they have in a whole trace; others have nothing. */
TEST(what_is_told_of_followed_tasks_is_all_of_it)
{
	static bool follows[PIDS_MAX];
	int32_t first[] = {100, 103, 105, 106};
	const struct trace_scope scope = {.followed_only = true, .followed = first, .followed_count = 4};
	uint64_t moved_unseen = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct truth *truth = make_truth(seed);
		struct task_states states = {0};
		struct leave_reason_table outs = FEED_OUTS;
		struct found found = {0};
		memset(follows, 0, sizeof(follows));
		for (size_t i = 0; i < scope.followed_count; i++)
			follows[first[i]] = true;
		task_states_begin(&states, &outs, &scope);
		for (size_t i = 0; i < truth->event_count; i++) {
			const struct sched_event *event = &truth->events[i];
			bool recorded = is_recorded(follows, event);
			moved_unseen += !recorded && event->kind == SCHED_MIGRATE && follows[event->migrate.task.pid];
			if (recorded)
				feed(truth, &states, event, &found);
		}
		uint64_t window = states.last_ns - states.first_ns;
		end_run(truth, &states, states.last_ns, &found);
		assert_int_equal(found.waits, count_followed(truth->waits, truth->wait_count, follows));
		assert_int_equal(found.short_waits, 0);
		assert_int_equal(found.slices, count_followed(truth->slices, truth->slice_count, follows));
		assert_no_faults(&states);
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			assert_int_equal(states.cpus[cpu].observed_ns, window);
			assert_int_equal(states.cpus[cpu].observed_absent_ns[CPU_UNKNOWN], 0);
			assert_int_equal(found.cpu_ns[cpu] + states.cpus[cpu].observed_absent_ns[CPU_OUTSIDE], window);
		}
		for (uint32_t i = 0; i < states.task_count; i++)
			assert_int_equal(states.tasks[i].is_outside, !follows[states.tasks[i].pid]);
		task_states_free(&states);
		free(truth);
	}
	assert_true(moved_unseen > 100);
}

/* The kernel follows a PID until its task has ended. A thread that calls exec takes the PID of its dead leader. */
TEST(the_pid_of_a_dead_followed_task)
{
	int32_t first[] = {100, 101};
	const struct trace_scope scope = {.followed_only = true, .followed = first, .followed_count = 2};
	struct task_states states = {0};
	struct leave_reason_table outs = FEED_OUTS;
	struct task_step step;
	struct error err;
	const struct sched_event events[] = {
	    feed_switch(1000, 0, "idle", 0, 'R', "leader", 100),
	    feed_switch(1100, 0, "leader", 100, 'X', "other", 7),
	    feed_switch(1200, 0, "other", 7, 'S', "thread", 101),
	    feed_wakeup(1300, 0, 100, "other", 7, 0), /* after exec */
	    feed_switch(1400, 0, "leader", 100, 'X', "other", 7),
	    feed_switch(1500, 1, "other", 8, 'S', "thread", 101),
	    feed_switch(1600, 1, "thread", 101, 'S', "another", 100),
	    feed_switch(1700, 1, "another", 100, 'S', "thread", 101),
	};
	uint64_t slices = 0;

	task_states_begin(&states, &outs, &scope);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		assert_int_equal(task_states_step(&states, &events[i], &step, &err), STATUS_OK);
		for (unsigned int at = 0; at < step.slice_count; at++)
			slices += states.tasks[step.slices[at].task].pid == 100;
	}
	assert_int_equal(slices, 2);
	assert_int_equal(states.faults.acts_of_dead, 0);
	assert_true(states.tasks[task_states_find(&states, 100, 0)].is_outside);
	task_states_free(&states);
}
