/* SPDX-License-Identifier: MIT
 *
 * The packets of a Perfetto trace without scheduler events; for perfetto.c. Each function adds one or more whole
 * packets to out. Pure. */
#ifndef EXPORT_PERFETTO_PACKET_H
#define EXPORT_PERFETTO_PACKET_H

#include <stdint.h>

#include "base/buffer.h"
#include "export/perfetto_fields.h"
#include "export/task_table.h"
#include "trace/format/tracedat.h"

/* Scratch memory, reused for each packet. */
struct packet_maker {
	struct buffer packet, message, part;
};

void packet_maker_free(struct packet_maker *maker);

/* A packet with data in the field of its kind. */
void packet_add(struct packet_maker *maker, enum trace_packet_field field, const struct buffer *data,
		struct buffer *out);
/* The first packets: clocks, kernel, the track of marks. ts_ns is the time of the first event. */
void packet_add_header(struct packet_maker *maker, const struct tracedat *trace, uint64_t ts_ns, struct buffer *out);
/* A mark, on its track. */
void packet_add_mark(struct packet_maker *maker, uint64_t ts_ns, const char *text, size_t length, struct buffer *out);
/* The names of up to PACKET_TASKS tasks from slot *at of the table on. Advances *at; adds no packet at the end. */
#define PACKET_TASKS 512u
void packet_add_tasks(struct packet_maker *maker, const struct task_table *table, size_t *at, uint64_t ts_ns,
		      struct buffer *out);

#endif
