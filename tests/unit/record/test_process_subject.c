/* SPDX-License-Identifier: MIT
 *
 * The threads of recorded processes: one that starts during set-up is followed, and the list that the session began
 * with is not used any more. On this machine's own tracefs, as root. */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/process_subject.h"
#include "support/unit.h"

static pid_t late_thread;

static void *wait_for_end(void *end)
{
	char byte;

	__atomic_store_n(&late_thread, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	assert_int_equal(read(*(const int *)end, &byte, 1), 0);
	return NULL;
}

static bool has_thread(const pid_t *threads, size_t count, pid_t thread)
{
	for (size_t i = 0; i < count; i++)
		if (threads[i] == thread)
			return true;
	return false;
}

TEST(test_a_thread_that_starts_during_set_up)
{
	struct capture_settings settings = {
	    .buffer_size_kb = 64, .clock = "mono", .cpu_count = (unsigned int)sysconf(_SC_NPROCESSORS_CONF)};
	struct option_list list = {.count = 1};
	struct process_subject processes;
	struct capture_session *session;
	struct buffer followed = {0};
	struct error err = {0};
	char own[32], late[32];
	pthread_t thread;
	int end[2];

	if (geteuid() != 0 || access("/sys/kernel/tracing/instances", W_OK) != 0)
		skip();
	snprintf(own, sizeof(own), "%ld", (long)getpid());
	list.items[0] = own;
	if (process_subject_open(&list, &processes, &err) != STATUS_OK)
		skip(); /* in a PID namespace */
	settings.pids = processes.subject.threads;
	settings.pid_count = processes.subject.thread_count;
	assert_int_equal(capture_open(&settings, &session, &err), STATUS_OK);
	assert_int_equal(pipe(end), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &end[0]), 0);
	while (!__atomic_load_n(&late_thread, __ATOMIC_ACQUIRE))
		usleep(1000);
	assert_int_equal(processes.subject.actions->prepare(&processes.subject, NULL, session, &err), STATUS_OK);
	assert_ptr_equal(processes.subject.threads, processes.threads);
	assert_int_equal(processes.subject.thread_count, processes.thread_count);
	assert_true(has_thread(processes.threads, processes.thread_count, late_thread));
	assert_int_equal(capture_start(session, &err), STATUS_OK);
	assert_true(capture_followed(session, &followed));
	buffer_text(&followed, " ");
	snprintf(late, sizeof(late), " %ld ", (long)late_thread);
	assert_non_null(strstr(followed.data, late));
	buffer_free(&followed);
	assert_int_equal(capture_stop(session, &err), STATUS_OK);
	assert_int_equal(capture_close(session, &err), STATUS_OK);
	process_subject_close(&processes);
	close(end[1]);
	pthread_join(thread, NULL);
	close(end[0]);
}
