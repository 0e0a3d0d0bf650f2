/* SPDX-License-Identifier: MIT */
#include "trace/format/tracedat_write.h"

#include <stdio.h>
#include <string.h>

#include "trace/format/tracedat_layout.h"

/* Ring-buffer pages are copied unchanged, so the header uses the kernel's byte order. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "trace.dat is written little-endian only");

static const char where[] = "trace.dat";

static void add_u8(struct buffer *out, uint8_t value)
{
	buffer_add(out, &value, sizeof(value));
}

static void add_u16(struct buffer *out, uint16_t value)
{
	buffer_add(out, &value, sizeof(value));
}

static void add_u32(struct buffer *out, uint32_t value)
{
	buffer_add(out, &value, sizeof(value));
}

static void add_u64(struct buffer *out, uint64_t value)
{
	buffer_add(out, &value, sizeof(value));
}

static void add_sized(struct buffer *out, const char *text, size_t size)
{
	add_u64(out, size);
	buffer_add(out, text, size);
}

/* A string option, stored with its NUL as trace-cmd does. */
static void add_text_option(struct buffer *out, enum tracedat_option option, const char *text)
{
	add_u16(out, (uint16_t)option);
	add_u32(out, (uint32_t)strlen(text) + 1);
	buffer_add(out, text, strlen(text) + 1);
}

/* Stores information for which trace-cmd has no option, as statistics without a CPU. */
static void add_own_line(struct buffer *out, const char *key, const char *value)
{
	add_u16(out, TRACEDAT_OPTION_CPUSTAT);
	add_u32(out, (uint32_t)(strlen(key) + strlen(value) + 2));
	buffer_add(out, key, strlen(key));
	buffer_add(out, value, strlen(value));
	buffer_add(out, "\n", 2);
}

static void add_start(const struct tracedat_header *header, struct buffer *out)
{
	buffer_add(out, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE);
	buffer_add(out, "6", sizeof("6"));
	add_u8(out, TRACEDAT_LITTLE_ENDIAN);
	add_u8(out, sizeof(uint64_t));
	add_u32(out, header->page_size);
	buffer_add(out, TRACEDAT_HEADER_PAGE, sizeof(TRACEDAT_HEADER_PAGE));
	add_sized(out, header->header_page, header->header_page_size);
	buffer_add(out, TRACEDAT_HEADER_EVENT, sizeof(TRACEDAT_HEADER_EVENT));
	add_sized(out, header->header_event, header->header_event_size);
}

/* The kernel's built-in events have a separate section, before all others. */
static bool is_ftrace(const struct tracedat_event_file *event)
{
	return strcmp(event->system, "ftrace") == 0;
}

static void add_ftrace_events(const struct tracedat_header *header, struct buffer *out)
{
	uint32_t count = 0;

	for (size_t i = 0; i < header->event_count; i++)
		count += is_ftrace(&header->events[i]);
	add_u32(out, count);
	for (size_t i = 0; i < header->event_count; i++) {
		if (is_ftrace(&header->events[i]))
			add_sized(out, header->events[i].format, header->events[i].format_size);
	}
}

/* The number of events from first on that belong to one system. */
static size_t group_length(const struct tracedat_header *header, size_t first)
{
	size_t last = first + 1;

	while (last < header->event_count && strcmp(header->events[last].system, header->events[first].system) == 0)
		last++;
	return last - first;
}

static void add_event_systems(const struct tracedat_header *header, struct buffer *out)
{
	uint32_t systems = 0;

	for (size_t i = 0; i < header->event_count; i += group_length(header, i))
		systems += !is_ftrace(&header->events[i]);
	add_u32(out, systems);
	for (size_t i = 0; i < header->event_count; i += group_length(header, i)) {
		size_t count = group_length(header, i);
		if (is_ftrace(&header->events[i]))
			continue;
		buffer_add(out, header->events[i].system, strlen(header->events[i].system) + 1);
		add_u32(out, (uint32_t)count);
		for (size_t j = i; j < i + count; j++)
			add_sized(out, header->events[j].format, header->events[j].format_size);
	}
}

static void add_options(const struct tracedat_header *header, struct buffer *out)
{
	buffer_add(out, TRACEDAT_OPTIONS, TRACEDAT_PART_SIZE);
	if (header->date)
		add_text_option(out, TRACEDAT_OPTION_DATE, header->date);
	if (header->followed)
		add_own_line(out, TRACEDAT_FOLLOWED, header->followed);
	if (header->offline_cpus && *header->offline_cpus)
		add_own_line(out, TRACEDAT_OFFLINE, header->offline_cpus);
	for (uint32_t cpu = 0; header->cpu_stats && cpu < header->cpu_count; cpu++) {
		char line[32];
		const char *stats = header->cpu_stats[cpu];
		if (!stats)
			continue;
		/* The kernel's text does not name its CPU; trace-cmd puts this line before it. */
		int length = snprintf(line, sizeof(line), "CPU: %u\n", cpu);
		add_u16(out, TRACEDAT_OPTION_CPUSTAT);
		add_u32(out, (uint32_t)((size_t)length + strlen(stats) + 1));
		buffer_add(out, line, (size_t)length);
		buffer_add(out, stats, strlen(stats) + 1);
	}
	if (header->clock)
		add_text_option(out, TRACEDAT_OPTION_TRACECLOCK, header->clock);
	if (header->uname)
		add_text_option(out, TRACEDAT_OPTION_UNAME, header->uname);
	add_u16(out, TRACEDAT_OPTION_CPUCOUNT);
	add_u32(out, sizeof(uint32_t));
	add_u32(out, header->cpu_count);
	add_u16(out, TRACEDAT_OPTION_DONE);
}

static enum status check_header(const struct tracedat_header *header, const struct tracedat_section *sections,
				struct error *err)
{
	uint32_t page_size = header->page_size;

	if (page_size < 512 || page_size & (page_size - 1))
		return error_set(err, STATUS_USAGE, where, "page size %u is not a power of two", page_size);
	if (header->cpu_count == 0 || header->cpu_count > TRACEDAT_CPUS_MAX)
		return error_set(err, STATUS_USAGE, where, "%u CPUs cannot be written", header->cpu_count);
	if (header->kallsyms_size > UINT32_MAX || header->printk_formats_size > UINT32_MAX)
		return error_set(err, STATUS_USAGE, where, "kernel symbols or printk formats are over 4 GiB long");
	for (uint32_t cpu = 0; cpu < header->cpu_count; cpu++) {
		if (sections[cpu].offset % page_size)
			return error_set(err, STATUS_USAGE, where, "section of CPU %u is not aligned to %u bytes", cpu,
					 page_size);
	}
	return STATUS_OK;
}

enum status tracedat_write_header(const struct tracedat_header *header, const struct tracedat_section *sections,
				  struct buffer *out, struct error *err)
{
	enum status status = check_header(header, sections, err);

	if (status != STATUS_OK)
		return status;
	add_start(header, out);
	add_ftrace_events(header, out);
	add_event_systems(header, out);
	add_u32(out, (uint32_t)header->kallsyms_size);
	buffer_add(out, header->kallsyms, header->kallsyms_size);
	add_u32(out, (uint32_t)header->printk_formats_size);
	buffer_add(out, header->printk_formats, header->printk_formats_size);
	add_sized(out, header->saved_cmdlines, header->saved_cmdlines_size);
	add_u32(out, header->cpu_count);
	add_options(header, out);
	buffer_add(out, TRACEDAT_FLYRECORD, TRACEDAT_PART_SIZE);
	for (uint32_t cpu = 0; cpu < header->cpu_count; cpu++) {
		add_u64(out, sections[cpu].offset);
		add_u64(out, sections[cpu].size);
	}
	return STATUS_OK;
}

uint64_t tracedat_data_start(uint64_t header_length, uint32_t page_size)
{
	return (header_length + page_size - 1) / page_size * page_size;
}
