/* SPDX-License-Identifier: MIT
 *
 * Judges every decision of a trace with keys in one pass: rebuilds the queues, applies the published rules, and hands
 * each decision on with its candidates. Pure. */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "rules/class.h"
#include "rules/decision.h"
#include "rules/invariants.h"
#include "rules/key_events.h"
#include "trace/pass.h"

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
	uint64_t callers[2][16];    /* return addresses of picks: of schedule(), of tests of wakeups */
	struct urgent_task *urgent; /* tasks above the fair class */
	size_t urgent_count, urgent_capacity;
	bool has_deep_groups; /* tasks are in more levels of groups than are recorded */
	bool has_extension;   /* a scheduler of sched_ext is enabled */
};

/* Starts a trace. Zero *rules before the first one; consumer must outlive it. */
void rules_begin(struct rules *rules, const struct rules_consumer *consumer, const struct pass *pass);
/* What the mark at the beginning of the recording says, if the pass begins after it. */
void rules_apply_mark(struct rules *rules, const struct key_mark *mark);
/* An event of the trace, in order, after task_states_step(). */
void rules_step(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		const struct task_step *step);
void rules_free(struct rules *rules);

/* The task of an entity, or TASK_NONE: a group, or unknown. */
uint32_t rules_task_of(const struct rules *rules, const struct task_states *states, uint64_t entity);

#endif
