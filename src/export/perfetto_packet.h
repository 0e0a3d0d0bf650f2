/* SPDX-License-Identifier: MIT
 *
 * The packets of a Perfetto trace, except those with scheduler events, which perfetto.c makes. Each function adds one
 * or more complete packets to out. Pure. */
#ifndef EXPORT_PERFETTO_PACKET_H
#define EXPORT_PERFETTO_PACKET_H

#include <stdint.h>

#include "base/buffer.h"
#include "trace/format/tracedat.h"

/* The field numbers of Perfetto's published schema. Source: protos/perfetto/trace/ of github.com/google/perfetto:
 * trace_packet.proto, clock_snapshot.proto, system_info.proto, ps/process_tree.proto, ftrace/ftrace_event_bundle.proto,
 * ftrace/ftrace_event.proto, ftrace/sched.proto, track_event/track_event.proto, track_event/track_descriptor.proto,
 * track_event/counter_descriptor.proto, track_event/process_descriptor.proto, track_event/thread_descriptor.proto; each
 * number was checked in the merged perfetto_trace.proto of v52. tests/support/perfetto.proto repeats them for protoc.
 */
enum { TRACE_PACKET = 1 };

enum trace_packet_field {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { SEQUENCE_STATE_CLEARED = 1 };

enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY_CLOCK = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum builtin_clock { CLOCK_MONOTONIC_TIME = 3, CLOCK_MONOTONIC_RAW_TIME = 5, CLOCK_BOOT_TIME = 6 };

enum { SYSTEM_UTSNAME = 1, SYSTEM_CPUS = 8 };
enum { UTSNAME_SYSNAME = 1, UTSNAME_RELEASE = 3, UTSNAME_MACHINE = 4 };

enum { TREE_PROCESSES = 1, TREE_THREADS = 2 };
enum { PROCESS_PID = 1, PROCESS_COMMAND_LINE = 3 };
enum { THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3 };

enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST_EVENTS = 3, BUNDLE_CLOCK = 5 };
enum { BUNDLE_CLOCK_MONO_RAW = 4 };

enum ftrace_event_field {
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_PRINT = 3,
	EVENT_SCHED_SWITCH = 4,
	EVENT_SCHED_WAKEUP = 17,
	EVENT_SCHED_WAKING = 20,
	EVENT_SCHED_WAKEUP_NEW = 114,
	EVENT_SCHED_MIGRATE_TASK = 491,
};
enum { PRINT_IP = 1, PRINT_BUF = 2 };
enum {
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID = 2,
	SWITCH_PREV_PRIO = 3,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6,
	SWITCH_NEXT_PRIO = 7,
};
enum { WAKEUP_COMM = 1, WAKEUP_PID = 2, WAKEUP_PRIO = 3, WAKEUP_TARGET_CPU = 5 };
enum { MIGRATE_COMM = 1, MIGRATE_PID = 2, MIGRATE_PRIO = 3, MIGRATE_ORIG_CPU = 4, MIGRATE_DEST_CPU = 5 };

enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT_UUID = 5, TRACK_COUNTER = 8 };
enum { TRACK_PROCESS_PID = 1, TRACK_PROCESS_NAME = 6 };
enum { TRACK_THREAD_PID = 1, TRACK_THREAD_TID = 2, TRACK_THREAD_NAME = 5 };
enum { COUNTER_UNIT = 3 };
enum { TRACK_EVENT_TYPE = 9, TRACK_EVENT_TRACK_UUID = 11, TRACK_EVENT_NAME = 23, TRACK_EVENT_COUNTER_VALUE = 30 };
enum track_event_type {
	TRACK_EVENT_SLICE_BEGIN = 1,
	TRACK_EVENT_SLICE_END = 2,
	TRACK_EVENT_INSTANT = 3,
	TRACK_EVENT_COUNTER = 4,
};

/* Perfetto's units of a counter; UNIT_NONE: the track is none. */
enum track_unit { UNIT_NONE, UNIT_TIME_NS, UNIT_NUMBER };

struct packet_track {
	uint64_t uuid, parent_uuid; /* parent 0: none */
	const char *name;
	enum track_unit unit;
	/* pid not 0: the track is that of a process, and with tid that of a thread. */
	int32_t pid, tid;
};

/* Scratch memory, reused for each packet. */
struct packet_maker {
	struct buffer packet, message, part;
};

void packet_maker_free(struct packet_maker *maker);

/* Adds a packet with data in the field of its kind. */
void packet_add(struct packet_maker *maker, enum trace_packet_field field, const struct buffer *data,
		struct buffer *out);
/* Adds the first packets: clocks and kernel. ts_ns is the time of the first event. */
void packet_add_header(struct packet_maker *maker, const struct tracedat *trace, const char *clock, uint64_t ts_ns,
		       struct buffer *out);
/* Before the first event of the track. */
void packet_add_track(struct packet_maker *maker, const struct packet_track *track, struct buffer *out);
/* Adds an instant, or the begin or end of a slice; an end has no text. */
void packet_add_event(struct packet_maker *maker, enum track_event_type type, uint64_t ts_ns, uint64_t uuid,
		      const char *text, size_t length, struct buffer *out);
void packet_add_counter(struct packet_maker *maker, uint64_t ts_ns, uint64_t uuid, int64_t value, struct buffer *out);
/* Names a process, or a thread of one, in the packet that packet_end_tasks() adds; name: of length bytes. */
void packet_name_process(struct packet_maker *maker, int32_t pid, const char *name, size_t length);
void packet_name_thread(struct packet_maker *maker, int32_t tid, int32_t pid, const char *name, size_t length);
void packet_end_tasks(struct packet_maker *maker, uint64_t ts_ns, struct buffer *out);

#endif
