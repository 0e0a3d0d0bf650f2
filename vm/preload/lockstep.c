/* SPDX-License-Identifier: MIT
 *
 * Preloaded into QEMU for a deterministic guest: its main thread runs only while the thread of the guest's CPUs sleeps.
 *
 * QEMU 10 runs the guest's timers from either thread, whichever comes first, and its main thread wakes up at each of
 * them. Where it comes while the CPUs' thread is between two turns, or has just seen the last CPU go idle but not yet
 * added up the instructions, CPUs are kicked that would not have been, or virtual time jumps from a stale value: once
 * in some ten seconds on a busy host. What the main thread is really needed for, skipping idle time, it does while the
 * other one sleeps. So it waits for that after each poll. The lock that both share is told by the order in which they
 * wait with it: QEMU's main thread waits with it for the CPUs' thread to come up, that thread for something to do.
 *
 * A guest that does not sleep cannot switch itself off, as that is the main thread's to do: the launcher ends it.
 *
 * Says "picknext: in step" on standard error once both are known, which vm/launch/launch.c looks for. */
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
static int cpus_known, cpus_sleep; /* atomic; the latter a futex */

static bool is_main(void)
{
	return syscall(SYS_gettid) == getpid();
}

static void futex(int operation, int value)
{
	syscall(SYS_futex, &cpus_sleep, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* The version is named because there is an older one of another layout, which dlsym() may give. */
static condition_wait *real_condition_wait(void)
{
	void *found = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	condition_wait *real;

	memcpy(&real, &found, sizeof(real));
	return real;
}

static void tell(void)
{
	static const char text[] = "picknext: in step\n";

	if (!__atomic_exchange_n(&cpus_known, 1, __ATOMIC_SEQ_CST) && write(2, text, sizeof(text) - 1) < 0)
		return; /* the launcher will say that it is missing */
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
	tell();
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
