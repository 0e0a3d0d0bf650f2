/* SPDX-License-Identifier: MIT
 *
 * Small pages of three CPUs, in turn, behind good headers: decoding and merging, without a header to get past. The same
 * pages as a live source must give the same events. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/page_mutator.h"
#include "support/kernel_texts.h"
#include "trace/stream.h"
#include "trace/trace_survey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#define CPUS     3
#define PAGE     256
#define LEFT_MAX (64 * PAGE * CPUS)

#define PRINT_FORMAT                                                                                                   \
	"name: print\nID: 5\n" COMMON_FIELDS "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"              \
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"%s\", REC->buf\n"

/* Sums over all events, to be compared. */
struct tally {
	uint64_t events, sum;
	enum status status;
};

static void add_format(struct event_format_table *events, const char *system, struct text_span text)
{
	struct event_format format;

	if (event_format_parse(text, (struct text_span){system, strlen(system)}, &format, NULL) != STATUS_OK)
		abort();
	event_format_table_add(events, &format);
}

static void count(struct tally *tally, const struct sched_stream *stream, const struct sched_event *event)
{
	tally->events++;
	tally->sum = tally->sum * 31 + event->ts_ns + event->cpu + (uint64_t)event->kind * 7;
	if (event->kind == SCHED_LOST)
		return;
	const struct ring_record *record = sched_stream_record(stream);
	for (uint32_t i = 0; i < record->length; i++)
		tally->sum = tally->sum * 31 + record->data[i];
	for (size_t i = 0; event->kind == SCHED_MARK && i < event->mark.length; i++)
		tally->sum += (uint8_t)event->mark.text[i];
}

static struct tally read_all(const struct tracedat *trace)
{
	struct sched_stream *stream;
	struct sched_event event;
	struct tally tally = {0};
	struct error err = {0};
	uint64_t last_ts = 0;
	uint64_t max_ns;
	struct losses losses = {0};
	enum status status;
	char text[32];

	if (sched_stream_open(trace, "fuzz", &stream, &err) != STATUS_OK)
		abort();
	while ((status = sched_stream_next(stream, &event, &err)) == STATUS_OK) {
		if (event.ts_ns < last_ts || event.cpu >= CPUS)
			abort();
		last_ts = event.ts_ns;
		count(&tally, stream, &event);
		if (event.kind != SCHED_SWITCH)
			continue;
		if (event.switched.prev.comm.length > SCHED_COMM_SIZE ||
		    event.switched.next.comm.length > SCHED_COMM_SIZE)
			abort();
		sched_state_text(stream, event.switched.prev_state, text, sizeof(text));
		if (text[0] == '\0' || !memchr(text, '\0', sizeof(text)))
			abort();
	}
	if (status == STATUS_CORRUPT && strncmp(err.where, "fuzz: CPU ", 10) != 0)
		abort();
	sched_stream_losses(stream, &losses);
	if (losses.count > CPUS)
		abort();
	losses_free(&losses);
	sched_stream_backwards(stream, &max_ns);
	sched_stream_close(stream);
	tally.status = status;
	return tally;
}

struct source {
	const struct tracedat *trace;
	size_t next[CPUS];
};

static enum status next_page(void *context, size_t index, const uint8_t **page, struct error *err)
{
	struct source *source = context;

	(void)err;
	if (source->trace->cpus[index].size - source->next[index] < PAGE)
		return STATUS_END;
	*page = source->trace->cpus[index].pages + source->next[index];
	source->next[index] += PAGE;
	return STATUS_OK;
}

/* In steps, so that all of it is not there from the start. */
static struct tally read_live(const struct tracedat *trace)
{
	static const uint64_t steps[] = {0, 1500, 1000000, UINT64_MAX / 2, UINT64_MAX};
	struct source source = {trace, {0}};
	struct page_source pages = {next_page, &source};
	struct sched_stream *stream;
	struct sched_event event;
	struct tally tally = {0};
	uint64_t last_ts = 0;

	if (sched_stream_open_live(trace, "fuzz", &pages, &stream, NULL) != STATUS_OK)
		abort();
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		sched_stream_go_on(stream, steps[i]);
		while ((tally.status = sched_stream_next(stream, &event, NULL)) == STATUS_OK) {
			if (event.ts_ns < last_ts)
				abort();
			last_ts = event.ts_ns;
			count(&tally, stream, &event);
		}
	}
	sched_stream_close(stream);
	return tally;
}

static void read_both(const struct tracedat *trace)
{
	struct trace_survey survey;
	struct tally tally = read_all(trace);
	struct tally live = read_live(trace);

	if (trace->cpus[CPUS - 1].size % PAGE == 0 && tally.status == STATUS_END &&
	    (tally.events != live.events || tally.sum != live.sum || tally.status != live.status))
		abort();
	if (trace_survey_make(trace, "fuzz", NULL, &survey, NULL) != STATUS_OK)
		return;
	trace_survey_free(&survey);
}

/* Whole pages come, go and change. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	size_t pages = size / PAGE;

	if (pages == 0 || seed % 4 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	size_t at = (seed >> 4) % pages * PAGE;
	if (seed % 16 == 1 && size + PAGE <= max_size) {
		memmove(data + at + PAGE, data + at, size - at);
		return size + PAGE;
	}
	if (seed % 16 == 2 && pages > CPUS) {
		memmove(data + at, data + at + PAGE, size - at - PAGE);
		return size - PAGE;
	}
	page_mutate(data + at, PAGE, seed >> 4);
	return size;
}

/* The headers are the same for every input. */
static const struct tracedat *headers(void)
{
	static struct tracedat trace = {.page_size = PAGE, .cpu_count = CPUS, .clock = "mono"};

	if (trace.events.count)
		return &trace;
	if (ring_page_layout_parse(SPAN(HEADER_PAGE), SPAN(HEADER_EVENT), &trace.layout, NULL) != STATUS_OK)
		abort();
	add_format(&trace.events, "sched", SPAN(SWITCH_FORMAT));
	add_format(&trace.events, "sched", SPAN(WAKEUP_FORMAT));
	add_format(&trace.events, "sched", SPAN(WAKEUP_NEW_FORMAT));
	add_format(&trace.events, "sched", SPAN(MIGRATE_FORMAT_LOCATED));
	add_format(&trace.events, "ftrace", SPAN(PRINT_FORMAT));
	return &trace;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracedat_cpu cpus[CPUS] = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2, .truncated = true}};
	struct tracedat trace = *headers();

	if (size > LEFT_MAX)
		return 0;
	trace.cpus = cpus;
	size_t share = size / CPUS / PAGE * PAGE;
	for (size_t i = 0; i < CPUS; i++) {
		/* Each in memory of its own, for ASan to watch both ends. */
		cpus[i].size = i + 1 < CPUS ? share : size - (CPUS - 1) * share;
		uint8_t *pages = malloc(cpus[i].size + 1);
		if (!pages)
			abort();
		memcpy(pages, data + i * share, cpus[i].size);
		cpus[i].pages = pages;
	}
	read_both(&trace);
	for (size_t i = 0; i < CPUS; i++)
		free((void *)(uintptr_t)cpus[i].pages);
	return 0;
}
