/* SPDX-License-Identifier: MIT
 *
 * The order of the scheduling classes, and the rules of those above and below the fair class. */
#ifndef RULES_CLASS_H
#define RULES_CLASS_H

#include "trace/task.h"

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

/* kernel/sched/rt.c: the highest priority, which is the smallest number. True if waiting must be picked before next:
 * it is of a higher class, or both are real-time and it has the higher priority. */
bool rule_class_is_before(const struct sched_task *waiting, const struct sched_task *next);

#endif
