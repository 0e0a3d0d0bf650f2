/* SPDX-License-Identifier: MIT */
#include "record/tracefs/flight.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "trace/format/ring_page.h"

/* Reads spooled pages back. */
struct cutting {
	struct spool *spool;
	uint8_t *bytes; /* of the last page read */
};

static enum status open_page(const struct cutting *cutting, const struct spool_part *part, uint64_t offset,
			     struct ring_page *page, struct error *err)
{
	const struct capture_session *session = cutting->spool->session;
	ssize_t got = pread(part->fd, cutting->bytes, session->page_size, (off_t)offset);

	if (got != (ssize_t)session->page_size)
		return error_system(err, got < 0 ? errno : EIO, cutting->spool->directory, "cannot read back");
	return ring_page_open(&session->layout, cutting->bytes, session->page_size, session->page_size, page, err);
}

/* *start_ns: from this time on, every CPU that overwrote events is complete (the latest of their first pages); 0 for a
 * spool that was drained, whose gaps may be anywhere.
 * *earliest_ns: time of the first page of all CPUs. */
static enum status find_complete(const struct cutting *cutting, uint64_t *start_ns, int *cpu, uint64_t *earliest_ns,
				 struct error *err)
{
	const struct spool *spool = cutting->spool;
	enum status status = STATUS_OK;

	*start_ns = 0;
	*cpu = -1;
	*earliest_ns = UINT64_MAX;
	for (unsigned int i = 0; i < spool->cpu_count && status == STATUS_OK; i++) {
		const struct spool_part *part = &spool->parts[i];
		struct ring_page page;
		if (part->fd < 0 || part->bytes == part->start)
			continue;
		status = open_page(cutting, part, part->start, &page, err);
		if (status == STATUS_OK && page.ts < *earliest_ns)
			*earliest_ns = page.ts;
		if (status != STATUS_OK || spool->takes_partial || page.ts <= *start_ns ||
		    spool->session->stats[i].overrun == 0)
			continue;
		*start_ns = page.ts;
		*cpu = (int)i;
	}
	return status;
}

/* Binary search: page times increase. Keeps the last page that begins at or before start_ns, because its later
 * events may be in the range. */
static enum status cut_part(const struct cutting *cutting, struct spool_part *part, uint64_t start_ns,
			    struct error *err)
{
	uint32_t size = part->readout.page_size;
	uint64_t first = part->start / size;
	uint64_t end = part->bytes / size;

	while (end - first > 1) {
		struct ring_page page;
		uint64_t middle = first + (end - first) / 2;
		enum status status = open_page(cutting, part, middle * size, &page, err);
		if (status != STATUS_OK)
			return status;
		if (page.ts <= start_ns)
			first = middle;
		else
			end = middle;
	}
	part->start = first * size;
	return STATUS_OK;
}

/* Overwritten events precede the range: its first page must not report them as lost, unless it begins in the range. */
static enum status clear_missed(const struct cutting *cutting, const struct spool_part *part, uint64_t start_ns,
				struct error *err)
{
	uint32_t size = cutting->spool->session->page_size;
	struct ring_page page;
	enum status status = part->bytes > part->start ? open_page(cutting, part, part->start, &page, err) : STATUS_END;

	if (status != STATUS_OK || !page.events_missed || page.ts > start_ns)
		return status == STATUS_END ? STATUS_OK : status;
	ring_page_clear_missed(&page, cutting->bytes);
	if (pwrite(part->fd, cutting->bytes, size, (off_t)part->start) != (ssize_t)size)
		return error_system(err, errno, cutting->spool->directory, "cannot write");
	return STATUS_OK;
}

static uint64_t latest_ns(const struct spool *spool)
{
	uint64_t latest_us = 0;

	for (unsigned int cpu = 0; cpu < spool->cpu_count; cpu++) {
		uint64_t now_us = spool->session->stats[cpu].now_us;
		latest_us = now_us > latest_us ? now_us : latest_us;
	}
	return latest_us * 1000;
}

enum status flight_cut(struct spool *spool, double seconds, uint64_t moment_ns, struct flight *flight,
		       struct error *err)
{
	struct cutting cutting = {.spool = spool, .bytes = xmalloc(spool->session->page_size)};
	uint64_t wanted_ns = (uint64_t)(seconds * 1e9);
	uint64_t complete_ns;
	uint64_t earliest_ns;

	*flight = (struct flight){.end_ns = latest_ns(spool), .short_cpu = -1};
	enum status status = find_complete(&cutting, &complete_ns, &flight->short_cpu, &earliest_ns, err);
	if (status == STATUS_OK) {
		if (!moment_ns)
			moment_ns = flight->end_ns;
		flight->start_ns = moment_ns > wanted_ns ? moment_ns - wanted_ns : 0;
		if (flight->start_ns < complete_ns)
			flight->start_ns = complete_ns;
		else
			flight->short_cpu = -1;
		/* A recording shorter than the requested range begins with its first event. */
		if (earliest_ns <= flight->end_ns && flight->start_ns < earliest_ns)
			flight->start_ns = earliest_ns;
	}
	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++) {
		struct spool_part *part = &spool->parts[cpu];
		if (part->fd < 0)
			continue;
		if (flight->end_ns)
			status = cut_part(&cutting, part, flight->start_ns, err);
		if (status == STATUS_OK && flight->end_ns)
			status = clear_missed(&cutting, part, flight->start_ns, err);
	}
	free(cutting.bytes);
	return status;
}

enum status flight_forget(struct spool *spool, uint64_t before_ns, struct error *err)
{
	struct cutting cutting = {.spool = spool, .bytes = xmalloc(spool->session->page_size)};
	enum status status = STATUS_OK;

	for (unsigned int cpu = 0; cpu < spool->cpu_count && status == STATUS_OK; cpu++) {
		struct spool_part *part = &spool->parts[cpu];
		const uint64_t start = part->start;
		if (part->fd >= 0 && part->bytes > start)
			status = cut_part(&cutting, part, before_ns, err);
		/* Best effort: without it the pages use disk space until the end. */
		if (part->start > start)
			(void)fallocate(part->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start,
					(off_t)(part->start - start));
	}
	free(cutting.bytes);
	return status;
}
