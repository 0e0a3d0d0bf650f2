/* SPDX-License-Identifier: MIT */
#include "capture/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum { MOVE_SIZE = 1 << 20 };

/* A file without a name is gone when its owner is, however that ends. */
static int open_nameless(const char *directory)
{
	char path[600];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "%s/.spool-XXXXXX", directory);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static uint64_t monotonic_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static enum status open_part(struct spool *spool, const struct capture_session *session, unsigned int cpu,
			     uint32_t page_size, struct error *err)
{
	struct spool_part *part = &spool->parts[cpu];
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	if (!tracefs_has(capture_directory(session), file))
		return STATUS_OK;
	enum status status = readout_open(&part->readout, capture_directory(session), cpu, page_size, err);
	if (status != STATUS_OK)
		return status;
	part->fd = open_nameless(spool->directory);
	if (part->fd >= 0)
		return STATUS_OK;
	int reason = errno;
	readout_close(&part->readout);
	return error_system(err, reason, spool->directory, "cannot make a temporary file");
}

enum status spool_open(const struct capture_session *session, const char *directory, struct spool **result,
		       struct error *err)
{
	uint32_t page_size;
	enum status status = capture_page_size(session, &page_size, err);

	if (status != STATUS_OK)
		return status;
	struct spool *spool = calloc(1, sizeof(*spool));
	if (spool)
		spool->parts = calloc(capture_cpu_count(session), sizeof(*spool->parts));
	if (!spool || !spool->parts) {
		free(spool);
		return error_system(err, ENOMEM, directory, "cannot prepare to read the trace out");
	}
	spool->session = session;
	spool->drained_us = monotonic_us();
	spool->cpu_count = capture_cpu_count(session);
	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++)
		spool->parts[cpu].fd = -1;
	if (snprintf(spool->directory, sizeof(spool->directory), "%s", directory) >= (int)sizeof(spool->directory))
		status = error_set(err, STATUS_USAGE, directory, "path is too long");
	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++)
		status = open_part(spool, session, cpu, page_size, err);
	if (status != STATUS_OK)
		spool_close(spool);
	else
		*result = spool;
	return status;
}

/* The time since the last drain is taken by the monotonic clock, which goes as fast as every trace clock that counts
 * nanoseconds. */
static void note_losses(struct spool *spool, unsigned int cpu, const struct ring_stats *stats,
			uint64_t monotonic_now_us)
{
	struct spool_part *part = &spool->parts[cpu];
	uint64_t since_us = monotonic_now_us - spool->drained_us;

	if (stats->dropped_events <= part->refused)
		return;
	uint64_t after_us = stats->now_us > since_us ? stats->now_us - since_us : 0;
	loss_log_add(&spool->losses, cpu, stats->dropped_events - part->refused, after_us, stats->now_us);
	part->refused = stats->dropped_events;
}

enum status spool_drain(struct spool *spool, struct error *err)
{
	uint64_t began_us = monotonic_us();

	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++) {
		struct spool_part *part = &spool->parts[cpu];
		struct ring_stats stats;
		uint64_t before = part->bytes;
		if (part->fd < 0)
			continue;
		enum status status = readout_full_pages(&part->readout, part->fd, spool->directory, &part->bytes, err);
		if (status != STATUS_OK)
			return status;
		/* A buffer that was far from full has refused nothing: it is not asked. */
		if (part->bytes - before >= capture_buffer_size_kb(spool->session) * 1024 / 2 &&
		    capture_stats_now(spool->session, cpu, &stats))
			note_losses(spool, cpu, &stats, monotonic_us());
	}
	spool->drained_us = began_us;
	return STATUS_OK;
}

void spool_note_last_losses(struct spool *spool)
{
	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++)
		note_losses(spool, cpu, capture_stats(spool->session, cpu), monotonic_us());
}

enum status spool_take_rest(struct spool *spool, struct error *err)
{
	enum status status = STATUS_OK;

	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++) {
		struct spool_part *part = &spool->parts[cpu];
		if (part->fd >= 0)
			status = readout_rest(&part->readout, part->fd, spool->directory, &part->bytes, err);
	}
	return status;
}

enum status spool_move(struct spool *spool, unsigned int cpu, int fd, const char *path, uint64_t *moved,
		       struct error *err)
{
	struct spool_part *part = &spool->parts[cpu];
	char *bytes = malloc(MOVE_SIZE);
	enum status status = STATUS_OK;

	if (!bytes)
		return error_system(err, ENOMEM, path, "cannot write");
	/* A write that the disk cut short ends within a page: that page is left out. */
	part->bytes -= part->bytes % part->readout.page_size;
	for (uint64_t at = part->start; at < part->bytes && status == STATUS_OK;) {
		uint64_t left = part->bytes - at;
		ssize_t got = pread(part->fd, bytes, left < MOVE_SIZE ? (size_t)left : MOVE_SIZE, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			status = error_system(err, got < 0 ? errno : EIO, spool->directory, "cannot read back");
			break;
		}
		/* Not every file system can: then both take their space until the end. */
		(void)fallocate(part->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)got);
		status = file_write_all(fd, bytes, (size_t)got, path, err);
		if (status == STATUS_OK)
			*moved += (uint64_t)got;
		at += (uint64_t)got;
	}
	free(bytes);
	return status;
}

void spool_make_room(struct spool *spool, uint64_t length)
{
	struct spool_part *most = &spool->parts[0];

	for (unsigned int cpu = 1; cpu < spool->cpu_count; cpu++)
		if (spool->parts[cpu].bytes > most->bytes)
			most = &spool->parts[cpu];
	uint64_t kept = most->bytes > length ? most->bytes - length : 0;
	/* The caller finds out by writing whether it helped. */
	if (most->fd >= 0 && ftruncate(most->fd, (off_t)kept) == 0)
		most->bytes = kept;
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++) {
		if (spool->parts[cpu].fd < 0)
			continue;
		close(spool->parts[cpu].fd);
		readout_close(&spool->parts[cpu].readout);
	}
	loss_log_free(&spool->losses);
	free(spool->parts);
	free(spool);
}
