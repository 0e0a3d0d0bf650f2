/* SPDX-License-Identifier: MIT
 *
 * record_both PREFIX KB CLOCK [OPTION...]: records tasks with difficult names into a private instance, and writes the
 * same buffer twice: PREFIX.txt is what the kernel's file "trace" says, PREFIX.dat what picknext saves. KB is the
 * buffer of each CPU. OPTION is overwrite (the oldest events give way), nameless (the kernel does not note the names
 * of tasks, for no instance at all: in guests only), mark (writes to trace_marker), or events=NAMES (others than the
 * four, as picknext record takes them). Exit code 75: the kernel's table of names, which all instances share, changed
 * meanwhile, so the two may differ: try again. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "record/tracefs/cpus.h"
#include "record/tracefs/dat_file.h"
#include "record/tracefs/event_names.h"
#include "record/tracefs/session.h"

#define TEXT_MAX   ((size_t)1 << 30)
#define EXIT_AGAIN 75

static const char *const names[] = {
    "a,b",          "=cmd",        "say \"hi\"",      "two\nlines",  "\nlead", "trail\n", " prev_pid=1", "<script>",
    "\xff\xfe\x80", "caf\xc3\xa9", "fifteen bytes !", "\x1b[31mred", "",       " ",       "12 34",
};

static void ping(int from, int to)
{
	char byte = 0;

	for (int i = 0; i < 200 && read(from, &byte, 1) == 1; i++)
		if (write(to, &byte, 1) != 1)
			break;
}

/* Goes from CPU to CPU, so that there are migrations however quiet the machine is. */
static void move_about(void)
{
	cpu_set_t all;
	cpu_set_t one;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		_exit(1);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (CPU_ISSET(cpu, &all) && sched_setaffinity(0, sizeof(one), &one) < 0)
			_exit(1);
	}
	if (sched_setaffinity(0, sizeof(all), &all) < 0)
		_exit(1);
}

/* Two tasks of this name that wake one another in turns. */
static void play(const char *name)
{
	int there[2];
	int back[2];

	prctl(PR_SET_NAME, name, 0, 0, 0);
	move_about();
	if (pipe(there) < 0 || pipe(back) < 0)
		_exit(1);
	pid_t child = fork();
	if (child == 0) {
		ping(there[0], back[1]);
		_exit(0);
	}
	if (write(there[1], "", 1) != 1)
		_exit(1);
	ping(back[0], there[1]);
	close(there[1]);
	waitpid(child, NULL, 0);
	_exit(0);
}

static void run_workload(void)
{
	size_t count = sizeof(names) / sizeof(*names);

	for (size_t i = 0; i < count; i++) {
		fflush(NULL);
		if (fork() == 0)
			play(names[i]);
		/* A few at a time. */
		if (i % 4 == 3)
			wait(NULL);
	}
	while (wait(NULL) > 0)
		;
}

static enum status set_up(const struct capture_session *session, int argc, char **argv, struct error *err)
{
	enum status status = STATUS_OK;

	for (int i = 4; i < argc && status == STATUS_OK; i++) {
		if (strcmp(argv[i], "overwrite") == 0) {
			status = tracefs_write(session->directory, "options/overwrite", "1", err);
		} else if (strcmp(argv[i], "nameless") == 0) {
			status = tracefs_write(session->directory, "trace_options", "norecord-cmd", err);
		}
	}
	return status;
}

static void mark(const struct capture_session *session, int argc, char **argv)
{
	struct error err;

	for (int i = 4; i < argc; i++)
		if (strcmp(argv[i], "mark") == 0) {
			tracefs_write(session->directory, "trace_marker", "a mark", &err);
			tracefs_write(session->directory, "trace_marker", "its line\n", &err);
		}
}

static enum status save(const struct capture_session *session, const char *prefix, bool *same, struct error *err)
{
	struct buffer before = {0};
	struct buffer after = {0};
	struct buffer text = {0};
	char path[512];

	snprintf(path, sizeof(path), "%.400s/trace", session->directory);
	enum status status = tracefs_read(session->tracefs, "saved_cmdlines", &before, err);
	if (status == STATUS_OK)
		status = file_read(path, TEXT_MAX, &text, err);
	snprintf(path, sizeof(path), "%.400s.txt", prefix);
	if (status == STATUS_OK)
		status = file_replace(path, text.data, text.length, err);
	snprintf(path, sizeof(path), "%.400s.dat", prefix);
	if (status == STATUS_OK)
		status = dat_file_save(session, NULL, path, err);
	if (status == STATUS_OK)
		status = tracefs_read(session->tracefs, "saved_cmdlines", &after, err);
	*same = before.length == after.length && before.data && memcmp(before.data, after.data, after.length) == 0;
	buffer_free(&before);
	buffer_free(&after);
	buffer_free(&text);
	return status;
}

/* Which events are recorded; *chosen holds them. */
static enum status choose_events(struct capture_settings *settings, int argc, char **argv, struct event_names *chosen,
				 struct error *err)
{
	struct buffer available = {0};
	char tracefs[TRACEFS_PATH_SIZE];
	enum status status = STATUS_OK;

	for (int i = 4; i < argc && status == STATUS_OK; i++) {
		const char *wanted = argv[i] + 7;
		if (strncmp(argv[i], "events=", 7) != 0)
			continue;
		status = tracefs_find(tracefs, sizeof(tracefs), err);
		if (status == STATUS_OK)
			status = tracefs_read(tracefs, "available_events", &available, err);
		if (status == STATUS_OK)
			event_names_read(available.data, chosen);
		if (status == STATUS_OK)
			status = event_names_choose(chosen, &wanted, 1, err);
	}
	settings->events = chosen->all;
	settings->event_count = chosen->count;
	buffer_free(&available);
	return status;
}

int main(int argc, char **argv)
{
	struct capture_settings settings = {0};
	struct capture_session *session;
	struct event_names events = {0};
	struct cpu_layout cpus;
	struct error err = {0};
	char text[1600];
	bool same = false;

	if (argc < 4 || !number_parse_u64(argv[2], &settings.buffer_size_kb))
		return 2;
	/* Other tests look for instances whose owner is not called picknext. */
	prctl(PR_SET_NAME, "picknext-both", 0, 0, 0);
	settings.clock = argv[3];
	enum status status = cpu_layout_read(&cpus, &err);
	settings.cpu_count = cpus.count;
	if (status == STATUS_OK)
		status = choose_events(&settings, argc, argv, &events, &err);
	if (status == STATUS_OK)
		status = capture_open(&settings, &session, &err);
	if (status == STATUS_OK) {
		status = set_up(session, argc, argv, &err);
		if (status == STATUS_OK)
			status = capture_start(session, &err);
		if (status == STATUS_OK) {
			run_workload();
			mark(session, argc, argv);
			status = capture_stop(session, &err);
		}
		if (status == STATUS_OK)
			status = save(session, argv[1], &same, &err);
		capture_close(session, NULL);
	}
	event_names_free(&events);
	if (status == STATUS_OK)
		return same ? 0 : EXIT_AGAIN;
	error_text(&err, text, sizeof(text));
	fprintf(stderr, "record_both: %s\n", text);
	return error_exit_code(&err);
}
