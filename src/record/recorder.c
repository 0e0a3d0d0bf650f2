/* SPDX-License-Identifier: MIT */
#include "record/recorder.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/message.h"

/* After a signal the subject has OWN_END_S to end by itself, because Ctrl+C in a terminal reaches it too. Then the
 * recorder forwards the signal to it and waits PASSED_END_S. */
static const double OWN_END_S = 0.2, PASSED_END_S = 2;

struct recorder {
	const struct recorder_settings *settings;
	struct trace_window *window;
	struct capture_session *session; /* NULL: nothing is traced */
	int usr1_fd;                     /* a signalfd of SIGUSR1, or -1 */
	double progress_s;               /* when progress() was last called */
	bool stopped;                    /* tracing is off */
};

static const struct subject_actions *subject_actions_of(const struct recorder *recorder)
{
	static const struct subject_actions none;

	return recorder->settings->subject ? recorder->settings->subject->actions : &none;
}

static const struct recorder_sink_actions *recorder_sink_actions_of(const struct recorder *recorder)
{
	static const struct recorder_sink_actions none;

	return recorder->settings->sink ? recorder->settings->sink->actions : &none;
}

/* --- Set-up --- */

static enum status open_session(struct recorder *recorder, struct error *err)
{
	const struct recorder_settings *settings = recorder->settings;

	if (!settings->capture)
		return STATUS_OK;
	if (settings->kept && *settings->kept) {
		recorder->session = *settings->kept;
		const enum status cleared = capture_clear(recorder->session, err);
		return cleared == STATUS_OK
			   ? capture_choose_levels(recorder->session, settings->capture->key_levels, err)
			   : cleared;
	}
	struct capture_settings capture = *settings->capture;
	capture.cpu_count = settings->cpus->count;
	if (settings->subject) {
		capture.pids = settings->subject->threads;
		capture.pid_count = settings->subject->thread_count;
	}
	const enum status status = capture_open(&capture, &recorder->session, err);
	if (settings->kept)
		*settings->kept = recorder->session;
	return status;
}

/* SIGUSR1 comes through a descriptor, so that no signal is missed between two calls of poll(). */
static enum status catch_usr1(struct recorder *recorder, struct error *err)
{
	sigset_t set;

	if (!recorder->settings->sink || !recorder->settings->sink->hears_usr1)
		return STATUS_OK;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	recorder->usr1_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return recorder->usr1_fd >= 0 ? STATUS_OK : error_system(err, errno, NULL, "cannot wait for SIGUSR1");
}

/* Prepares the subject before the sink, which raises a limit that the subject's tasks would inherit. */
static enum status prepare_recording(struct recorder *recorder, struct error *err)
{
	const struct recorder_settings *settings = recorder->settings;
	const struct subject_actions *subject = subject_actions_of(recorder);
	const struct recorder_sink_actions *sink = recorder_sink_actions_of(recorder);
	enum status status = interrupt_check(err);

	if (status == STATUS_OK)
		status = catch_usr1(recorder, err);
	if (status == STATUS_OK)
		status = open_session(recorder, err);
	if (status == STATUS_OK && subject->prepare)
		status = subject->prepare(settings->subject, settings->cpus, recorder->session, err);
	if (status == STATUS_OK && sink->open)
		status = sink->open(settings->sink, recorder->session, err);
	if (status == STATUS_OK && settings->prepared)
		settings->prepared(settings->context);
	if (status == STATUS_OK)
		status = settings->settle_us ? interrupt_sleep(settings->settle_us / 1000, err) : interrupt_check(err);
	const struct timespec rest = {.tv_nsec = (long)(settings->settle_us % 1000) * 1000};
	if (rest.tv_nsec)
		nanosleep(&rest, NULL);
	return status;
}

/* --- The traced window --- */

static bool subject_has_ended(const struct recorder *recorder)
{
	const struct subject_actions *subject = subject_actions_of(recorder);

	return subject->has_ended && subject->has_ended(recorder->settings->subject);
}

static bool recorder_sink_is_done(const struct recorder *recorder)
{
	const struct recorder_sink_actions *sink = recorder_sink_actions_of(recorder);

	return sink->is_done && sink->is_done(recorder->settings->sink);
}

/* How long to sleep; -1: until something happens. */
static int sleep_ms(const struct recorder *recorder, double deadline_s)
{
	const struct recorder_sink_actions *sink = recorder_sink_actions_of(recorder);
	int max_ms = recorder->settings->progress ? RECORDER_PROGRESS_MS : -1;
	int read_ms = sink->interval_ms ? sink->interval_ms(recorder->settings->sink) : -1;

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

static void report_progress(struct recorder *recorder)
{
	double now_s = clock_seconds(CLOCK_MONOTONIC);

	if (!recorder->settings->progress || now_s - recorder->progress_s < RECORDER_PROGRESS_MS / 1000.0)
		return;
	recorder->progress_s = now_s;
	recorder->settings->progress(recorder->settings->context, recorder->session);
}

static void begin_window(struct trace_window *window)
{
	window->start_s = clock_seconds(CLOCK_REALTIME);
	window->started_s = clock_seconds(CLOCK_MONOTONIC);
}

/* After SIGUSR1: stops, saves, and continues with an empty buffer. */
static enum status save_stretch(struct recorder *recorder, struct error *err)
{
	struct recorder_sink *sink = recorder->settings->sink;
	struct signalfd_siginfo info;

	if (read(recorder->usr1_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return STATUS_OK;
	if (!sink->has_stretches || !sink->actions->save_stretch) {
		message_warning("SIGUSR1 ignored: it saves a stretch only with --flight and an output file");
		return STATUS_OK;
	}
	enum status status = capture_stop(recorder->session, err);
	recorder->window->stopped_s = clock_seconds(CLOCK_MONOTONIC);
	recorder->window->end = WINDOW_SIGNAL;
	if (status == STATUS_OK)
		status = sink->actions->save_stretch(sink, recorder->window, err);
	sink->actions->close(sink);
	if (status == STATUS_OK)
		status = capture_clear(recorder->session, err);
	if (status == STATUS_OK)
		status = sink->actions->open(sink, recorder->session, err);
	begin_window(recorder->window);
	return status == STATUS_OK ? capture_start(recorder->session, err) : status;
}

/* Sleeps once, then reads the buffers and reports progress. */
static enum status wait_once(struct recorder *recorder, double deadline_s, bool hear_signals, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(recorder);
	const struct recorder_sink_actions *sink = recorder_sink_actions_of(recorder);
	struct pollfd wait[2 + SUBJECT_DESCRIPTORS_MAX] = {
	    {.fd = hear_signals ? interrupt_fd() : -1, .events = POLLIN},
	    {.fd = recorder->usr1_fd, .events = POLLIN},
	};
	size_t count = subject->descriptors ? subject->descriptors(recorder->settings->subject, wait + 2) : 0;
	int ready = poll(wait, 2 + count, sleep_ms(recorder, deadline_s));
	enum status status = STATUS_OK;

	if (ready <= 0 && sink->read)
		status = sink->read(recorder->settings->sink, err);
	if (ready > 0 && wait[1].revents)
		status = save_stretch(recorder, err);
	report_progress(recorder);
	return status;
}

static enum status wait_until(struct recorder *recorder, double deadline_s, bool hear_signals, struct error *err)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK) {
		if (hear_signals && interrupt_signal())
			recorder->window->end = WINDOW_SIGNAL;
		else if (subject_has_ended(recorder))
			recorder->window->end = WINDOW_SUBJECT;
		else if (recorder_sink_is_done(recorder))
			recorder->window->end = WINDOW_SINK;
		else if (deadline_s > 0 && clock_seconds(CLOCK_MONOTONIC) >= deadline_s)
			recorder->window->end = WINDOW_DURATION;
		else {
			status = wait_once(recorder, deadline_s, hear_signals, err);
			continue;
		}
		return STATUS_OK;
	}
	recorder->window->end = WINDOW_FAILED;
	return status;
}

/* Continues to record until a subject that handles the signal has ended. */
static enum status end_after_signal(struct recorder *recorder, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(recorder);
	double now_s = clock_seconds(CLOCK_MONOTONIC);

	if (!subject->pass_signal || subject_has_ended(recorder))
		return STATUS_OK;
	enum status status = wait_until(recorder, now_s + OWN_END_S, false, err);
	if (status == STATUS_OK && !subject_has_ended(recorder)) {
		subject->pass_signal(recorder->settings->subject, interrupt_signal());
		status = wait_until(recorder, now_s + OWN_END_S + PASSED_END_S, false, err);
	}
	recorder->window->end = status == STATUS_OK ? WINDOW_SIGNAL : WINDOW_FAILED;
	return status;
}

static enum status start_window(struct recorder *recorder, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(recorder);
	const struct recorder_sink_actions *sink = recorder_sink_actions_of(recorder);
	enum status status = recorder->session ? capture_start(recorder->session, err) : STATUS_OK;

	begin_window(recorder->window);
	recorder->progress_s = recorder->window->started_s;
	if (status == STATUS_OK && recorder->settings->started)
		recorder->settings->started(recorder->settings->context, recorder->session);
	if (status == STATUS_OK && sink->started)
		status = sink->started(recorder->settings->sink, err);
	if (status == STATUS_OK && subject->start)
		status = subject->start(recorder->settings->subject, err);
	return status;
}

static enum status run_subject(struct recorder *recorder, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(recorder);
	double duration_s = recorder->settings->duration_s;
	enum status status = start_window(recorder, err);

	if (status == STATUS_OK)
		status = wait_until(recorder, duration_s > 0 ? recorder->window->started_s + duration_s : 0, true, err);
	if (status == STATUS_OK && recorder->window->end == WINDOW_SIGNAL)
		status = end_after_signal(recorder, err);
	if (status == STATUS_OK && subject->finish)
		status = subject->finish(recorder->settings->subject, err);
	return status;
}

/* Always stops tracing; returns the first error. */
static enum status record_window(struct recorder *recorder, struct error *err)
{
	double cpu_s = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
	enum status status = run_subject(recorder, err);
	enum status stopped = STATUS_OK;

	recorder->window->tracer_cpu_s = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
	if (recorder->settings->stopping)
		recorder->settings->stopping(recorder->settings->context, recorder->session);
	if (recorder->session)
		stopped = capture_stop(recorder->session, status == STATUS_OK ? err : NULL);
	recorder->stopped = stopped == STATUS_OK;
	recorder->window->stopped_s = clock_seconds(CLOCK_MONOTONIC);
	return status == STATUS_OK ? stopped : status;
}

/* --- Afterwards --- */

static enum status save_recording(struct recorder *recorder, enum status recorded, struct error *err)
{
	const struct recorder_sink_actions *sink = recorder_sink_actions_of(recorder);

	if (recorded == STATUS_OK && sink->save)
		return sink->save(recorder->settings->sink, recorder->window, err);
	/* While the buffer still records, it cannot be read completely. */
	if (recorded != STATUS_OK && recorder->stopped && sink->keep)
		sink->keep(recorder->settings->sink, recorded, err);
	return recorded;
}

static enum status close_all(struct recorder *recorder, struct error *err)
{
	const struct subject_actions *subject = subject_actions_of(recorder);
	const struct recorder_sink_actions *sink = recorder_sink_actions_of(recorder);
	enum status status = STATUS_OK;

	if (subject->end)
		subject->end(recorder->settings->subject);
	if (sink->close)
		sink->close(recorder->settings->sink);
	if (recorder->session && !recorder->settings->kept)
		status = capture_close(recorder->session, err);
	if (recorder->usr1_fd >= 0)
		close(recorder->usr1_fd);
	return status;
}

enum status recorder_run(const struct recorder_settings *settings, struct trace_window *window, struct error *err)
{
	struct recorder recorder = {.settings = settings, .window = window, .usr1_fd = -1};

	*window = (struct trace_window){.end = WINDOW_FAILED};
	enum status status = prepare_recording(&recorder, err);
	if (status == STATUS_OK)
		status = save_recording(&recorder, record_window(&recorder, err), err);
	enum status closed = close_all(&recorder, status == STATUS_OK ? err : NULL);
	return status == STATUS_OK ? closed : status;
}

/* --- The tracing process --- */

enum status tracer_begin(struct cpu_layout *cpus, struct error *err)
{
	struct error refusal = {0};
	char text[512];
	enum status status = cpu_layout_read(cpus, err);

	if (status != STATUS_OK)
		return status;
	prctl(PR_SET_NAME, "picknext");
	if (cpu_layout_pin(cpus, &refusal) != STATUS_OK) {
		error_text(&refusal, text, sizeof(text));
		message_warning("%s", text);
	}
	return STATUS_OK;
}

void tracer_end(const struct cpu_layout *cpus)
{
	cpu_layout_unpin(cpus);
}
