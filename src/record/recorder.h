/* SPDX-License-Identifier: MIT
 *
 * Runs a subject, traced or not: the one loop under collect, record, overhead, run, monitor and migrations --live. It
 * sets up a trace instance, prepares the subject, which waits at a barrier, starts tracing and then the subject, reads
 * the buffers on a timer, stops, and passes the result to the sink. Nothing is left in tracefs, except for a kept
 * session. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/options.h"
#include "record/tracefs/cpus.h"
#include "record/tracefs/session.h"

/* --- Subject: a workload, a command or processes that the recorder runs or watches --- */

/* Max number of descriptors of one subject. */
#define SUBJECT_DESCRIPTORS_MAX OPTION_LIST_MAX

struct subject;

/* In the order of the calls. Each may be NULL. */
struct subject_actions {
	/* Creates its tasks, which wait at the barrier. The session is set up but not yet tracing; NULL: nothing is
	 * traced. */
	enum status (*prepare)(struct subject *subject, const struct cpu_layout *cpus,
			       const struct capture_session *session, struct error *err);
	/* Opens the barrier. Tracing is on. */
	enum status (*start)(struct subject *subject, struct error *err);
	/* Fills in descriptors for poll(), up to SUBJECT_DESCRIPTORS_MAX, and returns their number. They become
	 * readable when the subject may have ended. */
	size_t (*descriptors)(const struct subject *subject, struct pollfd *wait);
	bool (*has_ended)(struct subject *subject);
	/* Forwards a signal that picknext received, if the subject has not ended by itself shortly after it. */
	void (*pass_signal)(struct subject *subject, int number);
	/* Collects the result before tracing stops. STATUS_INTERRUPTED: a signal came first, so there is no result. */
	enum status (*finish)(struct subject *subject, struct error *err);
	/* Ends processes that must not outlive the session. Always called. */
	void (*end)(struct subject *subject);
};

/* A subject is a struct that begins with this one. */
struct subject {
	const struct subject_actions *actions;
	/* Only events of these threads and their descendants are recorded. Count 0: of all threads. */
	const pid_t *threads;
	size_t thread_count;
};

/* --- Sink of events: a file (trace_file.h), or a consumer that reads them at once (live.h) --- */

enum window_end {
	WINDOW_SUBJECT,  /* the subject ended */
	WINDOW_DURATION, /* the duration has passed */
	WINDOW_SINK,     /* the sink has all it needs */
	WINDOW_SIGNAL,
	WINDOW_FAILED,
};

/* The time between tracing on and off. */
struct trace_window {
	double start_s;              /* Unix time, for dates only: that clock can be set meanwhile */
	double started_s, stopped_s; /* CLOCK_MONOTONIC */
	double tracer_cpu_s;         /* CPU time of picknext itself */
	enum window_end end;
};

struct recorder_sink;

/* In the order of the calls. Each but open and close may be NULL. */
struct recorder_sink_actions {
	/* The session is set up but not yet tracing. */
	enum status (*open)(struct recorder_sink *sink, struct capture_session *session, struct error *err);
	/* Tracing has begun. */
	enum status (*started)(struct recorder_sink *sink, struct error *err);
	/* Milliseconds until the next read(); -1: none is needed. */
	int (*interval_ms)(const struct recorder_sink *sink);
	enum status (*read)(struct recorder_sink *sink, struct error *err);
	/* True ends the recording. */
	bool (*is_done)(const struct recorder_sink *sink);
	/* Tracing has stopped. */
	enum status (*save)(struct recorder_sink *sink, const struct trace_window *window, struct error *err);
	/* Like save(), after SIGUSR1. The recorder then opens the sink again and continues with an empty buffer. */
	enum status (*save_stretch)(struct recorder_sink *sink, const struct trace_window *window, struct error *err);
	/* Called instead of save() after a failure: keeps the recorded events, and adds their file to the error. */
	void (*keep)(struct recorder_sink *sink, enum status failed, struct error *failure);
	void (*close)(struct recorder_sink *sink);
};

/* A sink is a struct that begins with this one. */
struct recorder_sink {
	const struct recorder_sink_actions *actions;
	bool hears_usr1; /* SIGUSR1 does not end picknext: it saves a stretch with save_stretch(), if set */
	bool has_stretches;
};

/* --- The recorder --- */

/* How often progress() is called. */
#define RECORDER_PROGRESS_MS 1000

struct recorder_settings {
	const struct cpu_layout *cpus;
	const struct capture_settings *capture; /* cpu_count and pids are filled in; NULL: nothing is traced */
	struct capture_session **kept; /* not NULL: *kept keeps the session for the next recording with the same capture
					  settings (only for subjects without threads); the caller closes it */
	struct subject *subject;       /* NULL: the whole machine */
	struct recorder_sink *sink;    /* NULL: nothing is read out */
	unsigned int settle_us;        /* between set-up and start */
	double duration_s;             /* 0: until the subject or the sink ends, or a signal comes */
	/* Each may be NULL. prepared() is called before tracing, started() and stopping() at its start and end,
	 * progress() about once a second in between. session is NULL if nothing is traced. */
	void (*prepared)(void *context);
	void (*started)(void *context, const struct capture_session *session);
	void (*stopping)(void *context, const struct capture_session *session);
	void (*progress)(void *context, const struct capture_session *session);
	void *context;
};

/* The caller has called interrupt_catch() and, if it traces, tracer_begin(). After a signal: STATUS_INTERRUPTED if the
 * subject has no result (finish()), else STATUS_OK with window->end WINDOW_SIGNAL. STATUS_SYSTEM if tracing or writing
 * fails. */
enum status recorder_run(const struct recorder_settings *settings, struct trace_window *window, struct error *err);

/* Names this process, so that other picknext processes recognise the owner of a trace instance, reads the CPUs of the
 * machine, and moves this process to the last isolated one. If that is refused it warns and goes on. After success,
 * tracer_end() moves it back. */
enum status tracer_begin(struct cpu_layout *cpus, struct error *err);
void tracer_end(const struct cpu_layout *cpus);

#endif
