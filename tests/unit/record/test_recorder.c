/* SPDX-License-Identifier: MIT
 *
 * The recorder without tracing: in which order it calls a subject and a sink, and what it does after an error. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/command_subject.h"
#include "record/recorder.h"
#include "support/unit.h"

static time_t date_offset_s;

/* In place of libc's: somebody sets the date. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, clock, now);

	if (clock == CLOCK_REALTIME)
		now->tv_sec += date_offset_s;
	return result;
}

/* Writes down what is called. */
struct fake {
	struct subject subject;
	struct recorder_sink sink;
	char calls[256];
	unsigned int reads, reads_until_end;
	const char *fails; /* the call that does, or NULL */
	bool sets_date;    /* a million seconds forward, while it runs */
};

static struct fake *fake_of_subject(const struct subject *subject)
{
	return (struct fake *)(uintptr_t)subject;
}

static struct fake *fake_of_sink(const struct recorder_sink *sink)
{
	return (struct fake *)((uintptr_t)sink - offsetof(struct fake, sink));
}

static enum status note(struct fake *fake, const char *call, struct error *err)
{
	strcat(strcat(fake->calls, fake->calls[0] ? " " : ""), call);
	if (fake->fails && strcmp(fake->fails, call) == 0)
		return error_set(err, STATUS_SYSTEM, call, "fails");
	return STATUS_OK;
}

static enum status prepare(struct subject *subject, const struct cpu_layout *cpus,
			   const struct capture_session *session, struct error *err)
{
	(void)cpus;
	assert_null(session);
	return note(fake_of_subject(subject), "prepare", err);
}

static enum status start(struct subject *subject, struct error *err)
{
	return note(fake_of_subject(subject), "start", err);
}

static bool has_ended(struct subject *subject)
{
	const struct fake *fake = fake_of_subject(subject);

	return fake->reads_until_end && fake->reads >= fake->reads_until_end;
}

static enum status finish(struct subject *subject, struct error *err)
{
	return note(fake_of_subject(subject), "finish", err);
}

static void end(struct subject *subject)
{
	note(fake_of_subject(subject), "end", NULL);
}

static enum status open_sink(struct recorder_sink *sink, struct capture_session *session, struct error *err)
{
	assert_null(session);
	return note(fake_of_sink(sink), "open", err);
}

static int interval_ms(const struct recorder_sink *sink)
{
	(void)sink;
	return 1;
}

static enum status read_sink(struct recorder_sink *sink, struct error *err)
{
	fake_of_sink(sink)->reads++;
	date_offset_s += fake_of_sink(sink)->sets_date ? 1000000 : 0;
	return fake_of_sink(sink)->fails ? note(fake_of_sink(sink), "read", err) : STATUS_OK;
}

static enum status save(struct recorder_sink *sink, const struct trace_window *window, struct error *err)
{
	assert_true(window->stopped_s >= window->started_s);
	return note(fake_of_sink(sink), "save", err);
}

static void keep(struct recorder_sink *sink, enum status failed, struct error *failure)
{
	(void)failure;
	assert_int_equal(failed, STATUS_SYSTEM);
	note(fake_of_sink(sink), "keep", NULL);
}

static void close_sink(struct recorder_sink *sink)
{
	note(fake_of_sink(sink), "close", NULL);
}

static const struct subject_actions subject_actions = {
    .prepare = prepare, .start = start, .has_ended = has_ended, .finish = finish, .end = end};
static const struct recorder_sink_actions recorder_sink_actions = {
    .open = open_sink, .interval_ms = interval_ms, .read = read_sink, .save = save, .keep = keep, .close = close_sink};

static enum status run(struct fake *fake, double duration_s, struct trace_window *window, struct error *err)
{
	fake->subject.actions = &subject_actions;
	fake->sink.actions = &recorder_sink_actions;
	const struct recorder_settings settings = {
	    .subject = &fake->subject, .sink = &fake->sink, .duration_s = duration_s};
	return recorder_run(&settings, window, err);
}

TEST(a_subject_runs_to_its_end)
{
	struct fake fake = {.reads_until_end = 3};
	struct trace_window window;

	assert_int_equal(run(&fake, 0, &window, NULL), STATUS_OK);
	assert_string_equal(fake.calls, "prepare open start finish save end close");
	assert_int_equal(fake.reads, 3);
	assert_int_equal(window.end, WINDOW_SUBJECT);
}

TEST(a_duration_ends_it)
{
	struct fake fake = {0};
	struct trace_window window;

	assert_int_equal(run(&fake, 0.02, &window, NULL), STATUS_OK);
	assert_string_equal(fake.calls, "prepare open start finish save end close");
	assert_true(window.stopped_s - window.started_s >= 0.019);
	assert_int_equal(window.end, WINDOW_DURATION);
}

TEST(a_date_that_is_set_changes_no_duration)
{
	struct fake fake = {.reads_until_end = 2, .sets_date = true};
	struct trace_window window;

	assert_int_equal(run(&fake, 0, &window, NULL), STATUS_OK);
	assert_true(date_offset_s >= 1000000);
	assert_true(window.stopped_s - window.started_s < 500000);
	date_offset_s = 0;
}

TEST(after_an_error_everything_is_closed)
{
	static const struct {
		const char *fails, *calls;
	} cases[] = {
	    {"prepare", "prepare end close"},
	    {"open", "prepare open end close"},
	    {"start", "prepare open start keep end close"},
	    {"read", "prepare open start read keep end close"},
	    {"finish", "prepare open start read finish keep end close"},
	    {"save", "prepare open start read finish save end close"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fake fake = {.reads_until_end = 1, .fails = cases[i].fails};
		struct trace_window window;
		struct error err = {0};
		assert_int_equal(run(&fake, 0, &window, &err), STATUS_SYSTEM);
		assert_string_equal(err.where, cases[i].fails);
		assert_string_equal(fake.calls, cases[i].calls);
	}
}

/* A command is a subject like any other, traced or not. */
TEST(a_command_is_held_until_the_start)
{
	char *arguments[] = {(char *)"sh", (char *)"-c", (char *)"exit 7", NULL};
	char *missing[] = {(char *)"/no/such/program", NULL};
	struct command_subject command;
	struct trace_window window;
	struct cpu_layout cpus;
	struct error err = {0};
	const struct recorder_settings settings = {.cpus = &cpus, .subject = &command.subject};

	assert_int_equal(cpu_layout_read(&cpus, NULL), STATUS_OK);
	command_subject_make(&command, arguments);
	assert_int_equal(recorder_run(&settings, &window, NULL), STATUS_OK);
	assert_true(command.has_ended);
	assert_int_equal(command_subject_exit_code(&command), 7);
	command_subject_close(&command);
	command_subject_make(&command, missing);
	assert_int_equal(recorder_run(&settings, &window, &err), STATUS_SYSTEM);
	assert_string_equal(err.where, "/no/such/program");
	command_subject_close(&command);
}
