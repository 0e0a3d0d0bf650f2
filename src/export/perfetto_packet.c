/* SPDX-License-Identifier: MIT */
#include "export/perfetto_packet.h"

#include <string.h>

#include "export/protobuf.h"
#include "trace/format/kernel_name.h"

#define SEQUENCE_ID 1

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

void packet_add_header(struct packet_maker *maker, const struct tracedat *trace, const char *clock, uint64_t ts_ns,
		       struct buffer *out)
{
	add_clocks(maker, clock, ts_ns, out);
	add_system(maker, trace, out);
}

/* Ends the part as a field of the message. */
static void end_part(struct packet_maker *maker, uint32_t field)
{
	protobuf_bytes(&maker->message, field, maker->part.data, maker->part.length);
	buffer_clear(&maker->part);
}

static void add_owner(struct packet_maker *maker, const struct packet_track *track)
{
	protobuf_signed(&maker->part, TRACK_PROCESS_PID, track->pid);
	if (track->tid)
		protobuf_signed(&maker->part, TRACK_THREAD_TID, track->tid);
	protobuf_text(&maker->part, track->tid ? TRACK_THREAD_NAME : TRACK_PROCESS_NAME, track->name,
		      strlen(track->name));
	end_part(maker, track->tid ? TRACK_THREAD : TRACK_PROCESS);
}

void packet_add_track(struct packet_maker *maker, const struct packet_track *track, struct buffer *out)
{
	protobuf_unsigned(&maker->message, TRACK_UUID, track->uuid);
	if (track->parent_uuid)
		protobuf_unsigned(&maker->message, TRACK_PARENT_UUID, track->parent_uuid);
	if (track->pid)
		add_owner(maker, track);
	else
		protobuf_text(&maker->message, TRACK_NAME, track->name, strlen(track->name));
	if (track->unit) {
		protobuf_unsigned(&maker->part, COUNTER_UNIT, track->unit);
		end_part(maker, TRACK_COUNTER);
	}
	packet_add(maker, PACKET_TRACK_DESCRIPTOR, &maker->message, out);
}

static void begin_event(struct packet_maker *maker, enum track_event_type type, uint64_t ts_ns, uint64_t uuid)
{
	protobuf_unsigned(&maker->packet, PACKET_TIMESTAMP, ts_ns);
	protobuf_unsigned(&maker->message, TRACK_EVENT_TYPE, type);
	protobuf_unsigned(&maker->message, TRACK_EVENT_TRACK_UUID, uuid);
}

void packet_add_event(struct packet_maker *maker, enum track_event_type type, uint64_t ts_ns, uint64_t uuid,
		      const char *text, size_t length, struct buffer *out)
{
	begin_event(maker, type, ts_ns, uuid);
	if (type != TRACK_EVENT_SLICE_END)
		protobuf_text(&maker->message, TRACK_EVENT_NAME, text, length);
	packet_add(maker, PACKET_TRACK_EVENT, &maker->message, out);
}

void packet_add_counter(struct packet_maker *maker, uint64_t ts_ns, uint64_t uuid, int64_t value, struct buffer *out)
{
	begin_event(maker, TRACK_EVENT_COUNTER, ts_ns, uuid);
	protobuf_signed(&maker->message, TRACK_EVENT_COUNTER_VALUE, value);
	packet_add(maker, PACKET_TRACK_EVENT, &maker->message, out);
}

void packet_name_process(struct packet_maker *maker, int32_t pid, const char *name, size_t length)
{
	protobuf_signed(&maker->part, PROCESS_PID, pid);
	protobuf_text(&maker->part, PROCESS_COMMAND_LINE, name, length);
	end_part(maker, TREE_PROCESSES);
}

void packet_name_thread(struct packet_maker *maker, int32_t tid, int32_t pid, const char *name, size_t length)
{
	protobuf_signed(&maker->part, THREAD_TID, tid);
	protobuf_text(&maker->part, THREAD_NAME, name, length);
	protobuf_signed(&maker->part, THREAD_TGID, pid);
	end_part(maker, TREE_THREADS);
}

void packet_end_tasks(struct packet_maker *maker, uint64_t ts_ns, struct buffer *out)
{
	if (!maker->message.length)
		return;
	protobuf_unsigned(&maker->packet, PACKET_TIMESTAMP, ts_ns);
	packet_add(maker, PACKET_PROCESS_TREE, &maker->message, out);
}
