/* SPDX-License-Identifier: MIT
 *
 * Small pages of three CPUs, in turn, behind good headers: decoding and merging, without a header to get past. */
#include <stdlib.h>
#include <string.h>

#include "sched/stream.h"
#include "support/kernel_texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CPUS      3
#define PAGE      256
#define LEFT_MOST (64 * PAGE * CPUS)

static void add_format(struct event_format_table *events, struct text_span text)
{
	struct event_format format;

	if (event_format_parse(text, SPAN("sched"), &format, NULL) != STATUS_OK ||
	    event_format_table_add(events, &format, NULL) != STATUS_OK)
		abort();
}

static void read_all(const struct tracedat *trace)
{
	struct sched_stream *stream;
	struct sched_event event;
	struct error err = {0};
	uint64_t last_ts = 0;
	uint64_t most_ns;
	struct sched_loss losses[CPUS];
	enum status status;
	char text[32];

	if (sched_stream_open(trace, "fuzz", &stream, &err) != STATUS_OK)
		abort();
	while ((status = sched_stream_next(stream, &event, &err)) == STATUS_OK) {
		if (event.ts_ns < last_ts || event.cpu >= CPUS)
			abort();
		last_ts = event.ts_ns;
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
	if (sched_stream_losses(stream, losses, CPUS) > CPUS)
		abort();
	sched_stream_backwards(stream, &most_ns);
	sched_stream_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracedat_cpu cpus[CPUS] = {{.cpu = 0}, {.cpu = 1}, {.cpu = 2, .truncated = true}};
	struct tracedat trace = {.page_size = PAGE, .cpu_count = CPUS, .cpus = cpus, .clock = "mono"};

	if (size > LEFT_MOST)
		return 0;
	if (ring_page_layout_parse(SPAN(HEADER_PAGE), SPAN(HEADER_EVENT), &trace.layout, NULL) != STATUS_OK)
		abort();
	add_format(&trace.events, SPAN(SWITCH_FORMAT));
	add_format(&trace.events, SPAN(WAKEUP_FORMAT));
	add_format(&trace.events, SPAN(WAKEUP_NEW_FORMAT));
	add_format(&trace.events, SPAN(MIGRATE_FORMAT_LOCATED));
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
	read_all(&trace);
	for (size_t i = 0; i < CPUS; i++)
		free((void *)(uintptr_t)cpus[i].pages);
	event_format_table_free(&trace.events);
	return 0;
}
