/* SPDX-License-Identifier: MIT
 *
 * Does scheduling whose figures are known beforehand, and prints them as lines of "NAME VALUE" for the test that
 * compares what the analyses say of the trace. Runs as root, with CPUs 0 and 1.
 *
 * ping, pong   real-time tasks of one priority on one CPU, which hand a byte to and fro: since neither preempts the
 *              other, each waits for each byte asleep, and is woken for it exactly once
 * burner       pinned to CPU 1; its CPU time is what the kernel's account says when it has ended
 * mover        pins itself to CPU 1, 0, 1, 0...: exactly one migration each time
 * rt-burner,   pinned to CPU 0; the first is real-time and never sleeps, so that the second only runs while the kernel
 * low-burner   keeps the first from running (throttling, or the fair server): inversions
 * exec-main,   a process whose first thread ends and whose second calls exec: it runs on as exec-leaf under the PID of
 * exec-leaf    the first, and no event shows the change */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 400
#define MOVES  20
#define EXECS  4

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		fail("clock_gettime");
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

static void become_real_time(int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	/* musl's own refuses, since the kernel's acts on a thread and not on a process. */
	if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &param))
		fail("sched_setscheduler");
}

/* A process of this name; true in it. */
static int start(const char *name, unsigned int cpu)
{
	int child = fork();

	if (child < 0)
		fail("fork");
	if (child)
		return 0;
	pin(cpu);
	prctl(PR_SET_NAME, name);
	return 1;
}

static void burn_until(uint64_t end_ns)
{
	while (now_ns(CLOCK_MONOTONIC) < end_ns)
		;
}

static void wait_for_all(void)
{
	int status;

	while (wait(&status) > 0)
		if (status)
			exit(1);
}

/* ping begins when pong sleeps: it cannot run before, on the same CPU with the same priority, once pong did. */
static void ping_pong(void)
{
	int to_pong[2], to_ping[2];
	char byte = 0;

	if (pipe(to_pong) || pipe(to_ping))
		fail("pipe");
	if (start("pong", 0)) {
		become_real_time(10);
		for (int i = 0; i < ROUNDS; i++)
			if (read(to_pong[0], &byte, 1) != 1 || write(to_ping[1], &byte, 1) != 1)
				fail("pong");
		_exit(0);
	}
	usleep(100000);
	if (start("ping", 0)) {
		become_real_time(10);
		for (int i = 0; i < ROUNDS; i++)
			if (write(to_pong[1], &byte, 1) != 1 || read(to_ping[0], &byte, 1) != 1)
				fail("ping");
		_exit(0);
	}
	wait_for_all();
	printf("rounds %d\n", ROUNDS);
}

/* CPU time of the children that have ended and were waited for. */
static uint64_t children_cpu_time_ns(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage))
		fail("getrusage");
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

static void burn(void)
{
	uint64_t before_ns = children_cpu_time_ns();

	if (start("burner", 1)) {
		burn_until(now_ns(CLOCK_MONOTONIC) + 300000000);
		_exit(0);
	}
	wait_for_all();
	printf("burner_cpu_time_ns %llu\n", (unsigned long long)(children_cpu_time_ns() - before_ns));
}

static void move(void)
{
	if (start("mover", 0)) {
		for (unsigned int i = 0; i < MOVES; i++) {
			pin((i + 1) % 2);
			burn_until(now_ns(CLOCK_MONOTONIC) + 2000000);
		}
		_exit(0);
	}
	wait_for_all();
	printf("moves %d\n", MOVES);
}

static void invert(void)
{
	uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + 3200000000u;

	if (start("low-burner", 0)) {
		burn_until(end_ns);
		_exit(0);
	}
	if (start("rt-burner", 0)) {
		become_real_time(50);
		burn_until(end_ns);
		_exit(0);
	}
	wait_for_all();
}

static void *call_exec(void *unused)
{
	usleep(5000); /* meanwhile the first thread ends */
	burn_until(now_ns(CLOCK_MONOTONIC) + 2000000);
	execl("/proc/thread-self/exe", "known_truth", "leaf", (char *)NULL);
	fail("exec");
	return unused;
}

static void exec_by_thread(void)
{
	for (int i = 0; i < EXECS; i++) {
		if (start("exec-main", 1)) {
			pthread_t thread;
			if (pthread_create(&thread, NULL, call_exec, NULL))
				fail("pthread_create");
			pthread_exit(NULL);
		}
		wait_for_all();
	}
	printf("execs %d\n", EXECS);
}

/* After the exec. */
static int leaf(void)
{
	prctl(PR_SET_NAME, "exec-leaf");
	burn_until(now_ns(CLOCK_MONOTONIC) + 5000000);
	return 0;
}

int main(int count, char **words)
{
	if (count > 1 && strcmp(words[1], "leaf") == 0)
		return leaf();
	setvbuf(stdout, NULL, _IOLBF, 0);
	pin(0); /* as all do that it starts, so that none has to move at first */
	ping_pong();
	burn();
	move();
	invert();
	exec_by_thread();
	return 0;
}
