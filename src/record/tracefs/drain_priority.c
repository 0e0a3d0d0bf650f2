/* SPDX-License-Identifier: MIT */
#include "record/tracefs/drain_priority.h"

#include <sys/syscall.h>
#include <unistd.h>

/* System calls, because musl's functions for these only return ENOSYS. */
void drain_priority_raise(struct drain_priority *priority)
{
	const struct sched_param lowest = {.sched_priority = 1};

	if (priority->is_raised || priority->was_refused)
		return;
	priority->policy = (int)syscall(SYS_sched_getscheduler, 0);
	priority->is_raised = priority->policy >= 0 && priority->policy != SCHED_RR && priority->policy != SCHED_FIFO &&
			      syscall(SYS_sched_getparam, 0, &priority->param) == 0 &&
			      syscall(SYS_sched_setscheduler, 0, SCHED_RR, &lowest) == 0;
	priority->was_refused = !priority->is_raised;
	priority->was_used |= priority->is_raised;
}

void drain_priority_restore(struct drain_priority *priority)
{
	if (priority->is_raised)
		syscall(SYS_sched_setscheduler, 0, priority->policy, &priority->param);
	priority->is_raised = false;
}
