/* SPDX-License-Identifier: MIT */
#include "record/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "record/recorder.h"
#include "record/tracefs/dat_header.h"

static struct live *live_of(const struct recorder_sink *sink)
{
	return (struct live *)(uintptr_t)sink;
}

static enum status next_page(void *context, size_t index, const uint8_t **page, struct error *err)
{
	struct live *live = context;
	struct readout *readout = &live->readouts[index];
	size_t got = 0;

	if (!readout->page)
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
	enum status status = STATUS_OK;

	live->readouts = xcalloc(live->cpu_count, sizeof(*live->readouts));
	readout_allow_files(live->cpu_count);
	for (unsigned int cpu = 0; cpu < live->cpu_count && status == STATUS_OK; cpu++) {
		char file[64];
		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
		if (tracefs_has(live->session->directory, file))
			status = readout_open(&live->readouts[cpu], live->session->directory, cpu,
					      live->trace.page_size, err);
	}
	return status;
}

enum status live_trace_make(const struct capture_session *session, struct buffer *text, struct tracedat *trace,
			    struct error *err)
{
	struct dat_header header = {0};
	enum status status = dat_header_read(session, &header, err);

	if (status == STATUS_OK) {
		const struct tracedat_header texts = dat_header_texts(&header);
		status = tracedat_write_header(&texts, header.sections, text, err);
	}
	if (status == STATUS_OK)
		status = tracedat_parse((const uint8_t *)text->data, text->length, "the kernel's trace", trace, err);
	dat_header_free(&header);
	return status;
}

static enum status open_sink(struct recorder_sink *sink, struct capture_session *session, struct error *err)
{
	struct live *live = live_of(sink);

	live->session = session;
	live->cpu_count = session->settings.cpu_count;
	enum status status = live_trace_make(session, &live->header, &live->trace, err);
	if (status == STATUS_OK)
		status = open_readouts(live, err);
	live->source = (struct page_source){next_page, live};
	if (status == STATUS_OK)
		status = sched_stream_open_live(&live->trace, "the kernel's trace", &live->source, &live->stream, err);
	live->start_ns = live->now_ns = clock_ns(CLOCK_MONOTONIC);
	return status;
}

static enum status begin_live(struct recorder_sink *sink, struct error *err)
{
	struct live *live = live_of(sink);

	/* In a container, getpid() is not the PID in the trace. The event of the mark has the latter (live_next()). */
	live->own_pid = (int32_t)getpid();
	snprintf(live->mark, sizeof(live->mark), "picknext %ld is watching", (long)getpid());
	tracefs_write(live->session->directory, "trace_marker", live->mark, NULL);
	return live->consumer->begin(live->context, live, err);
}

static int interval_ms(const struct recorder_sink *sink)
{
	return live_of(sink)->consumer->interval_ms(live_of(sink)->context);
}

/* live_next() returns events up to the current time. */
static void set_time_limit(struct live *live)
{
	live->now_ns = clock_ns(CLOCK_MONOTONIC);
	sched_stream_go_on(live->stream, live->now_ns);
}

static enum status read_events(struct recorder_sink *sink, struct error *err)
{
	struct live *live = live_of(sink);

	set_time_limit(live);
	return live->consumer->read(live->context, err);
}

static bool is_done(const struct recorder_sink *sink)
{
	return live_of(sink)->consumer->is_done(live_of(sink)->context);
}

static enum status end_live(struct recorder_sink *sink, const struct trace_window *window, struct error *err)
{
	struct live *live = live_of(sink);

	(void)window;
	if (!live->consumer->end)
		return STATUS_OK;
	set_time_limit(live);
	return live->consumer->end(live->context, err);
}

static void close_sink(struct recorder_sink *sink)
{
	struct live *live = live_of(sink);

	sched_stream_close(live->stream);
	for (unsigned int cpu = 0; live->readouts && cpu < live->cpu_count; cpu++)
		readout_close(&live->readouts[cpu]);
	free(live->readouts);
	tracedat_free(&live->trace);
	buffer_free(&live->header);
}

enum status live_run(const struct capture_settings *settings, const struct live_consumer *consumer, void *context,
		     struct error *err)
{
	static const struct recorder_sink_actions actions = {
	    .open = open_sink,
	    .started = begin_live,
	    .interval_ms = interval_ms,
	    .read = read_events,
	    .is_done = is_done,
	    .save = end_live,
	    .close = close_sink,
	};
	struct live live = {.sink = {.actions = &actions}, .consumer = consumer, .context = context};
	struct capture_settings capture = *settings;
	struct trace_window window;
	struct cpu_layout cpus;
	enum status status = tracer_begin(&cpus, err);

	if (status != STATUS_OK)
		return status;
	capture.clock = "mono";
	capture.overwrite = true;
	const struct recorder_settings recorder = {.cpus = &cpus, .capture = &capture, .sink = &live.sink};
	status = recorder_run(&recorder, &window, err);
	tracer_end(&cpus);
	return status;
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

uint64_t live_lost(const struct live *live)
{
	uint64_t lost = 0;

	for (unsigned int cpu = 0; cpu < live->cpu_count; cpu++) {
		struct ring_stats stats;
		if (live->readouts[cpu].page && capture_stats_now(live->session, cpu, &stats))
			lost += ring_stats_lost(&stats);
	}
	return lost;
}
