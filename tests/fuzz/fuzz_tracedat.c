/* SPDX-License-Identifier: MIT
 *
 * A whole file: headers, and the events and stacks where the headers are taken. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/tracedat_mutator.h"
#include "trace/cpu_reader.h"
#include "trace/format/kernel_stack.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return tracedat_mutate(data, size, max_size, seed);
}

static void check_headers(const struct tracedat *trace, const uint8_t *data, size_t size)
{
	struct event_field field;
	uint8_t sum = 0;

	for (size_t i = 0; i < trace->cpu_count; i++) {
		const struct tracedat_cpu *cpu = &trace->cpus[i];
		if (cpu->size > size || cpu->pages < data || cpu->pages + cpu->size > data + size)
			abort();
	}
	for (size_t i = 0; i < trace->cmdlines_size; i++)
		sum ^= (uint8_t)trace->cmdlines[i];
	for (size_t i = 0; i < trace->events.count; i++) {
		struct text_span lines = trace->events.formats[i].fields;
		while (event_field_next(&lines, "fuzz", &field, NULL) == STATUS_OK)
			;
	}
	/* Looks at the sum, so that the reads are made. */
	if (trace->cmdlines_size == 0 && sum != 0)
		abort();
	if (!memchr(trace->clock, '\0', sizeof(trace->clock)) || !memchr(trace->uname, '\0', sizeof(trace->uname)))
		abort();
}

static void read_stacks(const struct tracedat *trace)
{
	struct kernel_stack_layout layout;
	struct cpu_reader reader;
	uint64_t addresses[16];

	kernel_stack_layout_make(&trace->events, trace->layout.commit_size, &layout);
	for (size_t i = 0; layout.known && i < trace->cpu_count; i++) {
		cpu_reader_start(&reader, trace, &trace->cpus[i], "fuzz");
		while (cpu_reader_next(&reader, NULL) == STATUS_OK)
			if (kernel_stack_is(&layout, &reader.record) &&
			    kernel_stack_read(&layout, &reader.record, addresses, 16) > 16)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracedat trace;
	struct sched_stream *stream;
	struct sched_event event;
	struct error err = {0};
	uint64_t last_ts = 0;

	if (tracedat_parse(data, size, "fuzz", &trace, &err) != STATUS_OK) {
		if (strncmp(err.where, "fuzz", 4) != 0 || err.what[0] == '\0')
			abort();
		return 0;
	}
	check_headers(&trace, data, size);
	read_stacks(&trace);
	if (sched_stream_open(&trace, "fuzz", &stream, &err) == STATUS_OK) {
		while (sched_stream_next(stream, &event, &err) == STATUS_OK) {
			if (event.ts_ns < last_ts)
				abort();
			last_ts = event.ts_ns;
		}
		sched_stream_close(stream);
	} else if (strncmp(err.where, "fuzz", 4) != 0) {
		abort();
	}
	tracedat_free(&trace);
	return 0;
}
