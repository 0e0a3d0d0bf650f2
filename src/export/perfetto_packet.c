/* SPDX-License-Identifier: MIT */
#include "export/perfetto_packet.h"

#include <string.h>

#include "export/protobuf.h"
#include "trace/format/kernel_name.h"

#define SEQUENCE_ID 1
#define MARKS_UUID  0x7069636b6e657874u /* "picknext"; any number except 0 is valid */

void packet_maker_free(struct packet_maker *maker)
{
	buffer_free(&maker->packet);
	buffer_free(&maker->message);
	buffer_free(&maker->part);
}

/* Ends the packet in maker->packet. */
static void finish(struct packet_maker *maker, struct buffer *out)
{
	protobuf_unsigned(&maker->packet, PACKET_SEQUENCE_ID, SEQUENCE_ID);
	protobuf_bytes(out, TRACE_PACKET, maker->packet.data, maker->packet.length);
	buffer_clear(&maker->packet);
	buffer_clear(&maker->message);
	buffer_clear(&maker->part);
}

void packet_add(struct packet_maker *maker, enum trace_packet_field field, const struct buffer *data,
		struct buffer *out)
{
	protobuf_bytes(&maker->packet, field, data->data, data->length);
	finish(maker, out);
}

static void add_clock(struct packet_maker *maker, enum builtin_clock clock, uint64_t ts_ns)
{
	buffer_clear(&maker->part);
	protobuf_unsigned(&maker->part, CLOCK_ID, clock);
	protobuf_unsigned(&maker->part, CLOCK_TIMESTAMP, ts_ns);
	protobuf_bytes(&maker->message, SNAPSHOT_CLOCKS, maker->part.data, maker->part.length);
}

static void add_clocks(struct packet_maker *maker, const char *clock, uint64_t ts_ns, struct buffer *out)
{
	add_clock(maker, CLOCK_BOOT_TIME, ts_ns);
	if (strcmp(clock, "mono") == 0)
		add_clock(maker, CLOCK_MONOTONIC_TIME, ts_ns);
	if (strcmp(clock, "mono_raw") == 0)
		add_clock(maker, CLOCK_MONOTONIC_RAW_TIME, ts_ns);
	protobuf_unsigned(&maker->message, SNAPSHOT_PRIMARY_CLOCK, CLOCK_BOOT_TIME);
	protobuf_unsigned(&maker->packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_STATE_CLEARED);
	packet_add(maker, PACKET_CLOCK_SNAPSHOT, &maker->message, out);
}

/* trace_processor derives the meaning of the prev_state bits from the kernel's release. */
static void add_system(struct packet_maker *maker, const struct tracedat *trace, struct buffer *out)
{
	struct kernel_name kernel;

	kernel_name_parse(trace->uname, &kernel);
	protobuf_text(&maker->part, UTSNAME_SYSNAME, kernel.system, strlen(kernel.system));
	protobuf_text(&maker->part, UTSNAME_RELEASE, kernel.release, strlen(kernel.release));
	protobuf_text(&maker->part, UTSNAME_MACHINE, kernel.machine, strlen(kernel.machine));
	protobuf_bytes(&maker->message, SYSTEM_UTSNAME, maker->part.data, maker->part.length);
	protobuf_unsigned(&maker->message, SYSTEM_CPUS, trace->cpu_count);
	packet_add(maker, PACKET_SYSTEM_INFO, &maker->message, out);
}

void packet_add_header(struct packet_maker *maker, const struct tracedat *trace, uint64_t ts_ns, struct buffer *out)
{
	add_clocks(maker, trace->clock, ts_ns, out);
	add_system(maker, trace, out);
	protobuf_unsigned(&maker->message, TRACK_UUID, MARKS_UUID);
	protobuf_text(&maker->message, TRACK_NAME, "marks", 5);
	packet_add(maker, PACKET_TRACK_DESCRIPTOR, &maker->message, out);
}

void packet_add_mark(struct packet_maker *maker, uint64_t ts_ns, const char *text, size_t length, struct buffer *out)
{
	protobuf_unsigned(&maker->packet, PACKET_TIMESTAMP, ts_ns);
	protobuf_unsigned(&maker->message, TRACK_EVENT_TYPE, TRACK_EVENT_INSTANT);
	protobuf_unsigned(&maker->message, TRACK_EVENT_TRACK_UUID, MARKS_UUID);
	protobuf_text(&maker->message, TRACK_EVENT_NAME, text, length);
	packet_add(maker, PACKET_TRACK_EVENT, &maker->message, out);
}

static void add_task(struct packet_maker *maker, const struct seen_task *task)
{
	buffer_clear(&maker->part);
	protobuf_signed(&maker->part, PROCESS_PID, task->pid);
	protobuf_text(&maker->part, PROCESS_COMMAND_LINE, task->comm.bytes, task->comm.length);
	protobuf_bytes(&maker->message, TREE_PROCESSES, maker->part.data, maker->part.length);
	buffer_clear(&maker->part);
	protobuf_signed(&maker->part, THREAD_TID, task->pid);
	protobuf_text(&maker->part, THREAD_NAME, task->comm.bytes, task->comm.length);
	protobuf_signed(&maker->part, THREAD_TGID, task->pid);
	protobuf_bytes(&maker->message, TREE_THREADS, maker->part.data, maker->part.length);
}

void packet_add_tasks(struct packet_maker *maker, const struct task_table *table, size_t *at, uint64_t ts_ns,
		      struct buffer *out)
{
	size_t added = 0;

	for (; *at < table->size && added < PACKET_TASKS; ++*at) {
		if (table->slots[*at].pid == 0)
			continue;
		add_task(maker, &table->slots[*at]);
		added++;
	}
	if (added == 0)
		return;
	protobuf_unsigned(&maker->packet, PACKET_TIMESTAMP, ts_ns);
	packet_add(maker, PACKET_PROCESS_TREE, &maker->message, out);
}
