/* SPDX-License-Identifier: MIT
 *
 * A moment of a trace with keys at which an invariant can be checked: what is known then, and what a check answers. */
#ifndef RULES_INVARIANT_MOMENT_H
#define RULES_INVARIANT_MOMENT_H

#include "rules/queues.h"
#include "trace/key_mark.h"
#include "trace/leave_reason.h"

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
	WHEN_STILL_RUNS = 1024,      /* a wakeup has asked nothing, and the task that ran still does */
	WHEN_REWEIGHTED = 2048,      /* a group that waits has got another task: at the pick that follows */
	WHEN_UNEVEN = 4096,          /* a CPU has twice as many equal tasks as another, and two more */
	WHEN_CHOSEN = 8192,          /* a CPU was chosen for a woken task: a bit for each enum placement_step */
	WHEN_LEFT = 1 << 20,         /* an entity is looked for; what ran on the queue may stay there asleep */
	WHEN_SERVED = 1 << 19,       /* a fair task stops to run, and has run for long enough since the last time */
	WHEN_YIELDED = 1 << 21,      /* a fair task has yielded */
	WHEN_GROUP_QUEUED = 1 << 22, /* a task is put on a queue of this group, or of one in it */
	WHEN_COUNTED = 1 << 23,      /* a task was put on a queue, which counts all that run or wait */
	WHEN_FREED = 1 << 24,        /* an entity is looked for, of a queue to which a throttled group came back */
	WHEN_URGENT_WOKEN = 1 << 25, /* a task above the running one of its class is woken */
	WHEN_PULLED = 1 << 26,       /* a CPU that becomes idle has pulled a task */
	WHEN_GROUP_RUNS = 1 << 18,   /* an entity is looked for while the same group runs as at the last time */
};

struct key_event;
struct key_yield;

/* How long CPUs of a trace stop while its clock goes on, as those of a guest whose host is busy. */
enum clock_stops {
	STOPS_NONE,
	STOPS_SHORT, /* a CPU takes long to see a wakeup, as if its guest's CPUs take turns */
	STOPS_LONG,  /* a CPU misses ticks */
};

/* Policies, kernel: include/uapi/linux/sched.h. */
enum policy { POLICY_NORMAL = 0, POLICY_RR = 2, POLICY_IDLE = 5, POLICY_DEADLINE = 6 };

struct invariant_moment {
	unsigned int when; /* enum invariant_when, joined */
	const struct rule_traits *traits;
	const struct key_mark *mark;
	enum clock_stops stops; /* of the trace so far */
	uint32_t cpu;
	const struct rule_entity *task;   /* its keys in this event */
	const struct rule_entity *before; /* as they were known before; NULL: not known */
	bool has_stayed;    /* since before, on the same queue; WHEN_ENQUEUED, WHEN_PLACED: it waited until now */
	int32_t prio;       /* of a switch */
	uint64_t slice_max; /* of all tasks so far */
	bool has_shares;    /* weights of tasks were shares of their groups, which change meanwhile */
	const struct pick_level *pick; /* WHEN_PLACED, WHEN_PICKED; WHEN_SWITCHED_OUT: without the task; or NULL */
	/* Of the pick: by schedule(), not the first one since an entity was taken out; by the test of this wakeup. */
	bool is_schedule, is_repeated, is_test;
	uint64_t cpus;        /* on which the task may run; 0: not known */
	uint64_t cpus_before; /* WHEN_SWITCHED_IN: when it was put on its queue */
	uint64_t asked_ns;    /* budget that was asked for; 0: not known */
	/* WHEN_REWEIGHTED, WHEN_GROUP_RUNS, WHEN_GROUP_QUEUED; WHEN_ENQUEUED: the task was alone in it when it went to
	 * sleep. NULL: not known. */
	const struct rule_entity *group, *group_before;
	uint64_t since_ns; /* WHEN_GROUP_RUNS, WHEN_PICKED: since group_before, or before, was recorded */
	const struct rule_entity
	    *placed_group; /* WHEN_ENQUEUED: it was on no queue before; NULL: it was, or not known */
	/* WHEN_ENQUEUED: */
	const struct key_event *event;
	uint64_t base_slice_ns; /* of tasks without a slice of their own; 0: not known */
	bool has_moved;         /* it was on another queue before; WHEN_MOVED_ASLEEP: since it sleeps */
	/* WHEN_PICKED: */
	/* The keys of the running task before it yielded, its vruntime at least; NULL: it has not. */
	const struct rule_entity *yielded;
	/* WHEN_YIELDED: the task before and after. */
	const struct key_yield *yield_before, *yield_after;
	uint64_t gives_way; /* its weight when a wakeup that preempts it has cancelled its protection; 0: none has */
	bool is_asked_anew; /* its CPU has been asked to reschedule since then, by neither a wakeup nor the tick */
	bool is_tick, has_used; /* the tick has asked; it, or a group of it, shares its queue and is not protected */
	/* WHEN_SWITCHED_IN and WHEN_RUNS: */
	bool may_be_buddy, is_picked; /* it was woken last; its queue was looked at, which no buddy needs */
	uint64_t own_weight;          /* of its nice value, if weights are shares; 0: not known */
	uint64_t
	    waited_ns; /* of a real-time task that may run here, for another CPU; WHEN_TURN_ENDS: of an equal one */
	uint64_t uneven_ns; /* WHEN_UNEVEN: for so long */
	uint64_t choice;    /* WHEN_CHOSEN: the CPUs of which the rule chooses one; cpu is the one it was put on */
	uint32_t cpu_count;
	uint64_t starved_ns;  /* that the task waited while the CPU ran higher classes; 0: it did not */
	uint64_t deferred_ns; /* that fair tasks waited for the fair server, which starts anew; 0: it does not */
	bool is_missing;      /* WHEN_COUNTED: a task that is not throttled is not counted; WHEN_FREED: the group */
	/* WHEN_SWITCHED_OUT and WHEN_TURN_ENDS: */
	enum leave_reason out;
	uint64_t ran_ns;  /* 0: not known */
	bool has_yielded; /* WHEN_PICKED too: since it began to run */
	uint32_t policy;
	int64_t budget_ns;  /* WHEN_BUDGET_KNOWN: what is left */
	uint64_t begun_ns;  /* and the most that it can have had when it began to run; 0: not known */
	uint64_t served_ns; /* WHEN_SERVED: that it ran, ... */
	int64_t charged_ns; /* and by how much its vruntime has advanced, times weight */
	/* WHEN_WOKEN: the fair task that ran on the CPU, brought up to the clock; whether the CPU was asked to
	 * reschedule before, and (WHEN_URGENT_WOKEN too) by the wakeup; whether the wakeup asked which task to pick. */
	const struct rule_entity *running;
	bool is_same_queue, was_asked, is_asked, is_tested;
};

enum invariant_result { INVARIANT_NOT_APPLICABLE, INVARIANT_HOLDS, INVARIANT_BROKEN };

#endif
