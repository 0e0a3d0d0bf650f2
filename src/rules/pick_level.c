/* SPDX-License-Identifier: MIT */
#include "rules/pick_level.h"

#include <stdlib.h>

#include "rules/fair.h"
#include "rules/virtual_time.h"

/* Subsets of delayed sleepers that are tried before a difference of the sums is given up. */
#define REPAIR_STEPS_MAX 4096u

/* How the known candidates differ from the sums: too much is positive. */
struct sums_difference {
	rule_wide weight, weighted;
	int64_t count;
};

static uint64_t counted_weight(const struct rule_traits *traits, const struct rule_entity *entity,
			       const struct queue_sums *sums)
{
	return traits->has_deadline ? virtual_time_weight(traits, entity->weight, sums->shift) : entity->weight;
}

static void subtract(const struct rule_traits *traits, const struct rule_entity *entity, const struct queue_sums *sums,
		     struct sums_difference *difference)
{
	const uint64_t weight = counted_weight(traits, entity, sums);

	difference->weight -= sums->has_weight ? weight : 0;
	difference->count -= sums->has_count;
	if (sums->has_keys)
		difference->weighted -= (rule_wide)rule_difference(entity->vruntime, sums->zero) * weight;
}

static struct sums_difference find_difference(const struct rule_traits *traits, const struct pick_level *pick,
					      const struct queue_sums *sums)
{
	struct sums_difference rest = {sums->has_weight ? sums->weight : 0,
				       sums->has_keys ? (int64_t)sums->weighted : 0, sums->has_count ? sums->count : 0};
	struct sums_difference running = {0};

	for (uint32_t i = 0; i < pick->level.count; i++)
		subtract(traits, &pick->level.entities[i], sums, &rest);
	if (traits->has_deadline && pick->level.running != RULE_NONE) {
		/* The sums of EEVDF are without the running entity, its number is with it. */
		subtract(traits, &pick->level.entities[pick->level.running], sums, &running);
		rest.weight -= running.weight;
		rest.weighted -= running.weighted;
	}
	return (struct sums_difference){-rest.weight, -rest.weighted, -rest.count};
}

static bool is_zero(const struct sums_difference *difference)
{
	/* The kernel's sum wraps. */
	return difference->weight == 0 && (uint64_t)difference->weighted == 0 && difference->count == 0;
}

struct repair {
	const struct rule_traits *traits;
	const struct pick_level *pick;
	const struct queue_sums *sums;
	uint32_t steps;
	uint32_t removed[PICK_LEFT_MAX];
	uint32_t removed_count;
};

/* Without an event: a delayed sleeper, a group that is throttled, a task whose attributes were changed. */
static bool may_have_left(const struct repair *repair, uint32_t at)
{
	const struct rule_entity *entity = &repair->pick->level.entities[at];

	return (entity->is_delayed || entity->is_group || entity->is_stale) && at != repair->pick->level.running;
}

/* Searches from this candidate on for entities that may have left and whose sum is the difference. */
static bool find_removed(struct repair *repair, uint32_t from, struct sums_difference difference)
{
	if (is_zero(&difference))
		return true;
	if (difference.weight < 0 || difference.count < 0 || repair->removed_count == PICK_LEFT_MAX)
		return false;
	for (uint32_t i = from; i < repair->pick->level.count; i++) {
		struct sums_difference rest = difference;

		if (!may_have_left(repair, i))
			continue;
		if (++repair->steps > REPAIR_STEPS_MAX)
			return false;
		subtract(repair->traits, &repair->pick->level.entities[i], repair->sums, &rest);
		repair->removed[repair->removed_count++] = i;
		if (find_removed(repair, i + 1, rest))
			return true;
		repair->removed_count--;
	}
	return false;
}

static void drop_candidate(struct pick_level *pick, uint32_t at)
{
	uint32_t last = --pick->level.count;

	pick->entities[at] = pick->entities[last];
	if (pick->level.running == last)
		pick->level.running = at;
}

/* The sums are the same without the other one. */
static bool is_equal(const struct repair *repair, uint32_t removed, uint32_t other)
{
	const struct rule_entity *a = &repair->pick->level.entities[removed], *b = &repair->pick->level.entities[other];

	return may_have_left(repair, other) && (!repair->sums->has_keys || a->vruntime == b->vruntime) &&
	       counted_weight(repair->traits, a, repair->sums) == counted_weight(repair->traits, b, repair->sums);
}

static bool is_removed(const struct repair *repair, uint32_t at)
{
	for (uint32_t i = 0; i < repair->removed_count; i++)
		if (repair->removed[i] == at)
			return true;
	return false;
}

/* A delayed sleeper leaves when it is picked: it was a candidate, and that with the earliest deadline. */
static bool leaves_before(const struct rule_entity *a, const struct rule_entity *b)
{
	return a->was_candidate != b->was_candidate ? a->was_candidate : rule_difference(a->deadline, b->deadline) < 0;
}

/* The sums cannot tell equal entities apart: removes the likeliest one, and marks the others stale. */
static void choose_removed(struct pick_level *pick, struct repair *repair)
{
	for (uint32_t i = 0; i < repair->removed_count; i++)
		for (uint32_t j = 0; j < pick->level.count; j++) {
			const uint32_t removed = repair->removed[i];
			if (is_removed(repair, j) || !is_equal(repair, removed, j))
				continue;
			const bool is_first = leaves_before(&pick->entities[j], &pick->entities[removed]);
			pick->entities[is_first ? removed : j].is_stale = true;
			repair->removed[i] = is_first ? j : removed;
		}
}

/* The place of a candidate, whose id may be 0 in a damaged trace. */
static uint32_t place_of(const struct pick_level *pick, uint64_t id)
{
	uint32_t at = 0;

	while (pick->entities[at].id != id)
		at++;
	return at;
}

/* Takes those out that left without an event. False if the difference remains. */
static bool repair_level(const struct rule_traits *traits, struct pick_level *pick, const struct queue_sums *sums,
			 struct sums_difference difference)
{
	struct repair repair = {.traits = traits, .pick = pick, .sums = sums};

	if (!find_removed(&repair, 0, difference))
		return false;
	choose_removed(pick, &repair);
	for (uint32_t i = 0; i < repair.removed_count; i++)
		pick->left[i] = pick->entities[repair.removed[i]].id;
	for (uint32_t i = repair.removed_count; i-- > 0;)
		drop_candidate(pick, place_of(pick, pick->left[i]));
	pick->left_count = repair.removed_count;
	return true;
}

void pick_level_prove(const struct rule_traits *traits, struct pick_level *pick, const struct queue_sums *sums)
{
	pick->left_count = 0;
	pick->gap = PICK_NO_SUMS;
	if (!sums->has_weight || !sums->has_count)
		return;
	const struct sums_difference difference = find_difference(traits, pick, sums);
	if (is_zero(&difference) || repair_level(traits, pick, sums, difference))
		pick->gap = PICK_COMPLETE;
	else
		pick->gap = difference.weight < 0 || difference.count < 0 ? PICK_UNSEEN : PICK_SUMS_DIFFER;
}

/* One entity is missing: a group that was throttled, or that its running task left for another. The sums show its
 * weight and its vruntime. True if the rule's choice is the same for any deadline after its vruntime. */
static bool derive(const struct rule_traits *traits, struct pick_level *pick, const struct queue_sums *sums)
{
	const struct sums_difference more = find_difference(traits, pick, sums);
	const rule_wide weight = -more.weight;
	struct rule_entity *missing = &pick->entities[pick->level.count];
	const unsigned int shift = traits->has_sum_shift ? sums->shift : RULE_WEIGHT_SHIFT;

	if (!sums->has_keys || more.count != -1 || weight <= 0 || more.weighted % weight || shift >= 64)
		return false;
	*missing = (struct rule_entity){.on_rq = true,
					.weight = (uint64_t)weight << shift,
					.vruntime = sums->zero + (uint64_t)(-more.weighted / weight)};
	pick->level.count++;
	missing->deadline = missing->vruntime;
	const struct rule_choice early = rule_fair(traits, &pick->level, RULE_NONE);
	missing->deadline = missing->vruntime + INT64_MAX / 2;
	const struct rule_choice late = rule_fair(traits, &pick->level, RULE_NONE);
	missing->deadline = missing->vruntime;
	if (early.entity == late.entity)
		return true;
	pick->level.count--;
	return false;
}

void pick_level_derive(const struct rule_traits *traits, struct pick_level *pick, const struct key_pick *event)
{
	/* The queue's only entity is what is picked, whatever its keys are. */
	if (pick->level.running == RULE_NONE && event->sums.has_count && event->sums.count == 1) {
		pick->derived = 0;
		pick->entities[0] = (struct rule_entity){.on_rq = true};
		pick->level.count = 1;
		return;
	}
	/* The only known one that waits has other keys by now. */
	if (pick->level.running != RULE_NONE && pick->level.count == 2 && event->sums.count == 2)
		drop_candidate(pick, pick->level.running == 0);
	pick->level.next = pick_level_find(pick, event->next);
	/* A buddy is on the queue: if it is not known, it is what is missing. */
	if (event->next && pick->level.next == RULE_NONE)
		pick->level.next = pick->level.count;
	if (derive(traits, pick, &event->sums)) {
		pick->derived = pick->level.count - 1;
		pick->gap = PICK_COMPLETE;
	} else if (pick->level.next == pick->level.count) {
		pick->level.next = RULE_NONE;
	}
}

struct rule_choice pick_level_choice(const struct rule_traits *traits, const struct pick_level *pick, uint64_t picked)
{
	return pick->proven == RULE_NONE ? rule_fair(traits, &pick->level, pick_level_find(pick, picked))
					 : pick->proven_choice;
}

void pick_level_name(const struct rule_traits *traits, struct pick_level *pick, const struct rule_entity *picked,
		     bool is_older)
{
	const struct rule_entity derived = pick->entities[pick->derived];

	if (pick->gap == PICK_COMPLETE && is_older) {
		pick->proven = pick->derived;
		pick->proven_choice = rule_fair(traits, &pick->level, pick->derived);
	}
	pick->entities[pick->derived] = *picked;
	/* The weight of a group, and with one queue per CPU that of a task, is a share that may have changed since. */
	pick->entities[pick->derived].is_stale =
	    is_older || (pick->gap != PICK_COMPLETE && (picked->is_group || traits->has_sum_shift));
	if (pick->gap == PICK_COMPLETE) {
		/* Its share may have changed since. */
		pick->entities[pick->derived].vruntime = derived.vruntime;
		pick->entities[pick->derived].weight = derived.weight;
	}
	pick->derived = RULE_NONE;
	pick->gap = PICK_COMPLETE;
}

uint32_t pick_level_find(const struct pick_level *pick, uint64_t id)
{
	for (uint32_t i = 0; id && i < pick->level.count; i++)
		if (pick->level.entities[i].id == id)
			return i;
	return RULE_NONE;
}

void pick_level_free(struct pick_level *pick)
{
	free(pick->entities);
	*pick = (struct pick_level){0};
}
