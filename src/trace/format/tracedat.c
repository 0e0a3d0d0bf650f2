/* SPDX-License-Identifier: MIT */
#include "trace/format/tracedat.h"

#include <stdlib.h>
#include <string.h>

void tracedat_free(struct tracedat *trace)
{
	event_format_table_free(&trace->events);
	free(trace->cpus);
	*trace = (struct tracedat){.cmdlines = ""};
}

static uint64_t page_time(const struct tracedat *trace, const uint8_t *page)
{
	uint64_t ts;

	memcpy(&ts, page + trace->layout.timestamp_offset, sizeof(ts));
	return ts + trace->ts_offset;
}

/* The number of the last page that begins at or before ts_ns, or 0. */
static uint64_t find_page(const struct tracedat *trace, const struct tracedat_cpu *cpu, uint64_t ts_ns)
{
	uint64_t low = 0, high = cpu->size / trace->page_size;

	while (low + 1 < high) {
		const uint64_t middle = low + (high - low) / 2;
		if (page_time(trace, cpu->pages + middle * trace->page_size) <= ts_ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void tracedat_skip_before(struct tracedat *trace, uint64_t ts_ns)
{
	if (trace->page_size == 0 || trace->page_size < trace->layout.timestamp_offset + sizeof(uint64_t))
		return;
	for (size_t i = 0; i < trace->cpu_count; i++) {
		struct tracedat_cpu *cpu = &trace->cpus[i];
		const uint64_t skipped = find_page(trace, cpu, ts_ns) * trace->page_size;
		cpu->pages += skipped;
		cpu->size -= skipped;
	}
}
