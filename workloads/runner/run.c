/* SPDX-License-Identifier: MIT
 *
 * A run: the caller creates, starts, awaits and ends the leader process, in which the workload makes its tasks: in a
 * session of its own, without the files and signal handlers of the caller. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "workloads/runner/task.h"

/* --- The leader --- */

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

/* For the child of a fork() by caller, with all signals blocked: drops everything inherited from the caller, runs the
 * workload and exits, with exit code 0 if all of its tasks succeeded. */
static _Noreturn void leader_run(struct workload_tasks *tasks, const struct workload_request *request, pid_t caller)
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

/* --- The caller --- */

#define DURATION_MAX_S 1e6

struct workload_run {
	struct workload_tasks tasks;
	size_t shared_size;
	pid_t leader;
	int leader_fd; /* pidfd of the leader, or -1 */
	bool leader_reaped;
	int leader_status; /* wait status, once reaped */
	int was_subreaper;
};

/* Duration of a timed workload, also with fixed_work; 0 for others. */
static double nominal_duration_s(const struct workload_request *request)
{
	if (request->workload->loops != 0 || request->workload->command)
		return 0;
	return request->duration_s > 0 ? request->duration_s : request->workload->duration_s * request->scale;
}

uint64_t workload_effective_loops(const struct workload_request *request)
{
	const struct workload *workload = request->workload;
	double loops = (double)workload->loops * request->scale;

	if (request->fixed_work && workload->loops_per_s)
		loops = (double)workload->loops_per_s * nominal_duration_s(request);
	else if (workload->loops == 0)
		return 0;
	return loops < 1 ? 1 : (uint64_t)(loops + 0.5);
}

double workload_effective_duration_s(const struct workload_request *request)
{
	return workload_effective_loops(request) ? 0 : nominal_duration_s(request);
}

static enum status check_request(const struct workload_request *request, struct error *err)
{
	const char *name = request->workload->name;

	if (!(request->scale > 0) || !isfinite(request->scale) || request->scale > DURATION_MAX_S)
		return error_set(err, STATUS_USAGE, name, "scale %g is out of range: expected more than 0, at most %g",
				 request->scale, DURATION_MAX_S);
	if (!(request->duration_s >= 0) || nominal_duration_s(request) > DURATION_MAX_S)
		return error_set(err, STATUS_USAGE, name, "duration %g s is out of range: expected 0 to %g s",
				 request->duration_s, DURATION_MAX_S);
	if (CPU_COUNT(&request->cpus) == 0)
		return error_set(err, STATUS_USAGE, name, "no CPU is left for its tasks");
	if (request->workload->needs_scratch && !request->scratch)
		return error_set(err, STATUS_USAGE, name, "needs a block device or a directory to write to");
	return STATUS_OK;
}

static enum status make_run(const struct workload_request *request, struct workload_run **made, struct error *err)
{
	struct workload_run *run = xcalloc(1, sizeof(*run));

	run->leader_fd = -1;
	run->shared_size = sizeof(struct workload_shared) + request->workload->tasks * sizeof(struct task);
	void *shared = mmap(NULL, run->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		free(run);
		return error_system(err, errno, request->workload->name, "cannot share memory with its tasks");
	}
	run->tasks = (struct workload_tasks){
	    .workload = request->workload,
	    .loops = workload_effective_loops(request),
	    .duration_ns = (uint64_t)(nominal_duration_s(request) * 1e9),
	    .fixed_work = request->fixed_work,
	    .seed = request->seed,
	    .cpus = request->cpus,
	    .scratch = request->scratch,
	    .shared = shared,
	};
	prctl(PR_GET_CHILD_SUBREAPER, &run->was_subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	*made = run;
	return STATUS_OK;
}

/* Signals are blocked across the fork, so that no handler of the caller ever runs in the leader. */
static enum status fork_leader(struct workload_run *run, const struct workload_request *request, struct error *err)
{
	sigset_t all, before;
	pid_t caller = getpid();

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	run->leader = fork();
	int errnum = errno;
	if (run->leader == 0)
		leader_run(&run->tasks, request, caller);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (run->leader < 0)
		return error_system(err, errnum, request->workload->name, "cannot create its leader process");
	run->leader_fd = (int)syscall(SYS_pidfd_open, run->leader, 0);
	if (run->leader_fd < 0)
		return error_system(err, errno, request->workload->name, "cannot wait for its leader process");
	return STATUS_OK;
}

static bool leader_has_ended(const struct workload_run *run)
{
	siginfo_t info = {.si_pid = 0};

	if (run->leader_reaped)
		return true;
	return waitid(P_PID, (id_t)run->leader, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

/* Kills the rest of the process group and reaps all of it. Until the leader is reaped, no other process can have its
 * number. Orphans become children of this process, because it is their subreaper. */
static void kill_and_reap(struct workload_run *run)
{
	if (run->leader_reaped)
		return;
	kill(-run->leader, SIGKILL);
	kill(run->leader, SIGKILL);
	while (waitpid(run->leader, &run->leader_status, 0) < 0 && errno == EINTR)
		;
	run->leader_reaped = true;
	while (waitpid(-run->leader, NULL, 0) > 0 || errno == EINTR)
		;
}

static const char *remedy_for(const struct workload *workload, int errnum)
{
	switch (errnum) {
	case EAGAIN:
		return "raise the limit of processes (ulimit -u, or pids.max of the cgroup)";
	case EMFILE:
	case ENFILE:
		return "raise the limit of open files (ulimit -n)";
	case ENOMEM:
		return "give the machine more memory, or choose a smaller workload";
	case ENOSPC:
	case EDQUOT:
	case EROFS:
	case EACCES:
	case EPERM:
	case EBUSY:
	case ENOENT:
	case ENOTDIR:
	case ENOTBLK:
	case EFBIG:
		return workload->needs_scratch
			   ? "give a writable directory with room, or an unused block device, with --scratch"
			   : NULL;
	default:
		return NULL;
	}
}

static enum status report_failure(struct workload_run *run, struct error *err)
{
	kill_and_reap(run);
	const struct workload_shared *shared = run->tasks.shared;
	const char *name = run->tasks.workload->name;
	int leader_status = run->leader_status;

	if (shared->failure_taken) {
		if (shared->failure_status == STATUS_UNSUPPORTED)
			return error_set(err, STATUS_UNSUPPORTED, name, "%s", shared->failure);
		if (shared->failure_errno)
			error_system(err, shared->failure_errno, name, "%s", shared->failure);
		else
			error_set(err, STATUS_SYSTEM, name, "%s", shared->failure);
		const char *remedy = remedy_for(run->tasks.workload, shared->failure_errno);
		return remedy ? error_remedy(err, "%s", remedy) : STATUS_SYSTEM;
	}
	if (WIFSIGNALED(leader_status))
		return error_set(err, STATUS_SYSTEM, name, "its leader process was killed by signal %d (%s)",
				 WTERMSIG(leader_status), strsignal(WTERMSIG(leader_status)));
	return error_set(err, STATUS_SYSTEM, name, "its leader process ended with exit code %d",
			 WEXITSTATUS(leader_status));
}

/* The state letter of a thread in /proc; 0: not known. */
static char thread_state(pid_t id)
{
	char path[48];
	char line[256];

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)id);
	if (!file_read_line(path, line, sizeof(line)))
		return 0;
	/* "PID (NAME) STATE ...": the name may hold parentheses, so the last one counts. */
	const char *after_name = strrchr(line, ')');
	return after_name && after_name[1] ? after_name[2] : 0;
}

/* Asleep at the barrier, or dead, which the leader will notice. */
static bool is_settled(const struct task *task)
{
	bool arrived = __atomic_load_n(&task->arrived, __ATOMIC_ACQUIRE);
	char state = task->id ? thread_state(task->id) : 'R';

	return state == 'Z' || state == 'X' || (arrived && (state == 'S' || state == 0));
}

/* True once all tasks and the leader are blocked. *settled: how many tasks are known to be. */
static bool is_ready(const struct workload_run *run, uint32_t *settled)
{
	const struct workload_shared *shared = run->tasks.shared;

	if (!__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE))
		return false;
	while (*settled < shared->count && is_settled(&shared->task[*settled]))
		++*settled;
	return *settled == shared->count && thread_state(run->leader) != 'R';
}

/* A task has failed before it reached the barrier. */
static bool entry_has_failed(const struct workload_run *run)
{
	return __atomic_load_n(&run->tasks.shared->failure_status, __ATOMIC_ACQUIRE) != STATUS_OK;
}

static enum status wait_until_ready(struct workload_run *run, struct error *err)
{
	uint32_t settled = 0;

	for (;;) {
		bool ready = is_ready(run, &settled);
		if (leader_has_ended(run) || entry_has_failed(run))
			return report_failure(run, err);
		if (ready)
			return STATUS_OK;
		if (interrupt_sleep(1, err) != STATUS_OK)
			return STATUS_INTERRUPTED;
	}
}

enum status workload_prepare(const struct workload_request *request, struct workload_run **run, struct error *err)
{
	enum status status = check_request(request, err);

	*run = NULL;
	if (status == STATUS_OK)
		status = make_run(request, run, err);
	if (status == STATUS_OK && request->workload->open)
		status = request->workload->open(&(*run)->tasks, err);
	if (status == STATUS_OK)
		status = fork_leader(*run, request, err);
	if (status == STATUS_OK)
		status = wait_until_ready(*run, err);
	if (status != STATUS_OK) {
		workload_end(*run);
		*run = NULL;
	}
	return status;
}

enum status workload_start(struct workload_run *run, struct error *err)
{
	if (leader_has_ended(run))
		return report_failure(run, err);
	__atomic_store_n(&run->tasks.shared->start, 1, __ATOMIC_RELEASE);
	futex_wake(&run->tasks.shared->start, 1, true);
	return STATUS_OK;
}

bool workload_is_over(const struct workload_run *run)
{
	return __atomic_load_n(&run->tasks.shared->over, __ATOMIC_ACQUIRE) || leader_has_ended(run);
}

pid_t workload_leader(const struct workload_run *run)
{
	return run->leader;
}

int workload_descriptor(const struct workload_run *run)
{
	return run->leader_fd;
}

/* Sleeps until the leader has ended or a signal arrives, without wakeups in between. */
static enum status wait_for_leader(const struct workload_run *run, struct error *err)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK && !leader_has_ended(run)) {
		struct pollfd wait[2] = {{.fd = run->leader_fd, .events = POLLIN},
					 {.fd = interrupt_fd(), .events = POLLIN}};
		poll(wait, 2, -1);
		status = interrupt_check(err);
	}
	return status;
}

static void fill_result(const struct workload_run *run, struct workload_result *result)
{
	const struct workload_shared *shared = run->tasks.shared;
	uint64_t end_ns = shared->start_ns;

	*result = (struct workload_result){.tasks = run->tasks.workload->tasks};
	for (unsigned int i = 0; i < run->tasks.workload->tasks; i++) {
		const struct task *task = &shared->task[i];
		result->work_done += task->work;
		result->failed += task->failed;
		result->cpu_s += (double)task->cpu_ns / 1e9;
		result->voluntary_switches += task->voluntary_switches;
		result->involuntary_switches += task->involuntary_switches;
		if (task->end_ns > end_ns)
			end_ns = task->end_ns;
	}
	result->elapsed_s = (double)(end_ns - shared->start_ns) / 1e9;
	memcpy(result->failure, shared->failure, sizeof(result->failure));
	result->command_code = shared->command_code;
	result->command_pid = run->tasks.workload->command ? shared->task->id : 0;
}

enum status workload_wait(struct workload_run *run, struct workload_result *result, struct error *err)
{
	enum status status = run->leader_reaped ? STATUS_OK : wait_for_leader(run, err);

	if (status != STATUS_OK)
		return status;
	kill_and_reap(run);
	fill_result(run, result);
	if (run->leader_status != 0 || run->tasks.shared->failure_taken)
		return report_failure(run, err);
	return STATUS_OK;
}

void workload_end(struct workload_run *run)
{
	if (!run)
		return;
	if (run->leader > 0)
		kill_and_reap(run);
	if (run->leader_fd >= 0)
		close(run->leader_fd);
	if (run->tasks.workload->close)
		run->tasks.workload->close(&run->tasks);
	prctl(PR_SET_CHILD_SUBREAPER, run->was_subreaper);
	munmap(run->tasks.shared, run->shared_size);
	free(run);
}
