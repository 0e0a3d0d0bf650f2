/* SPDX-License-Identifier: MIT */
#include "record/tracefs/readout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "record/tracefs/tracefs.h"

/* Open files in addition to three per readout and one per output file. */
enum { OTHER_FILES = 64 };

void readout_allow_files(unsigned int cpus)
{
	struct rlimit limit;
	rlim_t wanted = 4 * (rlim_t)cpus + OTHER_FILES;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	/* If the limit is still too low, opening a file fails later. */
	prlimit(0, RLIMIT_NOFILE, &limit, NULL);
}

enum status readout_open(struct readout *readout, const char *directory, unsigned int cpu, uint32_t page_size,
			 struct error *err)
{
	enum status status = STATUS_OK;

	*readout = (struct readout){.raw = -1, .ends = {-1, -1}, .page_size = page_size, .page = xmalloc(page_size)};
	snprintf(readout->path, sizeof(readout->path), "%s/per_cpu/cpu%u/trace_pipe_raw", directory, cpu);
	readout->raw = open(readout->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (readout->raw < 0)
		status = tracefs_refused(err, errno, readout->path, "reading from");
	else if (pipe2(readout->ends, O_CLOEXEC) < 0)
		status = error_system(err, errno, readout->path, "cannot make a pipe to read through");
	if (status != STATUS_OK) {
		readout_close(readout);
		return status;
	}
	/* A ring-buffer page takes one slot of the pipe, whatever its size. A smaller pipe is only slower. */
	int size = fcntl(readout->ends[1], F_SETPIPE_SZ, 1 << 20);
	if (size < 0)
		size = fcntl(readout->ends[1], F_GETPIPE_SZ);
	readout->batch = size > 0 ? (size_t)size : 65536;
	readout->batch -= readout->batch % page_size;
	if (readout->batch == 0)
		readout->batch = page_size;
	return STATUS_OK;
}

void readout_close(struct readout *readout)
{
	const int opened[] = {readout->raw, readout->ends[0], readout->ends[1]};

	for (size_t i = 0; readout->page && i < sizeof(opened) / sizeof(*opened); i++)
		if (opened[i] >= 0)
			close(opened[i]);
	free(readout->page);
	readout->page = NULL;
}

/* For file systems that do not support splice(). */
static enum status copy_from_pipe(struct readout *readout, size_t length, int fd, const char *path, uint64_t *moved,
				  struct error *err)
{
	while (length) {
		size_t want = length < readout->page_size ? length : readout->page_size;
		ssize_t got = read(readout->ends[0], readout->page, want);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_system(err, got < 0 ? errno : EIO, path, "cannot read the spliced data back");
		enum status status = file_write_all(fd, readout->page, (size_t)got, path, err);
		if (status != STATUS_OK)
			return status;
		length -= (size_t)got;
		*moved += (uint64_t)got;
	}
	return STATUS_OK;
}

static enum status pipe_to_file(struct readout *readout, size_t length, int fd, const char *path, uint64_t *moved,
				struct error *err)
{
	while (length) {
		ssize_t put = splice(readout->ends[0], NULL, fd, NULL, length, SPLICE_F_MOVE);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EINVAL)
			return copy_from_pipe(readout, length, fd, path, moved, err);
		if (put <= 0)
			return error_system(err, put < 0 ? errno : ENOSPC, path, "cannot write");
		length -= (size_t)put;
		*moved += (uint64_t)put;
	}
	return STATUS_OK;
}

enum status readout_full_pages(struct readout *readout, int fd, const char *path, uint64_t *moved, struct error *err)
{
	for (;;) {
		ssize_t got = splice(readout->raw, NULL, readout->ends[1], NULL, readout->batch, SPLICE_F_NONBLOCK);
		if (got < 0 && errno == EINTR)
			continue;
		/* No data, or only a page that is not full. ENODEV: a CPU that was never online has no buffer. */
		if (got == 0 || (got < 0 && (errno == EAGAIN || errno == ENODEV)))
			return STATUS_OK;
		if (got < 0)
			return tracefs_refused(err, errno, readout->path, "reading from");
		enum status status = pipe_to_file(readout, (size_t)got, fd, path, moved, err);
		if (status != STATUS_OK)
			return status;
	}
}

enum status readout_page(struct readout *readout, size_t *got, struct error *err)
{
	int empty_reads = 0;

	*got = 0;
	while (*got < readout->page_size) {
		ssize_t more = read(readout->raw, readout->page + *got, readout->page_size - *got);
		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0 && (errno == EAGAIN || errno == ENODEV))
			return STATUS_OK;
		if (more < 0)
			return tracefs_refused(err, errno, readout->path, "reading from");
		/* Since 6.12 a read can return 0 before the end; EAGAIN marks the end. */
		if (more == 0 && ++empty_reads == 16)
			return STATUS_OK;
		*got += (size_t)more;
	}
	return STATUS_OK;
}

enum status readout_last_page(struct readout *readout, int fd, const char *path, uint64_t *moved, struct error *err)
{
	size_t got;
	enum status status = readout_page(readout, &got, err);

	if (status != STATUS_OK || got == 0)
		return status;
	if (got != readout->page_size)
		return error_set(err, STATUS_UNSUPPORTED, readout->path, "read a page of %zu bytes instead of %u", got,
				 readout->page_size);
	status = file_write_all(fd, readout->page, got, path, err);
	if (status == STATUS_OK)
		*moved += got;
	return status;
}

enum status readout_rest(struct readout *readout, int fd, const char *path, uint64_t *moved, struct error *err)
{
	enum status status = readout_full_pages(readout, fd, path, moved, err);
	uint64_t before;

	do {
		before = *moved;
		if (status == STATUS_OK)
			status = readout_last_page(readout, fd, path, moved, err);
	} while (status == STATUS_OK && *moved > before);
	return status;
}
