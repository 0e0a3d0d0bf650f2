/* SPDX-License-Identifier: MIT
 *
 * move_tasks: migrations whose cause is known. As "mover" on the last CPU it
 * - moves the running task "pinned" between CPUs 0 and 1 by its affinity, MOVES times;
 * - is "itself", which moves so by its own affinity, MOVES times;
 * - holds six tasks "burner" on CPU 0 and lets them go;
 * - lets five real-time tasks "urgent" that sleep now and then go from CPU 0;
 * - forks and executes "true" EXECS times from each of four tasks "execer";
 * - forks "true" EXECS times while CPUs are idle, and executes it on the CPU of a task "hog".
 * At the end it prints what it did. */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOVES = 40, EXECS = 30, BURNERS = 6, URGENT = 5, EXECERS = 4 };

static void allow(pid_t pid, int first, int last)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu = first; cpu <= last; cpu++)
		CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set) != 0) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static void rest(long milliseconds)
{
	const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static void burn_ms(long milliseconds)
{
	struct timespec now;
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < milliseconds);
}

/* A child on CPU 0 that burns, and sleeps where pause_ms is not 0; it has its name once it is there. */
static pid_t start(const char *name, int priority, long pause_ms)
{
	int ends[2];
	char byte = 0;

	if (pipe(ends) != 0)
		exit(1);
	pid_t pid = fork();
	if (pid == 0) {
		const struct sched_param urgency = {.sched_priority = priority};
		allow(0, 0, 0);
		if (priority && syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &urgency) != 0)
			exit(1);
		prctl(PR_SET_NAME, name);
		if (write(ends[1], &byte, 1) != 1)
			exit(1);
		for (;;) {
			burn_ms(2);
			if (pause_ms)
				rest(pause_ms);
		}
	}
	close(ends[1]);
	bool is_there = pid > 0 && read(ends[0], &byte, 1) == 1;
	close(ends[0]);
	if (!is_there)
		fprintf(stderr, "move_tasks: the kernel refuses %s\n", name);
	if (!is_there && !priority)
		exit(1);
	return pid;
}

static void end(const pid_t *pids, int count)
{
	for (int i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
	for (int i = 0; i < count; i++)
		waitpid(pids[i], NULL, 0);
}

static void move_another(void)
{
	pid_t pid = start("pinned", 0, 0);

	rest(20);
	for (int i = 1; i <= MOVES; i++) {
		allow(pid, i % 2, i % 2);
		rest(3);
	}
	end(&pid, 1);
}

static void move_oneself(int last_cpu)
{
	allow(0, 0, 0);
	prctl(PR_SET_NAME, "itself");
	for (int i = 1; i <= MOVES; i++)
		allow(0, i % 2, i % 2);
	prctl(PR_SET_NAME, "mover");
	allow(0, last_cpu, last_cpu);
}

static void let_go(const char *name, int count, int priority, long pause_ms, int last_cpu)
{
	pid_t pids[BURNERS];

	for (int i = 0; i < count; i++)
		pids[i] = start(name, priority ? priority + i : 0, pause_ms);
	/* Real time may be forbidden where a machine is shared. */
	if (priority && waitpid(pids[0], NULL, WNOHANG) != 0)
		return;
	for (int i = 0; i < count; i++)
		allow(pids[i], 0, last_cpu);
	rest(800);
	end(pids, count);
}

static void execute(int last_cpu)
{
	pid_t pids[EXECERS];

	allow(0, 0, last_cpu);
	for (int i = 0; i < EXECERS; i++) {
		pids[i] = fork();
		if (pids[i] != 0)
			continue;
		prctl(PR_SET_NAME, "execer");
		for (int k = 0; k < EXECS; k++) {
			pid_t child = fork();
			if (child == 0)
				execl("/bin/true", "true", (char *)NULL);
			waitpid(child, NULL, 0);
		}
		_exit(0);
	}
	for (int i = 0; i < EXECERS; i++)
		waitpid(pids[i], NULL, 0);
}

/* However busy the host is: a child is placed on an idle CPU, since its parent runs; then it executes on the hog's CPU,
 * while others are idle. */
static void execute_beside_hog(int last_cpu)
{
	pid_t hog = start("hog", 0, 0);

	for (int k = 0; k < EXECS; k++) {
		pid_t child = fork();
		if (child == 0) {
			allow(0, 0, 0);
			allow(0, 0, last_cpu);
			execl("/bin/true", "true", (char *)NULL);
		}
		waitpid(child, NULL, 0);
	}
	end(&hog, 1);
}

int main(void)
{
	int last_cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;

	prctl(PR_SET_NAME, "mover");
	allow(0, last_cpu, last_cpu);
	move_another();
	move_oneself(last_cpu);
	let_go("burner", BURNERS, 0, 0, last_cpu);
	let_go("urgent", URGENT, 10, 3, last_cpu);
	execute(last_cpu);
	execute_beside_hog(last_cpu);
	printf("moved pinned %d itself %d\n", MOVES, MOVES);
	return 0;
}
