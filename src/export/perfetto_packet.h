/* SPDX-License-Identifier: MIT
 *
 * The packets of a Perfetto trace that hold no scheduler events; for perfetto.c. Each adds one or more whole packets
 * to out. Pure. */
#ifndef EXPORT_PERFETTO_PACKET_H
#define EXPORT_PERFETTO_PACKET_H

#include <stdint.h>

#include "base/buffer.h"
#include "export/perfetto_fields.h"
#include "export/task_table.h"
#include "format/tracedat.h"

/* Scratch memory, kept from packet to packet. */
struct packet_maker {
	struct buffer packet, message, part;
};

void packet_maker_free(struct packet_maker *maker);

/* A packet that holds data in the field of its kind. */
void packet_add(struct packet_maker *maker, enum trace_packet_field field, const struct buffer *data,
		struct buffer *out);
/* The first packets: clocks, kernel, the track of marks. ts_ns is the first event's time. */
void packet_add_header(struct packet_maker *maker, const struct tracedat *trace, uint64_t ts_ns, struct buffer *out);
/* A mark, on its track. */
void packet_add_mark(struct packet_maker *maker, uint64_t ts_ns, const char *text, size_t length, struct buffer *out);
/* The names of up to PACKET_TASKS tasks from slot *at of the table on, which moves after them; nothing if none is
 * left. */
#define PACKET_TASKS 512u
void packet_add_tasks(struct packet_maker *maker, const struct task_table *table, size_t *at, uint64_t ts_ns,
		      struct buffer *out);

#endif
