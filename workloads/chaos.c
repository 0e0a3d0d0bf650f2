/* SPDX-License-Identifier: MIT
 *
 * Rarely used scheduler operations, several at once, on tasks that run, wait and sleep: they test rules that no kernel
 * may break. Each feature is a workload of its own, so that the operation that causes an effect can be found. The seed
 * decides the operations of a task. An operation that the kernel refuses at that moment is skipped (a fork of a
 * deadline task, a deadline task beyond the bandwidth). */
#include "workloads/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/splitmix.h"
#include "workloads/mix_groups.h"
#include "workloads/runner/task.h"
#include "workloads/task_work.h"

enum {
	PI = 1,
	POLICY = 2,
	WEIGHTS = 4,
	GROUPS = 8,
	AFFINITY = 16,
	DEADLINE = 32,
	SIGNALS = 64,
	HOTPLUG = 128,
	ALL = 255
};

enum { WORKERS = 6, HOGS = 2, TARGETS = WORKERS + HOGS, LOCKS = 3 };

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

/* From linux/futex.h and linux/sched.h, which musl lacks. */
#define FUTEX_WAIT      0
#define FUTEX_WAKE      1
#define FUTEX_LOCK_PI   6
#define FUTEX_UNLOCK_PI 7
#define POLICY_OTHER    0
#define POLICY_FIFO     1
#define POLICY_RR       2
#define POLICY_BATCH    3
#define POLICY_IDLE     5
#define POLICY_DEADLINE 6
#define RESET_ON_FORK   1
#define KEEP_POLICY     8
#define GUEST_JOB       "/job/settings" /* only guests of picknext vm have it */
#define CPU_SWITCH      "/sys/devices/system/cpu/cpu%d/online"

struct worker {
	struct workload_tasks *tasks;
	struct task *task;
	unsigned int features;
	uint64_t end_ns, random;
};

/* Shared by the tasks: PI locks, and a futex per task to sleep on. */
static struct {
	uint32_t locks[LOCKS];
	uint32_t naps[TARGETS];
} * shared;

static const char *const all_groups[] = {"top", "top/a", "top/b", "c", "d"};
static const char *const task_groups[] = {"top/a", "top/b", "c", "d", ".."};
#define GROUP_WORDS "group top weight=200; group top/a; group top/b weight=50; group c quota=4ms/10ms; group d; 1 any"

#define COUNT(array)       (sizeof(array) / sizeof(*(array)))
#define ANY(worker, array) ((array)[below(worker, COUNT(array))])

static uint64_t below(struct worker *worker, uint64_t limit)
{
	return splitmix64(&worker->random) % limit;
}

static uint64_t between(struct worker *worker, uint64_t least, uint64_t most)
{
	return least + below(worker, most - least + 1);
}

static bool is_over(const struct worker *worker)
{
	return clock_ns(CLOCK_MONOTONIC) >= worker->end_ns;
}

static void compute(struct worker *worker, uint64_t least, uint64_t most)
{
	const uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + between(worker, least, most);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns && !is_over(worker))
		spend_rounds(ROUNDS_PER_CPU_CLOCK);
}

/* A random task, not the admin. */
static unsigned int any_target(struct worker *worker)
{
	return (unsigned int)below(worker, TARGETS);
}

static pid_t process_of(const struct worker *worker, unsigned int target)
{
	return worker->tasks->shared->task[target].id;
}

static pid_t any_process(struct worker *worker)
{
	return process_of(worker, any_target(worker));
}

/* --- Sleep and wakeup --- */

static void nap(struct worker *worker, uint64_t least, uint64_t most)
{
	const struct timespec length = {0, (long)between(worker, least, most)};

	syscall(SYS_futex, &shared->naps[worker->task - worker->tasks->shared->task], FUTEX_WAIT, 0, &length, NULL, 0);
}

static void sleep_for(struct worker *worker, uint64_t least, uint64_t most)
{
	nanosleep(&(struct timespec){0, (long)between(worker, least, most)}, NULL);
}

static void wake(struct worker *worker)
{
	syscall(SYS_futex, &shared->naps[any_target(worker)], FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* --- Policies, weights, slices, deadlines --- */

static int set_policy(pid_t process, uint32_t policy, int nice, uint32_t priority, uint64_t slice_ns, uint64_t flags)
{
	struct sched_attributes attributes = {
	    .size = sizeof(attributes),
	    .policy = policy,
	    .flags = flags,
	    .nice = nice,
	    .priority = priority,
	    .runtime = slice_ns,
	};
	return syscall(SYS_sched_setattr, process, &attributes, 0) == 0 ? 0 : errno;
}

static int become_fair(void)
{
	return set_policy(0, POLICY_OTHER, 0, 0, 0, 0);
}

static bool is_urgent(void)
{
	const long policy = syscall(SYS_sched_getscheduler, 0);

	return policy == POLICY_FIFO || policy == POLICY_RR || policy == POLICY_DEADLINE;
}

static void flip_policy(struct worker *worker)
{
	static const uint32_t policies[] = {POLICY_OTHER, POLICY_BATCH, POLICY_IDLE, POLICY_FIFO, POLICY_RR};
	const uint32_t policy = ANY(worker, policies);
	const bool is_real_time = policy == POLICY_FIFO || policy == POLICY_RR;

	set_policy(below(worker, 2) ? 0 : any_process(worker), policy, (int)below(worker, 3) * 5,
		   is_real_time ? (uint32_t)between(worker, 1, 20) : 0, 0, below(worker, 4) ? 0 : RESET_ON_FORK);
}

static void change_nice(struct worker *worker)
{
	setpriority(PRIO_PROCESS, (id_t)any_process(worker), (int)below(worker, 40) - 20);
}

/* 0 restores the default. */
static void change_slice(struct worker *worker)
{
	static const uint64_t slices[] = {0, 100 * US, 500 * US, 3 * MS, 20 * MS};

	set_policy(any_process(worker), 0, (int)below(worker, 5) * 4 - 8, 0, ANY(worker, slices), KEEP_POLICY);
}

static int become_deadline(struct worker *worker)
{
	struct sched_attributes attributes = {.size = sizeof(attributes), .policy = POLICY_DEADLINE};

	attributes.runtime = between(worker, 300 * US, 2 * MS);
	attributes.deadline = attributes.runtime * between(worker, 10, 40) / 10;
	attributes.period = attributes.deadline * between(worker, 10, 50) / 10;
	return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? 0 : errno;
}

static void take_deadline(struct worker *worker)
{
	become_deadline(worker);
}

static void leave_deadline(struct worker *worker)
{
	(void)worker;
	if (syscall(SYS_sched_getscheduler, 0) == POLICY_DEADLINE)
		become_fair();
}

static void yield(struct worker *worker)
{
	(void)worker;
	sched_yield();
}

/* --- Locks with priority inheritance --- */

/* A waiter whose timeout expires takes back the priority that it lent. */
static bool lock(struct worker *worker, unsigned int number, uint64_t timeout_ns)
{
	const uint64_t until_ns = clock_ns(CLOCK_REALTIME) + timeout_ns;
	const struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};
	long result;

	do
		result =
		    syscall(SYS_futex, &shared->locks[number], FUTEX_LOCK_PI, 0, timeout_ns ? &until : NULL, NULL, 0);
	while (result < 0 && (errno == EINTR || errno == EAGAIN) && !is_over(worker));
	return result == 0;
}

static void unlock(unsigned int number)
{
	syscall(SYS_futex, &shared->locks[number], FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
}

static void hold_lock(struct worker *worker)
{
	const unsigned int number = (unsigned int)below(worker, LOCKS);

	if (!lock(worker, number, below(worker, 3) ? 0 : between(worker, 50 * US, MS)))
		return;
	compute(worker, 50 * US, 800 * US);
	if (below(worker, 3) == 0)
		sleep_for(worker, 50 * US, MS);
	unlock(number);
}

/* Chains of owners, always from the first lock to the last. */
static void hold_chain(struct worker *worker)
{
	const unsigned int first = (unsigned int)below(worker, LOCKS - 1);

	if (!lock(worker, first, 0))
		return;
	compute(worker, 50 * US, 300 * US);
	if (lock(worker, first + 1, 0)) {
		compute(worker, 50 * US, 300 * US);
		unlock(first + 1);
	}
	compute(worker, 50 * US, 300 * US);
	unlock(first);
}

/* --- Groups --- */

static void write_group(const struct worker *worker, const char *group, const char *file, const char *text)
{
	mix_groups_write(worker->tasks->own, group, file, text);
}

static void move_any(struct worker *worker)
{
	char number[24];

	snprintf(number, sizeof(number), "%ld", (long)any_process(worker));
	write_group(worker, ANY(worker, task_groups), "cgroup.procs", number);
}

static void move_itself(struct worker *worker)
{
	write_group(worker, ANY(worker, task_groups), "cgroup.procs", "0");
}

static void change_group_weight(struct worker *worker)
{
	static const char *const weights[] = {"1", "20", "100", "500", "10000"};

	write_group(worker, ANY(worker, all_groups), "cpu.weight", ANY(worker, weights));
}

static void change_quota(struct worker *worker)
{
	static const char *const quotas[] = {"max 10000", "1000 5000", "4000 10000", "9000 10000"};

	write_group(worker, ANY(worker, all_groups), "cpu.max", ANY(worker, quotas));
}

static void freeze_group(struct worker *worker)
{
	const char *group = ANY(worker, all_groups);

	write_group(worker, group, "cgroup.freeze", "1");
	sleep_for(worker, 300 * US, 3 * MS);
	write_group(worker, group, "cgroup.freeze", "0");
}

static void free_groups(const struct worker *worker)
{
	for (size_t i = 0; i < COUNT(all_groups); i++)
		write_group(worker, all_groups[i], "cpu.max", "max");
}

/* --- CPUs --- */

static int nth_cpu(const cpu_set_t *cpus, unsigned int number)
{
	int cpu = 0;

	while (!CPU_ISSET((size_t)cpu, cpus) || number--)
		cpu++;
	return cpu;
}

/* The kernel resets the affinity of a task whose last CPU goes offline. So tasks keep the first CPU, which stays
 * online. */
static void any_cpus(struct worker *worker, cpu_set_t *cpus)
{
	const cpu_set_t *run = &worker->tasks->cpus;

	CPU_ZERO(cpus);
	for (int i = 0; i < CPU_COUNT(run); i++)
		if (below(worker, 2))
			CPU_SET((size_t)nth_cpu(run, (unsigned int)i), cpus);
	if (CPU_COUNT(cpus) == 0 || worker->features & HOTPLUG)
		CPU_SET((size_t)nth_cpu(run, 0), cpus);
}

static void bind_any(struct worker *worker)
{
	cpu_set_t cpus;

	any_cpus(worker, &cpus);
	sched_setaffinity(any_process(worker), sizeof(cpus), &cpus);
}

static void bind_and_free(struct worker *worker)
{
	const pid_t process = any_process(worker);
	cpu_set_t cpus;

	any_cpus(worker, &cpus);
	sched_setaffinity(process, sizeof(cpus), &cpus);
	sched_setaffinity(process, sizeof(cpus), &worker->tasks->cpus);
}

static void switch_cpu(const struct workload_tasks *tasks, const char *state)
{
	char path[64];

	snprintf(path, sizeof(path), CPU_SWITCH, nth_cpu(&tasks->cpus, (unsigned int)CPU_COUNT(&tasks->cpus) - 1));
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, state, 1) < 0)
		errno = 0; /* refused: deadline tasks need its bandwidth */
	if (fd >= 0)
		close(fd);
}

static void turn_cpu_off(struct worker *worker)
{
	switch_cpu(worker->tasks, "0");
	sleep_for(worker, 10 * MS, 40 * MS);
	switch_cpu(worker->tasks, "1");
	sleep_for(worker, 10 * MS, 40 * MS);
}

/* --- Signals and processes --- */

static void note_signal(int number)
{
	(void)number;
}

static void signal_any(struct worker *worker)
{
	kill(any_process(worker), SIGUSR1);
}

/* A task never stops itself: no other task would continue it. */
static void stop_any(struct worker *worker)
{
	const pid_t process = any_process(worker);

	if (process == getpid())
		return;
	kill(process, SIGSTOP);
	compute(worker, 50 * US, 500 * US);
	kill(process, SIGCONT);
}

static pid_t fork_computing(struct worker *worker)
{
	const uint64_t ns = between(worker, 100 * US, 2 * MS);
	const pid_t child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	compute(worker, ns, ns);
	_exit(0);
}

static void fork_and_wait(struct worker *worker)
{
	const pid_t child = fork_computing(worker);

	if (child < 0)
		return;
	compute(worker, 50 * US, 500 * US);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Continues the child after each stop, until it ends. */
static void trace_child(struct worker *worker)
{
	const pid_t child = fork_computing(worker);
	int status = 0;

	if (child < 0)
		return;
	ptrace(PTRACE_SEIZE, child, 0, 0);
	for (unsigned int stops = 0;; stops++) {
		if (stops < 3)
			ptrace(PTRACE_INTERRUPT, child, 0, 0);
		const pid_t seen = waitpid(child, &status, 0);
		if (seen < 0 && errno == EINTR)
			continue;
		if (seen < 0 || WIFEXITED(status) || WIFSIGNALED(status))
			return;
		compute(worker, 50 * US, 300 * US);
		ptrace(PTRACE_CONT, child, 0, 0);
	}
}

/* vfork() and exec, of a program that does nothing. */
static void execute(struct worker *worker)
{
	char *arguments[] = {"true", NULL}, *environment[] = {NULL};
	pid_t child;

	(void)worker;
	const int reason = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment);
	while (reason == 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* --- The tasks --- */

struct operation {
	unsigned int feature; /* 0: of all */
	void (*act)(struct worker *worker);
};

static const struct operation operations[] = {
    {0, wake},
    {PI, hold_lock},
    {PI, hold_lock},
    {PI, hold_chain},
    {POLICY, flip_policy},
    {WEIGHTS, change_nice},
    {WEIGHTS, change_slice},
    {GROUPS, move_any},
    {GROUPS, move_itself},
    {GROUPS, change_group_weight},
    {GROUPS, change_quota},
    {AFFINITY, bind_any},
    {AFFINITY, bind_and_free},
    {DEADLINE, take_deadline},
    {DEADLINE, leave_deadline},
    {DEADLINE, yield},
    {SIGNALS, signal_any},
    {SIGNALS, stop_any},
    {SIGNALS, fork_and_wait},
    {SIGNALS, trace_child},
    {SIGNALS, execute},
};

/* Operations of the admin task. No operation is applied to it, so that it is never frozen, stopped or starved. */
static const struct operation admin_operations[] = {
    {GROUPS, freeze_group},
    {GROUPS, move_any},
    {HOTPLUG, turn_cpu_off},
};

static void act(struct worker *worker, const struct operation *rows, size_t count)
{
	const struct operation *one;

	do
		one = &rows[below(worker, count)];
	while (one->feature && !(one->feature & worker->features));
	one->act(worker);
	worker->task->work++;
}

/* Otherwise, operations that take a CPU offline are skipped. */
static bool can_turn_cpus_off(const struct workload_tasks *tasks)
{
	return geteuid() == 0 && access(GUEST_JOB, F_OK) == 0 && CPU_COUNT(&tasks->cpus) > 1;
}

static struct worker make_worker(struct workload_tasks *tasks, struct task *task)
{
	struct worker worker = {
	    .tasks = tasks,
	    .task = task,
	    .features = tasks->workload->features & (can_turn_cpus_off(tasks) ? ALL : ALL ^ HOTPLUG),
	    .end_ns = tasks->shared->start_ns + tasks->duration_ns,
	    .random = tasks->seed * 65537 + (uint64_t)(task - tasks->shared->task),
	};

	splitmix64(&worker.random);
	return worker;
}

static int work(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct worker worker = make_worker(tasks, task);

	(void)context;
	while (!is_over(&worker)) {
		compute(&worker, 50 * US, 1500 * US);
		act(&worker, operations, COUNT(operations));
		if (is_urgent() || below(&worker, 5) < 3)
			nap(&worker, 50 * US, 3 * MS);
	}
	return 0;
}

/* A hog computes all the time. If others gave it a real-time or deadline policy, it returns to SCHED_OTHER. */
static int burn(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct worker worker = make_worker(tasks, task);

	(void)context;
	while (!is_over(&worker)) {
		compute(&worker, 300 * US, MS);
		if (is_urgent())
			become_fair();
	}
	return 0;
}

static int administer(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct worker worker = make_worker(tasks, task);

	(void)context;
	while (!is_over(&worker)) {
		act(&worker, admin_operations, COUNT(admin_operations));
		sleep_for(&worker, MS, 5 * MS);
	}
	if (worker.features & GROUPS)
		free_groups(&worker);
	return 0;
}

static int refuse(struct workload_tasks *tasks, const char *policy, int reason)
{
	if (geteuid() != 0)
		return task_fail(tasks, reason, "%s needs root", policy);
	return task_refuse(tasks, "the kernel refuses %s: %s", policy, strerror(reason));
}

/* Ends the run early if the kernel refuses all operations of the workload. */
static int try_policies(struct worker *worker)
{
	int reason = 0;

	if (worker->features & (PI | POLICY) && (reason = set_policy(0, POLICY_FIFO, 0, 1, 0, 0)))
		return refuse(worker->tasks, "SCHED_FIFO", reason);
	if (worker->features & WEIGHTS && (reason = set_policy(0, POLICY_OTHER, -20, 0, 0, 0)))
		return refuse(worker->tasks, "nice -20", reason);
	if (worker->features & DEADLINE && (reason = become_deadline(worker)))
		return refuse(worker->tasks, "SCHED_DEADLINE", reason);
	return become_fair() == 0 ? 0 : task_fail(worker->tasks, errno, "cannot return to SCHED_OTHER");
}

/* Gives the workers different policies: PI locks are shared between scheduling classes. */
static void take_class(struct worker *worker, size_t number)
{
	static const uint32_t policies[] = {POLICY_OTHER, POLICY_OTHER, POLICY_FIFO, POLICY_RR, POLICY_BATCH};

	if (number < COUNT(policies))
		set_policy(0, policies[number], number == 1 ? 5 : 0, number == 2 ? 10 : number == 3 ? 5 : 0, 0, 0);
	else
		become_deadline(worker);
}

static int enter_worker(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct worker worker = make_worker(tasks, task);
	const size_t number = (size_t)(task - tasks->shared->task);
	const struct sigaction action = {.sa_handler = note_signal};

	(void)context;
	sigaction(SIGUSR1, &action, NULL);
	if (number == 0 && try_policies(&worker) < 0)
		return -1;
	if (worker.features & PI && number < WORKERS)
		take_class(&worker, number);
	if (worker.features & GROUPS)
		mix_groups_write(tasks->own, task_groups[number % COUNT(task_groups)], "cgroup.procs", "0");
	return 0;
}

/* --- The workloads --- */

static int run_chaos(struct workload_tasks *tasks)
{
	const unsigned int features = tasks->workload->features;

	if (features == HOTPLUG && !can_turn_cpus_off(tasks))
		return task_refuse(tasks, "it takes a CPU offline: only in guests with two or more CPUs");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return task_fail(tasks, errno, "cannot share memory between its tasks");
	for (unsigned int i = 0; i < TARGETS; i++)
		if (task_start_entered_process(tasks, i < WORKERS ? "chaos" : "chaos-hog", enter_worker,
					       i < WORKERS ? work : burn, NULL) < 0)
			return -1;
	if (tasks->workload->tasks > TARGETS && task_start_process(tasks, "chaos-admin", administer, NULL) < 0)
		return -1;
	return tasks_release_and_collect(tasks);
}

static enum status open_chaos(struct workload_tasks *tasks, struct error *err)
{
	static struct mix mix;

	if (!(tasks->workload->features & GROUPS))
		return STATUS_OK;
	enum status status = mix_parse(GROUP_WORDS, tasks->workload->name, &mix, err);
	tasks->own = xcalloc(1, sizeof(struct mix_groups));
	return status == STATUS_OK ? mix_groups_make(tasks->own, &mix, tasks->workload->name, err) : status;
}

static void close_chaos(struct workload_tasks *tasks)
{
	if (tasks->workload->features & HOTPLUG && can_turn_cpus_off(tasks))
		switch_cpu(tasks, "1");
	if (tasks->own)
		mix_groups_remove(tasks->own);
	free(tasks->own);
	tasks->own = NULL;
}

#define CHAOS(word, bits, has_admin, what, how)                                                                        \
	{                                                                                                              \
		.name = word, .category = "chaos", .description = what, .exercises = how, .features = bits,            \
		.parameters = has_admin ? "workers=6 hogs=2 admins=1 seconds=0.5" : "workers=6 hogs=2 seconds=0.5",    \
		.tasks = TARGETS + has_admin, .work_unit = "operations", .duration_s = 0.5, .small_scale = 1,          \
		.task_names = has_admin ? "chaos chaos-hog chaos-admin" : "chaos chaos-hog", .only_named = true,       \
		.open = open_chaos, .close = close_chaos, .run = run_chaos,                                            \
	}

const struct workload chaos = CHAOS("chaos", ALL, 1, "all operations of the other chaos workloads at once",
				    "operations that no rule may report as a fault of the kernel");
const struct workload chaos_pi = CHAOS("chaos_pi", PI, 0, "PI locks between fair, FIFO, RR and deadline tasks",
				       "priority inheritance: chains, timeouts, owners that sleep");
const struct workload chaos_policy = CHAOS("chaos_policy", POLICY, 0, "changes of policy: other, batch, idle, FIFO, RR",
					   "sched_setattr() of tasks that run, wait and sleep, between classes");
const struct workload chaos_weights = CHAOS("chaos_weights", WEIGHTS, 0, "changes of nice levels and slices",
					    "setpriority() and slices of tasks that run, wait and sleep");
const struct workload chaos_groups =
    CHAOS("chaos_groups", GROUPS, 1, "moves between cgroups, weights, quotas, freezing",
	  "cgroup.procs, cpu.weight, cpu.max and cgroup.freeze, of tasks in any state");
const struct workload chaos_affinity = CHAOS("chaos_affinity", AFFINITY, 0, "changes of affinity, and back",
					     "sched_setaffinity() of tasks that run, wait and sleep");
const struct workload chaos_deadline =
    CHAOS("chaos_deadline", DEADLINE, 0, "constrained deadlines, and yields with budget left",
	  "SCHED_DEADLINE with deadline < period: throttling, yields, changes");
const struct workload chaos_signals = CHAOS("chaos_signals", SIGNALS, 0, "signals, stops, ptrace, fork, vfork and exec",
					    "tasks that others wake, stop, trace and make");
const struct workload chaos_hotplug =
    CHAOS("chaos_hotplug", HOTPLUG, 1, "a CPU that goes offline and online (guests only)",
	  "tasks that leave a CPU and return to it");
