/* SPDX-License-Identifier: MIT */
#include "capture/dat_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/readout.h"
#include "format/tracedat_write.h"

/* The texts that make the file self-describing, and where in it each CPU's pages lie. */
struct contents {
	struct buffer header_page, header_event, clock, cmdlines;
	struct buffer symbols;              /* room for them, empty lines so far; only with stacks */
	struct buffer *formats;             /* of each event */
	struct tracedat_event_file *events; /* those recorded, and the one of marks */
	size_t event_count;
	char uname[256];
	uint32_t page_size;
	unsigned int cpu_count;
	struct buffer *stats; /* of each CPU; empty for one that is not there */
	const char **stats_texts;
	struct tracedat_section *sections;
};

/* By how much the statistics of one CPU may grow while it is read out: a few digits, and lines of ours. */
enum { STATS_ROOM = 128 };
/* How often, and how long after the last time, it is looked again for events that come late. */
enum { LATE_LOOKS = 200, LATE_WAIT_US = 5000 };

struct dat_file {
	char partial[PATH_MAX];
	int fd;
	struct spool *spool;   /* or NULL */
	unsigned int cut_from; /* the first CPU whose pages did not all fit */
};

/* At most what a header takes: event formats, and the names of 6552 tasks. */
enum { HEADER_ROOM = 1 << 20 };

static enum status read_format(const char *directory, const char *system, const char *name, struct contents *contents,
			       struct error *err)
{
	char file[256];
	struct buffer *format = &contents->formats[contents->event_count];

	snprintf(file, sizeof(file), "events/%s/%s/format", system, name);
	enum status status = tracefs_read(directory, file, format, err);
	if (status == STATUS_OK)
		contents->events[contents->event_count++] = (struct tracedat_event_file){
		    .system = system,
		    .format = format->data,
		    .format_size = format->length,
		};
	return status;
}

static enum status read_formats(const struct capture_session *session, struct contents *contents, struct error *err)
{
	size_t count;
	const struct capture_event *events = capture_events(session, &count);
	enum status status = STATUS_OK;

	contents->formats = calloc(count + 2, sizeof(*contents->formats));
	contents->events = calloc(count + 2, sizeof(*contents->events));
	if (!contents->formats || !contents->events)
		return error_system(err, ENOMEM, NULL, "cannot write a trace");
	/* Anybody can write a mark into the buffer, at any time: without this format it could not be read. */
	if (tracefs_has(capture_tracefs(session), "events/ftrace/print/format"))
		status = read_format(capture_tracefs(session), "ftrace", "print", contents, err);
	if (status == STATUS_OK && capture_has_migration_stacks(session))
		status = read_format(capture_tracefs(session), "ftrace", "kernel_stack", contents, err);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = read_format(capture_directory(session), events[i].system, events[i].name, contents, err);
	return status;
}

static void add_symbol_room(struct buffer *symbols)
{
	char *room = buffer_reserve(symbols, DAT_FILE_SYMBOL_ROOM);

	if (room) {
		memset(room, '\n', DAT_FILE_SYMBOL_ROOM);
		symbols->length += DAT_FILE_SYMBOL_ROOM;
	}
}

static enum status gather(const struct capture_session *session, struct contents *contents, struct error *err)
{
	struct utsname system;

	contents->cpu_count = capture_cpu_count(session);
	contents->stats = calloc(contents->cpu_count, sizeof(*contents->stats));
	contents->stats_texts = calloc(contents->cpu_count, sizeof(*contents->stats_texts));
	contents->sections = calloc(contents->cpu_count, sizeof(*contents->sections));
	if (!contents->stats || !contents->stats_texts || !contents->sections)
		return error_system(err, ENOMEM, NULL, "cannot write a trace");
	for (unsigned int cpu = 0; cpu < contents->cpu_count; cpu++)
		buffer_text(&contents->stats[cpu], capture_stats_text(session, cpu));
	if (capture_has_migration_stacks(session))
		add_symbol_room(&contents->symbols);
	uname(&system);
	snprintf(contents->uname, sizeof(contents->uname), "%s %s %s", system.sysname, system.release, system.machine);
	enum status status = capture_header_text(session, "header_page", &contents->header_page, err);
	if (status == STATUS_OK)
		status = capture_header_text(session, "header_event", &contents->header_event, err);
	if (status == STATUS_OK)
		status = tracefs_read(capture_directory(session), "trace_clock", &contents->clock, err);
	if (status == STATUS_OK)
		status = tracefs_read(capture_tracefs(session), "saved_cmdlines", &contents->cmdlines, err);
	if (status == STATUS_OK)
		status = read_formats(session, contents, err);
	return status == STATUS_OK ? capture_page_size(session, &contents->page_size, err) : status;
}

static void free_contents(struct contents *contents)
{
	buffer_free(&contents->header_page);
	buffer_free(&contents->header_event);
	buffer_free(&contents->clock);
	buffer_free(&contents->cmdlines);
	buffer_free(&contents->symbols);
	for (size_t i = 0; contents->formats && i < contents->event_count; i++)
		buffer_free(&contents->formats[i]);
	free(contents->formats);
	free(contents->events);
	for (unsigned int cpu = 0; contents->stats && cpu < contents->cpu_count; cpu++)
		buffer_free(&contents->stats[cpu]);
	free(contents->stats);
	free(contents->stats_texts);
	free(contents->sections);
}

/* Kernel symbols and printk formats are left out where no event refers to them: they would make up most of a short
 * trace. */
static enum status build_header(const struct contents *contents, struct buffer *out, struct error *err)
{
	struct tracedat_header header = {
	    .header_page = contents->header_page.data,
	    .header_page_size = contents->header_page.length,
	    .header_event = contents->header_event.data,
	    .header_event_size = contents->header_event.length,
	    .events = contents->events,
	    .event_count = contents->event_count,
	    .kallsyms = contents->symbols.data,
	    .kallsyms_size = contents->symbols.length,
	    .saved_cmdlines = contents->cmdlines.data,
	    .saved_cmdlines_size = contents->cmdlines.length,
	    .page_size = contents->page_size,
	    .cpu_count = contents->cpu_count,
	    .clock = contents->clock.data,
	    .uname = contents->uname,
	    .cpu_stats = contents->stats_texts,
	};

	for (unsigned int cpu = 0; cpu < contents->cpu_count; cpu++)
		contents->stats_texts[cpu] = contents->stats[cpu].length ? contents->stats[cpu].data : NULL;
	return tracedat_write_header(&header, contents->sections, out, err);
}

/* The header at the start of the file, with the sections as they are known by now. */
static enum status put_header(const struct dat_file *file, const struct contents *contents, uint64_t *data_start,
			      struct error *err)
{
	struct buffer header = {0};
	enum status status = build_header(contents, &header, err);

	if (status == STATUS_OK && lseek(file->fd, 0, SEEK_SET) < 0)
		status = error_system(err, errno, file->partial, "cannot write");
	if (status == STATUS_OK)
		status = file_write_all(file->fd, header.data, header.length, file->partial, err);
	*data_start = tracedat_data_start(header.length + contents->cpu_count * STATS_ROOM, contents->page_size);
	buffer_free(&header);
	return status;
}

/* trace-cmd keeps the statistics as they are after the readout: entries are then those that were left behind. */
static enum status take_final_stats(const struct capture_session *session, struct contents *contents, unsigned int cpu,
				    struct ring_stats *stats, struct error *err)
{
	char file[64];
	struct buffer *text = &contents->stats[cpu];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	buffer_clear(text);
	enum status status = tracefs_read(capture_directory(session), file, text, err);
	if (status == STATUS_OK && ring_stats_parse(text->data, stats))
		capture_count_again(session, cpu, stats);
	return status;
}

/* What the kernel's text does not say. */
static void add_own_stats(const struct capture_session *session, struct buffer *text, const struct ring_stats *stats,
			  uint64_t marked)
{
	/* What was overwritten lies before the stretch that is written (flight.h); that this CPU begins there stays
	 * known. */
	if (capture_overwrites(session) && stats->overrun) {
		ring_stats_forget_overrun(text->data, &text->length);
		buffer_printf(text, "overwritten: %llu\n", (unsigned long long)stats->overrun);
	}
	if (stats->dropped_events)
		buffer_printf(text, "dropped at the end: %llu\n", (unsigned long long)(stats->dropped_events - marked));
}

static enum status read_out_now(const struct capture_session *session, const struct dat_file *file,
				const struct contents *contents, unsigned int cpu, uint64_t *moved, struct error *err)
{
	struct readout readout;
	enum status status = readout_open(&readout, capture_directory(session), cpu, contents->page_size, err);

	if (status != STATUS_OK)
		return status;
	status = readout_rest(&readout, file->fd, file->partial, moved, err);
	readout_close(&readout);
	return status;
}

/* What is still in the buffer. */
static enum status put_rest(const struct capture_session *session, const struct dat_file *file,
			    const struct contents *contents, unsigned int cpu, uint64_t *size, struct error *err)
{
	struct spool_part *part = file->spool ? &file->spool->parts[cpu] : NULL;

	if (!part || part->fd < 0)
		return read_out_now(session, file, contents, cpu, size, err);
	return part->ended ? STATUS_OK : readout_rest(&part->readout, file->fd, file->partial, size, err);
}

/* Until nothing is left. A task that was recording an event as the buffer stopped may be through with it only now: in a
 * guest its CPU may have had to wait for the host's meanwhile. */
static enum status put_all_rest(const struct capture_session *session, const struct dat_file *file,
				struct contents *contents, unsigned int cpu, struct ring_stats *stats,
				struct error *err)
{
	bool ended = file->spool && file->spool->parts[cpu].ended;
	enum status status;

	for (unsigned int looks = 0;; looks++) {
		status = put_rest(session, file, contents, cpu, &contents->sections[cpu].size, err);
		if (status == STATUS_OK)
			status = take_final_stats(session, contents, cpu, stats, err);
		if (status != STATUS_OK || ended || !stats->entries)
			return status;
		if (looks == LATE_LOOKS)
			return error_set(err, STATUS_SYSTEM, capture_directory(session),
					 "%llu events of CPU %u could not be read out",
					 (unsigned long long)stats->entries, cpu);
		usleep(LATE_WAIT_US);
	}
}

static enum status put_cpu(const struct capture_session *session, const struct dat_file *file,
			   struct contents *contents, unsigned int cpu, struct error *err)
{
	struct tracedat_section *section = &contents->sections[cpu];
	struct spool *spool = file->spool;
	bool is_spooled = spool && spool->parts[cpu].fd >= 0;
	struct ring_stats stats = {0};
	enum status status = STATUS_OK;

	if (!contents->stats[cpu].length)
		return STATUS_OK;
	if (is_spooled)
		status = spool_move(spool, cpu, file->fd, file->partial, &section->size, err);
	if (status == STATUS_OK)
		status = put_all_rest(session, file, contents, cpu, &stats, err);
	if (status == STATUS_OK && is_spooled)
		status = spool_settle(spool, cpu, file->fd, file->partial, section->offset,
				      section->size / contents->page_size, err);
	if (status == STATUS_OK)
		add_own_stats(session, &contents->stats[cpu], &stats, spool ? spool->parts[cpu].marked : 0);
	/* A write that failed can have put something before. */
	off_t end = status == STATUS_OK ? -1 : lseek(file->fd, 0, SEEK_CUR);
	if (end > (off_t)section->offset)
		section->size = (uint64_t)end - section->offset;
	section->size -= section->size % contents->page_size;
	return status;
}

static enum status put_pages(const struct capture_session *session, struct dat_file *file, struct contents *contents,
			     uint64_t data_start, struct error *err)
{
	uint64_t end = data_start;
	enum status status = STATUS_OK;

	if (lseek(file->fd, (off_t)data_start, SEEK_SET) < 0)
		return error_system(err, errno, file->partial, "cannot write");
	for (unsigned int cpu = 0; cpu < contents->cpu_count; cpu++) {
		contents->sections[cpu].offset = end;
		if (status == STATUS_OK)
			status = put_cpu(session, file, contents, cpu, err);
		if (status == STATUS_OK)
			file->cut_from = cpu + 1;
		end += contents->sections[cpu].size;
	}
	return status;
}

static enum status finish(const struct dat_file *file, const char *path, struct error *err)
{
	/* Some file systems cannot sync; what a full disk has to say comes here at the latest. */
	if (fsync(file->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return error_system(err, errno, file->partial, "cannot write");
	if (rename(file->partial, path) < 0)
		return error_system(err, errno, path, "cannot rename the finished trace to this");
	return STATUS_OK;
}

static bool is_full(const struct error *failure)
{
	return failure->status == STATUS_SYSTEM &&
	       (failure->errnum == ENOSPC || failure->errnum == EDQUOT || failure->errnum == EFBIG);
}

/* For readers: events are missing behind the last one of this CPU. */
static void tell_cut(const struct dat_file *file, struct contents *contents)
{
	for (unsigned int cpu = 0; cpu < contents->cpu_count; cpu++)
		if (contents->stats[cpu].length &&
		    (cpu >= file->cut_from || (file->spool && file->spool->parts[cpu].ended)))
			buffer_text(&contents->stats[cpu], "cut short: 1\n");
}

/* What fitted becomes a readable trace.dat, and the message says where it is. */
static void keep_what_fitted(const struct dat_file *file, struct contents *contents, struct error *failure)
{
	uint64_t kept = 0;
	uint64_t data_start;

	for (unsigned int cpu = 0; cpu < contents->cpu_count; cpu++)
		kept += contents->sections[cpu].size;
	tell_cut(file, contents);
	if (put_header(file, contents, &data_start, NULL) != STATUS_OK) {
		unlink(file->partial);
		error_remedy(failure, "free some space or choose another output directory with -o");
		return;
	}
	error_remedy(failure,
		     "free some space or choose another output directory with -o; the %llu KiB of events "
		     "that fitted are kept in this file, marked by its name as incomplete",
		     (unsigned long long)kept / 1024);
	file_give_to_sudo_user(file->partial);
}

static enum status write_file(const struct capture_session *session, struct dat_file *file, struct contents *contents,
			      const char *path, struct error *failure)
{
	uint64_t data_start;
	enum status status = put_header(file, contents, &data_start, failure);

	if (status == STATUS_OK)
		status = put_pages(session, file, contents, data_start, failure);
	if (status == STATUS_OK)
		status = put_header(file, contents, &data_start, failure);
	if (status == STATUS_OK)
		status = finish(file, path, failure);
	if (status == STATUS_OK)
		file_give_to_sudo_user(path);
	else if (is_full(failure))
		keep_what_fitted(file, contents, failure);
	else
		unlink(file->partial);
	return status;
}

/* What spool and buffer hold, into a file of which failure, a full disk, is known already. */
static void keep_after(const struct capture_session *session, struct dat_file *file, struct contents *contents,
		       struct error *failure)
{
	uint64_t data_start;

	/* A limit of file size is this file's own: what lies in others takes nothing from it. */
	if (failure->errnum != EFBIG)
		spool_make_room(file->spool, HEADER_ROOM);
	if (put_header(file, contents, &data_start, NULL) == STATUS_OK)
		put_pages(session, file, contents, data_start, NULL);
	keep_what_fitted(file, contents, failure);
}

static enum status save(const struct capture_session *session, struct dat_file *file, const char *path,
			struct error *failure)
{
	struct contents contents = {0};
	bool full_already = failure->status != STATUS_OK;
	enum status status = gather(session, &contents, full_already ? NULL : failure);

	if (status == STATUS_OK) {
		file->fd = open(file->partial, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (file->fd < 0)
			status = error_system(full_already ? NULL : failure, errno, file->partial, "cannot create");
		else if (full_already)
			keep_after(session, file, &contents, failure);
		else
			status = write_file(session, file, &contents, path, failure);
		if (file->fd >= 0)
			close(file->fd);
	}
	free_contents(&contents);
	return full_already ? failure->status : status;
}

enum status dat_file_header(const struct capture_session *session, struct buffer *out, struct error *err)
{
	struct contents contents = {0};
	enum status status = gather(session, &contents, err);

	if (status == STATUS_OK)
		status = build_header(&contents, out, err);
	free_contents(&contents);
	return status;
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
		status = save(session, &file, path, &failure);
	if (status != STATUS_OK && err)
		*err = failure;
	return status;
}

void dat_file_keep(const struct capture_session *session, struct spool *spool, const char *path, struct error *failure)
{
	struct dat_file file = {.spool = spool};

	if (is_full(failure) && name_partial(&file, path, NULL) == STATUS_OK) {
		snprintf(failure->where, sizeof(failure->where), "%.500s", file.partial);
		save(session, &file, path, failure);
	}
}
