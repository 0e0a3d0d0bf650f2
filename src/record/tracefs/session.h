/* SPDX-License-Identifier: MIT
 *
 * One recording: sets up a ring buffer for some events (default: the scheduler's own), starts and stops it, and
 * removes it. */
#ifndef RECORD_TRACEFS_SESSION_H
#define RECORD_TRACEFS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "record/tracefs/dynamic_events.h"
#include "record/tracefs/event_names.h"
#include "record/tracefs/function_counts.h"
#include "record/tracefs/kernel_text.h"
#include "record/tracefs/keys.h"
#include "record/tracefs/tracefs.h"
#include "trace/format/ring_page.h"

/* events must outlive the session. */
struct capture_settings {
	uint64_t buffer_size_kb;            /* per CPU */
	const char *clock;                  /* "mono" */
	unsigned int cpu_count;             /* CPUs 0 to cpu_count - 1 are recorded */
	const struct capture_event *events; /* grouped by system */
	size_t event_count;      /* 0: the scheduler's: switches, wakeups, migrations, inherited priorities */
	bool overwrite;          /* a full buffer overwrites its oldest events instead of dropping new ones */
	const pid_t *pids;       /* record only events of these tasks and their children */
	size_t pid_count;        /* 0: all tasks */
	bool migration_stacks;   /* record the kernel stack of each migration */
	const struct keys *keys; /* record these too, after events; NULL: none */
	unsigned int key_levels; /* of groups, whose keys are recorded: at most those of keys */
	const char *counted;     /* functions of the kernel (function_counts_parse()); NULL: none */
};

/* Sets settings->events to this kernel's events that match wanted (record/tracefs/event_names.h); names owns them. An
 * empty list leaves the default. STATUS_SYSTEM without tracefs, STATUS_USAGE for an unknown event. */
enum status capture_choose_events(struct capture_settings *settings, const struct option_list *wanted,
				  struct event_names *names, struct error *err);

struct capture_session {
	struct capture_settings settings;
	char tracefs[TRACEFS_PATH_SIZE];
	char directory[TRACEFS_PATH_SIZE];       /* of the instance, with per_cpu/ for the readout */
	struct buffer header_page, header_event; /* texts of the files in events/ */
	struct ring_page_layout layout;          /* according to them */
	uint32_t page_size;
	char offline_cpus[4096]; /* at capture_start(), as in cpus_offline_text() */
	/* After capture_stop(): */
	bool was_off;                     /* another process cleared tracing_on before; later events are missing */
	struct ring_stats *stats;         /* one per CPU */
	struct buffer *stats_texts;       /* the same as the kernel's text; empty for an absent CPU */
	uint64_t key_misses[KEY_ROWS];    /* hits that the probe of each event of settings.keys missed */
	struct function_counts functions; /* of settings.counted */
	/* Private. */
	uint64_t misses_before[KEY_ROWS]; /* at capture_start() */
	char clock[32];
	char key_group[DYNAMIC_GROUP_SIZE]; /* of the events of settings.keys and the probes of functions */
	int lock;                           /* of the instance */
	struct capture_event *own_events;   /* memory of settings.events, unless they are the caller's */
	bool filter_waking;
	struct buffer followed; /* with settings.pids: the kernel's list at the start */
	struct cleanup cleanup;
};

/* Creates and configures the buffer; tracing is off. STATUS_SYSTEM with a remedy if the kernel refuses; STATUS_USAGE
 * for a clock that this kernel lacks. After an error, nothing is left in tracefs. */
enum status capture_open(const struct capture_settings *settings, struct capture_session **session, struct error *err);
/* With settings.pids: adds PIDs. PIDs of ended tasks are ignored. */
enum status capture_add_tasks(const struct capture_session *session, const pid_t *pids, size_t count,
			      struct error *err);
enum status capture_start(struct capture_session *session, struct error *err);
/* Stops tracing, checks that the clock is unchanged, and reads each CPU's statistics. */
enum status capture_stop(struct capture_session *session, struct error *err);
/* After capture_stop() and the readout: whether the buffer takes events if tracing_on is 1. The kernel refuses all
 * further ones after a fault of its own (RB_WARN_ON() of kernel/trace/ring_buffer.c), whatever tracing_on then shows,
 * and while another process reads the file "trace" with the option pause-on-trace. Leaves events in the buffer. */
bool capture_takes_events(const struct capture_session *session);
/* After capture_stop() and the readout of a CPU: updates its statistics, which may include one more event that was
 * being recorded when the buffer stopped. The time stays that of capture_stop(). */
void capture_count_again(const struct capture_session *session, unsigned int cpu, const struct ring_stats *stats);
/* Events recorded so far, including those already read out. Sends no interrupt to other CPUs. */
uint64_t capture_events_so_far(const struct capture_session *session);
/* One CPU's current statistics; false if they cannot be read. */
bool capture_stats_now(const struct capture_session *session, unsigned int cpu, struct ring_stats *stats);
/* The time on the trace clock; 0: the clock does not count nanoseconds. */
uint64_t capture_now_ns(const struct capture_session *session);
/* The directory of a system below events/; for key events, the session's own group. */
const char *capture_system_directory(const struct capture_session *session, const char *system);
/* With settings.pids: appends " PID" for each task that the kernel followed when the recording started; if a full
 * buffer overwrites events, also for those that it follows now. False without settings.pids. */
bool capture_followed(const struct capture_session *session, struct buffer *pids);
/* Before capture_start(): records the keys of so many levels of groups. Events that differ are defined anew. */
enum status capture_choose_levels(struct capture_session *session, unsigned int levels, struct error *err);
/* Clears the stopped buffer and its statistics, for another capture_start(). */
enum status capture_clear(struct capture_session *session, struct error *err);

/* Removes the instance and frees session, even if the removal fails. */
enum status capture_close(struct capture_session *session, struct error *err);

#endif
