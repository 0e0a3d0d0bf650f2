/* SPDX-License-Identifier: MIT
 *
 * What is known of a trace with keys so far: collected by rules.c, judged by judge.c. */
#ifndef RULES_RULES_STATE_H
#define RULES_RULES_STATE_H

#include "rules/class.h"
#include "rules/decision.h"
#include "rules/invariants.h"
#include "rules/key_events.h"

/* More tasks above the fair class than this are not judged by class. */
#define URGENT_MAX 1024u
#define CHAIN_MAX  RULE_DEPTH_MAX

struct urgent_task {
	uint32_t task;
	uint32_t cpu;          /* on whose queue it waits, or TASK_NONE */
	bool may_be_throttled; /* a deadline task that has used up a budget: it can wait for the next period */
};

/* What the events of one CPU's buffer have shown, and what is known about that CPU. */
struct rules_cpu {
	/* The picks since the last other event: one per queue, the root's first. */
	struct pick_level chain[CHAIN_MAX];
	uint32_t chain_count;
	uint32_t chain_cpu;
	uint64_t chain_ns, chain_caller;
	bool chain_is_cut;
	/* The enqueue just before the chain. */
	bool has_enqueue, is_resched, is_closed, has_result;
	uint64_t resched_caller;
	bool was_asked, is_asked, is_tested; /* see struct invariant_moment */
	struct key_path enqueued;
	int32_t enqueued_pid;
	struct rule_entity enqueued_before; /* its keys before */
	struct rule_entity enqueued_beside; /* the fair task that runs on its CPU; weight 0: none */
	bool is_same_queue, is_placed;
	enum key_kind last_kind; /* the last key event but picks and calls to reschedule */
	uint32_t last_cpu;
	/* Halves of a switch. */
	bool has_keys, has_switch;
	struct key_event keys;
	struct sched_event event;
	enum leave_reason out;
	uint32_t prev, next;
	/* As the CPU that is asked to reschedule. */
	enum decision_cause cause;
	bool has_cause, has_yielded;
	bool is_cause_late;            /* asked after the picks that are to be judged */
	struct key_path last_in_group; /* of the task of a group that runs, or ran last */
	uint64_t running_queue;        /* on which the running task is; 0: no fair task, or not known */
	/* As the CPU that runs tasks above the fair class. */
	uint64_t urgent_since_ns;
	bool is_throttled;
	uint64_t root_queue; /* 0: not seen yet */
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
	uint32_t run;       /* number of the trace */
	uint64_t slice_max; /* of all tasks so far */
	const struct rules_consumer *consumer;
	struct rules_cpu *cpus;
	uint32_t cpu_count;
	struct id_map task_ids; /* entities of tasks */
	struct id_map pid_ids;  /* PIDs of tasks */
	uint64_t *pid_entities; /* by number in pid_ids: the latest */
	size_t pid_entity_capacity;
	int32_t *pids; /* by number in task_ids */
	size_t pid_capacity;
	/* Return addresses: of picks of schedule() and of tests of wakeups, of calls to reschedule by the latter. */
	uint64_t callers[3][16];
	struct urgent_task *urgent; /* tasks above the fair class */
	size_t urgent_count, urgent_capacity;
	bool has_shares;      /* see struct invariant_moment */
	bool has_deep_groups; /* tasks are in more levels of groups than are recorded */
	bool has_extension;   /* a scheduler of sched_ext is enabled */
};

#endif
