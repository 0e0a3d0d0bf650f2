/* SPDX-License-Identifier: MIT
 *
 * The order of the scheduling classes, and the rules of those above and below the fair class. */
#ifndef RULES_CLASS_H
#define RULES_CLASS_H

#include "rules/entity.h"
#include "trace/task.h"

/* Policies, kernel: include/uapi/linux/sched.h. */
enum policy { POLICY_NORMAL = 0, POLICY_RR = 2, POLICY_IDLE = 5, POLICY_DEADLINE = 6, POLICY_UNKNOWN = 256 };

/* In the order in which pick_next_task() asks them, the last one first. */
enum rule_class {
	CLASS_IDLE,
	CLASS_FAIR,
	CLASS_REAL_TIME,
	CLASS_DEADLINE,
	CLASS_STOP, /* the stopper of each CPU, migration/N */
	CLASSES
};

enum rule_class rule_class_of(const struct sched_task *task);

static inline bool rule_class_is_urgent(enum rule_class class)
{
	return class > CLASS_FAIR;
}

static inline bool may_be_idle_policy(uint32_t policy)
{
	return policy == POLICY_IDLE || policy == POLICY_UNKNOWN;
}

/* The weight of a task of this static priority (120: nice 0) and policy, as entities store it; 0: it is not fair. */
uint64_t rule_class_weight(int32_t prio, uint32_t policy);

#endif
