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

/* kernel/sched/core.c, sched_prio_to_weight */
static const uint64_t nice_weights[] = {88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
					9548,  7620,  6100,  4904,  3906,  3121,  2501,  1991,  1586,  1277,
					1024,  820,   655,   526,   423,   335,   272,   215,   172,   137,
					110,   87,    70,    56,    45,    36,    29,    23,    18,    15};
#define IDLE_WEIGHT UINT64_C(3)

uint64_t rule_class_weight(int32_t prio, uint32_t policy)
{
	if (prio < 100 || prio > 139)
		return 0;
	return (policy == POLICY_IDLE ? IDLE_WEIGHT : nice_weights[prio - 100]) << RULE_WEIGHT_SHIFT;
}
