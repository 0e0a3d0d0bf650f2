/* SPDX-License-Identifier: MIT */
#include "workloads/runner/leader.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/interrupt.h"

/* Files of the caller, such as tracefs files, would stay busy as long as a task lives. */
static void close_inherited_files(void)
{
	struct rlimit limit;

#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
		return;
#endif
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > 65536)
		limit.rlim_cur = 65536;
	for (int fd = 3; fd < (int)limit.rlim_cur; fd++)
		close(fd);
}

static void raise_open_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		prlimit(0, RLIMIT_NOFILE, &limit,
			NULL); /* musl's setrlimit() also stops all threads, for which it needs 1 KB of code */
	}
}

static void reset_signals(void)
{
	sigset_t none;

	interrupt_release();
	signal(SIGCHLD, SIG_DFL);
	/* With SIGPIPE ignored, a sender whose receiver is gone reports the error. */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* musl's sched_setscheduler() only returns ENOSYS, hence the system call. Settings that an unprivileged process cannot
 * undo (a raised nice value) stay. */
static bool set_scheduling(int policy)
{
	struct sched_param param = {0};
	bool is_set = syscall(SYS_sched_setscheduler, 0, policy, &param) == 0;

	setpriority(PRIO_PROCESS, 0, 0);
	return is_set || policy == SCHED_OTHER;
}

_Noreturn void leader_run(struct workload_tasks *tasks, const struct workload_request *request, pid_t caller)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != caller)
		_exit(1);
	setsid();
	prctl(PR_SET_NAME, WORKLOAD_LEADER_NAME);
	reset_signals();
	close_inherited_files();
	if (!tasks->workload->command)
		raise_open_file_limit();
	if (sched_setaffinity(0, sizeof(request->cpus), &request->cpus) < 0) {
		task_fail(tasks, errno, "cannot use the requested CPUs");
		_exit(1);
	}
	if (!set_scheduling(request->policy)) {
		task_fail(tasks, errno, "cannot have the scheduling policy %d", request->policy);
		_exit(1);
	}
	/* Its tasks die with it (PR_SET_PDEATHSIG), so a failure needs no clean-up here. */
	_exit(tasks->workload->run(tasks) == 0 ? 0 : 1);
}
