/* SPDX-License-Identifier: MIT
 *
 * Tasks whose priorities change while others wait, for the test of inversions. Runs as root with CPUs 0 and 1, after
 * the kernel's limit on real-time tasks is off. Each part is done ROUNDS times and takes 60 ms or so:
 *
 *     pi-mid   waits on CPU 0 while pi-low runs there with the priority that it inherits from pi-high, which waits for
 *              its lock on CPU 1; none of this is an inversion, although pi-low's own priority is lower
 *     cut-mid  waits on CPU 0 while an urgent task burns there, and a task of the fair class, cut-low, burns on CPU 1,
 *              where cut-mid has been: an inversion, but not while cut-low has a higher priority, inherited from
 *              cut-high
 *     set-mid  the same, but set-low becomes a real-time task of its own in the middle of a slice: no event says when
 *     dl-task  a deadline task that wakes up while real-time tasks burn on both CPUs */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/guest_task.h"

enum { ROUNDS = 4, LOCK_PI = 6, UNLOCK_PI = 7 }; /* linux/futex.h, which musl lacks */

static atomic_uint *lock; /* shared with all children; a futex with priority inheritance */

/* By the kernel even if nobody has it, since it must know the owner. */
static void take_lock(void)
{
	if (syscall(SYS_futex, lock, LOCK_PI, 0, NULL, NULL, 0))
		fail("FUTEX_LOCK_PI");
}

static void release_lock(void)
{
	if (syscall(SYS_futex, lock, UNLOCK_PI, 0, NULL, NULL, 0))
		fail("FUTEX_UNLOCK_PI");
}

/* A process of this name that acts after delay_ms; true in it. */
static int start(const char *name, size_t cpu, int priority, long delay_ms)
{
	int child = fork();

	if (child < 0)
		fail("fork");
	if (child)
		return 0;
	prctl(PR_SET_NAME, name);
	allow(0, cpu, cpu);
	set_priority(priority);
	rest_ms(delay_ms);
	return 1;
}

static void wait_for_all(void)
{
	int status;

	while (wait(&status) > 0)
		if (status)
			exit(1);
}

static void inherit(void)
{
	if (start("pi-low", 0, 10, 20)) {
		take_lock();
		burn_ms(50);
		release_lock();
		_exit(0);
	}
	if (start("pi-high", 1, 30, 35)) {
		take_lock();
		release_lock();
		_exit(0);
	}
	if (start("pi-mid", 0, 20, 50)) {
		burn_ms(5);
		_exit(0);
	}
	wait_for_all();
}

/* cut-low has the lock from 20 ms to 80 ms, and inherits a priority from 40 ms on; cut-mid waits from 30 ms to 100. */
static void cut(void)
{
	if (start("cut-urgent", 0, 80, 25)) {
		burn_ms(75);
		_exit(0);
	}
	if (start("cut-low", 1, 0, 20)) {
		take_lock();
		burn_ms(60);
		release_lock();
		burn_ms(40);
		_exit(0);
	}
	if (start("cut-high", 1, 70, 40)) {
		take_lock();
		release_lock();
		_exit(0);
	}
	if (start("cut-mid", 1, 50, 5)) {
		allow(0, 0, 0);
		rest_ms(25);
		burn_ms(1);
		_exit(0);
	}
	wait_for_all();
}

static void set(void)
{
	if (start("set-urgent", 0, 80, 25)) {
		burn_ms(35);
		_exit(0);
	}
	if (start("set-low", 1, 0, 20)) {
		burn_ms(20);
		set_priority(60);
		burn_ms(30);
		_exit(0);
	}
	if (start("set-mid", 1, 50, 5)) {
		allow(0, 0, 0);
		rest_ms(25);
		burn_ms(1);
		_exit(0);
	}
	wait_for_all();
}

static void deadline(void)
{
	const struct deadline_attributes attributes = {
	    .size = 48, .policy = 6, .runtime = 10000000, .deadline = 30000000, .period = 30000000};
	int child = fork();

	if (child < 0)
		fail("fork");
	if (child == 0) {
		prctl(PR_SET_NAME, "dl-task");
		if (syscall(SYS_sched_setattr, 0, &attributes, 0))
			fail("sched_setattr");
		for (int i = 0; i < 3; i++) {
			burn_ms(3);
			rest_ms(5);
		}
		_exit(0);
	}
	for (size_t cpu = 0; cpu < 2; cpu++) {
		if (start("dl-burner", cpu, 40, 0)) {
			burn_ms(60);
			_exit(0);
		}
	}
	wait_for_all();
}

int main(void)
{
	lock = mmap(NULL, sizeof(*lock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (lock == MAP_FAILED)
		fail("mmap");
	for (int round = 0; round < ROUNDS; round++) {
		inherit();
		cut();
		set();
		deadline();
	}
	printf("priority_rounds %d\n", ROUNDS);
	return 0;
}
