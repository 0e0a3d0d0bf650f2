/* SPDX-License-Identifier: MIT
 *
 * Preloaded into QEMU for a deterministic guest: the main thread runs only while the thread of the guest's CPUs sleeps.
 *
 * QEMU 10 runs the guest's timers in either thread, and its main thread wakes up for each of them. If that happens
 * while the CPUs' thread is between two turns, or has seen the last CPU go idle but not yet counted its instructions,
 * the main thread kicks CPUs unnecessarily, or virtual time jumps from a stale value: about once in ten seconds on a
 * busy host. The main thread is needed only to skip idle time, while the CPUs' thread sleeps. Therefore it waits for
 * that after each poll. The lock that both threads share is identified by the order of pthread_cond_wait(): first the
 * main thread waits with it for the start of the CPUs' thread, then the CPUs' thread waits with it for work.
 *
 * A guest that never sleeps cannot power off, since the main thread does that: the launcher ends it.
 *
 * Prints "picknext: in step" to standard error once both threads are known; vm/launch/guest_end.c checks for it. */
#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int condition_wait(pthread_cond_t *, pthread_mutex_t *);
typedef int descriptor_wait(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

static pthread_mutex_t *big_lock;
static int cpus_known, cpus_sleep; /* atomic; the second one is a futex */

static bool is_main(void)
{
	return syscall(SYS_gettid) == getpid();
}

static void futex(int operation, int value)
{
	syscall(SYS_futex, &cpus_sleep, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Names the version, since dlsym() may return an older one with another layout: that of x86-64, else that of arm64. */
static condition_wait *real_condition_wait(void)
{
	void *found = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	condition_wait *real;

	if (!found)
		found = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.17");
	memcpy(&real, &found, sizeof(real));
	return real;
}

static void report_in_step(void)
{
	static const char text[] = "picknext: in step\n";

	if (!__atomic_exchange_n(&cpus_known, 1, __ATOMIC_SEQ_CST) && write(2, text, sizeof(text) - 1) < 0)
		return; /* the launcher reports that it is missing */
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	static condition_wait *real;

	if (!real)
		real = real_condition_wait();
	if (is_main()) {
		if (!big_lock)
			big_lock = mutex;
		return real(condition, mutex);
	}
	if (mutex != big_lock)
		return real(condition, mutex);
	report_in_step();
	__atomic_store_n(&cpus_sleep, 1, __ATOMIC_SEQ_CST);
	futex(FUTEX_WAKE, INT_MAX);
	int result = real(condition, mutex);
	__atomic_store_n(&cpus_sleep, 0, __ATOMIC_SEQ_CST);
	return result;
}

int ppoll(struct pollfd *list, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	static descriptor_wait *real;

	if (!real) {
		void *found = dlsym(RTLD_NEXT, "ppoll");
		memcpy(&real, &found, sizeof(real));
	}
	int result = real(list, count, timeout, mask);
	while (is_main() && __atomic_load_n(&cpus_known, __ATOMIC_SEQ_CST) &&
	       !__atomic_load_n(&cpus_sleep, __ATOMIC_SEQ_CST))
		futex(FUTEX_WAIT, 0);
	return result;
}
