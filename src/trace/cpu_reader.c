/* SPDX-License-Identifier: MIT */
#include "trace/cpu_reader.h"

#include <stdio.h>

void cpu_reader_start(struct cpu_reader *reader, const struct tracedat *trace, const struct tracedat_cpu *cpu,
		      const char *name)
{
	*reader = (struct cpu_reader){.trace = trace, .cpu = cpu, .name = name};
}

enum status cpu_reader_place(const struct cpu_reader *reader, enum status status, struct error *err)
{
	uint64_t page = reader->next_page / reader->trace->page_size;

	if (err)
		snprintf(err->where, sizeof(err->where), "%.400s: CPU %u, page %llu", reader->name, reader->cpu->cpu,
			 (unsigned long long)(page ? page - 1 : 0));
	return status;
}

static enum status find_page(const struct cpu_reader *reader, const uint8_t **bytes, size_t *available,
			     struct error *err)
{
	*available = reader->trace->page_size;
	if (reader->source)
		return reader->source->next(reader->source->context, (size_t)(reader->cpu - reader->trace->cpus), bytes,
					    err);
	if (reader->next_page >= reader->cpu->size)
		return STATUS_END;
	uint64_t left = reader->cpu->size - reader->next_page;
	*bytes = reader->cpu->pages + reader->next_page;
	if (left < *available)
		*available = (size_t)left;
	return STATUS_OK;
}

/* STATUS_END after the last page. */
static enum status next_page(struct cpu_reader *reader, struct error *err)
{
	uint32_t page_size = reader->trace->page_size;
	const uint8_t *bytes;
	size_t available;
	enum status found = find_page(reader, &bytes, &available, err);

	if (found != STATUS_OK)
		return found;
	reader->next_page += page_size;
	enum status status = ring_page_open(&reader->trace->layout, bytes, available, page_size, &reader->page, err);
	if (status != STATUS_OK)
		return cpu_reader_place(reader, status, err);
	if (!reader->page.events_missed)
		return STATUS_OK;
	/* Losses without a record between them are merged into one. */
	reader->missed_known = reader->page.missed_known && (reader->missed_known || !reader->missed);
	reader->missed = true;
	reader->missed_count += reader->page.missed;
	reader->missed_events += reader->page.missed;
	reader->missed_ranges++;
	return STATUS_OK;
}

static enum status check_time(struct cpu_reader *reader, struct error *err)
{
	uint64_t back = reader->last_ts - reader->record.ts;

	if (reader->record.ts >= reader->last_ts) {
		reader->last_ts = reader->record.ts;
		return STATUS_OK;
	}
	if (back > CPU_READER_BACKWARDS_MAX_NS) {
		error_set(err, STATUS_CORRUPT, NULL, "time goes back by %llu ns", (unsigned long long)back);
		return cpu_reader_place(reader, STATUS_CORRUPT, err);
	}
	reader->record.ts = reader->last_ts;
	reader->backwards_events++;
	if (reader->backwards_max_ns < back)
		reader->backwards_max_ns = back;
	return STATUS_OK;
}

enum status cpu_reader_next(struct cpu_reader *reader, struct error *err)
{
	enum status status;

	reader->missed = false;
	reader->missed_count = 0;
	while ((status = ring_page_next(&reader->page, &reader->record, err)) == STATUS_END) {
		reader->has_record = false;
		status = next_page(reader, err);
		if (status != STATUS_OK)
			return status;
	}
	if (status != STATUS_OK)
		return cpu_reader_place(reader, status, err);
	reader->record.ts += reader->trace->ts_offset;
	reader->has_record = true;
	if (!reader->missed)
		return check_time(reader, err);
	if (!reader->missed_before_ns)
		reader->missed_after_ns = reader->last_ts;
	status = check_time(reader, err);
	reader->missed_before_ns = reader->last_ts;
	return status;
}
