/* SPDX-License-Identifier: MIT
 *
 * The event ftrace:kernel_stack: the return addresses of a kernel stack, innermost first. It belongs to the previous
 * event on the same CPU. Offsets come from the trace's own format. Source: struct stack_entry in
 * kernel/trace/trace_entries.h. Input is hostile. */
#ifndef TRACE_FORMAT_KERNEL_STACK_H
#define TRACE_FORMAT_KERNEL_STACK_H

#include "trace/format/event_format.h"
#include "trace/format/ring_page.h"

struct kernel_stack_layout {
	bool known; /* the trace has this event in a supported layout */
	uint32_t id;
	uint32_t count_offset;   /* of the number of addresses; 4 bytes */
	uint32_t address_offset; /* offset of the first address */
	uint32_t address_size;   /* 4 or 8 */
};

/* word_size: size of the kernel's long, ring_page_layout.commit_size. */
void kernel_stack_layout_make(const struct event_format_table *events, uint32_t word_size,
			      struct kernel_stack_layout *layout);

bool kernel_stack_is(const struct kernel_stack_layout *layout, const struct ring_record *record);
/* Fills up to max addresses from a kernel_stack record; returns their number. */
size_t kernel_stack_read(const struct kernel_stack_layout *layout, const struct ring_record *record,
			 uint64_t *addresses, size_t max);

#endif
