/* SPDX-License-Identifier: MIT
 *
 * Finds decisions of a trace with keys, and judges no more of the trace than they need. */
#ifndef RULES_DECISION_SEARCH_H
#define RULES_DECISION_SEARCH_H

#include "rules/rules.h"

/* A time for which a task waits for a CPU. */
struct decision_wait {
	int32_t pid;
	uint32_t cpu;
	uint64_t since_ns, end_ns; /* on the trace's clock */
	uint64_t since_start_ns;   /* of since_ns, since the first event */
};

/* A decision that was found. */
struct found_decision {
	const struct rule_decision *decision;
	const struct rules *rules;
	uint64_t number;        /* of the decision, from 1; 0: not known */
	uint64_t switch_number; /* of its switch, from 1; 0: not known, or none */
	uint64_t since_ns;      /* since the first event */
	const struct decision_wait *wait;
	bool is_of_group; /* the candidate that waits is a group in which its task waits */
};

/* The part of a trace that is read. */
struct search_part {
	bool is_partial;          /* it begins near at_ns: decisions have no number, but switches have */
	bool is_passed;           /* the boundary */
	uint64_t boundary_ns;     /* since the first event; a part that is read begins before */
	uint64_t switches_before; /* of the trace, before the boundary */
	uint64_t counted_before;  /* of the part */
	uint32_t at_cpu;
	uint64_t first_ns, last_ns; /* the first event of the trace; the last one that names the task */
	struct key_mark mark;
};

struct decision_search {
	/* Set by the caller; one of at_ns (has_time), switch_number, decision, task and wait: */
	bool has_time;
	uint64_t at_ns;          /* the last pick or test of a wakeup at or before this time since the first event, or
				  * else the first one after it */
	uint64_t switch_number;  /* from 1 */
	uint64_t decision;       /* from 1, switches and tests of wakeups */
	const char *task;        /* NAME-PID: each pick of which it was a candidate, */
	uint64_t from_ns, to_ns; /* within this time since the first event; to_ns 0: to the end */
	const struct decision_wait
	    *wait;       /* the first switch on its CPU that passed over the task, or else a group of it */
	bool wants_test; /* of wait: instead the test of its wakeup, which did not preempt */
	/* With has_time: true for a decision that is looked for; NULL: all are. */
	bool (*is_of)(const void *context, const struct rules *rules, const struct task_states *states,
		      const struct rule_decision *decision);
	const void *is_of_context;
	uint64_t max; /* finds so many at most, the decisions that follow included */
	void (*found)(void *context, const struct task_states *states, const struct found_decision *found);
	/* With has_time: an invariant that is broken at this time. */
	void (*found_break)(void *context, const struct invariant_break *found);
	void *context;
	/* Results, if nothing is found: how many decisions and switches were read, and up to which time since the first
	 * event. decisions is not known (0) if only a part was judged. */
	uint64_t number, switches, length_ns;
	/* Internal. */
	const struct pass *pass;
	struct rules rules;
	struct rules_consumer consumer;
	struct invariants invariants;
	uint64_t count, judged;
	struct search_part part;
	int32_t task_pid; /* of task; 0: not known */
	bool is_of_group; /* of a wait: no decision had the task as a candidate, only a group of it */
	bool is_trial;    /* hands nothing on */
	uint64_t first;   /* with has_time: number of the decision, found by a trial */
	bool is_done;
};

/* Before the first call of the others. Free it in any case. Of a wait decision_search_read() reads, without a window.
 */
void decision_search_begin(struct decision_search *search);
void decision_search_free(struct decision_search *search);
/* A consumer that reads all of a pass. With has_time it needs two: the first one, a trial, hands nothing on. Call
 * decision_search_restart() before each. */
void decision_search_restart(struct decision_search *search, bool is_trial);
struct pass_consumer decision_search_consumer(struct decision_search *search);
/* Reads the parts of the input near what is asked for; all of it for decision, and of what is no trace.dat. STATUS_OK
 * if nothing is found. */
enum status decision_search_read(struct decision_search *search, const struct pass_options *options,
				 struct input *input, struct pass *pass, struct error *err);

#endif
