/* SPDX-License-Identifier: MIT
 *
 * A whole trace.dat of version 6 with the formats of kernel_texts.h, made with format/tracedat_write. */
#ifndef SUPPORT_TRACE_RECIPE_H
#define SUPPORT_TRACE_RECIPE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "support/kernel_texts.h"
#include "support/page_recipe.h"
#include "trace/format/tracedat_write.h"

#define RECIPE_CPUS_MAX 64

struct trace_recipe {
	struct tracedat_event_file events[8];
	const char *stats[RECIPE_CPUS_MAX];
	struct tracedat_header header;
	struct tracedat_section sections[RECIPE_CPUS_MAX];
	struct buffer pages[RECIPE_CPUS_MAX];
};

#define STATS(overrun, dropped)                                                                                        \
	"entries: 0\noverrun: " overrun "\ncommit overrun: 0\nbytes: 0\noldest event ts:  3237.409659\n"               \
	"now ts:  3237.410660\ndropped events: " dropped "\nread events: 0000\n"

static inline void trace_event_format(struct trace_recipe *recipe, const char *system, struct text_span text)
{
	recipe->events[recipe->header.event_count++] = (struct tracedat_event_file){system, text.text, text.length};
}

/* A trace without pages; every part of it may be changed before trace_build(). */
static inline void trace_begin(struct trace_recipe *recipe, uint32_t cpu_count)
{
	*recipe = (struct trace_recipe){0};
	recipe->header = (struct tracedat_header){
	    .header_page = HEADER_PAGE,
	    .header_page_size = sizeof(HEADER_PAGE) - 1,
	    .header_event = HEADER_EVENT,
	    .header_event_size = sizeof(HEADER_EVENT) - 1,
	    .events = recipe->events,
	    .saved_cmdlines = "1 init\n",
	    .saved_cmdlines_size = 7,
	    .page_size = PAGE_SIZE,
	    .cpu_count = cpu_count,
	    .clock = "local global counter uptime perf [mono] mono_raw boot tai x86-tsc\n",
	    .uname = "Linux 6.12.95 x86_64",
	    .cpu_stats = recipe->stats,
	};
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		recipe->stats[cpu] = STATS("0", "0");
	trace_event_format(recipe, "sched", SPAN(SWITCH_FORMAT));
	trace_event_format(recipe, "sched", SPAN(WAKEUP_FORMAT));
	trace_event_format(recipe, "sched", SPAN(WAKEUP_NEW_FORMAT));
	trace_event_format(recipe, "sched", SPAN(MIGRATE_FORMAT));
}

static inline void trace_page(struct trace_recipe *recipe, uint32_t cpu, const struct page_recipe *page)
{
	buffer_add(&recipe->pages[cpu], page->bytes, sizeof(page->bytes));
}

/* The whole file. False where the header cannot be written. */
static inline bool trace_build(struct trace_recipe *recipe, struct buffer *file)
{
	struct error err;

	buffer_clear(file);
	if (tracedat_write_header(&recipe->header, recipe->sections, file, &err) != STATUS_OK)
		return false;
	uint64_t at = tracedat_data_start(file->length, recipe->header.page_size);
	for (uint32_t cpu = 0; cpu < recipe->header.cpu_count; cpu++) {
		recipe->sections[cpu] = (struct tracedat_section){at, recipe->pages[cpu].length};
		at += recipe->pages[cpu].length;
	}
	buffer_clear(file);
	if (tracedat_write_header(&recipe->header, recipe->sections, file, &err) != STATUS_OK)
		return false;
	for (uint32_t cpu = 0; cpu < recipe->header.cpu_count; cpu++) {
		while (file->length < recipe->sections[cpu].offset)
			buffer_add(file, "", 1);
		buffer_add(file, recipe->pages[cpu].data, recipe->pages[cpu].length);
	}
	return true;
}

static inline void trace_end(struct trace_recipe *recipe)
{
	for (size_t cpu = 0; cpu < RECIPE_CPUS_MAX; cpu++)
		buffer_free(&recipe->pages[cpu]);
}

#endif
