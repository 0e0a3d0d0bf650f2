/* SPDX-License-Identifier: MIT
 *
 * Judges every decision of a trace with keys in one pass, and checks its invariants: events are handed to the picks
 * (judge.h), to the invariants (invariants.h), and then to the machine (machine.h), which they show. Pure. */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "rules/judge.h"
#include "trace/pass.h"

/* Return addresses of schedule() and of the wakeup test, and of the calls to reschedule by the test and by the end of a
 * slice: learnt from the events around them. */
enum caller { CALLER_SCHEDULE, CALLER_WAKEUP, CALLER_RESULT, CALLER_SLICE, CALLERS };
#define CALLERS_MAX 16

/* Events of one CPU's buffer since its latest switch. */
struct rules_cpu {
	struct pick_chain chain;
	struct wakeup wakeup;
	/* The latest key event but picks and requests: a request that follows may be of it. */
	enum key_kind last_kind;
	uint32_t last_cpu;
	uint64_t last_ns;
	struct key_path last_in_group; /* of the task of a group that runs, or ran last */
	/* A switch has two events, one of the scheduler and one with its keys. */
	bool has_event, has_keys;
	bool has_begun;    /* a whole one was seen */
	bool lacks_switch; /* one is missing, or half of it, and no whole one has followed yet */
	struct key_event keys;
	struct sched_event event;
	struct switch_sight sight;
};

struct rules {
	struct key_events keys;
	struct machine machine;
	uint64_t switches; /* of the trace, so far */
	/* Internal. */
	const struct rules_consumer *consumer;
	struct invariant_watch watch;
	struct family_states *families;
	struct invariants before; /* what was found in all traces before this one */
	struct rules_cpu *cpus;
	uint64_t callers[CALLERS][CALLERS_MAX];
	uint32_t cpus_lacking_switch;
	bool lacks_events; /* of a CPU, at this time: nothing is judged */
};

/* Starts a trace. Zero *rules before the first one; consumer must outlive it. */
void rules_begin(struct rules *rules, const struct rules_consumer *consumer, const struct pass *pass);
/* The same of a trace with these fields of keys and CPUs, whose events rules_take() gets. */
void rules_begin_decoded(struct rules *rules, const struct rules_consumer *consumer, const struct pass *pass,
			 const struct key_events *keys, uint32_t cpu_count);
/* The mark at the beginning of the recording, if the pass begins after it. */
void rules_apply_mark(struct rules *rules, const struct key_mark *mark);
/* An event of the trace, in order, after task_states_step(). Then key_events_check(). */
enum status rules_step(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		       const struct task_step *step, struct error *err);
/* The same of an event that is decoded: keys NULL if it is none of the key events. */
void rules_take(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		const struct task_step *step, const struct key_event *keys);
void rules_free(struct rules *rules);

/* The task, or if a label is given the task or group that has it, is on one of the queues. */
bool rules_has_candidate(const struct rules *rules, const struct task_states *states,
			 const struct rule_decision *decision, uint32_t task, const char *label);
/* The task or group that the rule picks instead; false if the decision does not break it, or if it is unknown. */
bool rules_label_choice(const struct rules *rules, const struct task_states *states,
			const struct rule_decision *decision, char label[RULES_LABEL_SIZE]);

#endif
