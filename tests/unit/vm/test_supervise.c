/* SPDX-License-Identifier: MIT
 *
 * Supervision with a shell in QEMU's place: real processes and sockets, a guest that says what a test wants. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/unit.h"
#include "vm/engine/private_directory.h"
#include "vm/launch/supervise.h"

/* State of the test that runs. */
static struct {
	char directory[64];
	struct console console, engine_log;
	struct channels channels;
	struct emulator_process process;
	struct supervision on;
	unsigned int lines;
	pid_t speakers[4];
	size_t speaker_count;
} scene;

static void count_line(void *context, const struct guest_line *line)
{
	scene.lines++;
}

static void open_scene(const char *script)
{
	struct arguments command = {0};

	memset(&scene, 0, sizeof(scene));
	strcpy(scene.directory, "/tmp/pn-unit-XXXXXX");
	assert_non_null(mkdtemp(scene.directory));
	console_open(&scene.console, "/dev/null/none");
	console_open(&scene.engine_log, "/dev/null/none");
	assert_int_equal(channels_open(&scene.channels, scene.directory, (1u << CHANNEL_ENGINE) - 1, NULL), STATUS_OK);
	arguments_add(&command, "/bin/sh");
	arguments_option(&command, "-c", "%s", script);
	const struct emulator_start start = {.arguments = &command, .working_directory = scene.directory};
	assert_int_equal(emulator_process_start(&scene.process, &start, NULL), STATUS_OK);
	arguments_free(&command);
	scene.on = (struct supervision){.process = &scene.process,
					.channels = &scene.channels,
					.console = &scene.console,
					.engine_log = &scene.engine_log,
					.line = count_line,
					.boot_timeout_s = 60,
					.silence_timeout_s = 60,
					.total_timeout_s = 60};
}

/* Says text on a channel, as QEMU would: what a socket's buffer holds before this returns, so that no engine can be
 * over sooner; the rest from a process of its own, which keeps the connection while linger is set. */
static void say(enum channel channel, const char *text, bool linger)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int connection = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", scene.directory, channel_file(channel));
	assert_int_equal(connect(connection, (struct sockaddr *)&address, sizeof(address)), 0);
	size_t length = strlen(text);
	ssize_t said = send(connection, text, length, MSG_DONTWAIT);
	if (said > 0) {
		text += said;
		length -= (size_t)said;
	}
	pid_t speaker = fork();
	if (speaker == 0) {
		while (length > 0) {
			ssize_t put = write(connection, text, length);
			if (put <= 0)
				_exit(1);
			text += put;
			length -= (size_t)put;
		}
		while (linger)
			pause();
		_exit(0);
	}
	close(connection);
	scene.speakers[scene.speaker_count++] = speaker;
}

static void close_scene(void)
{
	emulator_process_free(&scene.process);
	channels_close(&scene.channels);
	console_close(&scene.console);
	console_close(&scene.engine_log);
	for (size_t i = 0; i < scene.speaker_count; i++) {
		kill(scene.speakers[i], SIGKILL);
		waitpid(scene.speakers[i], NULL, 0);
	}
	directory_remove_all(scene.directory);
}

static int end_scene(void **state)
{
	close_scene();
	return 0;
}

TEST_WITH(a_job_from_hello_to_done, NULL, end_scene)
{
	open_scene("echo the engine speaks; sleep 0.3");
	say(CHANNEL_PROGRESS, "hello 6.1.0-test\nprogress 0 2 0 cpu_bound_4p 17 -1\nproblem something\ndone 3\n",
	    false);
	say(CHANNEL_CONSOLE, "boot text\n", false);
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_DONE);
	assert_string_equal(scene.on.release, "6.1.0-test");
	assert_int_equal(scene.on.job_exit, 3);
	assert_string_equal(scene.on.problem, "something");
	assert_string_equal(scene.on.last_sign, "cpu_bound_4p, run 0");
	assert_int_equal(scene.lines, 4);
	assert_memory_equal(scene.engine_log.tail, "the engine speaks\n", 18);
	assert_memory_equal(scene.console.tail, "boot text\n", 10);
}

TEST_WITH(an_engine_that_ends_early, NULL, end_scene)
{
	open_scene("echo cannot do that >&2; exit 1");
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_LEFT_EARLY);
	assert_int_equal(scene.on.job_exit, -1);
	assert_memory_equal(scene.engine_log.tail, "cannot do that\n", 15);
	assert_true(WIFEXITED(scene.process.wait_status));
	assert_int_equal(WEXITSTATUS(scene.process.wait_status), 1);
}

TEST_WITH(a_job_that_died_tells_by_its_status, NULL, end_scene)
{
	open_scene("sleep 0.3");
	say(CHANNEL_PROGRESS, "hello 6.1.0\n", false);
	say(CHANNEL_RESULT, "137\n", false);
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_LEFT_EARLY);
	assert_int_equal(scene.on.job_exit, 137);
}

TEST_WITH(a_panic_ends_an_engine_that_stays, NULL, end_scene)
{
	/* A slow one, which still prints. */
	open_scene("for i in 1 2 3; do sleep 1.4; echo trace $i; done; sleep 1000");
	say(CHANNEL_CONSOLE, "[ 1.0] Kernel panic - not syncing: test\n", true);
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_PANICKED);
	assert_memory_equal(scene.engine_log.tail, "trace 1\ntrace 2\ntrace 3\n", 24);
}

TEST_WITH(an_engine_that_outlives_its_guest_is_ended, NULL, end_scene)
{
	open_scene("sleep 1000");
	say(CHANNEL_CONSOLE, "[ 9.0] reboot: Power down\n", true);
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_LEFT_EARLY);
}

TEST_WITH(limits_end_what_says_nothing, NULL, end_scene)
{
	open_scene("sleep 1000");
	scene.on.boot_timeout_s = 1;
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_NOT_BOOTED);
	close_scene();

	open_scene("sleep 1000");
	say(CHANNEL_PROGRESS, "hello 6.1\n", true);
	scene.on.silence_timeout_s = 1;
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_SILENT);
	close_scene();

	/* Each output begins the silence anew. Four seconds: on a busy machine a shell may not run for one or two. */
	open_scene("while :; do echo alive; sleep 0.1; done");
	say(CHANNEL_PROGRESS, "hello 6.1\n", true);
	scene.on.silence_timeout_s = 4;
	scene.on.total_timeout_s = 6;
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_OVERTIME);
}

TEST_WITH(a_probe_wants_the_hello_alone, NULL, end_scene)
{
	open_scene("sleep 1000");
	say(CHANNEL_PROGRESS, "hello 6.1\n", true);
	scene.on.until_hello = true;
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_DONE);
}

/* Whatever a guest says is no more than text. */
TEST_WITH(noise_is_survived, NULL, end_scene)
{
	char noise[20001];
	unsigned int seed = 1;

	for (size_t i = 0; i < sizeof(noise) - 1; i++) {
		seed = seed * 1103515245u + 12345u;
		noise[i] = (char)(seed >> 16 & 0xff);
		if (noise[i] == '\0')
			noise[i] = '\n';
	}
	noise[sizeof(noise) - 1] = '\0';
	open_scene("sleep 0.5");
	say(CHANNEL_PROGRESS, noise, false);
	say(CHANNEL_CONSOLE, noise, false);
	say(CHANNEL_RESULT, noise, false);
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_LEFT_EARLY);
}

/* The release becomes a directory's name. */
TEST_WITH(a_release_that_is_a_path_is_not_taken, NULL, end_scene)
{
	open_scene("sleep 0.3");
	say(CHANNEL_PROGRESS, "hello ../../etc\n", false);
	supervise(&scene.on);
	assert_string_equal(scene.on.release, "");
}

/* --- The guardian --- */

static pid_t read_pid(const char *directory, const char *name)
{
	char path[128];
	char text[32];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	for (int tries = 0; tries < 500; tries++) {
		FILE *file = fopen(path, "r");
		if (file && fgets(text, sizeof(text), file) && strchr(text, '\n')) {
			fclose(file);
			return (pid_t)atoi(text);
		}
		if (file)
			fclose(file);
		usleep(10000);
	}
	return 0;
}

TEST_WITH(what_hides_is_found, NULL, end_scene)
{
	/* a child in a session of its own whose parent is gone, and one that ignores what it can */
	open_scene("(setsid sh -c 'echo $$ >hidden; exec sleep 1000' &) ; "
		   "sh -c 'trap \"\" TERM INT HUP; echo $$ >stubborn; while :; do sleep 1; done' & wait");
	pid_t hidden = read_pid(scene.directory, "hidden");
	pid_t stubborn = read_pid(scene.directory, "stubborn");
	assert_true(hidden > 1 && stubborn > 1);
	assert_int_equal(kill(hidden, 0) + kill(stubborn, 0), 0);
	emulator_process_stop(&scene.process);
	assert_int_equal(kill(hidden, 0), -1);
	assert_int_equal(kill(stubborn, 0), -1);
}

TEST_WITH(what_an_engine_leaves_behind_goes_with_it, NULL, end_scene)
{
	open_scene("(setsid sh -c 'echo $$ >hidden; exec sleep 1000' &) ; while [ ! -s hidden ]; do sleep 0.05; done");
	pid_t hidden = read_pid(scene.directory, "hidden");
	supervise(&scene.on);
	assert_int_equal(scene.on.end, GUEST_LEFT_EARLY);
	assert_int_equal(kill(hidden, 0), -1);
}

TEST(an_engine_is_scheduled_as_batch_if_asked_for)
{
	for (int batch = 0; batch <= 1; batch++) {
		char directory[] = "/tmp/pn-unit-XXXXXX";
		struct emulator_process process;
		struct arguments command = {0};

		assert_non_null(mkdtemp(directory));
		arguments_add(&command, "/bin/sh");
		arguments_option(&command, "-c", "cut -d' ' -f41 /proc/$$/stat >policy; exec sleep 1000");
		const struct emulator_start start = {
		    .arguments = &command, .working_directory = directory, .batch = batch};
		assert_int_equal(emulator_process_start(&process, &start, NULL), STATUS_OK);
		assert_int_equal(read_pid(directory, "policy"), batch ? SCHED_BATCH : sched_getscheduler(0));
		emulator_process_free(&process);
		arguments_free(&command);
		directory_remove_all(directory);
	}
}

/* A launcher that is killed cannot clean up: its guardian does. */
TEST(a_killed_launcher_leaves_nothing)
{
	char directory[] = "/tmp/pn-unit-XXXXXX";
	char orphaned[64];

	assert_non_null(mkdtemp(directory));
	snprintf(orphaned, sizeof(orphaned), "%s/orphaned", directory);
	assert_int_equal(mkdir(orphaned, 0700), 0);
	pid_t launcher = fork();
	if (launcher == 0) {
		struct emulator_process process;
		struct arguments command = {0};
		arguments_add(&command, "/bin/sh");
		arguments_option(&command, "-c", "echo $$ >engine; exec sleep 1000");
		const struct emulator_start start = {
		    .arguments = &command, .working_directory = directory, .orphan_directory = orphaned};
		emulator_process_start(&process, &start, NULL);
		for (;;)
			pause();
	}
	pid_t engine = read_pid(directory, "engine");
	assert_true(engine > 1);
	kill(launcher, SIGKILL);
	waitpid(launcher, NULL, 0);
	for (int tries = 0; tries < 500 && (kill(engine, 0) == 0 || access(orphaned, F_OK) == 0); tries++)
		usleep(10000);
	assert_int_equal(kill(engine, 0), -1);
	assert_int_not_equal(access(orphaned, F_OK), 0);
	directory_remove_all(directory);
}

TEST(a_program_that_is_not_there)
{
	struct emulator_process process;
	struct arguments command = {0};
	struct error err;

	arguments_add(&command, "/nonexistent/qemu");
	const struct emulator_start start = {.arguments = &command};
	assert_int_equal(emulator_process_start(&process, &start, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOENT);
	assert_string_equal(err.where, "/nonexistent/qemu");
	arguments_free(&command);
}

static int begin(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

TESTS_WITH(begin, NULL)
