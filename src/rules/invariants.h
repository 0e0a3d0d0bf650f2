/* SPDX-License-Identifier: MIT
 *
 * What must hold at each event of a trace with keys, one row each, with its source. They name faults that leave every
 * pick right by its keys: keys that are wrong, and picks that are not made. */
#ifndef RULES_INVARIANTS_H
#define RULES_INVARIANTS_H

#include "rules/queues.h"
#include "trace/event.h"
#include "trace/key_mark.h"
#include "trace/leave_reason.h"

enum invariant {
	INVARIANT_WEIGHT,
	INVARIANT_GROUP_WEIGHT,
	INVARIANT_GROUP_KEPT,
	INVARIANT_GROUP_LAG,
	INVARIANT_DEADLINE,
	INVARIANT_DEADLINE_RENEWED,
	INVARIANT_DEADLINE_PLACED,
	INVARIANT_DEADLINE_KEPT,
	INVARIANT_LAG_BOUND,
	INVARIANT_LAG_KEPT,
	INVARIANT_DEBT,
	INVARIANT_DELAYED_LAG,
	INVARIANT_VRUNTIME,
	INVARIANT_YIELD,
	INVARIANT_WAKEUP_TESTED,
	INVARIANT_WAKEUP_PREEMPTS,
	INVARIANT_BUDDY,
	INVARIANT_SHORT_SLICE,
	INVARIANT_GIVES_WAY,
	INVARIANT_TICK,
	INVARIANT_WOKEN,
	INVARIANT_ALLOWED,
	INVARIANT_SLEEPER,
	INVARIANT_BALANCE,
	INVARIANT_TURN,
	INVARIANT_PLACED_PREVIOUS,
	INVARIANT_PLACED_HINT,
	INVARIANT_PLACED_SEARCH,
	INVARIANT_PLACED_PRIORITY,
	INVARIANT_SERVICE,
	INVARIANT_SPREAD,
	INVARIANT_STARVED,
	INVARIANT_BUDGET,
	INVARIANTS
};

/* When an invariant is looked at. */
enum invariant_when {
	WHEN_SWITCHED_IN = 1,   /* a fair task begins to run */
	WHEN_SWITCHED_OUT = 2,  /* a fair task stops to run */
	WHEN_PLACED = 4,        /* the first pick after a task was enqueued */
	WHEN_WOKEN = 8,         /* the wakeup is over, and with it its test */
	WHEN_BUDGET_KNOWN = 16, /* a deadline task stops to run */
	WHEN_ENQUEUED = 32,     /* a fair task is put on a queue */
	WHEN_PICKED = 64,       /* an entity of a queue is looked for while one of it runs */
	WHEN_RUNS = 128,        /* a task begins to run */
	WHEN_TURN_ENDS = 256,   /* a real-time task stops to run */
	WHEN_MOVED_ASLEEP = 512,
	WHEN_STILL_RUNS = 1024, /* a wakeup has asked nothing, and the task that ran still does */
	WHEN_REWEIGHTED = 2048, /* a group that waits has got another task: at the pick that follows */
	WHEN_UNEVEN = 4096,     /* a CPU has twice as many equal tasks as another, and two more */
	WHEN_CHOSEN = 8192,     /* a CPU was chosen for a woken task: a bit for each enum placement_step */
	WHEN_SERVED = 1 << 19,  /* a fair task stops to run, and has run for long enough since the last time */
};

struct key_event;

/* Policies, kernel: include/uapi/linux/sched.h. */
enum policy { POLICY_NORMAL = 0, POLICY_RR = 2, POLICY_IDLE = 5, POLICY_DEADLINE = 6 };

struct invariant_moment {
	unsigned int when; /* enum invariant_when, joined */
	const struct rule_traits *traits;
	const struct key_mark *mark;
	uint32_t cpu;
	const struct rule_entity *task;   /* its keys in this event */
	const struct rule_entity *before; /* as they were known before; NULL: not known */
	bool has_stayed;    /* since before, on the same queue; WHEN_ENQUEUED, WHEN_PLACED: it waited until now */
	int32_t prio;       /* of a switch */
	uint64_t slice_max; /* of all tasks so far */
	bool has_shares;    /* weights of tasks were shares of their groups, which change meanwhile */
	const struct pick_level *pick; /* WHEN_PLACED, WHEN_PICKED */
	uint64_t cpus;                 /* on which the task may run; 0: not known */
	uint64_t asked_ns;             /* budget that was asked for; 0: not known */
	/* WHEN_REWEIGHTED; WHEN_ENQUEUED: the task was alone in it when it went to sleep. NULL: not known. */
	const struct rule_entity *group, *group_before;
	/* WHEN_ENQUEUED: */
	const struct key_event *event;
	bool has_moved; /* it was on another queue before; WHEN_MOVED_ASLEEP: since it sleeps */
	/* WHEN_PICKED: */
	const struct rule_entity *yielded; /* the keys of the running task before it yielded; NULL: it has not */
	uint64_t gives_way; /* its weight when a wakeup that preempts it has cancelled its protection; 0: none has */
	bool is_tick, has_used; /* the tick has asked; it, or a group of it, shares its queue and is not protected */
	/* WHEN_SWITCHED_IN and WHEN_RUNS: */
	bool may_be_buddy, is_picked; /* it was woken last; its queue was looked at, which no buddy needs */
	uint64_t own_weight;          /* of its nice value, if weights are shares; 0: not known */
	uint64_t
	    waited_ns; /* of a real-time task that may run here, for another CPU; WHEN_TURN_ENDS: of an equal one */
	uint64_t uneven_ns; /* WHEN_UNEVEN: for so long */
	uint64_t choice;    /* WHEN_CHOSEN: the CPUs of which the rule chooses one; cpu is the one it was put on */
	uint32_t cpu_count;
	uint64_t starved_ns; /* that the task waited while the CPU ran higher classes; 0: it did not */
	/* WHEN_SWITCHED_OUT and WHEN_TURN_ENDS: */
	enum leave_reason out;
	uint64_t ran_ns; /* 0: not known */
	bool has_yielded;
	uint32_t policy;
	int64_t budget_ns;  /* WHEN_BUDGET_KNOWN: what is left */
	uint64_t served_ns; /* WHEN_SERVED: that it ran, ... */
	int64_t charged_ns; /* and by how much its vruntime has advanced, times weight */
	/* WHEN_WOKEN: the fair task that ran on the CPU, brought up to the clock; whether the CPU was asked to
	 * reschedule before, and by the wakeup; whether the wakeup asked which task to pick. */
	const struct rule_entity *running;
	bool is_same_queue, was_asked, is_asked, is_tested;
};

/* WHEN_WOKEN: the running task of SCHED_IDLE must give way to the woken one. */
bool invariant_gives_way(const struct invariant_moment *moment);

enum invariant_result { INVARIANT_NOT_APPLICABLE, INVARIANT_HOLDS, INVARIANT_BROKEN };

struct invariant_row {
	const char *key, *name, *source, *applies_to;
	unsigned int when; /* enum invariant_when, joined */
	enum invariant_result (*check)(const struct invariant_moment *moment);
};

extern const struct invariant_row invariant_rows[INVARIANTS];

/* Sums over traces. */
struct invariants {
	struct invariant_account {
		uint64_t checked, broken;
		/* The first time that it was broken: since the start of its trace. */
		uint64_t first_ns;
		uint32_t first_cpu, first_run;
		int32_t first_pid;
	} rows[INVARIANTS];
};

/* Where and of which task a moment is. */
struct invariant_place {
	uint64_t since_ns;
	uint32_t cpu, run;
	int32_t pid;
};

/* Checks the invariants of the moment. */
void invariants_check(struct invariants *invariants, const struct invariant_moment *moment,
		      const struct invariant_place *place);

/* Adds those of a further trace, which gets this number. */
void invariants_sum(struct invariants *sum, const struct invariants *further, uint32_t run);

/* The weight of a task of this kernel priority and policy, as entities store it; 0 if it is not fair. */
uint64_t invariant_weight(int32_t prio, uint32_t policy);

#endif
