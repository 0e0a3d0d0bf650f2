/* SPDX-License-Identifier: MIT
 *
 * Judges every decision of a trace with keys in one pass: rebuilds the queues, applies the published rules, and hands
 * each decision on with its candidates. Pure. */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "rules/rules_state.h"
#include "trace/pass.h"

/* Starts a trace. Zero *rules before the first one; consumer must outlive it. */
void rules_begin(struct rules *rules, const struct rules_consumer *consumer, const struct pass *pass);
/* What the mark at the beginning of the recording says, if the pass begins after it. */
void rules_apply_mark(struct rules *rules, const struct key_mark *mark);
/* An event of the trace, in order, after task_states_step(). Then key_events_check(). */
enum status rules_step(struct rules *rules, const struct pass *pass, const struct sched_event *event,
		       const struct task_step *step, struct error *err);
void rules_free(struct rules *rules);

/* The task of an entity, or TASK_NONE: a group, or unknown. */
uint32_t rules_task_of(const struct rules *rules, const struct task_states *states, uint64_t entity);

/* "hog-217", or ? for TASK_NONE; "group 00a1b2" for an entity that is no task. */
#define RULES_LABEL_SIZE 40
void rules_label_task(const struct task_states *states, uint32_t task, char label[RULES_LABEL_SIZE]);
void rules_label_entity(const struct rules *rules, const struct task_states *states, uint64_t entity,
			char label[RULES_LABEL_SIZE]);
/* The entity is that of the task, or of a group that it is in. */
bool rules_has_task(const struct rules *rules, int32_t pid, uint64_t entity);
/* The task, or if a label is given the task or group that has it, is on one of the queues. */
bool rules_has_candidate(const struct rules *rules, const struct task_states *states,
			 const struct rule_decision *decision, uint32_t task, const char *label);

#endif
