/* SPDX-License-Identifier: MIT
 *
 * The candidates of a pick from one queue, held against the sums that the kernel keeps of it. The sums prove that no
 * candidate is missing or too many, and find the delayed sleepers and throttled groups that the kernel took out without
 * an event. Nothing is guessed: without the proof the candidates are not complete. Pure. */
#ifndef RULES_PICK_LEVEL_H
#define RULES_PICK_LEVEL_H

#include <stddef.h>

#include "rules/entity.h"

#define PICK_LEFT_MAX 64u

/* The sums that the kernel keeps of a queue. */
struct queue_sums {
	bool has_weight, has_keys, has_count;
	uint64_t weight;   /* EEVDF: reduced weights of what waits; CFS: weights, with the running entity */
	uint64_t weighted; /* EEVDF: sum of weight * (vruntime - zero) of what waits */
	uint64_t zero;
	uint32_t count; /* of entities, with the running one */
	unsigned int shift;
};

/* The kernel looks for the next entity on one queue. */
struct key_pick {
	uint64_t queue;
	struct rule_entity running; /* id 0: none; on_rq false: no candidate */
	bool is_unprotected;        /* see struct rule_level */
	struct queue_sums sums;
	uint64_t next, last, skip; /* ids of buddies, 0: none */
};

/* Whether the candidates of a pick are known. */
enum pick_gap {
	PICK_COMPLETE,
	PICK_NO_SUMS,     /* the queue's sums are not recorded */
	PICK_UNSEEN,      /* the queue has more than the trace has shown since its start or a loss */
	PICK_SUMS_DIFFER, /* its sums are not those of the known candidates */
	PICK_GAPS
};

/* Candidates of a pick. Zero it before its first use, free it after the last one. */
struct pick_level {
	uint64_t queue;
	struct rule_level level;
	enum pick_gap gap;
	/* Index of the one candidate that the sums show, though not which it is, or RULE_NONE. If it is the only one
	 * its keys are not known; else those but for the deadline, on which the choice does not depend. */
	uint32_t derived;
	/* Index of the named one whose deadline may be older, or RULE_NONE: the choice is the same with any. */
	uint32_t proven;
	struct rule_choice proven_choice;
	/* Ids of those that the sums show to have left before. */
	uint64_t left[PICK_LEFT_MAX];
	uint32_t left_count;
	/* A queue below was picked from again since, and this one was not: a task has left a group in it, which has
	 * another weight. */
	bool is_outdated;
	/* Internal: of level.entities. */
	struct rule_entity *entities;
	size_t capacity;
};

/* Sets gap, with the candidates filled in: those that wait, and the running one. Takes those out that the sums show to
 * have left; of several that the sums do not tell apart one is taken out, and the others are stale. */
void pick_level_prove(const struct rule_traits *traits, struct pick_level *level, const struct queue_sums *sums);
/* Finds the one candidate that is missing on a level with a gap, if the sums show it. There is room for one more. */
void pick_level_derive(const struct rule_traits *traits, struct pick_level *level, const struct key_pick *event);
/* The rule's choice; of candidates with equal keys that with the id picked. */
struct rule_choice pick_level_choice(const struct rule_traits *traits, const struct pick_level *level, uint64_t picked);
/* Names what waits on a level with derived: picked. Its keys are older, or those of now. */
void pick_level_name(const struct rule_traits *traits, struct pick_level *pick, const struct rule_entity *picked,
		     bool is_older);
/* Index of the candidate, or RULE_NONE. */
uint32_t pick_level_find(const struct pick_level *level, uint64_t id);
void pick_level_free(struct pick_level *level);

#endif
