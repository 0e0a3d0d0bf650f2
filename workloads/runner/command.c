/* SPDX-License-Identifier: MIT */
#include "workloads/runner/command.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workloads/runner/held_command.h"
#include "workloads/runner/task.h"

struct entry {
	struct task *task;
	pid_t leader;
};

/* In the child, before the barrier. Standard input is empty, since only the first run could read data from it. */
static void enter_child(void *context)
{
	const struct entry *entry = context;
	struct task *task = entry->task;
	int empty = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != entry->leader)
		_exit(1);
	prctl(PR_SET_NAME, task->name);
	if (empty >= 0 && empty != STDIN_FILENO) {
		dup2(empty, STDIN_FILENO);
		close(empty);
	}
	task->id = getpid();
	__atomic_store_n(&task->arrived, 1, __ATOMIC_RELEASE);
}

static uint64_t microseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

/* Creates and starts the child like a task; it executes a program. */
static int prepare_command(struct workload_tasks *tasks, struct held_command *command)
{
	struct task *task = tasks->shared->task;
	struct entry entry = {.task = task, .leader = getpid()};

	task->name = OWN_TASK_COMMAND;
	int reason = held_command_prepare(tasks->workload->command, enter_child, &entry, command);
	if (reason)
		return task_fail(tasks, reason, "cannot create a process for %.150s", tasks->workload->command[0]);
	task->id = command->pid;
	tasks->count = 1;
	return 0;
}

static int run_command(struct workload_tasks *tasks)
{
	struct task *task = tasks->shared->task;
	const char *program = tasks->workload->command[0];
	struct held_command command;
	struct rusage usage;
	int status;

	if (prepare_command(tasks, &command) < 0)
		return -1;
	tasks_release(tasks);
	int reason = held_command_release(&command);
	if (reason)
		return task_fail(tasks, reason, "cannot start %.150s", program);
	while (wait4(command.pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return task_fail(tasks, errno, "cannot wait for %.150s", program);
	task->end_ns = clock_ns(CLOCK_MONOTONIC);
	task->work = 1;
	task->cpu_ns = microseconds(usage.ru_utime) * 1000 + microseconds(usage.ru_stime) * 1000;
	task->voluntary_switches = (uint64_t)usage.ru_nvcsw;
	task->involuntary_switches = (uint64_t)usage.ru_nivcsw;
	tasks->shared->command_code = held_command_exit_code(status);
	__atomic_store_n(&tasks->shared->over, 1, __ATOMIC_RELEASE);
	reason = held_command_failure(&command);
	if (reason)
		return task_fail(tasks, 0, "cannot run %.150s: %s", program, strerror(reason));
	return 0;
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
	    .run = run_command,
	};
}
