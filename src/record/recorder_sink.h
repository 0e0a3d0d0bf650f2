/* SPDX-License-Identifier: MIT
 *
 * A destination of recorded events: a file (trace_file.h), or a consumer that reads them at once (live.h). A sink is a
 * struct that begins with struct recorder_sink. */
#ifndef RECORD_RECORDER_SINK_H
#define RECORD_RECORDER_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/tracefs/session.h"

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
	/* The session is set up and does not trace yet. */
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
	/* The same after SIGUSR1; the recorder opens the sink again and continues with an empty buffer. */
	enum status (*save_stretch)(struct recorder_sink *sink, const struct trace_window *window, struct error *err);
	/* Called instead of save() after a failure: keeps the recorded events, and adds their file to the error. */
	void (*keep)(struct recorder_sink *sink, enum status failed, struct error *failure);
	void (*close)(struct recorder_sink *sink);
};

struct recorder_sink {
	const struct recorder_sink_actions *actions;
	bool hears_usr1; /* SIGUSR1 does not end picknext: it saves a stretch with save_stretch(), if set */
	bool has_stretches;
};

#endif
