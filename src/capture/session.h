/* SPDX-License-Identifier: MIT
 *
 * One recording: a ring buffer set up for some events, the four of the scheduler by default, switched on and off,
 * saved, and gone. */
#ifndef CAPTURE_SESSION_H
#define CAPTURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"
#include "capture/event_names.h"
#include "capture/kernel_text.h"
#include "capture/tracefs.h"

/* What events and pids point to must outlive the session. */
struct capture_settings {
	uint64_t buffer_size_kb;            /* per CPU */
	const char *clock;                  /* "mono" */
	unsigned int cpu_count;             /* CPUs 0 to cpu_count - 1 are recorded */
	const struct capture_event *events; /* grouped by system */
	size_t event_count;                 /* 0: the four of the scheduler */
	bool overwrite;                     /* a full buffer forgets its oldest events instead of refusing new ones */
	const pid_t *pids;                  /* only what concerns these tasks and those that they start */
	size_t pid_count;                   /* 0: all tasks */
	bool migration_stacks;              /* migration_stacks.h */
};

struct capture_session;

/* Makes and sets up the buffer, tracing off. STATUS_SYSTEM if the kernel refuses, with the remedy; STATUS_USAGE for
 * a clock that this kernel does not have. An error leaves nothing in tracefs. */
enum status capture_open(const struct capture_settings *settings, struct capture_session **session, struct error *err);
/* With settings.pids: these too. One that has ended meanwhile does no harm. */
enum status capture_add_tasks(const struct capture_session *session, const pid_t *pids, size_t count,
			      struct error *err);
enum status capture_start(struct capture_session *session, struct error *err);
/* Stops, checks that the clock is still the one that was asked for, and takes each CPU's statistics. */
enum status capture_stop(struct capture_session *session, struct error *err);
/* After capture_stop() and the readout of a CPU: what the kernel counts by then, which can be an event more that was
 * being recorded as the buffer stopped. The time stays that of capture_stop(). */
void capture_count_again(const struct capture_session *session, unsigned int cpu, const struct ring_stats *stats);
/* After capture_stop(): another process cleared tracing_on before; later events are missing. */
bool capture_was_off(const struct capture_session *session);
/* Events recorded so far, read out already or not. Takes no interrupt to any other CPU. */
uint64_t capture_events_so_far(const struct capture_session *session);
/* One CPU's numbers as they are now; false if they cannot be read. */
bool capture_stats_now(const struct capture_session *session, unsigned int cpu, struct ring_stats *stats);
uint64_t capture_buffer_size_kb(const struct capture_session *session);
/* After capture_stop(): one CPU's numbers. */
const struct ring_stats *capture_stats(const struct capture_session *session, unsigned int cpu);
/* The directory with per_cpu/, for the readout. */
const char *capture_directory(const struct capture_session *session);
const char *capture_tracefs(const struct capture_session *session);
unsigned int capture_cpu_count(const struct capture_session *session);
/* The events that are recorded. */
const struct capture_event *capture_events(const struct capture_session *session, size_t *count);
bool capture_has_migration_stacks(const struct capture_session *session);
/* Whether a full buffer overwrites its oldest events. */
bool capture_overwrites(const struct capture_session *session);
/* Empties the stopped buffer and sets its statistics to zero, for another capture_start(). */
enum status capture_clear(struct capture_session *session, struct error *err);

/* After capture_stop(): the text of per_cpu/cpuN/stats. */
const char *capture_stats_text(const struct capture_session *session, unsigned int cpu);
/* Appends the text of events/header_page or events/header_event (name). */
enum status capture_header_text(const struct capture_session *session, const char *name, struct buffer *text,
				struct error *err);
/* The size of its ring-buffer pages, from that text. */
enum status capture_page_size(const struct capture_session *session, uint32_t *size, struct error *err);
/* Removes the instance and frees session, also when that fails. */
enum status capture_close(struct capture_session *session, struct error *err);

#endif
