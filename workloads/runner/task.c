/* SPDX-License-Identifier: MIT */
#include "workloads/runner/task.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* From linux/futex.h, which musl lacks. */
#define FUTEX_WAIT         0
#define FUTEX_WAKE         1
#define FUTEX_PRIVATE_FLAG 128

bool task_goes_on(const struct workload_tasks *tasks, uint64_t loops_done)
{
	if (tasks->loops)
		return loops_done < tasks->loops;
	return clock_ns(CLOCK_MONOTONIC) - tasks->shared->start_ns < tasks->duration_ns;
}

void futex_wait(uint32_t *word, uint32_t while_value, bool shared)
{
	syscall(SYS_futex, word, shared ? FUTEX_WAIT : FUTEX_WAIT | FUTEX_PRIVATE_FLAG, while_value, NULL, NULL, 0);
}

void futex_wake(uint32_t *word, int count, bool shared)
{
	syscall(SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL, 0);
}

static int record_failure(struct workload_tasks *tasks, enum status status, int errnum, const char *format,
			  va_list args)
{
	struct workload_shared *shared = tasks->shared;

	if (__atomic_exchange_n(&shared->failure_taken, 1, __ATOMIC_ACQ_REL))
		return -1;
	vsnprintf(shared->failure, sizeof(shared->failure), format, args);
	shared->failure_errno = errnum;
	__atomic_store_n(&shared->failure_status, status, __ATOMIC_RELEASE);
	return -1;
}

int task_fail(struct workload_tasks *tasks, int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	record_failure(tasks, STATUS_SYSTEM, errnum, format, args);
	va_end(args);
	return -1;
}

int task_refuse(struct workload_tasks *tasks, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	record_failure(tasks, STATUS_UNSUPPORTED, 0, format, args);
	va_end(args);
	return -1;
}

static void count_usage(struct task *task, int sign)
{
	struct rusage usage;

	task->cpu_ns += (uint64_t)(sign * (int64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID));
	getrusage(RUSAGE_THREAD, &usage);
	task->voluntary_switches += (uint64_t)(sign * usage.ru_nvcsw);
	task->involuntary_switches += (uint64_t)(sign * usage.ru_nivcsw);
}

/* The life of every task: its name, its entry, the barrier, its work. */
static int run_task(struct workload_tasks *tasks, struct task *task, task_entry *entry, task_body *body, void *context)
{
	struct workload_shared *shared = tasks->shared;

	prctl(PR_SET_NAME, task->name);
	task->id = (int32_t)syscall(SYS_gettid);
	if (entry && entry(tasks, task, context) != 0)
		return -1;
	__atomic_store_n(&task->arrived, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&shared->gate, __ATOMIC_ACQUIRE))
		futex_wait(&shared->gate, 0, true);
	count_usage(task, -1);
	int result = body(tasks, task, context);
	count_usage(task, 1);
	task->failed = result != 0;
	task->end_ns = clock_ns(CLOCK_MONOTONIC);
	return result;
}

int task_start_process(struct workload_tasks *tasks, const char *name, task_body *body, void *context)
{
	return task_start_entered_process(tasks, name, NULL, body, context);
}

int task_start_entered_process(struct workload_tasks *tasks, const char *name, task_entry *entry, task_body *body,
			       void *context)
{
	struct task *task = &tasks->shared->task[tasks->count];
	pid_t leader = getpid();

	task->name = name;
	pid_t child = fork();
	if (child < 0)
		return task_fail(tasks, errno, "cannot create task %u of %u (%s)", tasks->count + 1,
				 tasks->workload->tasks, name);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != leader)
			_exit(1);
		_exit(run_task(tasks, task, entry, body, context) ? 1 : 0);
	}
	task->id = child;
	tasks->count++;
	return 0;
}

struct thread_start {
	struct workload_tasks *tasks;
	struct task *task;
	task_body *body;
	void *context;
};

static void *thread_main(void *argument)
{
	struct thread_start start = *(struct thread_start *)argument;

	free(argument);
	run_task(start.tasks, start.task, NULL, start.body, start.context);
	return NULL;
}

int task_start_thread(struct workload_tasks *tasks, const char *name, task_body *body, void *context)
{
	struct task *task = &tasks->shared->task[tasks->count];
	struct thread_start *start = xmalloc(sizeof(*start));

	if (!tasks->threads)
		tasks->threads = xcalloc(tasks->workload->tasks, sizeof(*tasks->threads));
	*start = (struct thread_start){tasks, task, body, context};
	task->name = name;
	int errnum = pthread_create(&tasks->threads[tasks->count], NULL, thread_main, start);
	if (errnum) {
		free(start);
		return task_fail(tasks, errnum, "cannot create thread %u of %u (%s)", tasks->count + 1,
				 tasks->workload->tasks, name);
	}
	tasks->count++;
	return 0;
}

/* Records the failure of a child process that has recorded none itself. */
static int child_failed(struct workload_tasks *tasks, pid_t child, int status)
{
	const char *name = "a task";

	for (unsigned int i = 0; i < tasks->count; i++) {
		struct task *task = &tasks->shared->task[i];
		if (task->id != child)
			continue;
		name = task->name;
		task->failed = 1;
	}
	if (WIFSIGNALED(status))
		return task_fail(tasks, 0, "%s (process %ld) was killed by signal %d (%s)", name, (long)child,
				 WTERMSIG(status), strsignal(WTERMSIG(status)));
	return task_fail(tasks, 0, "%s (process %ld) ended with exit code %d", name, (long)child, WEXITSTATUS(status));
}

void tasks_release(struct workload_tasks *tasks)
{
	struct workload_shared *shared = tasks->shared;

	shared->count = tasks->count;
	__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&shared->start, __ATOMIC_ACQUIRE))
		futex_wait(&shared->start, 0, true);
	shared->start_ns = clock_ns(CLOCK_MONOTONIC);
	__atomic_store_n(&shared->gate, 1, __ATOMIC_RELEASE);
	futex_wake(&shared->gate, INT_MAX, true);
}

static int collect_processes(struct workload_tasks *tasks)
{
	for (unsigned int left = tasks->count; left > 0; left--) {
		int status;
		pid_t child = waitpid(-1, &status, 0);
		if (child < 0)
			return task_fail(tasks, errno, "cannot wait for %u tasks", left);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			return child_failed(tasks, child, status);
	}
	return 0;
}

static int collect_threads(struct workload_tasks *tasks)
{
	int result = 0;

	for (unsigned int i = 0; i < tasks->count; i++) {
		pthread_join(tasks->threads[i], NULL);
		if (tasks->shared->task[i].failed)
			result = -1;
	}
	return result;
}

int tasks_release_and_collect(struct workload_tasks *tasks)
{
	tasks_release(tasks);
	int result = tasks->threads ? collect_threads(tasks) : collect_processes(tasks);
	__atomic_store_n(&tasks->shared->over, 1, __ATOMIC_RELEASE);
	return result;
}
