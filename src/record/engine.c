/* SPDX-License-Identifier: MIT */
#include "record/engine.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/message.h"

/* After a signal the subject has OWN_END_S to end by itself, since Ctrl+C in a terminal reaches it too. Then the engine
 * sends it the same signal, and waits PASSED_END_S. */
static const double OWN_END_S = 0.2, PASSED_END_S = 2;

struct engine {
	const struct engine_settings *settings;
	struct trace_window *window;
	struct capture_session *session; /* NULL: nothing is traced */
	int usr1_fd;                     /* a signalfd of SIGUSR1, or -1 */
	double progress_s;               /* when progress() was last called */
	bool stopped;                    /* tracing is off */
};

static const struct subject_actions *subject_actions_of(const struct engine *engine)
{
	static const struct subject_actions none;

	return engine->settings->subject ? engine->settings->subject->actions : &none;
}

static const struct sink_actions *sink_actions_of(const struct engine *engine)
{
	static const struct sink_actions none;

	return engine->settings->sink ? engine->settings->sink->actions : &none;
}

/* --- Set-up --- */

static enum status open_session(struct engine *engine, struct error *err)
{
	const struct engine_settings *settings = engine->settings;

	if (!settings->capture)
		return STATUS_OK;
	struct capture_settings capture = *settings->capture;
	capture.cpu_count = settings->cpus->count;
	if (settings->subject) {
		capture.pids = settings->subject->threads;
		capture.pid_count = settings->subject->thread_count;
	}
	return capture_open(&capture, &engine->session, err);
}

/* SIGUSR1 comes through a descriptor, so that no signal is missed between two calls of poll(). */
static enum status catch_usr1(struct engine *engine, struct error *err)
{
	sigset_t set;

	if (!engine->settings->sink || !engine->settings->sink->hears_usr1)
		return STATUS_OK;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	engine->usr1_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return engine->usr1_fd >= 0 ? STATUS_OK : error_system(err, errno, NULL, "cannot wait for SIGUSR1");
}

/* Prepares the subject before the sink, which raises a limit that the subject's tasks would inherit. */
static enum status prepare(struct engine *engine, struct error *err)
{
	const struct engine_settings *settings = engine->settings;
	const struct subject_actions *subject = subject_actions_of(engine);
	const struct sink_actions *sink = sink_actions_of(engine);
	enum status status = interrupt_check(err);

	if (status == STATUS_OK)
		status = catch_usr1(engine, err);
	if (status == STATUS_OK)
		status = open_session(engine, err);
	if (status == STATUS_OK && subject->prepare)
		status = subject->prepare(settings->subject, settings->cpus, engine->session, err);
	if (status == STATUS_OK && sink->open)
		status = sink->open(settings->sink, engine->session, err);
	if (status == STATUS_OK && settings->prepared)
		settings->prepared(settings->context);
	if (status == STATUS_OK)
		status = settings->settle_ms ? interrupt_sleep(settings->settle_ms, err) : interrupt_check(err);
	return status;
}

/* --- The traced window --- */

static bool subject_has_ended(const struct engine *engine)
{
	const struct subject_actions *subject = subject_actions_of(engine);

	return subject->has_ended && subject->has_ended(engine->settings->subject);
}

static bool sink_is_done(const struct engine *engine)
{
	const struct sink_actions *sink = sink_actions_of(engine);

	return sink->is_done && sink->is_done(engine->settings->sink);
}

/* How long to sleep; -1: until something happens. */
static int sleep_ms(const struct engine *engine, double deadline_s)
{
	const struct sink_actions *sink = sink_actions_of(engine);
	int max_ms = engine->settings->progress ? ENGINE_PROGRESS_MS : -1;
	int read_ms = sink->interval_ms ? sink->interval_ms(engine->settings->sink) : -1;

	if (read_ms >= 0 && (max_ms < 0 || read_ms < max_ms))
		max_ms = read_ms;
	if (deadline_s > 0) {
		double left_ms = (deadline_s - clock_seconds(CLOCK_MONOTONIC)) * 1000 + 1;
		if (left_ms < 0)
			return 0;
		if (max_ms < 0 || left_ms < max_ms)
			max_ms = left_ms > 1e9 ? 1000000000 : (int)left_ms;
	}
	return max_ms;
}

static void report_progress(struct engine *engine)
{
	double now_s = clock_seconds(CLOCK_MONOTONIC);

	if (!engine->settings->progress || now_s - engine->progress_s < ENGINE_PROGRESS_MS / 1000.0)
		return;
	engine->progress_s = now_s;
	engine->settings->progress(engine->settings->context, engine->session);
}

static void begin_window(struct trace_window *window)
{
	window->start_s = clock_seconds(CLOCK_REALTIME);
	window->started_s = clock_seconds(CLOCK_MONOTONIC);
}

/* After SIGUSR1: stops, saves, and continues with an empty buffer. */
static enum status save_stretch(struct engine *engine, struct error *err)
{
	struct sink *sink = engine->settings->sink;
	struct signalfd_siginfo info;

	if (read(engine->usr1_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return STATUS_OK;
	if (!sink->has_stretches || !sink->actions->save_stretch) {
		message_warning("SIGUSR1 saves a stretch only with --flight and the name of a file");
		return STATUS_OK;
	}
	enum status status = capture_stop(engine->session, err);
	engine->window->stopped_s = clock_seconds(CLOCK_MONOTONIC);
	engine->window->end = WINDOW_SIGNAL;
	if (status == STATUS_OK)
		status = sink->actions->save_stretch(sink, engine->window, err);
	sink->actions->close(sink);
	if (status == STATUS_OK)
		status = capture_clear(engine->session, err);
	if (status == STATUS_OK)
		status = sink->actions->open(sink, engine->session, err);
	begin_window(engine->window);
	return status == STATUS_OK ? capture_start(engine->session, err) : status;
}

/* Sleeps once, then reads the buffers and reports progress. */
static enum status wait_once(struct engine *engine, double deadline_s, bool hear_signals, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(engine);
	const struct sink_actions *sink = sink_actions_of(engine);
	struct pollfd wait[2 + SUBJECT_DESCRIPTORS_MAX] = {
	    {.fd = hear_signals ? interrupt_fd() : -1, .events = POLLIN},
	    {.fd = engine->usr1_fd, .events = POLLIN},
	};
	size_t count = subject->descriptors ? subject->descriptors(engine->settings->subject, wait + 2) : 0;
	int ready = poll(wait, 2 + count, sleep_ms(engine, deadline_s));
	enum status status = STATUS_OK;

	if (ready <= 0 && sink->read)
		status = sink->read(engine->settings->sink, err);
	if (ready > 0 && wait[1].revents)
		status = save_stretch(engine, err);
	report_progress(engine);
	return status;
}

static enum status wait_until(struct engine *engine, double deadline_s, bool hear_signals, struct error *err)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK) {
		if (hear_signals && interrupt_signal())
			engine->window->end = WINDOW_SIGNAL;
		else if (subject_has_ended(engine))
			engine->window->end = WINDOW_SUBJECT;
		else if (sink_is_done(engine))
			engine->window->end = WINDOW_SINK;
		else if (deadline_s > 0 && clock_seconds(CLOCK_MONOTONIC) >= deadline_s)
			engine->window->end = WINDOW_DURATION;
		else {
			status = wait_once(engine, deadline_s, hear_signals, err);
			continue;
		}
		return STATUS_OK;
	}
	engine->window->end = WINDOW_FAILED;
	return status;
}

/* Records also the end of a subject that handles signals. */
static enum status end_after_signal(struct engine *engine, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(engine);
	double now_s = clock_seconds(CLOCK_MONOTONIC);

	if (!subject->pass_signal || subject_has_ended(engine))
		return STATUS_OK;
	enum status status = wait_until(engine, now_s + OWN_END_S, false, err);
	if (status == STATUS_OK && !subject_has_ended(engine)) {
		subject->pass_signal(engine->settings->subject, interrupt_signal());
		status = wait_until(engine, now_s + OWN_END_S + PASSED_END_S, false, err);
	}
	engine->window->end = status == STATUS_OK ? WINDOW_SIGNAL : WINDOW_FAILED;
	return status;
}

static enum status start(struct engine *engine, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(engine);
	const struct sink_actions *sink = sink_actions_of(engine);
	enum status status = engine->session ? capture_start(engine->session, err) : STATUS_OK;

	begin_window(engine->window);
	engine->progress_s = engine->window->started_s;
	if (status == STATUS_OK && engine->settings->started)
		engine->settings->started(engine->settings->context, engine->session);
	if (status == STATUS_OK && sink->started)
		status = sink->started(engine->settings->sink, err);
	if (status == STATUS_OK && subject->start)
		status = subject->start(engine->settings->subject, err);
	return status;
}

static enum status run_subject(struct engine *engine, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(engine);
	double duration_s = engine->settings->duration_s;
	enum status status = start(engine, err);

	if (status == STATUS_OK)
		status = wait_until(engine, duration_s > 0 ? engine->window->started_s + duration_s : 0, true, err);
	if (status == STATUS_OK && engine->window->end == WINDOW_SIGNAL)
		status = end_after_signal(engine, err);
	if (status == STATUS_OK && subject->finish)
		status = subject->finish(engine->settings->subject, err);
	return status;
}

/* Always stops tracing; returns the first error. */
static enum status record(struct engine *engine, struct error *err)
{
	double cpu_s = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
	enum status status = run_subject(engine, err);
	enum status stopped = STATUS_OK;

	engine->window->tracer_cpu_s = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
	if (engine->settings->stopping)
		engine->settings->stopping(engine->settings->context, engine->session);
	if (engine->session)
		stopped = capture_stop(engine->session, status == STATUS_OK ? err : NULL);
	engine->stopped = stopped == STATUS_OK;
	engine->window->stopped_s = clock_seconds(CLOCK_MONOTONIC);
	return status == STATUS_OK ? stopped : status;
}

/* --- Afterwards --- */

static enum status save(struct engine *engine, enum status recorded, struct error *err)
{
	const struct sink_actions *sink = sink_actions_of(engine);

	if (recorded == STATUS_OK && sink->save)
		return sink->save(engine->settings->sink, engine->window, err);
	/* A buffer that still records cannot be read completely. */
	if (recorded != STATUS_OK && engine->stopped && sink->keep)
		sink->keep(engine->settings->sink, recorded, err);
	return recorded;
}

static enum status close_all(struct engine *engine, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(engine);
	const struct sink_actions *sink = sink_actions_of(engine);
	enum status status = STATUS_OK;

	if (subject->end)
		subject->end(engine->settings->subject);
	if (sink->close)
		sink->close(engine->settings->sink);
	if (engine->session)
		status = capture_close(engine->session, err);
	if (engine->usr1_fd >= 0)
		close(engine->usr1_fd);
	return status;
}

enum status engine_run(const struct engine_settings *settings, struct trace_window *window, struct error *err)
{
	struct engine engine = {.settings = settings, .window = window, .usr1_fd = -1};

	*window = (struct trace_window){.end = WINDOW_FAILED};
	enum status status = prepare(&engine, err);
	if (status == STATUS_OK)
		status = save(&engine, record(&engine, err), err);
	enum status closed = close_all(&engine, status == STATUS_OK ? err : NULL);
	return status == STATUS_OK ? closed : status;
}
