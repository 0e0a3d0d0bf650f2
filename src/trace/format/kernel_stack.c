/* SPDX-License-Identifier: MIT */
#include "trace/format/kernel_stack.h"

#include <string.h>

void kernel_stack_layout_make(const struct event_format_table *events, uint32_t word_size,
			      struct kernel_stack_layout *layout)
{
	const struct event_format *format = event_format_find(events, "ftrace", "kernel_stack");
	struct event_field count;
	struct event_field caller;

	*layout = (struct kernel_stack_layout){0};
	if (!format || (word_size != 4 && word_size != 8) ||
	    event_format_field(format, "size", &count, NULL) != STATUS_OK ||
	    event_format_field(format, "caller", &caller, NULL) != STATUS_OK || count.size != 4 ||
	    caller.array != FIELD_ARRAY)
		return;
	*layout = (struct kernel_stack_layout){true, format->id, count.offset, caller.offset, word_size};
}

bool kernel_stack_is(const struct kernel_stack_layout *layout, const struct ring_record *record)
{
	uint16_t type;

	if (!layout->known || record->length < sizeof(type))
		return false;
	memcpy(&type, record->data, sizeof(type));
	return type == layout->id;
}

size_t kernel_stack_read(const struct kernel_stack_layout *layout, const struct ring_record *record,
			 uint64_t *addresses, size_t max)
{
	uint32_t length = record->length;
	uint32_t said;
	size_t count = 0;

	if (length < layout->address_offset || length < layout->count_offset || length - layout->count_offset < 4)
		return 0;
	memcpy(&said, record->data + layout->count_offset, sizeof(said));
	size_t room = (length - layout->address_offset) / layout->address_size;
	for (size_t i = 0; i < room && i < said && count < max; i++) {
		uint64_t address = 0;
		memcpy(&address, record->data + layout->address_offset + i * layout->address_size,
		       layout->address_size);
		/* Kernels before 5.2 end a stack with ULONG_MAX. */
		if (address == (layout->address_size == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		addresses[count++] = address;
	}
	return count;
}
