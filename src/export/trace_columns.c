/* SPDX-License-Identifier: MIT */
#include "export/trace_columns.h"

#include <inttypes.h>
#include <string.h>

#include "base/copy.h"
#include "base/decimal.h"

#define TASK_COLUMN 16u
#define PID_COLUMN  7u
#define COLUMNS_MAX 128u

/* enum trace_flag_type in include/linux/trace_events.h. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_LAZY_OR_UNKNOWN = 0x02,
	FLAG_NEED_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
	FLAG_PREEMPT_RESCHED = 0x20,
	FLAG_NMI = 0x40,
	FLAG_BH_OFF = 0x80,
};

static char irqs_off(uint8_t flags, bool has_lazy)
{
	if (flags & FLAG_IRQS_OFF)
		return flags & FLAG_BH_OFF ? 'D' : 'd';
	if (flags & FLAG_BH_OFF)
		return 'b';
	return !has_lazy && flags & FLAG_LAZY_OR_UNKNOWN ? 'X' : '.';
}

static char need_resched(uint8_t flags, bool has_lazy)
{
	/* Indexed by need-resched, preempt-resched and lazy, in this order of bits. */
	static const char letters[] = ".npNlbLB";
	size_t index = flags & FLAG_NEED_RESCHED ? 1 : 0;

	index += flags & FLAG_PREEMPT_RESCHED ? 2 : 0;
	index += has_lazy && flags & FLAG_LAZY_OR_UNKNOWN ? 4 : 0;
	return letters[index];
}

static char interrupt(uint8_t flags)
{
	if (flags & FLAG_NMI)
		return flags & FLAG_HARDIRQ ? 'Z' : 'z';
	if (flags & FLAG_HARDIRQ)
		return flags & FLAG_SOFTIRQ ? 'H' : 'h';
	return flags & FLAG_SOFTIRQ ? 's' : '.';
}

void trace_flags_text(uint8_t flags, uint8_t preempt_count, bool has_lazy, char text[5])
{
	static const char digits[] = ".123456789abcdef";

	text[0] = irqs_off(flags, has_lazy);
	text[1] = need_resched(flags, has_lazy);
	text[2] = interrupt(flags);
	text[3] = digits[preempt_count & 0xf];
	text[4] = digits[preempt_count >> 4];
}

static char *put_time(char *to, uint64_t ts_ns, bool nanoseconds)
{
	/* Like ns2usecs(): rounded to the nearest. */
	uint64_t time = nanoseconds ? ts_ns : ts_ns / 1000 + (ts_ns % 1000 >= 500);
	uint64_t unit = nanoseconds ? 1000000000 : 1000000;

	*to++ = ' ';
	to = decimal_put_padded(to, time / unit, 5, ' ');
	*to++ = '.';
	return decimal_put_fixed(to, (uint32_t)(time % unit), nanoseconds ? 9 : 6);
}

void trace_columns_add(const struct trace_columns *columns, bool has_lazy, bool nanoseconds, struct buffer *out)
{
	size_t length = columns->comm.length;
	char *start = buffer_reserve(out, COLUMNS_MAX + length);
	char *to = start;

	if (!start)
		return;
	for (size_t at = length; at < TASK_COLUMN; at++)
		*to++ = ' ';
	to = copy_short(to, columns->comm.text, length);
	*to++ = '-';
	char *pid = to;
	to = decimal_put_signed(to, columns->pid);
	while (to < pid + PID_COLUMN)
		*to++ = ' ';
	*to++ = ' ';
	*to++ = '[';
	to = decimal_put_padded(to, columns->cpu, 3, '0');
	*to++ = ']';
	*to++ = ' ';
	trace_flags_text(columns->flags, columns->preempt_count, has_lazy, to);
	to = put_time(to + 5, columns->ts_ns, nanoseconds);
	*to++ = ':';
	*to++ = ' ';
	out->length += (size_t)(to - start);
	*to = '\0';
}

void trace_legend_add(uint64_t entries_in_buffer, uint64_t entries_written, size_t cpu_count, struct buffer *out)
{
	buffer_printf(out,
		      "# tracer: nop\n#\n# entries-in-buffer/entries-written: %" PRIu64 "/%" PRIu64 "   #P:%zu\n#\n",
		      entries_in_buffer, entries_written, cpu_count);
	buffer_text(out, "#                                _-----=> irqs-off/BH-disabled\n"
			 "#                               / _----=> need-resched\n"
			 "#                              | / _---=> hardirq/softirq\n"
			 "#                              || / _--=> preempt-depth\n"
			 "#                              ||| / _-=> migrate-disable\n"
			 "#                              |||| /     delay\n"
			 "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
			 "#              | |         |   |||||     |         |\n");
}
