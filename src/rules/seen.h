/* SPDX-License-Identifier: MIT
 *
 * Results of several events together: the picks of one decision, a wakeup and its test, both halves of a switch. */
#ifndef RULES_SEEN_H
#define RULES_SEEN_H

#include "rules/decision.h"
#include "rules/key_events.h"

#define CHAIN_MAX RULE_DEPTH_MAX

/* The picks of one schedule(), or of one test: one per queue, the root's first. */
struct pick_chain {
	struct pick_level levels[CHAIN_MAX];
	uint32_t count;
	uint32_t cpu;
	uint64_t ts_ns, caller;
	uint64_t throttled; /* a queue that may have been throttled since the last pick; 0: none */
	bool is_in_doubt;   /* they may be those of a switch that is not seen yet, or of a stay */
	bool is_cut;        /* there were more levels */
	bool is_repeated;   /* an entity was taken out, and others were looked for */
};

/* A task was put on a queue by an event of this CPU, and nothing else has happened there since but picks and requests.
 */
struct wakeup {
	bool is_open;
	struct key_event event;          /* KEY_ENQUEUE; its cpu is that of the queue */
	struct rule_entity before;       /* its keys before */
	struct rule_entity group_before; /* of its group, which waited; weight 0: it did not, or is not known */
	struct rule_entity running; /* the fair task that runs on its CPU, brought up to the clock; weight 0: none */
	bool has_waited;            /* it was on a queue all the time */
	bool is_same_queue;         /* on which running is */
	bool was_asked;             /* its CPU had been asked, or something else decides whether it preempts */
	bool had_request;           /* its CPU had been asked, or may have been: by a task above the fair class */
	bool is_asked;              /* the CPU was asked since */
	bool is_tested;             /* the wakeup asked which task to pick */
	bool is_placed;             /* the pick of its own queue was seen */
	bool is_closed;             /* its wakeup event has come */
	/* The answer of the test. */
	bool is_resched, has_result;
	uint64_t resched_caller;
};

struct switch_sight {
	const struct sched_event *event;
	struct key_event keys; /* both paths, with the groups of prev as they are left */
	enum leave_reason out;
	uint32_t prev, next;                         /* tasks of the states */
	struct rule_entity prev_before, next_before; /* their keys before */
	bool next_has_waited;                        /* on the queue on which it runs */
	bool has_leaf_pick;                          /* the queue of next was looked at */
	bool knows_schedule;                         /* picks of schedule() are told from others; none is in doubt */
	bool next_was_woken, next_has_moved;         /* to another CPU while it waited */
	uint64_t next_waits_since_ns; /* since the start of the trace; 0: it did not wait, or not known */
	const struct pick_chain *picks;
	uint64_t ran_ns;            /* for which prev ran; 0: not known */
	uint64_t prev_group_weight; /* of prev's group at the switch; 0: none, or not recorded */
};

struct pick_sight {
	const struct pick_level *level;
	const struct rule_entity *running; /* of the level; NULL: none */
	struct rule_entity running_before; /* its keys before */
	const struct wakeup *wakeup;       /* of which it may be the test; NULL: of none */
	bool is_schedule, is_test;         /* known to be a pick of schedule(), or of a test */
	bool is_placed;                    /* the first one of the queue on which the wakeup has put its task */
	bool is_repeated, runs_anew;       /* see queues_runs_anew() */
};

#endif
