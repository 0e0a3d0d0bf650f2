/* SPDX-License-Identifier: MIT */
#include "record/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "capture/cpus.h"
#include "capture/dat_file.h"
#include "capture/readout.h"
#include "format/tracedat_read.h"

struct live {
	struct cpu_layout cpus;
	struct capture_session *session;
	struct buffer header; /* trace points into it */
	struct tracedat trace;
	struct sched_stream *stream;
	struct page_source source;
	struct readout *readouts; /* one a CPU */
	unsigned int opened;      /* how many of them */
	uint64_t start_ns, now_ns;
	char mark[64]; /* our own, which tells who we are */
	int32_t own_pid;
};

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static enum status next_page(void *context, size_t index, const uint8_t **page, struct error *err)
{
	struct live *live = context;
	struct readout *readout = &live->readouts[index];
	size_t got = 0;

	if (readout->raw < 0)
		return STATUS_END;
	enum status status = readout_page(readout, &got, err);
	if (status == STATUS_OK && got && got != readout->page_size)
		return error_set(err, STATUS_UNSUPPORTED, readout->path, "a page of %zu bytes instead of %u", got,
				 readout->page_size);
	*page = (const uint8_t *)readout->page;
	return status == STATUS_OK && got == 0 ? STATUS_END : status;
}

static enum status open_readouts(struct live *live, struct error *err)
{
	unsigned int count = capture_cpu_count(live->session);
	enum status status = STATUS_OK;

	live->readouts = calloc(count, sizeof(*live->readouts));
	if (!live->readouts)
		return error_system(err, ENOMEM, NULL, "cannot read the trace");
	readout_allow_files(count);
	while (live->opened < count) {
		struct readout *readout = &live->readouts[live->opened];
		char file[64];
		*readout = (struct readout){.raw = -1, .ends = {-1, -1}};
		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", live->opened);
		if (tracefs_has(capture_directory(live->session), file))
			status = readout_open(readout, capture_directory(live->session), live->opened,
					      live->trace.page_size, err);
		if (status != STATUS_OK)
			return status;
		live->opened++;
	}
	return STATUS_OK;
}

/* getpid() is another number within a PID namespace; whoever wrote a mark is named by the trace. */
static void mark_ourselves(struct live *live)
{
	live->own_pid = (int32_t)getpid();
	snprintf(live->mark, sizeof(live->mark), "picknext %ld is watching", (long)getpid());
	tracefs_write(capture_directory(live->session), "trace_marker", live->mark, NULL);
}

static enum status start(struct live *live, const struct capture_settings *wanted, struct error *err)
{
	struct capture_settings settings = *wanted;

	settings.clock = "mono";
	settings.overwrite = true;
	settings.global = false;
	settings.cpu_count = live->cpus.count;
	enum status status = capture_open(&settings, &live->session, err);
	if (status == STATUS_OK)
		status = dat_file_header(live->session, &live->header, err);
	if (status == STATUS_OK)
		status = tracedat_parse((const uint8_t *)live->header.data, live->header.length, "the kernel's trace",
					&live->trace, err);
	if (status == STATUS_OK)
		status = open_readouts(live, err);
	live->source = (struct page_source){next_page, live};
	if (status == STATUS_OK)
		status = sched_stream_open_live(&live->trace, "the kernel's trace", &live->source, &live->stream, err);
	live->start_ns = live->now_ns = monotonic_ns();
	return status == STATUS_OK ? capture_start(live->session, err) : status;
}

enum status live_open(const struct capture_settings *settings, struct live **result, struct error *err)
{
	struct live *live = calloc(1, sizeof(*live));
	struct error refusal = {0};
	char text[512];

	*result = NULL;
	if (!live)
		return error_system(err, ENOMEM, NULL, "cannot read the trace");
	live->cpus.tracer_cpu = -1;
	/* By this name others see that the instance has an owner. */
	prctl(PR_SET_NAME, "picknext");
	enum status status = cpu_layout_read(&live->cpus, err);
	if (status == STATUS_OK && cpu_layout_pin(&live->cpus, &refusal) != STATUS_OK) {
		error_text(&refusal, text, sizeof(text));
		message_warning("%s", text);
	}
	if (status == STATUS_OK)
		status = start(live, settings, err);
	if (status != STATUS_OK) {
		live_close(live, NULL);
		return status;
	}
	mark_ourselves(live);
	*result = live;
	return STATUS_OK;
}

void live_go_on(struct live *live)
{
	live->now_ns = monotonic_ns();
	sched_stream_go_on(live->stream, live->now_ns);
}

static bool is_own_mark(const struct live *live, const struct sched_event *event)
{
	return live->mark[0] && event->kind == SCHED_MARK && event->mark.length == strlen(live->mark) &&
	       memcmp(event->mark.text, live->mark, event->mark.length) == 0;
}

enum status live_next(struct live *live, struct sched_event *event, struct error *err)
{
	enum status status = sched_stream_next(live->stream, event, err);

	if (status != STATUS_OK || !is_own_mark(live, event))
		return status;
	live->own_pid = event->common_pid;
	live->mark[0] = '\0';
	return sched_stream_next(live->stream, event, err);
}

const struct sched_stream *live_stream(const struct live *live)
{
	return live->stream;
}

uint64_t live_now_ns(const struct live *live)
{
	return live->now_ns;
}

uint64_t live_start_ns(const struct live *live)
{
	return live->start_ns;
}

unsigned int live_cpu_count(const struct live *live)
{
	return live->cpus.count;
}

int32_t live_own_pid(const struct live *live)
{
	return live->own_pid;
}

uint64_t live_lost(const struct live *live)
{
	uint64_t lost = 0;

	for (unsigned int cpu = 0; cpu < live->cpus.count; cpu++) {
		struct ring_stats stats;
		if (live->readouts[cpu].raw >= 0 && capture_stats_now(live->session, cpu, &stats))
			lost += ring_stats_lost(&stats);
	}
	return lost;
}

enum status live_close(struct live *live, struct error *err)
{
	enum status status = STATUS_OK;

	if (!live)
		return STATUS_OK;
	sched_stream_close(live->stream);
	for (unsigned int cpu = 0; cpu < live->opened; cpu++)
		readout_close(&live->readouts[cpu]);
	free(live->readouts);
	if (live->session)
		status = capture_close(live->session, err);
	tracedat_free(&live->trace);
	buffer_free(&live->header);
	cpu_layout_unpin(&live->cpus);
	free(live);
	return status;
}
