/* SPDX-License-Identifier: MIT */
#include "capture/precedence.h"

#include <sys/syscall.h>
#include <unistd.h>

/* musl's functions for these only return ENOSYS, hence the system calls. */
void precedence_take(struct precedence *precedence)
{
	const struct sched_param lowest = {.sched_priority = 1};

	if (precedence->taken || precedence->refused)
		return;
	precedence->policy = (int)syscall(SYS_sched_getscheduler, 0);
	precedence->taken = precedence->policy >= 0 && precedence->policy != SCHED_RR &&
			    precedence->policy != SCHED_FIFO &&
			    syscall(SYS_sched_getparam, 0, &precedence->param) == 0 &&
			    syscall(SYS_sched_setscheduler, 0, SCHED_RR, &lowest) == 0;
	precedence->refused = !precedence->taken;
}

void precedence_return(struct precedence *precedence)
{
	if (precedence->taken)
		syscall(SYS_sched_setscheduler, 0, precedence->policy, &precedence->param);
	precedence->taken = false;
}
