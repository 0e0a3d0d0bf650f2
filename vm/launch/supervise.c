/* SPDX-License-Identifier: MIT */
#include "vm/launch/supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "vm/kernel/kernel_image.h"
#include "vm/launch/terminal.h"

#define POWEROFF_GRACE_MS 15000 /* from the job's end to the engine's */
#define LAST_WORDS_MS     3000  /* of silence, from a kernel's panic or power-off to the engine's end */
#define LAST_WORDS_MAX_MS 15000 /* a slow guest takes long to print a panic */
/* Before its hello, without the time that it waited for a CPU of the host. A guest that has written something and
 * computes has more time: a deterministic one sets its timers for 7 s without a word, over 20 s on a slow machine. */
#define SILENCE_S           20
#define SILENCE_COMPUTING_S 60
#define COMPUTES_NS         UINT64_C(1000000000)
#define PIECE               262144
#define CONSOLE_KEPT        (16u << 20) /* bytes of the console's file that may be on the disk */

#define POLL_MS        250
#define MEMORY_POLL_MS 20 /* lines in shared memory wake nothing up */

enum { POLL_MAX = 2 * CHANNEL_COUNT + 4 };

struct watch {
	struct supervision *on;
	struct terminal terminal;
	struct guest_lines lines;
	char result[16]; /* of port virtme.ret */
	size_t result_length;
	uint64_t started_ms, heard_ms, looked_ms;   /* looked: last reading of the vCPUs' wait time */
	uint64_t guest_ms;                          /* the last output of the guest, not of its engine */
	uint64_t done_ms, panic_ms, powered_off_ms; /* 0 until it happens */
	bool over;
	char *piece;
};

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static void finish(struct watch *watch, enum guest_end end)
{
	if (watch->over)
		return;
	watch->over = true;
	watch->on->end = end;
}

static void fail_host(struct watch *watch, const struct error *err)
{
	if (!watch->over)
		watch->on->host_error = *err;
	finish(watch, GUEST_HOST_FAILED);
}

static void handle_line(struct watch *watch, const struct guest_line *line)
{
	struct supervision *on = watch->on;

	if (line->kind == GUEST_LINE_HELLO && !on->said_hello) {
		on->said_hello = true;
		on->boot_s = (double)(now_ms() - watch->started_ms) / 1000;
		if (kernel_release_is_safe(line->name))
			snprintf(on->release, sizeof(on->release), "%.64s", line->name);
		if (on->host_wait)
			host_wait_look(on->host_wait);
		if (on->until_hello)
			finish(watch, GUEST_DONE);
	} else if (line->kind == GUEST_LINE_PROGRESS) {
		snprintf(on->last_sign, sizeof(on->last_sign), "%.100s, run %u", line->name, line->run);
	} else if (line->kind == GUEST_LINE_SENDING) {
		snprintf(on->last_sign, sizeof(on->last_sign), "sending %.100s", line->name);
	} else if (line->kind == GUEST_LINE_PROBLEM) {
		snprintf(on->problem, sizeof(on->problem), "%s", line->text);
	} else if (line->kind == GUEST_LINE_CLOCK) {
		on->virtual_ns = line->size;
	} else if (line->kind == GUEST_LINE_DONE) {
		if (on->host_wait)
			host_wait_look(on->host_wait);
		on->said_done = true;
		on->job_exit = line->exit_status;
		watch->done_ms = now_ms();
	}
	if (on->line)
		on->line(on->context, line);
}

static void handle_progress(struct watch *watch, const char *bytes, size_t length)
{
	struct guest_line line;
	bool whole;

	while (length > 0) {
		size_t taken = guest_lines_add(&watch->lines, bytes, length, &line, &whole);
		if (whole)
			handle_line(watch, &line);
		bytes += taken;
		length -= taken;
	}
}

static void add_result(struct watch *watch, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length && watch->result_length + 1 < sizeof(watch->result); i++)
		watch->result[watch->result_length++] = bytes[i];
}

static void handle_console(struct watch *watch, const char *bytes, size_t length)
{
	struct error err;
	uint64_t before = watch->on->console->length;

	console_add(watch->on->console, bytes, length);
	if (before / CONSOLE_KEPT != watch->on->console->length / CONSOLE_KEPT)
		channels_forget_console(watch->on->channels);
	if (watch->on->console->panic[0] && watch->panic_ms == 0)
		watch->panic_ms = now_ms();
	if (watch->on->console->powered_off && watch->powered_off_ms == 0)
		watch->powered_off_ms = now_ms();
	if (watch->on->shell && file_write_all(STDOUT_FILENO, bytes, length, "standard output", &err) != STATUS_OK)
		fail_host(watch, &err);
}

static void note_output(struct watch *watch)
{
	watch->guest_ms = now_ms();
	watch->on->quiet.has_begin = false;
	watch->on->quiet.time = (struct vcpu_time){0};
}

static void handle_bytes(struct watch *watch, enum channel channel, const char *bytes, size_t length)
{
	watch->heard_ms = now_ms();
	if (channel == CHANNEL_CONSOLE || channel == CHANNEL_PROGRESS)
		note_output(watch);
	switch (channel) {
	case CHANNEL_CONSOLE:
		handle_console(watch, bytes, length);
		break;
	case CHANNEL_PROGRESS:
		handle_progress(watch, bytes, length);
		break;
	case CHANNEL_RESULT:
		add_result(watch, bytes, length);
		break;
	case CHANNEL_OUTPUT:
	case CHANNEL_ERRORS:
	case CHANNEL_ENGINE:
	case CHANNEL_COUNT:
		console_add(watch->on->engine_log, bytes, length);
		break;
	}
}

/* Reads once; false if no data is available. */
static bool read_channel(struct watch *watch, enum channel channel)
{
	if (watch->on->channels->connection[channel] < 0)
		return false;
	ssize_t got = channels_read(watch->on->channels, channel, watch->piece, PIECE);
	if (got > 0) {
		handle_bytes(watch, channel, watch->piece, (size_t)got);
		return true;
	}
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		channels_end(watch->on->channels, channel);
	return false;
}

static void read_all(struct watch *watch)
{
	channels_accept(watch->on->channels);
	for (int i = 0; i < CHANNEL_COUNT; i++)
		read_channel(watch, (enum channel)i);
}

/* Reads output that the engine wrote before its end and that is still in the sockets. */
static void drain_channels(struct watch *watch)
{
	channels_accept(watch->on->channels);
	for (int i = 0; i < CHANNEL_COUNT; i++)
		while (read_channel(watch, (enum channel)i))
			;
}

static void add_descriptor(struct pollfd *list, nfds_t *count, int fd, short events)
{
	if (fd >= 0)
		list[(*count)++] = (struct pollfd){.fd = fd, .events = events};
}

static bool may_type(const struct watch *watch)
{
	return watch->on->shell && watch->on->said_hello;
}

static void wait_for_events(struct watch *watch)
{
	struct pollfd list[POLL_MAX];
	nfds_t count = 0;
	const struct supervision *on = watch->on;
	bool typed = may_type(watch) && (watch->terminal.typed_length > 0 || watch->terminal.at_end);
	bool listens =
	    watch->on->shell && watch->terminal.open && watch->terminal.typed_length < sizeof(watch->terminal.typed);

	add_descriptor(list, &count, interrupt_fd(), POLLIN);
	add_descriptor(list, &count, on->process->report, POLLIN);
	if (listens)
		add_descriptor(list, &count, STDIN_FILENO, POLLIN);
	for (int i = 0; i < CHANNEL_COUNT; i++) {
		bool write_too = typed && i == CHANNEL_CONSOLE;
		if (on->channels->is_file[i])
			continue;
		add_descriptor(list, &count, on->channels->listening[i], POLLIN);
		add_descriptor(list, &count, on->channels->connection[i], (short)(POLLIN | (write_too ? POLLOUT : 0)));
	}
	poll(list, count, on->channels->is_file[CHANNEL_PROGRESS] ? MEMORY_POLL_MS : POLL_MS);
	if (listens) {
		struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
		if (poll(&input, 1, 0) > 0)
			terminal_read(&watch->terminal);
	}
}

static enum guest_end end_without_engine(const struct supervision *on)
{
	bool panicked = on->console->panic[0] != '\0';

	return on->shell && !panicked ? GUEST_LEFT_SHELL
	       : on->said_done        ? GUEST_DONE
	       : panicked             ? GUEST_PANICKED
				      : GUEST_LEFT_EARLY;
}

static bool is_late(uint64_t since_ms, unsigned int limit_s)
{
	return limit_s > 0 && now_ms() - since_ms >= (uint64_t)limit_s * 1000;
}

static void check_time_limits(struct watch *watch)
{
	const struct supervision *on = watch->on;

	if (watch->panic_ms &&
	    (now_ms() - watch->heard_ms >= LAST_WORDS_MS || now_ms() - watch->panic_ms >= LAST_WORDS_MAX_MS))
		finish(watch, GUEST_PANICKED);
	if (watch->done_ms && now_ms() - watch->done_ms >= (on->until_done ? 0 : POWEROFF_GRACE_MS))
		finish(watch, GUEST_DONE);
	if (watch->powered_off_ms && now_ms() - watch->powered_off_ms >= LAST_WORDS_MS)
		finish(watch, end_without_engine(on));
	if (!on->said_hello && is_late(watch->started_ms, on->boot_timeout_s))
		finish(watch, GUEST_NOT_BOOTED);
	if (on->shell)
		return;
	if (is_late(watch->heard_ms, on->silence_timeout_s))
		finish(watch, GUEST_SILENT);
	if (is_late(watch->started_ms, on->total_timeout_s))
		finish(watch, GUEST_OVERTIME);
}

static void look_at_host_wait(struct watch *watch)
{
	const struct supervision *on = watch->on;

	if (!on->host_wait || !on->said_hello || on->said_done || !is_late(watch->looked_ms, 1))
		return;
	watch->looked_ms = now_ms();
	host_wait_look(on->host_wait);
}

/* A guest that is slow because the host is busy is not silent: the time that its CPUs waited does not count. */
static void check_silence(struct watch *watch)
{
	struct supervision *on = watch->on;

	if (!on->silent || on->said_hello || !is_late(watch->looked_ms, 1))
		return;
	watch->looked_ms = now_ms();
	host_wait_look(&on->quiet);
	const bool computes = on->console->length && on->quiet.time.run_ns > COMPUTES_NS;
	const unsigned int seconds = computes ? SILENCE_COMPUTING_S : SILENCE_S;
	if (now_ms() - watch->guest_ms < seconds * UINT64_C(1000) + on->quiet.time.wait_ns / 1000000)
		return;
	on->silent(on->context, seconds);
	on->silent = NULL;
}

static void step_watch(struct watch *watch)
{
	wait_for_events(watch);
	look_at_host_wait(watch);
	check_silence(watch);
	read_all(watch);
	if (interrupt_signal())
		finish(watch, GUEST_INTERRUPTED);
	if (may_type(watch) && watch->on->channels->connection[CHANNEL_CONSOLE] >= 0)
		terminal_send(&watch->terminal, watch->on->channels->connection[CHANNEL_CONSOLE]);
	if (watch->terminal.left)
		finish(watch, GUEST_LEFT_SHELL);
	check_time_limits(watch);
	if (emulator_process_ended(watch->on->process)) {
		drain_channels(watch);
		finish(watch, end_without_engine(watch->on));
	}
}

static void read_exit_status(struct watch *watch)
{
	struct supervision *on = watch->on;

	if (on->said_done || watch->result_length == 0)
		return;
	watch->result[watch->result_length] = '\0';
	on->job_exit = atoi(watch->result);
}

void supervise(struct supervision *on)
{
	struct watch *watch = xcalloc(1, sizeof(*watch));

	on->job_exit = -1;
	watch->on = on;
	watch->piece = xmalloc(PIECE);
	watch->started_ms = watch->heard_ms = watch->guest_ms = now_ms();
	on->channels->connection[CHANNEL_ENGINE] = on->process->output;
	on->process->output = -1;
	if (on->shell)
		terminal_open(&watch->terminal);
	while (!watch->over)
		step_watch(watch);
	terminal_close(&watch->terminal);
	if (emulator_process_ended(on->process) && WIFSIGNALED(on->process->wait_status))
		on->engine_signal = WTERMSIG(on->process->wait_status);
	emulator_process_stop(on->process);
	drain_channels(watch);
	read_exit_status(watch);
	on->elapsed_s = (double)(now_ms() - watch->started_ms) / 1000;
	free(watch->piece);
	free(watch);
}
