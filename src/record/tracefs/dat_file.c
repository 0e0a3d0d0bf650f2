/* SPDX-License-Identifier: MIT */
#include "record/tracefs/dat_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/output_file.h"
#include "record/tracefs/dat_header.h"
#include "record/tracefs/readout.h"

/* Max growth of one CPU's statistics during its readout: a few digits, and the lines that picknext adds. */
enum { STATS_ROOM = 128 };
/* Max number of retries for late events, and the delay between them. */
enum { LATE_LOOKS = 200, LATE_WAIT_US = 5000 };

struct dat_file {
	char partial[PATH_MAX];
	int fd;
	struct spool *spool; /* or NULL */
	struct dat_header header;
	unsigned int cut_from; /* the first CPU whose pages did not all fit */
	struct cleanup cleanup;
};

/* Max size of a header: event formats, and the names of 6552 tasks. */
enum { HEADER_ROOM = 1 << 20 };

/* The header at the start of the file, with the sections known so far. */
static enum status write_header(const struct dat_file *file, uint64_t *data_start, struct error *err)
{
	const struct dat_header *header = &file->header;
	const struct tracedat_header texts = dat_header_texts(header);
	struct buffer text = {0};
	enum status status = tracedat_write_header(&texts, header->sections, &text, err);

	if (status == STATUS_OK && lseek(file->fd, 0, SEEK_SET) < 0)
		status = error_system(err, errno, file->partial, "cannot write");
	if (status == STATUS_OK)
		status = file_write_all(file->fd, text.data, text.length, file->partial, err);
	*data_start = tracedat_data_start(text.length + header->cpu_count * STATS_ROOM, header->session->page_size);
	buffer_free(&text);
	return status;
}

/* Like trace-cmd, stores the statistics after the readout: "entries" then counts the events that were not read. */
static enum status take_final_stats(struct dat_header *header, unsigned int cpu, struct ring_stats *stats,
				    struct error *err)
{
	const struct capture_session *session = header->session;
	char file[64];
	struct buffer *text = &header->stats[cpu];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	buffer_clear(text);
	enum status status = tracefs_read(session->directory, file, text, err);
	if (status == STATUS_OK && ring_stats_parse(text->data, stats))
		capture_count_again(session, cpu, stats);
	return status;
}

/* Adds picknext's own lines to the kernel's text. */
static void add_own_stats(const struct capture_session *session, struct buffer *text, const struct ring_stats *stats,
			  const struct spool *spool, uint64_t between_drains)
{
	/* Overwritten events precede the written range (flight.h): they are not lost, but this CPU begins later. Of a
	 * buffer that was drained, the pages report them. */
	if (session->settings.overwrite && stats->overrun) {
		ring_stats_forget_overrun(text->data, &text->length);
		if (!spool || !spool->takes_partial)
			buffer_printf(text, "overwritten: %llu\n", (unsigned long long)stats->overrun);
	}
	/* With it, readers do not take events that a flight recording cut off for lost ones, nor count all events. The
	 * kernel counts the dropped events and those of each page separately. */
	const uint64_t dropped = stats->dropped_events;
	buffer_printf(text, "dropped at the end: %llu\n",
		      (unsigned long long)(dropped > between_drains ? dropped - between_drains : 0));
}

static enum status read_out_now(const struct dat_file *file, unsigned int cpu, uint64_t *moved, struct error *err)
{
	const struct capture_session *session = file->header.session;
	struct readout readout;
	enum status status = readout_open(&readout, session->directory, cpu, session->page_size, err);

	if (status != STATUS_OK)
		return status;
	status = readout_rest(&readout, file->fd, file->partial, moved, err);
	readout_close(&readout);
	return status;
}

/* Writes the events that are still in the buffer. */
static enum status write_rest(struct dat_file *file, unsigned int cpu, struct error *err)
{
	uint64_t *size = &file->header.sections[cpu].size;
	struct spool_part *part = file->spool ? &file->spool->parts[cpu] : NULL;

	if (!part || part->fd < 0)
		return read_out_now(file, cpu, size, err);
	return part->ended ? STATUS_OK : readout_rest(&part->readout, file->fd, file->partial, size, err);
}

/* Repeats until the buffer is empty. A task that was recording an event when the buffer stopped may complete it
 * late: in a guest, its CPU may have waited for a host CPU meanwhile. */
static enum status write_all_rest(struct dat_file *file, unsigned int cpu, struct ring_stats *stats, struct error *err)
{
	bool ended = file->spool && file->spool->parts[cpu].ended;
	enum status status;

	for (unsigned int looks = 0;; looks++) {
		status = write_rest(file, cpu, err);
		if (status == STATUS_OK)
			status = take_final_stats(&file->header, cpu, stats, err);
		if (status != STATUS_OK || ended || !stats->entries)
			return status;
		if (looks == LATE_LOOKS)
			return error_set(err, STATUS_SYSTEM, file->header.session->directory,
					 "%llu events of CPU %u could not be read out",
					 (unsigned long long)stats->entries, cpu);
		usleep(LATE_WAIT_US);
	}
}

static enum status write_cpu(struct dat_file *file, unsigned int cpu, struct error *err)
{
	struct dat_header *header = &file->header;
	struct tracedat_section *section = &header->sections[cpu];
	struct spool *spool = file->spool;
	bool is_spooled = spool && spool->parts[cpu].fd >= 0;
	struct ring_stats stats = {0};
	enum status status = STATUS_OK;

	if (!header->stats[cpu].length)
		return STATUS_OK;
	if (is_spooled)
		status = spool_move(spool, cpu, file->fd, file->partial, &section->size, err);
	if (status == STATUS_OK)
		status = write_all_rest(file, cpu, &stats, err);
	if (status == STATUS_OK)
		add_own_stats(header->session, &header->stats[cpu], &stats, spool,
			      is_spooled ? spool->parts[cpu].dropped : 0);
	/* A failed write can have written a part. */
	off_t end = status == STATUS_OK ? -1 : lseek(file->fd, 0, SEEK_CUR);
	if (end > (off_t)section->offset)
		section->size = (uint64_t)end - section->offset;
	section->size -= section->size % header->session->page_size;
	return status;
}

static enum status write_pages(struct dat_file *file, uint64_t data_start, struct error *err)
{
	struct dat_header *header = &file->header;
	uint64_t end = data_start;
	enum status status = STATUS_OK;

	if (lseek(file->fd, (off_t)data_start, SEEK_SET) < 0)
		return error_system(err, errno, file->partial, "cannot write");
	for (unsigned int cpu = 0; cpu < header->cpu_count; cpu++) {
		header->sections[cpu].offset = end;
		if (status == STATUS_OK)
			status = write_cpu(file, cpu, err);
		if (status == STATUS_OK)
			file->cut_from = cpu + 1;
		end += header->sections[cpu].size;
	}
	return status;
}

/* Some file systems cannot sync. A full disk is reported here at the latest. */
static bool sync_file(const struct dat_file *file, struct error *err)
{
	if (fsync(file->fd) == 0 || errno == EINVAL || errno == ENOTSUP)
		return true;
	error_system(err, errno, file->partial, "cannot write");
	return false;
}

static bool is_full(const struct error *failure)
{
	return failure->status == STATUS_SYSTEM &&
	       (failure->errnum == ENOSPC || failure->errnum == EDQUOT || failure->errnum == EFBIG);
}

/* Records for readers that events are missing after the last one of this CPU. */
static void note_cut(struct dat_file *file)
{
	struct dat_header *header = &file->header;

	for (unsigned int cpu = 0; cpu < header->cpu_count; cpu++)
		if (header->stats[cpu].length &&
		    (cpu >= file->cut_from || (file->spool && file->spool->parts[cpu].ended)))
			buffer_text(&header->stats[cpu], "cut short: 1\n");
}

/* Keeps the part that fitted as a readable trace.dat, and names it in the error. */
static void keep_what_fitted(struct dat_file *file, struct error *failure)
{
	uint64_t kept = 0;
	uint64_t data_start;

	for (unsigned int cpu = 0; cpu < file->header.cpu_count; cpu++)
		kept += file->header.sections[cpu].size;
	note_cut(file);
	if (write_header(file, &data_start, NULL) != STATUS_OK) {
		error_remedy(failure, "free some space or choose another output directory with -o");
		return;
	}
	error_remedy(failure,
		     "free some space or choose another output directory with -o; the %llu KiB of events "
		     "that fitted are kept in this file; its name marks it as incomplete",
		     (unsigned long long)kept / 1024);
	cleanup_remove(&file->cleanup);
	file_give_to_sudo_user(file->partial);
}

static enum status write_file(struct dat_file *file, const char *path, struct error *failure)
{
	uint64_t data_start;
	enum status status = write_header(file, &data_start, failure);

	if (status == STATUS_OK)
		status = write_pages(file, data_start, failure);
	if (status == STATUS_OK)
		status = write_header(file, &data_start, failure);
	if (status == STATUS_OK && !sync_file(file, failure))
		status = failure->status;
	if (status == STATUS_OK) {
		file_give_open_to_sudo_user(file->fd);
		cleanup_remove(&file->cleanup); /* from now on the file is kept, even if it cannot be renamed */
		if (rename(file->partial, path) == 0)
			return STATUS_OK;
		error_system(failure, errno, path, "cannot rename the finished file to this name");
		return error_remedy(failure, "the recording is in %.300s", file->partial);
	}
	if (is_full(failure))
		keep_what_fitted(file, failure);
	return status;
}

/* Writes the data of spool and buffer after a full disk (failure). */
static void keep_after(struct dat_file *file, struct error *failure)
{
	uint64_t data_start;

	/* A file size limit applies to each file separately: truncating other files does not help. */
	if (failure->errnum != EFBIG)
		spool_make_room(file->spool, HEADER_ROOM);
	if (write_header(file, &data_start, NULL) == STATUS_OK)
		write_pages(file, data_start, NULL);
	keep_what_fitted(file, failure);
}

static void remove_partial(void *context)
{
	const struct dat_file *file = context;

	unlink(file->partial);
}

/* Keeps the file that an earlier recording left after a full disk, as PARTIAL.old. */
static enum status create_partial(struct dat_file *file, struct error *err)
{
	bool kept = false;
	enum status status = output_check_directory(file->partial, err);

	file->fd = -1;
	if (status == STATUS_OK)
		status = output_keep_old(file->partial, &kept, err);
	if (status != STATUS_OK)
		return status;
	if (kept)
		message_info("%s: the incomplete file of an earlier recording is now %s.old", file->partial,
			     file->partial);
	file->fd = file_create(file->partial, O_RDWR);
	if (file->fd < 0)
		return error_system(err, errno, file->partial, "cannot create");
	cleanup_add(&file->cleanup, remove_partial, file);
	return STATUS_OK;
}

static enum status save_file(const struct capture_session *session, struct dat_file *file, const char *path,
			     struct error *failure)
{
	bool full_already = failure->status != STATUS_OK;
	enum status status = dat_header_read(session, &file->header, full_already ? NULL : failure);

	if (status == STATUS_OK)
		status = create_partial(file, full_already ? NULL : failure);
	if (status == STATUS_OK) {
		if (full_already)
			keep_after(file, failure);
		else
			status = write_file(file, path, failure);
		cleanup_finish(&file->cleanup);
		close(file->fd);
	}
	dat_header_free(&file->header);
	return full_already ? failure->status : status;
}

static enum status name_partial(struct dat_file *file, const char *path, struct error *err)
{
	int length = snprintf(file->partial, sizeof(file->partial), "%s.partial", path);

	if (length < 0 || (size_t)length >= sizeof(file->partial))
		return error_set(err, STATUS_USAGE, path, "path is too long");
	return STATUS_OK;
}

enum status dat_file_save(const struct capture_session *session, struct spool *spool, const char *path,
			  struct error *err)
{
	struct dat_file file = {.spool = spool};
	struct error failure = {0};
	enum status status = name_partial(&file, path, &failure);

	if (status == STATUS_OK)
		status = save_file(session, &file, path, &failure);
	if (status != STATUS_OK && err)
		*err = failure;
	return status;
}

void dat_file_keep(const struct capture_session *session, struct spool *spool, const char *path, struct error *failure)
{
	struct dat_file file = {.spool = spool};

	/* Only if the spool's own file system is full: the error may be about another one. */
	bool spool_is_full = is_full(failure) && strcmp(failure->where, spool->directory) == 0;

	if (spool_is_full && name_partial(&file, path, NULL) == STATUS_OK) {
		snprintf(failure->where, sizeof(failure->where), "%.500s", file.partial);
		save_file(session, &file, path, failure);
	}
}
