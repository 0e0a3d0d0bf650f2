/* SPDX-License-Identifier: MIT
 *
 * What is known of a trace with keys so far: collected by rules.c, judged by judge.c. */
#ifndef RULES_RULES_STATE_H
#define RULES_RULES_STATE_H

#include "rules/class.h"
#include "rules/decision.h"
#include "rules/fair_server.h"
#include "rules/invariants.h"
#include "rules/key_events.h"
#include "rules/placement.h"

/* More tasks above the fair class than this are not judged by class. */
#define URGENT_MAX 1024u
#define CHAIN_MAX  RULE_DEPTH_MAX

struct urgent_task {
	uint32_t task;
	uint32_t cpu;          /* on whose queue it waits, or TASK_NONE */
	bool may_be_throttled; /* a deadline task that has used up a budget: it can wait for the next period */
	uint64_t cpus;         /* on which it may run, as of its latest wakeup; of the first 64 */
	uint64_t deadline_ns;  /* of a deadline task; 0: not known */
};

/* The time that fair tasks ran, for the last SERVED_NS: by parts of it. The fair server and the limit of real-time
 * tasks let fair tasks run before others if they had less than 50 ms of a second. */
#define SERVED_PARTS   19
#define SERVED_PART_NS UINT64_C(50000000)
#define SERVED_MIN_NS  UINT64_C(50000000)
struct fair_time {
	uint64_t part; /* the latest one: its time / SERVED_PART_NS */
	uint64_t ns[SERVED_PARTS];
};

/* Wakeups that are judged when it is known what was on its way: an interrupt from one CPU to another, and a switch that
 * had begun. More at a time are not judged. */
#define PLACEMENTS_MAX    16
#define PLACEMENT_WAIT_NS UINT64_C(300000)

/* A group that was throttled on a CPU: its queue, and the levels above on which it is since. More are not judged. */
#define FREED_MAX 16
struct freed_group {
	uint32_t cpu;
	struct key_path path; /* without a task */
};

/* What the events of one CPU's buffer have shown, and what is known about that CPU. */
struct rules_cpu {
	/* The picks since the last other event: one per queue, the root's first. */
	struct pick_level chain[CHAIN_MAX];
	uint32_t chain_count;
	uint32_t chain_cpu;
	uint64_t chain_ns, chain_caller;
	bool chain_is_cut, chain_is_repeated; /* see struct invariant_moment */
	/* The enqueue just before the chain. */
	bool has_enqueue, is_resched, is_closed, has_result;
	uint64_t resched_caller;
	bool had_cause;                      /* its CPU had been asked to reschedule before */
	bool was_asked, is_asked, is_tested; /* see struct invariant_moment */
	struct key_path enqueued;
	int32_t enqueued_pid;
	struct key_event enqueued_event;
	struct rule_entity enqueued_before; /* its keys before */
	struct rule_entity enqueued_beside; /* the fair task that runs on its CPU; weight 0: none */
	bool is_same_queue, is_placed;
	bool enqueued_waited;            /* it was not placed: it was on a queue all the time */
	struct rule_entity group_before; /* its group before, which waits; id 0: none does */
	enum key_kind last_kind;         /* the last key event but picks and calls to reschedule */
	uint32_t last_cpu;
	/* Halves of a switch: has_keys before the second one. */
	bool has_keys;
	bool lacks_switch; /* one is missing, or half of it, and no whole one has followed yet */
	struct key_event keys;
	struct sched_event event;
	enum leave_reason out;
	uint32_t prev, next;
	/* As the CPU that is asked to reschedule. */
	enum decision_cause cause;
	bool has_cause, has_yielded;
	bool is_cause_late;                  /* asked after the picks that are to be judged */
	bool is_of_tick;                     /* the tick has asked, just then */
	bool has_lost;                       /* a task has left the CPU since it was asked */
	bool is_proven, has_used, has_rival; /* of the levels picked since then; see struct invariant_moment */
	struct key_path last_in_group;       /* of the task of a group that runs, or ran last */
	uint64_t running_queue;              /* on which the running task is; 0: no fair task, or not known */
	uint64_t since_ns;                   /* when it began to run; 0: not known */
	bool has_other_weight;          /* it was seen with another weight since it began, which scales its request */
	struct rule_entity began;       /* the fair task that runs, as it was then; weight 0: none does */
	uint64_t began_ns;              /* the same time, since the start of the trace */
	uint64_t tick_ns, fair_from_ns; /* the latest one; since when it runs fair tasks, if it does */
	bool is_fair;
	uint32_t policy; /* its policy */
	bool has_yielded_since;
	bool has_higher;            /* a task above the fair class was put on its queue since it began */
	struct rule_entity yielded; /* its keys before it yielded, until the next pick; id 0: it has not */
	struct key_yield yields;    /* the same, until it has yielded; charged_ns 0: it does not */
	uint64_t turn_ns;           /* that the SCHED_RR task turn_pid ran since an equal one did */
	int32_t turn_pid;
	uint64_t latest;    /* the entity that was put on its queue last since it began to run */
	bool has_leaf_pick; /* the queue of the task that is switched in was looked at */
	struct {
		bool is_pending; /* the latest wakeup of a task for this CPU has asked nothing */
		bool is_same_queue;
		struct rule_entity task, running;
		int32_t pid;
		uint64_t since_ns;
	} unasked;
	/* Since then a task that runs or waits is not counted: what was put on the queue, and what ran. */
	struct {
		bool is_pending;
		int32_t pid, running;
		uint64_t since_ns;
	} uncounted;
	/* The group in which the running task is alone, as it is; id 0: none, or not known. What the task was. */
	struct {
		struct rule_entity group;
		uint64_t cpus, task_weight;
		uint64_t weight; /* of the group of the task that leaves */
	} lone;
	/* The entity of SCHED_IDLE that a wakeup preempts, until the next pick of schedule(), and its weight then. */
	uint64_t gives_way, gives_way_weight, gives_way_to;
	bool is_asked_anew;                     /* see struct invariant_moment */
	uint64_t next_waits_since_ns;           /* of the task that is switched in; 0: not known */
	bool next_was_woken, was_woken;         /* it, and the running one when it began */
	uint64_t deadline_from_ns, deadline_ns; /* when a deadline task ran last */
	uint64_t
	    lower_since_ns; /* since when it runs nothing but fair tasks, or is idle; 0: it does not, or is not known */
	uint64_t higher_since_ns; /* since when the CPU runs nothing but classes above the fair one; 0: it does not */
	struct fair_time fair_time;
	struct fair_server fair_server;
	uint64_t root_queue; /* 0: not seen yet */
	uint64_t active_ns;  /* when the running fair task was seen last not to leave */
	/* Keys of the groups that have run since they were looked at last, by queue; weight 0: not known. */
	struct running_group {
		uint64_t queue, seen_ns;
		struct rule_entity keys;
	} running_groups[CHAIN_MAX];
	bool has_arrival; /* a task was put on its queue since the latest switch; its wakeup may follow */
	/* Weight of what runs or waits, in tasks of nice 0, rounded up; 0: it is idle, or it is not known. How many of
	 * these are such tasks that may run on each CPU. */
	uint32_t load, movable;
};

struct rules_consumer {
	void *context;
	/* A decision; its pointers are valid until this returns. */
	void (*decide)(void *context, const struct task_states *states, const struct rule_decision *decision);
	struct invariants *invariants; /* of all traces; NULL: not checked */
};

struct rules {
	struct key_events keys;
	struct key_mark mark; /* of the trace */
	struct rule_traits traits;
	struct queues queues;
	uint64_t switches; /* of the trace, so far */
	uint64_t now_ns;   /* since the start of the trace */
	/* Internal. */
	uint32_t run;                           /* number of the trace */
	const uint64_t *wanted_cpus;            /* bit mask of the CPUs whose invariants count; NULL: all */
	uint64_t slice_max;                     /* of all tasks so far */
	uint64_t base_slice_ns, former_base_ns; /* the base slice, and the one before it; 0: not known */
	uint64_t uneven_since_ns;               /* see check_balance() */
	const struct rules_consumer *consumer;
	struct rules_cpu *cpus;
	uint32_t cpu_count;
	struct id_map task_ids; /* entities of tasks */
	struct id_map pid_ids;  /* PIDs of tasks */
	struct rules_pid {
		uint64_t entity; /* the latest; 0: not known */
		/* What was last asked for. */
		uint64_t asked_ns; /* slice or budget; 0: none */
		uint32_t asked_policy;
		bool has_moved;   /* to another CPU, since it sleeps */
		int32_t own_prio; /* while it has inherited another; else 0 */
		/* The group in which it was alone, before it went to sleep and after; weight 0: it was not. */
		struct rule_entity emptied[2];
		uint64_t emptied_cpus;
		uint64_t cpus;        /* on which it may run, as last seen; 0: not known */
		uint64_t enqueued_ns; /* when it was put on a queue last */
		/* Of a deadline task: the whole budget and the period, as far as they are known from wakeups; the
		 * deadline at the last one; what was left when it stopped to run last, and when that was. 0: not known.
		 */
		uint64_t budget_ns, period_ns, deadline_ns, left_at_ns;
		int64_t left_ns;
		uint32_t periods;
		/* How often it had woken another task than before, at its last wakeup; and tasks that it woke since. */
		uint64_t flips_ns; /* 0: not known */
		uint32_t flips, wakes;
		bool is_woken; /* a CPU is chosen for it */
		/* The CPUs between which it was pulled while it slept, and when; 0: it was not. */
		uint64_t pulled_cpus, pulled_ns;
		uint32_t pulled_to;
		bool is_moving;        /* to the queue of another CPU */
		bool is_off_queue;     /* throttled, though it is awake */
		bool may_change_class; /* it has asked for other attributes since it was seen to run */
		/* What it ran and was charged with since these were looked at. */
		uint64_t served_ns, charged_ns;
	} * by_pid; /* by number in pid_ids */
	uint32_t by_pid_count;
	int32_t *pids; /* by number in task_ids */
	size_t pid_capacity;
	/* Return addresses: of picks of schedule() and of tests of wakeups, of calls to reschedule by the latter. */
	uint64_t callers[3][16];
	struct urgent_task *urgent; /* tasks above the fair class */
	size_t urgent_count, urgent_capacity;
	struct placement placements[PLACEMENTS_MAX]; /* the oldest first */
	uint32_t placement_count;
	enum clock_stops stops;   /* of the trace: what depends on time is not judged then */
	struct invariants before; /* what was found in all traces before this one */
	bool has_idle_groups;     /* cpu.idle */
	bool has_slow_budgets;    /* budgets are charged by less than the time that is run: by frequency */
	struct freed_group freed[FREED_MAX];
	uint32_t freed_count;
	bool has_throttles;   /* of groups, so far */
	bool has_shares;      /* see struct invariant_moment */
	bool has_deep_groups; /* tasks are in more levels of groups than are recorded */
	bool has_extension;   /* a scheduler of sched_ext is enabled */
	bool lacks_events;    /* of a CPU, at this time: nothing is judged */
	uint32_t cpus_lacking_switch;
};

/* A fair task ran from from_ns to to_ns, the latest so far. */
void rules_add_fair_time(struct fair_time *time, uint64_t from_ns, uint64_t to_ns);
/* Fair tasks ran so long on the CPU that no others need to wait for them. */
bool rules_fair_is_served(const struct rules_cpu *cpu, uint64_t now_ns);
/* A task above the fair class waits for the CPU. */
bool rules_urgent_waits(const struct rules *rules, uint32_t cpu);
/* What a return address stands for is learned from what follows: of picks, and of calls to reschedule. */
enum caller { CALLER_SCHEDULE, CALLER_WAKEUP, CALLER_RESULT };
bool rules_knows_caller(const struct rules *rules, enum caller kind, uint64_t caller);
/* The last known keys; without weight: none are. */
struct rule_entity rules_known_keys(const struct rules *rules, uint64_t entity);
/* The entity of a task, or 0, and the PID of an entity, or 0: a group. */
uint64_t rules_entity_of(const struct rules *rules, int32_t pid);
/* What is known of a task; NULL if no event had its entity. */
struct rules_pid *rules_row_of(const struct rules *rules, int32_t pid);
int32_t rules_pid_of(const struct rules *rules, uint64_t entity);
/* The slice or budget that was last asked for with this policy; 0: none, or not recorded. */
uint64_t rules_asked(const struct rules *rules, int32_t pid, uint32_t policy);
/* Checks what holds at this moment, of this task on this CPU. */
void rules_check(struct rules *rules, struct invariant_moment *moment, uint64_t since_ns, uint32_t cpu, int32_t pid);
/* A CPU has stopped for so long: what depends on time is not judged in this trace, before or after. */
void rules_note_stop(struct rules *rules, enum clock_stops stops);

#endif
