/* SPDX-License-Identifier: MIT */
#include "workloads/runner/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/runner/task.h"

/* What the leader changed for the sake of its own tasks, and standard input, which only the first run would find
 * full. */
static int become(struct workload_tasks *tasks, struct task *task, void *context)
{
	char *const *arguments = tasks->workload->command;
	int empty = open("/dev/null", O_RDONLY);

	(void)task;
	(void)context;
	if (empty >= 0 && empty != STDIN_FILENO) {
		dup2(empty, STDIN_FILENO);
		close(empty);
	}
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(arguments[0], arguments);
	return task_fail(tasks, 0, "cannot run %.150s: %s", arguments[0], strerror(errno));
}

static uint64_t microseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

static int run(struct workload_tasks *tasks)
{
	struct task *task = tasks->shared->task;
	struct rusage usage;
	int status;

	if (task_start_process(tasks, "picknext-cmd", become, NULL) < 0)
		return -1;
	tasks_release(tasks);
	while (wait4(task->id, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return task_fail(tasks, errno, "cannot wait for %.150s", tasks->workload->command[0]);
	task->end_ns = monotonic_ns();
	task->work = 1;
	task->cpu_ns = microseconds(usage.ru_utime) * 1000 + microseconds(usage.ru_stime) * 1000;
	task->voluntary_switches = (uint64_t)usage.ru_nvcsw;
	task->involuntary_switches = (uint64_t)usage.ru_nivcsw;
	tasks->shared->command_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	__atomic_store_n(&tasks->shared->over, 1, __ATOMIC_RELEASE);
	return tasks->shared->failure_taken ? -1 : 0;
}

void workload_of_command(struct workload *workload, const char *name, const char *category, const char *description,
			 char *const *arguments)
{
	*workload = (struct workload){
	    .name = name,
	    .category = category,
	    .description = description,
	    .parameters = description,
	    .exercises = "",
	    .work_unit = "runs",
	    .task_names = "",
	    .tasks = 1,
	    .command = arguments,
	    .run = run,
	};
}
