/* SPDX-License-Identifier: MIT
 *
 * Runs a subject, traced or not: the one loop under collect, record, overhead, run, monitor and migrations --live. It
 * sets up a trace instance, prepares the subject behind its barrier, starts tracing and then the subject, reads the
 * buffers on a timer, stops, and hands the result to the sink. Nothing is left in tracefs in any case. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "record/recorder_sink.h"
#include "record/subject.h"

/* How often progress() is called. */
#define RECORDER_PROGRESS_MS 1000

struct recorder_settings {
	const struct cpu_layout *cpus;
	const struct capture_settings *capture; /* cpu_count and pids are filled in; NULL: nothing is traced */
	struct subject *subject;                /* NULL: the whole machine */
	struct recorder_sink *sink;             /* NULL: nothing is read out */
	unsigned int settle_ms;                 /* between set-up and start */
	double duration_s;                      /* 0: until the subject or the sink ends, or a signal comes */
	/* Each may be NULL. prepared() is called before the traced window, progress() about once a second within it;
	 * session is NULL if nothing is traced; started() and stopping() at its beginning and end. */
	void (*prepared)(void *context);
	void (*started)(void *context, const struct capture_session *session);
	void (*stopping)(void *context, const struct capture_session *session);
	void (*progress)(void *context, const struct capture_session *session);
	void *context;
};

/* The caller has called interrupt_catch() and, if it traces, tracer_begin(). After a signal: STATUS_INTERRUPTED if the
 * subject cannot finish without its result, else STATUS_OK with window->end WINDOW_SIGNAL. STATUS_SYSTEM if kernel or
 * disk refuses. */
enum status recorder_run(const struct recorder_settings *settings, struct trace_window *window, struct error *err);

/* Names this process, so that other picknext processes recognise the owner of a trace instance, reads the CPUs of the
 * machine, and moves this process to the last isolated one. If that is refused it warns and goes on. After success,
 * tracer_end() moves it back. */
enum status tracer_begin(struct cpu_layout *cpus, struct error *err);
void tracer_end(const struct cpu_layout *cpus);

#endif
