/* SPDX-License-Identifier: MIT */
#include "record/tracefs/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

enum { MOVE_SIZE = 1 << 20 };

/* --- Priority --- */

/* If the kernel refuses, the thread keeps its policy. Uses system calls, because musl's functions only return
 * ENOSYS. */
static void drain_priority_raise(struct drain_priority *priority)
{
	const struct sched_param lowest = {.sched_priority = 1};

	if (priority->is_raised || priority->was_refused)
		return;
	priority->policy = (int)syscall(SYS_sched_getscheduler, 0);
	priority->is_raised = priority->policy >= 0 && priority->policy != SCHED_RR && priority->policy != SCHED_FIFO &&
			      syscall(SYS_sched_getparam, 0, &priority->param) == 0 &&
			      syscall(SYS_sched_setscheduler, 0, SCHED_RR, &lowest) == 0;
	priority->was_refused = !priority->is_raised;
	priority->was_used |= priority->is_raised;
}

static void drain_priority_restore(struct drain_priority *priority)
{
	if (priority->is_raised)
		syscall(SYS_sched_setscheduler, 0, priority->policy, &priority->param);
	priority->is_raised = false;
}

/* --- Files --- */

static enum status open_part(struct spool *spool, const struct capture_session *session, unsigned int cpu,
			     struct error *err)
{
	struct spool_part *part = &spool->parts[cpu];
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	if (!tracefs_has(session->directory, file))
		return STATUS_OK;
	enum status status = readout_open(&part->readout, session->directory, cpu, session->page_size, err);
	if (status != STATUS_OK)
		return status;
	part->checked_us = clock_ns(CLOCK_MONOTONIC) / 1000;
	part->fd = file_open_nameless(spool->directory);
	return part->fd >= 0 ? STATUS_OK : error_system(err, errno, spool->directory, "cannot make a temporary file");
}

enum status spool_open(const struct capture_session *session, const char *directory, struct spool **result,
		       struct error *err)
{
	enum status status = STATUS_OK;
	struct spool *spool = xcalloc(1, sizeof(*spool));

	spool->parts = xcalloc(session->settings.cpu_count, sizeof(*spool->parts));
	spool->session = session;
	spool->cpu_count = session->settings.cpu_count;
	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++)
		spool->parts[cpu].fd = -1;
	if (snprintf(spool->directory, sizeof(spool->directory), "%s", directory) >= (int)sizeof(spool->directory))
		status = error_set(err, STATUS_USAGE, directory, "path is too long");
	readout_allow_files(spool->cpu_count);
	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++)
		status = open_part(spool, session, cpu, err);
	if (status != STATUS_OK)
		spool_close(spool);
	else
		*result = spool;
	return status;
}

/* A full buffer drops events until the next drain reads its first page: the loss is after the previous read of the
 * counter and before this one. CLOCK_MONOTONIC runs as fast as every trace clock that counts nanoseconds. */
static void note_dropped(struct spool *spool, unsigned int cpu)
{
	struct spool_part *part = &spool->parts[cpu];
	struct ring_stats stats;
	uint64_t asked_us = clock_ns(CLOCK_MONOTONIC) / 1000;

	if (!capture_stats_now(spool->session, cpu, &stats))
		return;
	struct loss place = {.cpu = cpu, .events = stats.dropped_events - part->dropped};
	/* Each of these times is truncated to a microsecond. */
	uint64_t age_us = clock_ns(CLOCK_MONOTONIC) / 1000 + 1 - part->checked_us;
	if (stats.now_us > age_us) {
		place.after_ns = (stats.now_us - age_us) * 1000;
		place.before_ns = (stats.now_us + 1) * 1000;
		if (place.after_ns < part->lost_ns)
			place.after_ns = part->lost_ns;
	}
	part->checked_us = asked_us;
	if (stats.dropped_events <= part->dropped)
		return;
	part->dropped = stats.dropped_events;
	part->lost_ns = place.before_ns;
	losses_add_place(&spool->losses, &place);
}

static enum status drain_cpu(struct spool *spool, unsigned int cpu, struct error *err)
{
	struct spool_part *part = &spool->parts[cpu];
	uint64_t buffer_size = spool->session->settings.buffer_size_kb * 1024;
	uint64_t started_us = clock_ns(CLOCK_MONOTONIC) / 1000;
	uint64_t before = part->bytes;
	enum status status = readout_full_pages(&part->readout, part->fd, spool->directory, &part->bytes, err);

	if (status == STATUS_OK && spool->takes_partial)
		status = readout_last_page(&part->readout, part->fd, spool->directory, &part->bytes, err);
	/* Data left in the pipe would follow a partial page. */
	part->ended = status != STATUS_OK;
	if (part->bytes - before > buffer_size / 8)
		drain_priority_raise(&spool->priority);
	/* A buffer that was less than half full has dropped no events, so its counter is not read. */
	if (status == STATUS_OK && part->bytes - before >= buffer_size / 2)
		note_dropped(spool, cpu);
	else
		part->checked_us = started_us;
	return status;
}

enum status spool_drain(struct spool *spool, struct error *err)
{
	enum status status = STATUS_OK;

	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++)
		if (spool->parts[cpu].fd >= 0)
			status = drain_cpu(spool, cpu, err);
	return status;
}

enum status spool_take_rest(struct spool *spool, struct error *err)
{
	enum status status = STATUS_OK;

	drain_priority_restore(&spool->priority);
	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++) {
		struct spool_part *part = &spool->parts[cpu];
		if (part->fd < 0)
			continue;
		status = readout_rest(&part->readout, part->fd, spool->directory, &part->bytes, err);
		part->ended = status != STATUS_OK;
	}
	return status;
}

enum status spool_move(struct spool *spool, unsigned int cpu, int fd, const char *path, uint64_t *moved,
		       struct error *err)
{
	struct spool_part *part = &spool->parts[cpu];
	char *bytes = xmalloc(MOVE_SIZE);
	enum status status = STATUS_OK;

	/* A write that a full disk cut short ends within a page: that page is discarded. */
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
		/* Best effort: without it both copies use disk space until the end. */
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
	struct spool_part *max = &spool->parts[0];

	for (unsigned int cpu = 1; cpu < spool->cpu_count; cpu++)
		if (spool->parts[cpu].bytes > max->bytes)
			max = &spool->parts[cpu];
	uint64_t kept = max->bytes > length ? max->bytes - length : 0;
	/* If this does not help, the next write fails. */
	if (max->fd < 0 || ftruncate(max->fd, (off_t)kept) < 0)
		return;
	max->bytes = kept;
	max->ended = true;
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	drain_priority_restore(&spool->priority);
	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++) {
		if (spool->parts[cpu].fd >= 0)
			close(spool->parts[cpu].fd);
		readout_close(&spool->parts[cpu].readout);
	}
	losses_free(&spool->losses);
	free(spool->parts);
	free(spool);
}
