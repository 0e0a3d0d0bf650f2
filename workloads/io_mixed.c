/* SPDX-License-Identifier: MIT
 *
 * Two writers like `dd if=/dev/urandom bs=4K conv=fdatasync`, and two CPU burners.
 *
 * The dd of collect_traces.py writes 250 blocks per second of the run as fast as it can: it ends after a fraction of
 * the time and waits for the disk once, at its end. Here a writer writes the same number of blocks again and again
 * until the time is over, and calls fdatasync after every 8: its page cache writes then wait for the block device
 * (state D) throughout the traced window, and need no more space than collect_traces.py's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workloads/burn_cpu.h"
#include "workloads/rows.h"
#include "workloads/runner/task.h"

#define WRITERS           2
#define BURNERS           2
#define BLOCK_BYTES       4096
#define BLOCKS_PER_SYNC   8
#define BLOCKS_PER_SECOND 250 /* of the run: the size that is written to, not the speed */

struct writer {
	int random;         /* /dev/urandom */
	int fd;             /* its own file, or the block device that both writers share */
	uint64_t offset;    /* of its first block */
	uint64_t blocks;    /* written in order, then again from the first */
	const char *target; /* the scratch as the user named it */
};

static int write_block(struct workload_tasks *tasks, const struct writer *writer, uint64_t number)
{
	char block[BLOCK_BYTES];
	ssize_t length = read(writer->random, block, sizeof(block));

	if (length != (ssize_t)sizeof(block))
		return task_fail(tasks, length < 0 ? errno : EIO, "cannot read /dev/urandom");
	off_t offset = (off_t)(writer->offset + number * BLOCK_BYTES);
	for (size_t done = 0; done < sizeof(block);) {
		ssize_t written = pwrite(writer->fd, block + done, sizeof(block) - done, offset + (off_t)done);
		if (written < 0)
			return task_fail(tasks, errno, "cannot write to %s", writer->target);
		done += (size_t)written;
	}
	return 0;
}

static int write_blocks(struct workload_tasks *tasks, struct task *task, void *context)
{
	const struct writer *writer = context;

	for (uint64_t count = 0; task_goes_on(tasks, count); count++) {
		if (write_block(tasks, writer, count % writer->blocks) < 0)
			return -1;
		task->work += BLOCK_BYTES;
		if ((count + 1) % BLOCKS_PER_SYNC == 0 && fdatasync(writer->fd) < 0)
			return task_fail(tasks, errno, "cannot write to %s", writer->target);
	}
	return fdatasync(writer->fd) < 0 ? task_fail(tasks, errno, "cannot write to %s", writer->target) : 0;
}

/* With fixed work, a loop of a burner takes about as long as a block of a writer. */
static int burn(struct workload_tasks *tasks, struct task *task, void *context)
{
	uint64_t rounds; /* not work: this workload counts the bytes written */

	(void)task;
	(void)context;
	return burn_cpu(tasks, &rounds);
}

static uint64_t blocks_of_run(const struct workload_tasks *tasks)
{
	uint64_t blocks = BLOCKS_PER_SECOND * tasks->duration_ns / 1000000000u;

	return blocks < BLOCKS_PER_SYNC ? BLOCKS_PER_SYNC : blocks;
}

/* The file is unlinked before anything is written to it, so that nothing remains. */
static int open_in_directory(struct workload_tasks *tasks, struct writer *writer)
{
	char path[4096];
	int length = snprintf(path, sizeof(path), "%s/picknext-io-XXXXXX", writer->target);

	if (length < 0 || (size_t)length >= sizeof(path))
		return task_fail(tasks, ENAMETOOLONG, "%.100s...", writer->target);
	writer->fd = mkostemp(path, O_CLOEXEC);
	if (writer->fd < 0)
		return task_fail(tasks, errno, "cannot make a temporary file in %s", writer->target);
	unlink(path);
	return 0;
}

/* O_EXCL: the kernel refuses a device that is mounted or in use. */
static int open_device(struct workload_tasks *tasks, struct writer *writers)
{
	const char *target = tasks->scratch;
	int fd = open(target, O_WRONLY | O_EXCL | O_CLOEXEC);

	if (fd < 0)
		return task_fail(tasks, errno, "cannot write to %s", target);
	off_t bytes = lseek(fd, 0, SEEK_END);
	if (bytes < 0)
		return task_fail(tasks, errno, "cannot get the size of %s", target);
	uint64_t half = (uint64_t)bytes / BLOCK_BYTES / WRITERS;
	if (half < BLOCKS_PER_SYNC)
		return task_fail(tasks, ENOSPC, "%s has only %lld bytes, fewer than %d", target, (long long)bytes,
				 WRITERS * BLOCKS_PER_SYNC * BLOCK_BYTES);
	for (unsigned int i = 0; i < WRITERS; i++) {
		writers[i].fd = fd;
		writers[i].offset = i * half * BLOCK_BYTES;
		if (writers[i].blocks > half)
			writers[i].blocks = half;
	}
	return 0;
}

/* Waits until the kernel's generator is seeded. In a guest that has just booted it is not, and a first read in the
 * traced window would spend up to a second there on entropy. */
static int open_random(struct workload_tasks *tasks)
{
	char byte;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || (getrandom(&byte, 1, 0) < 0 && errno != ENOSYS))
		return task_fail(tasks, errno, "cannot read /dev/urandom");
	return fd;
}

static int open_scratch(struct workload_tasks *tasks, struct writer *writers)
{
	struct stat status;
	int random = open_random(tasks);

	if (random < 0)
		return -1;
	if (stat(tasks->scratch, &status) < 0)
		return task_fail(tasks, errno, "cannot write to %s", tasks->scratch);
	if (!S_ISDIR(status.st_mode) && !S_ISBLK(status.st_mode))
		return task_fail(tasks, ENOTBLK, "%s is neither a directory nor a block device", tasks->scratch);
	for (unsigned int i = 0; i < WRITERS; i++)
		writers[i] =
		    (struct writer){.random = random, .blocks = blocks_of_run(tasks), .target = tasks->scratch};
	if (S_ISBLK(status.st_mode))
		return open_device(tasks, writers);
	for (unsigned int i = 0; i < WRITERS; i++)
		if (open_in_directory(tasks, &writers[i]) < 0)
			return -1;
	return 0;
}

static int run_io_mixed(struct workload_tasks *tasks)
{
	struct writer writers[WRITERS];

	if (open_scratch(tasks, writers) < 0)
		return -1;
	for (unsigned int i = 0; i < WRITERS; i++)
		if (task_start_process(tasks, "io-writer", write_blocks, &writers[i]) < 0)
			return -1;
	for (unsigned int i = 0; i < BURNERS; i++)
		if (task_start_process(tasks, "io-burner", burn, NULL) < 0)
			return -1;
	return tasks_release_and_collect(tasks);
}

const struct workload io_mixed = {
    .name = "io_mixed",
    .category = "io_mixed",
    .description = "Mixed I/O + CPU, 10s",
    .parameters = "writers=2 burners=2 seconds=10 block=4KiB blocks-per-fdatasync=8",
    .exercises = "tasks that wait for a block device (state D) beside tasks that never sleep",
    .work_unit = "bytes",
    .task_names = "io-writer io-burner",
    .duration_s = 10,
    .tasks = WRITERS + BURNERS,
    .loops_per_s = 1800,
    .small_scale = 0.03,
    .needs_scratch = true,
    .run = run_io_mixed,
};
