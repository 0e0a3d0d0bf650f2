/* SPDX-License-Identifier: MIT */
#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static _Thread_local const atomic_bool *followed;
static int ends[2] = {-1, -1};
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static bool under_nohup; /* started with SIGHUP ignored; child processes inherit it */

static void note_signal(int number)
{
	int saved = errno;

	if (!caught)
		caught = number;
	if (write(ends[1], "", 1) < 0)
		errno = 0; /* the pipe is full, so it is readable already */
	errno = saved;
}

void interrupt_catch(void)
{
	struct sigaction action = {.sa_handler = note_signal};

	if (ends[0] >= 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	sigemptyset(&action.sa_mask);
	struct sigaction before;
	under_nohup = sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
	sigset_t heard;
	sigemptyset(&heard);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaddset(&heard, signals[i]);
		if (signals[i] != SIGHUP || !under_nohup)
			sigaction(signals[i], &action, NULL);
	}
	/* The parent may have blocked them. */
	sigprocmask(SIG_UNBLOCK, &heard, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void interrupt_release(void)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signals[i] != SIGHUP || !under_nohup)
			signal(signals[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGQUIT, SIG_DFL); /* ignored in background jobs of a shell */
}

void interrupt_after_fork(void)
{
	close(ends[0]);
	close(ends[1]);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		ends[0] = ends[1] = -1;
	else if (caught && write(ends[1], "", 1) < 0)
		errno = 0;
}

int interrupt_signal(void)
{
	return caught;
}

int interrupt_fd(void)
{
	return ends[0];
}

static const char *name_of(int number)
{
	return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : number == SIGHUP ? "SIGHUP" : "a signal";
}

void interrupt_follow(const atomic_bool *is_over)
{
	followed = is_over;
}

enum status interrupt_check(struct error *err)
{
	if (!caught)
		return followed && *followed ? error_set(err, STATUS_INTERRUPTED, NULL, "another job has failed")
					     : STATUS_OK;
	error_set(err, STATUS_INTERRUPTED, NULL, "interrupted by %s", name_of(caught));
	if (err)
		err->errnum = caught;
	return STATUS_INTERRUPTED;
}

enum status interrupt_sleep(unsigned int milliseconds, struct error *err)
{
	struct pollfd wait = {.fd = ends[0], .events = POLLIN};

	poll(&wait, 1, (int)milliseconds);
	return interrupt_check(err);
}
