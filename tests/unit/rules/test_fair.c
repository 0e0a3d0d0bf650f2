/* SPDX-License-Identifier: MIT
 *
 * Picks of the published rules. Expectations are worked out by hand: V is the weighted average of the vruntimes. */
#include "rules/fair.h"
#include "rules/virtual_time.h"
#include "support/unit.h"

#define MS UINT64_C(1000000)
#define W0 RULE_NICE_0_WEIGHT

static struct rule_entity entity(uint64_t vruntime, uint64_t deadline, uint64_t weight)
{
	return (struct rule_entity){
	    .vruntime = vruntime, .deadline = deadline, .weight = weight, .slice = 3 * MS, .on_rq = true};
}

static struct rule_level level_of(const struct rule_entity *entities, uint32_t count)
{
	return (struct rule_level){.entities = entities,
				   .count = count,
				   .running = RULE_NONE,
				   .next = RULE_NONE,
				   .last = RULE_NONE,
				   .skip = RULE_NONE};
}

static void assert_choice(struct rule_choice choice, uint32_t expected, enum rule_reason reason)
{
	assert_int_equal(choice.entity, expected);
	assert_int_equal(choice.reason, reason);
}

static const struct rule_traits eevdf = {.has_deadline = true, .has_protect = true, .run_to_parity = true};
static const struct rule_traits cfs = {.wakeup_granularity_ns = 1 * MS};

TEST(empty_queue_and_only_candidate)
{
	const struct rule_entity one[] = {entity(5, 9, W0)};
	struct rule_level level = level_of(one, 0);

	assert_choice(rule_eevdf(&eevdf, &level, RULE_NONE), RULE_NONE, RULE_EMPTY);
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), RULE_NONE, RULE_EMPTY);
	level.count = 1;
	assert_choice(rule_eevdf(&eevdf, &level, RULE_NONE), 0, RULE_ONLY);
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 0, RULE_ONLY);
}

/* V = (0 + 4 + 8) / 3 = 4 ms: the first two are eligible, the third has the earliest deadline and is not. */
TEST(earliest_deadline_of_the_eligible)
{
	const struct rule_entity entities[] = {entity(0, 9 * MS, W0), entity(4 * MS, 7 * MS, W0),
					       entity(8 * MS, 6 * MS, W0)};
	const struct rule_level level = level_of(entities, 3);

	assert_choice(rule_eevdf(&eevdf, &level, RULE_NONE), 1, RULE_EARLIEST_DEADLINE);
}

/* One unit beyond V is not eligible: V = (0 + 4 ms + 8 ms - 3) / 3, 1 ns below the second. */
TEST(eligibility_is_exact)
{
	const struct rule_entity entities[] = {entity(0, 9 * MS, W0), entity(4 * MS, 7 * MS, W0),
					       entity(8 * MS - 3, 6 * MS, W0)};
	const struct rule_level level = level_of(entities, 3);

	assert_choice(rule_eevdf(&eevdf, &level, RULE_NONE), 0, RULE_EARLIEST_DEADLINE);
}

/* V = (3 * 0 + 1 * 4) / 4 = 1 ms with weights 3 to 1: lag of the heavy one 1 virtual ms, 3 ms of CPU time. */
TEST(weights_move_the_average)
{
	const struct rule_entity entities[] = {entity(0, 9 * MS, 3 * W0), entity(4 * MS, 7 * MS, W0)};
	const struct rule_level level = level_of(entities, 2);
	const struct virtual_time time = virtual_time_of(&eevdf, &level);

	assert_int_equal(time.weight, 4096);
	assert_int_equal(virtual_time_lag(&time, 0), 1 * MS);
	assert_int_equal(virtual_to_cpu(1 * MS, 3 * W0), 3 * MS);
	assert_int_equal(virtual_time_lag(&time, 4 * MS), -3 * (int64_t)MS);
	/* Rounded down, as avg_vruntime() of the kernel does, also if the first of them is above V. */
	const struct virtual_time uneven = {.base = 100, .weighted = -7, .weight = 2};
	assert_int_equal(virtual_time_floor(&uneven), 96);
	assert_int_equal(virtual_time_lag(&uneven, 100), -4);
	assert_int_equal(cpu_to_virtual(3 * MS, 3 * W0), 1 * MS);
	assert_choice(rule_eevdf(&eevdf, &level, RULE_NONE), 0, RULE_EARLIEST_DEADLINE);
}

/* The same picture moved across the end of the number range gives the same pick. */
TEST(times_wrap)
{
	const uint64_t base = UINT64_MAX - 2 * MS;
	const struct rule_entity entities[] = {entity(base, base + 9 * MS, W0),
					       entity(base + 4 * MS, base + 7 * MS, W0),
					       entity(base + 8 * MS, base + 6 * MS, W0)};
	const struct rule_level level = level_of(entities, 3);

	assert_choice(rule_eevdf(&eevdf, &level, RULE_NONE), 1, RULE_EARLIEST_DEADLINE);
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 0, RULE_SMALLEST_VRUNTIME);
}

/* The running one is eligible (V = 2 ms) and has the later deadline. */
TEST(protected_slice_stays)
{
	struct rule_entity entities[] = {entity(1 * MS, 9 * MS, W0), entity(3 * MS, 7 * MS, W0),
					 entity(2 * MS, 5 * MS, W0)};
	struct rule_level level = level_of(entities, 3);
	struct rule_traits traits = eevdf;

	level.running = 0;
	entities[0].protect = entities[0].deadline;
	assert_choice(rule_eevdf(&traits, &level, RULE_NONE), 0, RULE_PROTECTED);
	entities[0].protect--;
	assert_choice(rule_eevdf(&traits, &level, RULE_NONE), 2, RULE_EARLIEST_DEADLINE);
	entities[0].protect++;
	traits.run_to_parity = false;
	assert_choice(rule_eevdf(&traits, &level, RULE_NONE), 2, RULE_EARLIEST_DEADLINE);
	traits.has_vprot = true;
	entities[0].protect = entities[0].vruntime + 1;
	assert_choice(rule_eevdf(&traits, &level, RULE_NONE), 0, RULE_PROTECTED);
	entities[0].protect = entities[0].vruntime;
	assert_choice(rule_eevdf(&traits, &level, RULE_NONE), 2, RULE_EARLIEST_DEADLINE);
}

/* A protected one that has run beyond V is picked no more. V = 2 ms. */
TEST(protection_needs_eligibility)
{
	struct rule_entity entities[] = {entity(3 * MS, 9 * MS, W0), entity(1 * MS, 12 * MS, W0)};
	struct rule_level level = level_of(entities, 2);

	level.running = 0;
	entities[0].protect = entities[0].deadline;
	assert_choice(rule_eevdf(&eevdf, &level, RULE_NONE), 1, RULE_EARLIEST_DEADLINE);
}

/* With equal deadlines a waiting one is before the running one; of waiting ones any is the rule's. */
TEST(equal_deadlines)
{
	const struct rule_entity entities[] = {entity(MS, 9 * MS, W0), entity(MS, 9 * MS, W0), entity(MS, 9 * MS, W0)};
	struct rule_level level = level_of(entities, 3);

	level.running = 0;
	assert_choice(rule_eevdf(&eevdf, &level, 0), 1, RULE_EARLIEST_DEADLINE);
	assert_choice(rule_eevdf(&eevdf, &level, 1), 1, RULE_EARLIEST_DEADLINE);
	assert_choice(rule_eevdf(&eevdf, &level, 2), 2, RULE_EARLIEST_DEADLINE);
	assert_choice(rule_cfs(&cfs, &level, 0), 1, RULE_SMALLEST_VRUNTIME);
	assert_choice(rule_cfs(&cfs, &level, 2), 2, RULE_SMALLEST_VRUNTIME);
}

TEST(eligible_next_buddy)
{
	struct rule_entity entities[] = {entity(1 * MS, 9 * MS, W0), entity(3 * MS, 7 * MS, W0),
					 entity(2 * MS, 5 * MS, W0)};
	struct rule_level level = level_of(entities, 3);
	struct rule_traits traits = eevdf;

	level.next = 0;
	assert_choice(rule_eevdf(&traits, &level, RULE_NONE), 2, RULE_EARLIEST_DEADLINE);
	traits.pick_buddy = true;
	assert_choice(rule_eevdf(&traits, &level, RULE_NONE), 0, RULE_NEXT_BUDDY);
	level.next = 1; /* V = 2 ms */
	assert_choice(rule_eevdf(&traits, &level, RULE_NONE), 2, RULE_EARLIEST_DEADLINE);
}

/* Only where it becomes the next buddy does a woken task with a shorter slice preempt without the earliest deadline. V
 * = 2 ms. */
TEST(woken_with_a_shorter_slice)
{
	struct rule_entity entities[] = {entity(3 * MS, 9 * MS, W0), entity(1 * MS, 5 * MS, W0),
					 entity(2 * MS, 7 * MS, W0)};
	struct rule_level level = level_of(entities, 3);
	struct rule_traits traits = eevdf;

	level.running = 0;
	level.is_unprotected = true;
	traits.pick_buddy = true;
	assert_choice(rule_wakeup(&traits, &level, 2), 1, RULE_EARLIEST_DEADLINE);
	traits.has_short_buddy = true;
	assert_choice(rule_wakeup(&traits, &level, 2), 2, RULE_NEXT_BUDDY);
	assert_choice(rule_wakeup(&traits, &level, 1), 1, RULE_EARLIEST_DEADLINE);
	entities[2].vruntime++; /* beyond V */
	assert_choice(rule_wakeup(&traits, &level, 2), 1, RULE_EARLIEST_DEADLINE);
	entities[2].vruntime--;
	level.is_unprotected = false; /* its slice is not shorter */
	assert_choice(rule_wakeup(&traits, &level, 2), 1, RULE_EARLIEST_DEADLINE);
}

/* Flat queues count weights whole, or reduced by their sum_shift; others without the lower 10 bits, at least 2. */
TEST(weights_of_sums)
{
	const struct rule_traits flat = {.has_deadline = true, .has_sum_shift = true};

	assert_int_equal(virtual_time_weight(&eevdf, W0, 0), 1024);
	assert_int_equal(virtual_time_weight(&eevdf, 1024, 0), 2);
	assert_int_equal(virtual_time_weight(&flat, 5000, 0), 5000);
	assert_int_equal(virtual_time_weight(&flat, 5000, 3), 625);
	assert_int_equal(virtual_time_weight(&flat, 5, 3), 2);
}

TEST(cfs_smallest_vruntime)
{
	const struct rule_entity entities[] = {entity(5 * MS, 0, W0), entity(3 * MS, 0, W0), entity(4 * MS, 0, W0)};
	struct rule_level level = level_of(entities, 3);

	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 1, RULE_SMALLEST_VRUNTIME);
	level.running = 1;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 1, RULE_SMALLEST_VRUNTIME);
}

/* wakeup_granularity 1 ms: a buddy 1 ms behind the smallest is picked, one of 1 ms and 1 ns is not. */
TEST(cfs_buddies_within_the_granularity)
{
	struct rule_entity entities[] = {entity(4 * MS, 0, W0), entity(3 * MS, 0, W0), entity(4 * MS + 1, 0, W0)};
	struct rule_level level = level_of(entities, 3);

	level.next = 0;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 0, RULE_NEXT_BUDDY);
	level.next = 2;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 1, RULE_SMALLEST_VRUNTIME);
	level.last = 0;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 0, RULE_LAST_BUDDY);
	/* The granularity counts in the virtual time of the one with the smallest vruntime. */
	entities[1].weight = 2 * W0;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 1, RULE_SMALLEST_VRUNTIME);
	/* The lower bits of the weight do not count: of a group of 1023.99. */
	entities[1].weight = W0 - 1;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 2, RULE_NEXT_BUDDY);
	entities[2].vruntime = 4 * MS + MS / 1023;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 2, RULE_NEXT_BUDDY);
}

TEST(cfs_yield_passes_to_the_second)
{
	struct rule_entity entities[] = {entity(3 * MS, 0, W0), entity(4 * MS, 0, W0), entity(9 * MS, 0, W0)};
	struct rule_level level = level_of(entities, 3);

	level.running = level.skip = 0;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 1, RULE_SKIPPED_YIELD);
	entities[1].vruntime++;
	assert_choice(rule_cfs(&cfs, &level, RULE_NONE), 0, RULE_SMALLEST_VRUNTIME);
}
