/* SPDX-License-Identifier: MIT */
#include "workloads/mix_tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/splitmix.h"
#include "workloads/mix_groups.h"
#include "workloads/runner/task.h"
#include "workloads/task_work.h"

/* Rounds between two readings of CLOCK_MONOTONIC. */
#define ROUNDS_PER_CHECK 300

/* After the barrier each task waits one to two times this long, depending on the seed. It is longer than a tick at
 * CONFIG_HZ=250 or more, so the seed also decides the phase relative to the tick. */
#define START_NS 5000000

#define PAGE_BYTES         4096u
#define MEMORY_BYTES(role) ((size_t)(role)->memory_mb << 20)

/* From linux/sched.h, which musl lacks. */
static const int kernel_policies[] = {
    [MIX_OTHER] = 0, [MIX_BATCH] = 3, [MIX_IDLE] = 5, [MIX_FIFO] = 1, [MIX_RR] = 2, [MIX_DEADLINE] = 6};
#define FLAG_KEEP_ALL   UINT64_C(0x18)
#define FLAG_UTIL_CLAMP UINT64_C(0x60)

/* The state of a task. */
struct worker {
	struct workload_tasks *tasks;
	struct task *task;
	const struct mix_role *role;
	uint64_t end_ns;
	uint64_t random;
	double rounds_per_ns;  /* of fixed work; 0: by the CPU clock */
	bool counts;           /* its cycles are work */
	int cpu;               /* the first one that it is bound to */
	unsigned char *memory; /* of its role; NULL: none */
};

/* A pipe per task that others wake; a byte is a wakeup. Wakeups by pipes are sync wakeups (WF_SYNC): the waker is about
 * to sleep. */
static int pipes[MIX_TASKS_MAX][2];

static const struct mix *mix_of(const struct workload_tasks *tasks)
{
	return tasks->workload->mix;
}

static uint64_t vary(struct worker *worker, uint64_t ns)
{
	const uint64_t percent = worker->role->jitter_percent;

	if (percent == 0)
		return ns;
	const uint64_t spread = ns / 100 * percent;
	return ns - spread + splitmix64(&worker->random) % (2 * spread + 1);
}

/* --- Before the barrier --- */

static int set_attributes(const struct mix_role *role, struct sched_attributes *attributes)
{
	*attributes = (struct sched_attributes){
	    .size = sizeof(*attributes),
	    .policy = (uint32_t)kernel_policies[role->policy],
	    .nice = role->nice,
	    .priority = role->priority,
	    .runtime = role->policy == MIX_DEADLINE ? role->budget_ns : role->slice_ns,
	};
	if (role->policy == MIX_DEADLINE) {
		attributes->period = role->every_ns;
		attributes->deadline = role->deadline_ns ? role->deadline_ns : role->every_ns;
	}
	return syscall(SYS_sched_setattr, 0, attributes, 0) == 0 ? 0 : errno;
}

static int refuse_policy(struct workload_tasks *tasks, const struct mix_role *role, int reason)
{
	const char *policy = mix_policy_names[role->policy];

	if (reason != EPERM && reason != EACCES)
		return task_fail(tasks, reason, "role '%s': cannot have policy=%s nice=%d", role->name, policy,
				 role->nice);
	if (geteuid() != 0)
		return task_fail(tasks, reason, "role '%s': policy=%s nice=%d needs root", role->name, policy,
				 role->nice);
	if (role->policy == MIX_DEADLINE)
		return task_refuse(tasks,
				   "role '%s': the kernel refuses policy=deadline: the tasks' CPUs do not cover "
				   "their root domain",
				   role->name);
	return task_refuse(tasks, "role '%s': the kernel refuses policy=%s%s", role->name, policy,
			   role->in_group >= 0 ? " in this cgroup (CONFIG_RT_GROUP_SCHED)" : "");
}

/* Earlier kernels accept a slice and ignore it. */
static bool has_slice(const struct mix_role *role)
{
	struct sched_attributes attributes = {.size = sizeof(attributes)};

	return syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) == 0 &&
	       attributes.runtime == role->slice_ns;
}

/* A role of the default policy keeps the policy of the run, which may be SCHED_EXT. */
static int set_policy(struct workload_tasks *tasks, const struct mix_role *role)
{
	struct sched_attributes attributes;
	int reason = 0;

	if (role->policy != MIX_OTHER || role->slice_ns)
		reason = set_attributes(role, &attributes);
	else if (role->nice && setpriority(PRIO_PROCESS, 0, role->nice) < 0)
		reason = errno;
	if (reason)
		return refuse_policy(tasks, role, reason);
	if (role->slice_ns && !has_slice(role))
		return task_refuse(tasks, "role '%s': the kernel ignores slice: custom slices need Linux 6.12 or later",
				   role->name);
	return 0;
}

/* Keeps policy and parameters. */
static int set_clamps(struct workload_tasks *tasks, const struct mix_role *role)
{
	const struct sched_attributes attributes = {
	    .size = sizeof(attributes),
	    .flags = FLAG_KEEP_ALL | FLAG_UTIL_CLAMP,
	    .util_min = role->clamp_min,
	    .util_max = role->clamp_max,
	};

	if (role->clamp_max == 0 || syscall(SYS_sched_setattr, 0, &attributes, 0) == 0)
		return 0;
	if (errno == EOPNOTSUPP)
		return task_refuse(tasks, "role '%s': the kernel has no utilization clamps (CONFIG_UCLAMP_TASK)",
				   role->name);
	return task_fail(tasks, errno, "role '%s': cannot have clamp=%u/%u", role->name, role->clamp_min,
			 role->clamp_max);
}

static int bind_to(const cpu_set_t *cpus)
{
	return sched_setaffinity(0, sizeof(*cpus), cpus) < 0 ? errno : 0;
}

static int set_cpus(struct workload_tasks *tasks, const struct mix_role *role)
{
	cpu_set_t cpus;

	if (CPU_COUNT(&role->cpus) == 0)
		return 0;
	if (!mix_role_cpus(role, &tasks->cpus, &cpus))
		return task_refuse(tasks, "role '%s': cpus names CPUs beyond the %d of the run", role->name,
				   CPU_COUNT(&tasks->cpus));
	const int reason = bind_to(&cpus);
	return reason ? task_fail(tasks, reason, "role '%s': cannot use its CPUs", role->name) : 0;
}

static int enter_role(struct workload_tasks *tasks, struct task *task, void *context)
{
	const struct mix_role *role = context;
	const int reason = role->in_group >= 0 ? mix_groups_enter(tasks->own, role->in_group) : 0;

	(void)task;
	if (reason)
		return task_fail(tasks, reason, "role '%s': cannot enter the cgroup %s", role->name, role->group);
	if (set_cpus(tasks, role) < 0 || set_policy(tasks, role) < 0)
		return -1;
	return set_clamps(tasks, role);
}

/* --- A cycle --- */

static bool is_over(const struct worker *worker)
{
	return clock_ns(CLOCK_MONOTONIC) >= worker->end_ns;
}

static void compute_rounds(const struct worker *worker, uint64_t rounds)
{
	while (rounds > 0) {
		const unsigned int chunk = rounds < ROUNDS_PER_CHECK ? (unsigned int)rounds : ROUNDS_PER_CHECK;
		spend_rounds(chunk);
		rounds -= chunk;
		if (rounds && is_over(worker))
			return;
	}
}

static void compute(const struct worker *worker, uint64_t ns)
{
	if (worker->rounds_per_ns > 0) {
		const double rounds = (double)ns * worker->rounds_per_ns;
		compute_rounds(worker, rounds < 1 ? 1 : (uint64_t)rounds);
		return;
	}
	const uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns && !is_over(worker))
		spend_rounds(ROUNDS_PER_CPU_CLOCK);
}

/* False if the run is over before. */
static bool sleep_until(const struct worker *worker, uint64_t ns)
{
	const uint64_t until_ns = ns < worker->end_ns ? ns : worker->end_ns;
	const struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	return ns < worker->end_ns;
}

static bool wait_for_wakeup(const struct worker *worker)
{
	struct pollfd wakeups = {.fd = pipes[worker->task - worker->tasks->shared->task][0], .events = POLLIN};
	uint64_t now_ns;
	char wakeup;

	while ((now_ns = clock_ns(CLOCK_MONOTONIC)) < worker->end_ns) {
		const uint64_t left_ns = worker->end_ns - now_ns;
		const struct timespec left = {(time_t)(left_ns / 1000000000u), (long)(left_ns % 1000000000u)};
		if (ppoll(&wakeups, 1, &left, NULL) > 0)
			return read(wakeups.fd, &wakeup, 1) == 1;
	}
	return false;
}

/* Task i of this role wakes the tasks of the next role that have number i, modulo the smaller of both task counts. */
static void wake_next(const struct worker *worker)
{
	const struct mix_role *role = worker->role;
	const struct mix_role *next = &mix_of(worker->tasks)->roles[role->wakes];
	const unsigned int own = (unsigned int)(worker->task - worker->tasks->shared->task) - role->first_task;

	for (unsigned int i = own % next->count; i < next->count; i += role->count)
		if (write(pipes[next->first_task + i][1], "", 1) < 0)
			return; /* the pipe is full: 65,536 wakeups are pending */
}

static _Noreturn void run_child(const struct worker *worker, uint64_t ns)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	compute(worker, ns);
	_exit(0);
}

static int fork_children(struct worker *worker)
{
	const struct mix_role *role = worker->role;
	unsigned int forked = 0;

	for (; forked < role->forks; forked++) {
		const uint64_t ns = vary(worker, role->child_ns);
		const pid_t child = fork();
		if (child == 0)
			run_child(worker, ns);
		if (child < 0)
			break;
	}
	const int reason = forked < role->forks ? errno : 0;
	while (forked > 0)
		if (wait(NULL) > 0)
			forked--;
	return reason ? task_fail(worker->tasks, reason, "role '%s': cannot fork", role->name) : 0;
}

static int move_on(struct worker *worker)
{
	cpu_set_t cpus, next;
	int cpu = worker->cpu;

	mix_role_cpus(worker->role, &worker->tasks->cpus, &cpus);
	CPU_ZERO(&next);
	for (unsigned int i = 0; i < worker->role->churn; i++) {
		do
			cpu = (cpu + 1) % CPU_SETSIZE;
		while (!CPU_ISSET((size_t)cpu, &cpus));
		CPU_SET((size_t)cpu, &next);
		if (i == 0)
			worker->cpu = cpu;
	}
	const int reason = bind_to(&next);
	return reason ? task_fail(worker->tasks, reason, "role '%s': cannot move to CPU %d", worker->role->name,
				  worker->cpu)
		      : 0;
}

static int map_memory(struct worker *worker)
{
	void *memory;

	if (worker->role->memory_mb == 0)
		return 0;
	memory = mmap(NULL, MEMORY_BYTES(worker->role), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return task_fail(worker->tasks, errno, "role '%s': cannot have memory=%u", worker->role->name,
				 worker->role->memory_mb);
	worker->memory = memory;
	return 0;
}

static void write_pages(const struct worker *worker)
{
	for (size_t at = 0; worker->memory && at < MEMORY_BYTES(worker->role); at += PAGE_BYTES)
		((volatile unsigned char *)worker->memory)[at]++;
}

/* A cycle without the wait for the next one. */
static int do_cycle(struct worker *worker)
{
	const struct mix_role *role = worker->role;

	if (role->run_ns)
		compute(worker, vary(worker, role->run_ns));
	else if (mix_role_only_computes(role))
		spend_rounds(ROUNDS_PER_CHECK);
	write_pages(worker);
	for (unsigned int i = 0; i < role->yields; i++)
		sched_yield();
	if (role->forks && fork_children(worker) < 0)
		return -1;
	if (role->wakes >= 0)
		wake_next(worker);
	return role->churn ? move_on(worker) : 0;
}

/* Periods that have passed meanwhile are skipped. False if the run is over. */
static bool wait_for_next_cycle(struct worker *worker, uint64_t *begin_ns)
{
	const struct mix_role *role = worker->role;
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (role->every_ns) {
		*begin_ns += role->every_ns;
		if (*begin_ns < now_ns)
			*begin_ns += (now_ns - *begin_ns + role->every_ns - 1) / role->every_ns * role->every_ns;
		if (!sleep_until(worker, *begin_ns))
			return false;
	} else if (role->sleep_ns && !sleep_until(worker, now_ns + vary(worker, role->sleep_ns))) {
		return false;
	}
	return role->is_woken ? wait_for_wakeup(worker) : !is_over(worker);
}

static bool only_computes(const struct mix *mix)
{
	for (unsigned int i = 0; i < mix->role_count; i++)
		if (!mix_role_only_computes(&mix->roles[i]))
			return false;
	return true;
}

static struct worker make_worker(struct workload_tasks *tasks, struct task *task, const struct mix_role *role)
{
	struct worker worker = {
	    .tasks = tasks,
	    .task = task,
	    .role = role,
	    .end_ns = tasks->shared->start_ns + tasks->duration_ns,
	    .random = tasks->seed * 65537 + (uint64_t)(task - tasks->shared->task),
	    .rounds_per_ns = tasks->fixed_work ? 1.0 / INSTRUCTIONS_PER_ROUND / CPU_COUNT(&tasks->cpus) : 0,
	    .counts = !mix_role_only_computes(role) || only_computes(mix_of(tasks)),
	};

	splitmix64(&worker.random);
	return worker;
}

static void note_signal(int number)
{
	(void)number;
}

/* Starts the signals. They follow the clock, not the task's cycles. */
static int start_signals(struct workload_tasks *tasks, const struct mix_role *role)
{
	const struct timeval every = {(time_t)(role->signal_ns / 1000000000u),
				      (suseconds_t)(role->signal_ns % 1000000000u / 1000)};
	const struct itimerval timer = {every, every};
	const struct sigaction action = {.sa_handler = note_signal};

	if (role->signal_ns && (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &timer, NULL) < 0))
		return task_fail(tasks, errno, "role '%s': cannot start a timer", role->name);
	return 0;
}

static int play_role(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct worker worker = make_worker(tasks, task, context);
	const struct mix_role *role = worker.role;
	uint64_t begin_ns = tasks->shared->start_ns + START_NS + splitmix64(&worker.random) % START_NS;
	bool goes_on = sleep_until(&worker, begin_ns);

	if (start_signals(tasks, role) < 0 || map_memory(&worker) < 0)
		return -1;
	if (goes_on && role->is_woken && !role->starts)
		goes_on = wait_for_wakeup(&worker);
	while (goes_on) {
		if (do_cycle(&worker) < 0)
			return -1;
		task->work += worker.counts;
		goes_on = wait_for_next_cycle(&worker, &begin_ns);
	}
	return 0;
}

/* --- The workload --- */

static int open_pipes(struct workload_tasks *tasks, const struct mix_role *role)
{
	for (unsigned int i = 0; role->is_woken && i < role->count; i++)
		if (pipe2(pipes[role->first_task + i], O_NONBLOCK) < 0)
			return task_fail(tasks, errno, "role '%s': cannot make a pipe", role->name);
	return 0;
}

static int run_mix(struct workload_tasks *tasks)
{
	const struct mix *mix = mix_of(tasks);

	for (unsigned int i = 0; i < mix->role_count; i++)
		if (open_pipes(tasks, &mix->roles[i]) < 0)
			return -1;
	for (unsigned int i = 0; i < mix->role_count; i++) {
		const struct mix_role *role = &mix->roles[i];
		for (unsigned int task = 0; task < role->count; task++)
			if (task_start_entered_process(tasks, role->name, enter_role, play_role,
						       (void *)(uintptr_t)role) < 0)
				return -1;
	}
	for (unsigned int i = 0; i < mix->tasks; i++)
		if (pipes[i][1] > 0) {
			close(pipes[i][0]);
			close(pipes[i][1]);
		}
	return tasks_release_and_collect(tasks);
}

static enum status open_mix(struct workload_tasks *tasks, struct error *err)
{
	const struct mix *mix = mix_of(tasks);

	if (mix->group_count == 0)
		return STATUS_OK;
	tasks->own = xcalloc(1, sizeof(struct mix_groups));
	return mix_groups_make(tasks->own, mix, tasks->workload->name, err);
}

static void close_mix(struct workload_tasks *tasks)
{
	if (tasks->own)
		mix_groups_remove(tasks->own);
	free(tasks->own);
	tasks->own = NULL;
}

void workload_of_mix(struct mix_workload *made, const char *name, const char *category, const char *description,
		     const char *exercises)
{
	const struct mix *mix = &made->mix;
	struct buffer text = {0};
	size_t length = 0;

	mix_write(mix, &text);
	made->parameters = text.data;
	for (unsigned int i = 0; i < mix->role_count; i++)
		length += (size_t)snprintf(made->task_names + length, sizeof(made->task_names) - length, "%s%s",
					   i ? " " : "", mix->roles[i].name);
	made->workload = (struct workload){
	    .name = name,
	    .category = category,
	    .description = description,
	    .parameters = made->parameters,
	    .exercises = exercises,
	    .work_unit = "cycles",
	    .task_names = made->task_names,
	    .duration_s = mix->seconds,
	    .small_scale = 1,
	    .tasks = mix->tasks,
	    .only_named = true,
	    .mix = mix,
	    .open = open_mix,
	    .close = close_mix,
	    .run = run_mix,
	};
}

void mix_workload_free(struct mix_workload *made)
{
	free(made->parameters);
	made->parameters = NULL;
}
