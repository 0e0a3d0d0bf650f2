/* SPDX-License-Identifier: MIT
 *
 * Functions that the checks of all families share. */
#ifndef RULES_INVARIANTS_CHECK_H
#define RULES_INVARIANTS_CHECK_H

#include "rules/fair.h"
#include "rules/invariants/row.h"
#include "rules/virtual_time.h"

#define FAIR_C        "kernel/sched/fair.c, "
#define CORE_C        "kernel/sched/core.c, "
#define RT_C          "kernel/sched/rt.c, "
#define DL_C          "kernel/sched/deadline.c, "
#define ROWS_OF(rows) (rows), sizeof(rows) / sizeof(*(rows))

/* The kernel's divisions round, and the update of the clock between two readings. */
#define ROUNDING_NS UINT64_C(2000)
/* From the reading of the clock to the event that follows it, at most. */
#define CLOCK_NS UINT64_C(200000)

/* The family's struct for the trace, for a CPU, and for a task: NULL if the machine does not know it. */
static inline void *state_of_trace(const struct family_state *state)
{
	return state->trace;
}

static inline void *state_of_cpu(const struct family_state *state, uint32_t cpu)
{
	return state->cpus + cpu * state->family->cpu_size;
}

static inline void *state_of_task(const struct family_state *state, const struct machine *machine, int32_t pid)
{
	const uint32_t number = machine_task_number(machine, pid);

	return number == ID_MAP_NONE ? NULL : state->tasks + number * state->family->task_size;
}

static inline enum invariant_result holds_if(bool holds)
{
	return holds ? INVARIANT_HOLDS : INVARIANT_BROKEN;
}

static inline uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* A sixty-fourth, and the clock. */
static inline uint64_t rounding_of(int64_t ns)
{
	return magnitude(ns) / 64 + ROUNDING_NS;
}

static inline int64_t with_rounding(uint64_t ns)
{
	return (int64_t)(ns + ns / 64 + ROUNDING_NS);
}

/* The kernel may multiply by an inverse of 32 bits. */
static inline uint64_t inverse_rounding(uint64_t ns)
{
	return ns / 1024 + 2;
}

/* Times of a trace may be anything: their differences wrap. */
static inline bool is_within(int64_t value, int64_t expected, uint64_t limit)
{
	const uint64_t more = (uint64_t)value - (uint64_t)expected;

	return more <= limit || -more <= limit;
}

/* The time between two events, an hour at most; and a period of the kernel's, which is 4.3 s at most
 * (sysctl_sched_dl_period_max), or 0. Their products add up without an overflow. */
static inline uint64_t time_between(uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t hour_ns = UINT64_C(3600000000000), past_ns = to_ns - from_ns;

	return past_ns < hour_ns ? past_ns : hour_ns;
}

static inline uint64_t known_period(uint64_t ns)
{
	return ns < UINT64_C(5000000000) ? ns : 0;
}

/* The value, within the limit of the expected one; at most, or at least, it. */
static inline enum invariant_result expect(struct evidence *evidence, const char *what, enum evidence_unit unit,
					   int64_t seen, int64_t expected, uint64_t limit)
{
	evidence->what = what;
	evidence->unit = unit;
	evidence->relation = EXPECTED_IS;
	evidence->seen = seen;
	evidence->expected = expected;
	return holds_if(is_within(seen, expected, limit));
}

static inline enum invariant_result expect_max(struct evidence *evidence, const char *what, enum evidence_unit unit,
					       int64_t seen, int64_t max)
{
	expect(evidence, what, unit, seen, max, 0);
	evidence->relation = EXPECTED_MAX;
	return holds_if(seen <= max);
}

static inline enum invariant_result expect_min(struct evidence *evidence, const char *what, enum evidence_unit unit,
					       int64_t seen, int64_t min)
{
	expect(evidence, what, unit, seen, min, 0);
	evidence->relation = EXPECTED_MIN;
	return holds_if(seen >= min);
}

/* vruntime and deadline are those of before; steps: what each is called if it is another one. */
static inline enum invariant_result expect_same_keys(struct evidence *evidence, const char *const steps[2],
						     const struct rule_entity *before, const struct rule_entity *task)
{
	const bool moves = task->vruntime != before->vruntime;

	return expect(evidence, steps[!moves], UNIT_VIRTUAL_NS,
		      moves ? rule_difference(task->vruntime, before->vruntime)
			    : rule_difference(task->deadline, before->deadline),
		      0, 0);
}

/* The task that an event puts on a queue. */
static inline const struct rule_entity *enqueued_task(const struct sight *sight)
{
	return &sight->wakeup->event.enqueued.task.entities[0];
}

static inline bool is_eevdf(const struct sight *sight)
{
	return sight->machine->traits.has_deadline;
}

static inline bool has_feature(const struct sight *sight, enum machine_feature feature)
{
	return machine_has_feature(sight->machine, feature);
}

static inline bool lacks_feature(const struct sight *sight, enum machine_feature feature)
{
	return machine_lacks_feature(sight->machine, feature);
}

/* A tick more than that: what ends with a tick is seen at the next one. */
static inline int64_t with_tick(const struct sight *sight, uint64_t ns)
{
	return with_rounding(ns + machine_tick_ns(sight->machine));
}

/* Run time beyond a rate of runtime_ns in each period_ns, in the window that has most of it, in ns * period_ns: `over`
 * until past_ns ago, on so many CPUs since. */
static inline rule_wide beyond_rate(rule_wide over, uint64_t past_ns, uint32_t cpus, uint64_t runtime_ns,
				    uint64_t period_ns)
{
	over += (rule_wide)past_ns * (cpus * period_ns) - (rule_wide)past_ns * runtime_ns;
	return over > 0 ? over : 0;
}

static inline int64_t deadline_ahead(const struct rule_entity *task)
{
	return rule_difference(task->deadline, task->vruntime);
}

/* calc_delta_fair(): a request in virtual time. With sums of whole weights it divides by the whole weight. */
static inline uint64_t virtual_slice(const struct sight *sight, const struct rule_entity *entity, uint64_t slice_ns)
{
	return sight->machine->traits.has_sum_shift ? cpu_to_virtual(slice_ns, entity->weight)
						    : virtual_granularity(slice_ns, entity->weight);
}

/* The slice of a group is the shortest on its queue: as old as delayed dequeues. */
static inline bool has_group_slices(const struct sight *sight)
{
	return has_feature(sight, FEATURE_DELAY_DEQUEUE) || has_feature(sight, FEATURE_NO_DELAY_DEQUEUE);
}

/* The candidates are those of the queue, and the keys of each are known. */
static inline bool is_whole(const struct pick_level *pick)
{
	return pick && pick->gap == PICK_COMPLETE && pick->derived == RULE_NONE;
}

static inline uint64_t counted_weight(const struct sight *sight, const struct pick_level *pick,
				      const struct rule_entity *entity)
{
	return virtual_time_weight(&sight->machine->traits, entity->weight, pick->level.sum_shift);
}

/* A task that has slept, or is new, is put on a queue. */
static inline bool is_placed_anew(const struct wakeup *wakeup)
{
	const uint32_t flags = wakeup->event.enqueued.flags;

	return (flags & WAKEUP_OF_FORK) || ((flags & WAKEUP_OF_SLEEPER) && has_keys(&wakeup->before) &&
					    !wakeup->before.on_rq && !wakeup->before.is_delayed && !wakeup->has_waited);
}

static inline bool is_asleep(enum leave_reason out)
{
	return out == LEAVE_SLEEPING || out == LEAVE_UNINTERRUPTIBLE;
}

static inline bool cpu_is_in(uint64_t cpus, uint32_t cpu)
{
	return cpu < 64 && (cpus >> cpu & 1);
}

#endif
