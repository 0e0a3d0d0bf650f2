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
	enum status status = STATUS_OK;
	struct spool *spool = calloc(1, sizeof(*spool));

	if (spool)
		spool->parts = calloc(capture_cpu_count(session), sizeof(*spool->parts));
	if (!spool || !spool->parts) {
		free(spool);
		return error_system(err, ENOMEM, directory, "cannot prepare to read the trace out");
	}
	spool->session = session;
	spool->cpu_count = capture_cpu_count(session);
	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++)
		spool->parts[cpu].fd = -1;
	if (snprintf(spool->directory, sizeof(spool->directory), "%s", directory) >= (int)sizeof(spool->directory))
		status = error_set(err, STATUS_USAGE, directory, "path is too long");
	readout_allow_files(spool->cpu_count);
	if (status == STATUS_OK)
		status = page_file_open(session, &spool->pages, err);
	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++)
		status = open_part(spool, session, cpu, spool->pages.page_size, err);
	if (status != STATUS_OK)
		spool_close(spool);
	else
		*result = spool;
	return status;
}

/* --- What was refused --- */

/* Pages behind one another in a file. */
struct pages {
	int fd;
	const char *path;
	uint64_t offset, count;
};

/* Before the page at index. */
static enum status read_border(const struct spool *spool, const struct pages *pages, uint64_t index,
			       struct page_border *border, struct error *err)
{
	const struct page_file *file = &spool->pages;
	struct ring_page page;
	struct ring_record record;
	enum status status;

	*border = (struct page_border){0};
	if (index == 0 || index > pages->count)
		return STATUS_OK;
	status =
	    page_file_read(file, pages->fd, pages->path, pages->offset + (index - 1) * file->page_size, &page, err);
	while (status == STATUS_OK) {
		border->end_ns = page.ts;
		status = ring_page_next(&page, &record, err);
	}
	if (status != STATUS_END || index == pages->count)
		return status == STATUS_END ? STATUS_OK : status;
	status = page_file_read(file, pages->fd, pages->path, pages->offset + index * file->page_size, &page, err);
	border->begin_ns = page.ts;
	return status;
}

/* Ends a refusal whose page is there, and any at the end of the recording. */
static enum status settle(struct spool *spool, struct spool_part *part, const struct pages *pages, bool is_end,
			  struct error *err)
{
	struct refusal *refusal = &part->refusal;
	struct page_border borders[2];
	enum status status = STATUS_OK;

	if (!refusal->place.events)
		return STATUS_OK;
	for (unsigned int i = 0; i < 2 && status == STATUS_OK; i++)
		status = read_border(spool, pages, refusal->first + i, &borders[i], err);
	if (status != STATUS_OK)
		return status;
	unsigned int chosen = refusal_page(refusal, borders, is_end);
	bool has_page = borders[chosen].begin_ns != 0;
	if (!has_page && !is_end)
		return STATUS_OK;
	struct loss_place place = refusal->place;
	place.after_ns = borders[chosen].end_ns ? borders[chosen].end_ns : refusal->least_ns;
	if (has_page && !refusal->again)
		place.before_ns = borders[chosen].begin_ns;
	loss_log_add(&spool->losses, &place);
	refusal->place.events = 0;
	if (!has_page)
		return STATUS_OK;
	uint64_t offset = pages->offset + (refusal->first + chosen) * spool->pages.page_size;
	part->marked += place.events;
	return page_file_mark(&spool->pages, pages->fd, pages->path, offset, place.events, err);
}

/* A full buffer goes on refusing until its first page is taken: the last page that it holds then was begun before, the
 * next one afterwards. From the page that was being filled when the last drain ended to that next one there are as
 * many as the buffer has, or one more where the reader held that page. CLOCK_MONOTONIC goes as fast as every trace
 * clock that counts nanoseconds; for others only the number is known. */
static void note_refused(struct spool *spool, unsigned int cpu, uint64_t pages_before, uint64_t started_us)
{
	struct spool_part *part = &spool->parts[cpu];
	struct ring_stats stats;
	uint64_t asked_us = monotonic_us();

	if (!capture_stats_now(spool->session, cpu, &stats) || stats.dropped_events <= part->refused)
		return;
	uint64_t room = spool->pages.page_size - spool->pages.layout.data_offset;
	uint64_t capacity = (capture_buffer_size_kb(spool->session) * 1024 + room - 1) / room;
	uint64_t least_us = monotonic_us() - started_us;
	uint64_t most_us = asked_us - started_us;
	struct refusal refusal = {
	    .place = {.cpu = cpu, .events = stats.dropped_events - part->refused, .before_ns = stats.now_us * 1000},
	    .first = pages_before + capacity,
	    .again = part->bytes / spool->pages.page_size >= pages_before + 2 * capacity,
	};
	part->refused = stats.dropped_events;
	if (stats.now_us <= least_us + 1) {
		loss_log_add(&spool->losses, &refusal.place);
		return;
	}
	/* Each of the times may be up to a microsecond more. */
	refusal.least_ns = (stats.now_us - least_us - 1) * 1000;
	refusal.most_ns = (stats.now_us + 2 - most_us) * 1000;
	part->refusal = refusal;
}

static enum status drain_cpu(struct spool *spool, unsigned int cpu, struct error *err)
{
	struct spool_part *part = &spool->parts[cpu];
	uint64_t started_us = monotonic_us();
	uint64_t before = part->bytes;
	enum status status = readout_full_pages(&part->readout, part->fd, spool->directory, &part->bytes, err);
	const struct pages pages = {part->fd, spool->directory, 0, part->bytes / spool->pages.page_size};

	/* What the pipe still holds would come behind a part of a page. */
	part->ended = status != STATUS_OK;
	if (status == STATUS_OK)
		status = settle(spool, part, &pages, false, err);
	if (part->bytes - before > capture_buffer_size_kb(spool->session) * 1024 / 8)
		precedence_take(&spool->precedence);
	/* A buffer that was far from full has refused nothing: it is not asked. */
	if (status != STATUS_OK || part->bytes - before < capture_buffer_size_kb(spool->session) * 1024 / 2)
		return status;
	note_refused(spool, cpu, before / spool->pages.page_size, started_us);
	return settle(spool, part, &pages, false, err);
}

enum status spool_drain(struct spool *spool, struct error *err)
{
	enum status status = STATUS_OK;

	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++)
		if (spool->parts[cpu].fd >= 0)
			status = drain_cpu(spool, cpu, err);
	return status;
}

enum status spool_settle(struct spool *spool, unsigned int cpu, int fd, const char *path, uint64_t offset,
			 uint64_t count, struct error *err)
{
	const struct pages pages = {fd, path, offset, count};

	return settle(spool, &spool->parts[cpu], &pages, true, err);
}

enum status spool_take_rest(struct spool *spool, struct error *err)
{
	enum status status = STATUS_OK;

	precedence_return(&spool->precedence);
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
	if (most->fd < 0 || ftruncate(most->fd, (off_t)kept) < 0)
		return;
	most->bytes = kept;
	most->ended = true;
}

void spool_close(struct spool *spool)
{
	if (!spool)
		return;
	precedence_return(&spool->precedence);
	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++) {
		if (spool->parts[cpu].fd < 0)
			continue;
		close(spool->parts[cpu].fd);
		readout_close(&spool->parts[cpu].readout);
	}
	loss_log_free(&spool->losses);
	page_file_close(&spool->pages);
	free(spool->parts);
	free(spool);
}
