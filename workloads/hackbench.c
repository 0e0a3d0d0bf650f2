/* SPDX-License-Identifier: MIT
 *
 * Like hackbench of rt-tests in process mode: in each group 20 senders each write `loops` messages of 100 bytes to
 * each of 20 receivers in turn; every receiver has one pipe or socket pair, to which all senders of its group write. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "workloads/rows.h"
#include "workloads/runner/task.h"

#define RECEIVERS     20
#define SENDERS       20
#define MESSAGE_BYTES 100

struct group {
	bool sockets;
	int read_end;                /* of the next receiver to be made */
	int write_ends[RECEIVERS];   /* of all receivers */
	unsigned int receivers_made; /* write_ends that are open */
};

static int send_message(int fd, const char *message)
{
	for (size_t done = 0; done < MESSAGE_BYTES;) {
		ssize_t written = write(fd, message + done, MESSAGE_BYTES - done);
		if (written < 0)
			return -1;
		done += (size_t)written;
	}
	return 0;
}

static int sender(struct workload_tasks *tasks, struct task *task, void *context)
{
	const struct group *group = context;
	char message[MESSAGE_BYTES];

	(void)task;
	memset(message, '-', sizeof(message));
	for (uint64_t loop = 0; loop < tasks->loops; loop++)
		for (unsigned int i = 0; i < RECEIVERS; i++)
			if (send_message(group->write_ends[i], message) < 0)
				return task_fail(tasks, errno, "a sender cannot write to receiver %u", i);
	return 0;
}

/* Returns 0, or -1; errno is 0 when the senders have exited. */
static int receive_message(int fd)
{
	char message[MESSAGE_BYTES];

	for (size_t done = 0; done < MESSAGE_BYTES;) {
		errno = 0;
		ssize_t got = read(fd, message + done, MESSAGE_BYTES - done);
		if (got <= 0)
			return -1;
		done += (size_t)got;
	}
	return 0;
}

static int receiver(struct workload_tasks *tasks, struct task *task, void *context)
{
	const struct group *group = context;
	uint64_t messages = SENDERS * tasks->loops;

	for (uint64_t i = 0; i < messages; i++) {
		if (receive_message(group->read_end) < 0)
			return task_fail(tasks, errno, "a receiver got only %llu of %llu messages",
					 (unsigned long long)i, (unsigned long long)messages);
		task->work = i + 1;
	}
	return 0;
}

static int make_receiver(struct workload_tasks *tasks, struct group *group)
{
	int ends[2];
	int made = group->sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends);

	if (made < 0)
		return task_fail(tasks, errno, "cannot make a %s", group->sockets ? "socket pair" : "pipe");
	group->read_end = ends[0];
	group->write_ends[group->receivers_made++] = ends[1];
	if (task_start_process(tasks, "hackbench-recv", receiver, group) < 0)
		return -1;
	close(ends[0]);
	return 0;
}

/* Receivers first, like the original hackbench: a sender needs the write ends of all receivers. */
static int make_group(struct workload_tasks *tasks)
{
	struct group group = {.sockets = tasks->workload->sockets};

	for (unsigned int i = 0; i < RECEIVERS; i++)
		if (make_receiver(tasks, &group) < 0)
			return -1;
	for (unsigned int i = 0; i < SENDERS; i++)
		if (task_start_process(tasks, "hackbench-send", sender, &group) < 0)
			return -1;
	for (unsigned int i = 0; i < RECEIVERS; i++)
		close(group.write_ends[i]);
	return 0;
}

static int run_hackbench(struct workload_tasks *tasks)
{
	for (unsigned int i = 0; i < tasks->workload->groups; i++)
		if (make_group(tasks) < 0)
			return -1;
	return tasks_release_and_collect(tasks);
}

#define HACKBENCH                                                                                                      \
	.category = "hackbench", .work_unit = "messages", .task_names = "hackbench-send hackbench-recv",               \
	.run = run_hackbench
#define PIPES   "short sleeps, many wakeups: wakeup preemption, placement, load balance"
#define SOCKETS "as with pipes; smaller buffers and more work in the kernel per message"

const struct workload hackbench_pipe_small = {
    .name = "hackbench_pipe_small",
    .description = "Hackbench: pipes, 4 groups, 3000 loops",
    .parameters = "groups=4 senders=20 receivers=20 bytes=100 loops=3000",
    .exercises = PIPES,
    .loops = 3000,
    .groups = 4,
    .tasks = 4 * (SENDERS + RECEIVERS),
    .small_scale = 0.06,
    HACKBENCH,
};
const struct workload hackbench_pipe_large = {
    .name = "hackbench_pipe_large",
    .description = "Hackbench: pipes, 8 groups, 5000 loops",
    .parameters = "groups=8 senders=20 receivers=20 bytes=100 loops=5000",
    .exercises = PIPES,
    .loops = 5000,
    .groups = 8,
    .tasks = 8 * (SENDERS + RECEIVERS),
    .small_scale = 0.025,
    HACKBENCH,
};
const struct workload hackbench_socket_small = {
    .name = "hackbench_socket_small",
    .description = "Hackbench: sockets, 4 groups, 3000 loops",
    .parameters = "groups=4 senders=20 receivers=20 bytes=100 loops=3000",
    .exercises = SOCKETS,
    .loops = 3000,
    .groups = 4,
    .tasks = 4 * (SENDERS + RECEIVERS),
    .small_scale = 0.02,
    .sockets = true,
    HACKBENCH,
};
const struct workload hackbench_socket_large = {
    .name = "hackbench_socket_large",
    .description = "Hackbench: sockets, 8 groups, 5000 loops",
    .parameters = "groups=8 senders=20 receivers=20 bytes=100 loops=5000",
    .exercises = SOCKETS,
    .loops = 5000,
    .groups = 8,
    .tasks = 8 * (SENDERS + RECEIVERS),
    .small_scale = 0.01,
    .sockets = true,
    HACKBENCH,
};
