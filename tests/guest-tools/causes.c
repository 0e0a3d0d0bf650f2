/* SPDX-License-Identifier: MIT
 *
 * Provokes migrations of every cause that picknext knows, one after the other, with tasks that are named after it. Runs
 * as root on CPUs 0, 1 and 2; CPU 2 can go offline. The coordinator stays on CPU 0 unless it says otherwise.
 *
 * c-wake     tasks that wake each other, beside c-hog              c-self    moves itself by its affinity
 * c-fork     forks while CPUs are idle                             c-other   burns, and is moved by the coordinator
 * c-exec     executes /bin/true on the CPU of a burner             c-queued  the same, but it always waits for its CPU
 * c-burn     six burners that are let go from CPU 1                c-set     burns in a cpuset that changes
 * c-act      runs, while the task that waits for its CPU is pinned c-rt      real-time tasks that sleep, beside c-self
 * c-hot      burners while CPU 2 goes offline and returns          c-dl      deadline tasks that sleep
 * It prints "provoked NAME TIMES"; tests/vm/truth.bash compares. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/guest_task.h"

enum { LAST_CPU = 2, TASKS_MAX = 16, MOVES = 20, EXECS = 15, FORKS = 20, SLEEPS = 70 };

static pid_t started[TASKS_MAX];
static int start_count;

/* A process of this name, on this CPU and with this nice level; true in it. */
static int start(const char *name, size_t cpu, int nice)
{
	pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (child) {
		started[start_count++] = child;
		return 0;
	}
	allow(0, cpu, cpu);
	prctl(PR_SET_NAME, name);
	if (setpriority(PRIO_PROCESS, 0, nice))
		fail("setpriority");
	return 1;
}

static void start_burner(const char *name, size_t cpu, int nice)
{
	if (start(name, cpu, nice))
		for (;;)
			burn_ms(1000);
}

static void end_all(const char *provoked, int times)
{
	for (int i = 0; i < start_count; i++)
		kill(started[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	start_count = 0;
	printf("provoked %s %d\n", provoked, times);
}

static void wake(void)
{
	int to[2], from[2];
	char byte = 0;

	start_burner("c-hog", 0, 0);
	start_burner("c-hog", 1, 0);
	if (pipe(to) || pipe(from))
		fail("pipe");
	if (start("c-wake", 0, 0)) {
		allow(0, 0, LAST_CPU);
		while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
			burn_ms(1);
		_exit(0);
	}
	allow(0, 0, LAST_CPU);
	for (int i = 0; i < 60; i++) {
		if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			fail("pipe");
		rest_ms(1);
	}
	allow(0, 0, 0);
	end_all("c-wake", 60);
}

static void fork_tasks(void)
{
	if (start("c-fork", 0, 0)) {
		allow(0, 0, LAST_CPU);
		for (int i = 0; i < FORKS; i++) {
			pid_t child = fork();
			if (child == 0) {
				burn_ms(1);
				_exit(0);
			}
			burn_ms(2);
		}
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	waitpid(started[0], NULL, 0);
	end_all("c-fork", FORKS);
}

/* The child executes on the burner's CPU while others are idle. */
static void execute(void)
{
	start_burner("c-hog", 1, 0);
	for (int i = 0; i < EXECS; i++) {
		if (start("c-exec", 1, 0)) {
			allow(0, 0, LAST_CPU);
			execl("/bin/true", "true", (char *)NULL);
			fail("/bin/true");
		}
		waitpid(started[--start_count], NULL, 0);
	}
	end_all("c-exec", EXECS);
}

static void let_go(void)
{
	for (int i = 0; i < 6; i++)
		start_burner("c-burn", 1, 0);
	rest_ms(50);
	for (int i = 0; i < 6; i++)
		allow(started[i], 0, LAST_CPU);
	rest_ms(600);
	end_all("c-burn", 6);
}

/* Where the task runs, or ran last. */
static int cpu_of(pid_t pid)
{
	char path[64], text[512] = "";

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int file = open(path, O_RDONLY);
	if (file < 0 || read(file, text, sizeof(text) - 1) <= 0)
		fail(path);
	close(file);
	const char *at = strrchr(text, ')');
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at) : -1;
}

/* The task that waits cannot be pulled, so the one that runs is pushed. */
static void push_running(void)
{
	for (int i = 0; i < 6; i++) {
		start_burner("pinned", 1, 19);
		start_burner("c-act", 1, -15);
		rest_ms(20);
		allow(started[start_count - 1], 1, LAST_CPU);
		for (int k = 0; k < 200 && cpu_of(started[start_count - 1]) == 1; k++)
			rest_ms(10);
		kill(started[start_count - 1], SIGKILL);
		kill(started[start_count - 2], SIGKILL);
		while (wait(NULL) > 0)
			;
		start_count = 0;
	}
	end_all("c-act", 6);
}

static void move_oneself(void)
{
	if (start("c-self", 0, 0)) {
		for (size_t i = 1; i <= MOVES; i++) {
			allow(0, i % 2 + 1, i % 2 + 1);
			burn_ms(1);
		}
		_exit(0);
	}
	waitpid(started[0], NULL, 0);
	end_all("c-self", MOVES);
}

static void move_others(void)
{
	start_burner("c-other", 1, 0);
	for (size_t i = 1; i <= MOVES; i++) {
		rest_ms(3);
		allow(started[0], i % 2 + 1, i % 2 + 1);
	}
	/* To this CPU, and from it: the coordinator does not sleep at once. */
	for (size_t i = 1; i <= MOVES; i++) {
		allow(started[0], i % 2 ? 0 : 1, i % 2 ? 0 : 1);
		burn_ms(1);
		rest_ms(2);
	}
	end_all("c-other", 2 * MOVES);
	start_burner("c-hog", 1, -20);
	start_burner("c-hog", 2, -20);
	start_burner("c-queued", 1, 19);
	for (size_t i = 1; i <= MOVES; i++) {
		rest_ms(3);
		allow(started[2], i % 2 + 1, i % 2 + 1);
	}
	end_all("c-queued", MOVES);
}

static int write_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);
	ssize_t length = (ssize_t)strlen(text);
	int ok = file >= 0 && write(file, text, (size_t)length) == length;

	if (file >= 0)
		close(file);
	return ok;
}

/* A kernel may lack cpusets, or have them in the first hierarchy only. */
static void change_cpuset(void)
{
	char pid[16];
	int is_second = 1;

	mkdir("/tmp/set", 0700);
	if (mount("none", "/tmp/set", "cgroup2", 0, NULL) ||
	    !write_file("/tmp/set/cgroup.subtree_control", "+cpuset")) {
		umount("/tmp/set");
		is_second = 0;
		if (mount("none", "/tmp/set", "cgroup", 0, "cpuset")) {
			perror("no cpusets");
			return;
		}
	}
	mkdir("/tmp/set/one", 0700);
	if (!write_file("/tmp/set/one/cpuset.cpus", "1") ||
	    (!is_second && !write_file("/tmp/set/one/cpuset.mems", "0")))
		fail("cpuset.cpus");
	if (start("c-set", 1, 0)) {
		for (;;)
			burn_ms(1000);
	}
	rest_ms(10);
	allow(started[0], 0, LAST_CPU);
	snprintf(pid, sizeof(pid), "%d", started[0]);
	if (!write_file("/tmp/set/one/cgroup.procs", pid))
		fail("cgroup.procs");
	for (int i = 1; i <= MOVES; i++) {
		rest_ms(3);
		if (!write_file("/tmp/set/one/cpuset.cpus", i % 2 ? "2" : "1"))
			fail("cpuset.cpus");
	}
	end_all("c-set", MOVES);
	rmdir("/tmp/set/one");
	umount("/tmp/set");
}

static void start_sleeper(const char *name, int priority, const struct deadline_attributes *deadline)
{
	pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (child) {
		started[start_count++] = child;
		return;
	}
	if (!deadline)
		set_priority(priority);
	else if (syscall(SYS_sched_setattr, 0, deadline, 0))
		fail("sched_setattr");
	prctl(PR_SET_NAME, name);
	for (int i = 0; i < SLEEPS; i++) {
		burn_ms(2);
		rest_ms(1 + priority % 4);
	}
	_exit(0);
}

/* Beside two tasks that keep the stoppers busy: one of the fair class, and one that is more urgent. */
static void real_time(const char *name, int count, const struct deadline_attributes *deadline)
{
	/* A deadline task needs all CPUs of its scheduling domain. */
	allow(0, 0, LAST_CPU);
	for (int i = 0; i < count; i++)
		start_sleeper(name, 10 + i, deadline);
	allow(0, 0, 0);
	for (int k = 0; k < 2; k++) {
		set_priority(k * 90);
		if (!start("c-self", 0, 0))
			continue;
		for (size_t i = 0;; i++) {
			allow(0, i % (LAST_CPU + 1), i % (LAST_CPU + 1));
			rest_ms(1);
			burn_ms(1);
		}
	}
	for (int i = 0; i < count; i++)
		waitpid(started[i], NULL, 0);
	end_all(name, count);
	const struct sched_param param = {0};
	if (syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param))
		fail("sched_setscheduler");
}

static void hotplug(void)
{
	static const char file[] = "/sys/devices/system/cpu/cpu2/online";

	for (int i = 0; i < 6; i++) {
		start_burner("c-hot", 1, 0);
		allow(started[i], 0, LAST_CPU);
	}
	for (int i = 0; i < 4; i++) {
		rest_ms(150);
		for (int k = 0; k < 2; k++)
			allow(started[k], LAST_CPU, LAST_CPU);
		rest_ms(20);
		for (int k = 0; k < 2; k++)
			allow(started[k], 0, LAST_CPU);
		if (!write_file(file, "0"))
			fail("offline");
		rest_ms(50);
		if (!write_file(file, "1"))
			fail("online");
	}
	end_all("c-hot", 4);
}

int main(void)
{
	static const struct deadline_attributes deadline = {
	    .size = 48, .policy = 6, .runtime = 6000000, .deadline = 10000000, .period = 12000000};

	setvbuf(stdout, NULL, _IOLBF, 0);
	prctl(PR_SET_NAME, "coordinator");
	allow(0, 0, 0);
	wake();
	fork_tasks();
	execute();
	let_go();
	push_running();
	move_oneself();
	move_others();
	change_cpuset();
	real_time("c-rt", 5, NULL);
	real_time("c-dl", 4, &deadline);
	hotplug();
	return 0;
}
