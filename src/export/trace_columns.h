/* SPDX-License-Identifier: MIT
 *
 * The columns before each event of the kernel's text trace, and the legend above them. Pure. */
#ifndef EXPORT_TRACE_COLUMNS_H
#define EXPORT_TRACE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/format/event_format.h"

/* The five characters for irqs-off/BH-disabled, need-resched, hardirq/softirq, preempt-depth and migrate-disable, from
 * common_flags and common_preempt_count. Bit 1 of the flags meant "interrupts-off is unknown" up to 6.12; since then it
 * is the lazy need-resched (has_lazy). */
void trace_flags_text(uint8_t flags, uint8_t preempt_count, bool has_lazy, char text[5]);

struct trace_columns {
	struct text_span comm;
	int32_t pid;
	uint32_t cpu;
	uint8_t flags, preempt_count;
	uint64_t ts_ns;
};

/* Adds "TASK-PID [CPU] FLAGS SECONDS: ". */
void trace_columns_add(const struct trace_columns *columns, bool has_lazy, bool nanoseconds, struct buffer *out);

/* Adds the header, from "# tracer: nop" to the last line of the legend. */
void trace_legend_add(uint64_t entries_in_buffer, uint64_t entries_written, size_t cpu_count, struct buffer *out);

#endif
