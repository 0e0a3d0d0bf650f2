/* SPDX-License-Identifier: MIT */
#include "rules/class.h"

#include <string.h>

/* Kernel priorities: below 0 deadline, below 100 real time. */
#define PRIO_FAIR_MIN 100

enum rule_class rule_class_of(const struct sched_task *task)
{
	static const char stopper[] = "migration/";
	const size_t length = sizeof(stopper) - 1;

	if (task->pid == 0)
		return CLASS_IDLE;
	if (task->prio >= PRIO_FAIR_MIN)
		return CLASS_FAIR;
	if (task->prio == 0 && task->comm.length > length && memcmp(task->comm.bytes, stopper, length) == 0)
		return CLASS_STOP;
	return task->prio < 0 ? CLASS_DEADLINE : CLASS_REAL_TIME;
}

bool rule_class_is_before(const struct sched_task *waiting, const struct sched_task *next)
{
	const enum rule_class class = rule_class_of(waiting), other = rule_class_of(next);

	return class > other || (class == CLASS_REAL_TIME && class == other && waiting->prio < next->prio);
}
