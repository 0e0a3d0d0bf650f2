/* SPDX-License-Identifier: MIT
 *
 * Whether a decision is that of the published rules: the picks of a chain against what was picked. */
#ifndef RULES_JUDGE_H
#define RULES_JUDGE_H

#include "rules/invariants.h"

struct rules_consumer {
	void *context;
	/* A decision; its pointers are valid until this returns. */
	void (*decide)(void *context, const struct task_states *states, const struct rule_decision *decision);
	/* An invariant is broken; or NULL. */
	void (*broken)(void *context, const struct sight *sight, const struct invariant_break *found);
	struct invariants *invariants; /* of all traces; NULL: not checked */
};

/* When a decision is judged. */
struct judgement {
	const struct rules_consumer *consumer;
	const struct machine *machine;
	const struct task_states *states;
	uint64_t switches;                    /* of the trace, so far */
	bool lacks_events;                    /* of a CPU, at this time: nothing is judged */
	const struct key_path *last_in_group; /* of the CPU: of the task of a group that runs, or ran last */
};

/* Each hands a decision on. They drop picks of the chain that were repeated without being recorded. */
void judge_switch(const struct judgement *judgement, struct pick_chain *chain, const struct switch_sight *sight);
/* schedule() has picked the running task again. */
void judge_stay(const struct judgement *judgement, struct pick_chain *chain);
/* The test of a wakeup. */
void judge_wakeup(const struct judgement *judgement, struct pick_chain *chain, const struct wakeup *wakeup);
/* A queue is looked at: picks of it and of the queues below, made before, are repeated. */
void judge_repeat(const struct queues *queues, struct pick_chain *chain, uint64_t queue);

#endif
