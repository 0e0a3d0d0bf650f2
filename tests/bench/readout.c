/* SPDX-License-Identifier: MIT
 *
 * readout OUT COMMAND...: traces COMMAND into the buffers, then takes the same events out twice: as the text file
 * `trace`, which is collect_traces.py's way, and as ring-buffer pages, which is picknext's; both into files in the
 * directory OUT. Prints "EVENTS TEXT_CPU_NS TEXT_BYTES PAGES_CPU_NS PAGES_BYTES". Runs as root. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "record/tracefs/instance.h"
#include "record/tracefs/readout.h"
#include "record/tracefs/session.h"

#define BUFFER_KB 65536

static struct error err;

static void fail(void)
{
	fprintf(stderr, "readout: %s: %s\n", err.where, err.what);
	exit(1);
}

static void check(enum status status)
{
	if (status != STATUS_OK)
		fail();
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int create(const char *directory, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", directory, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static int run(char **command)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);
		if (null >= 0)
			dup2(null, STDOUT_FILENO);
		execvp(*command, command);
		_exit(127);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static uint64_t take_text(const struct capture_session *session, const char *out)
{
	static char chunk[1 << 16];
	char path[512], from[512];
	uint64_t bytes = 0;
	ssize_t got;
	int to = create(out, "trace.txt", path, sizeof(path));

	snprintf(from, sizeof(from), "%s/trace", session->directory);
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
		check(file_write_all(to, chunk, (size_t)got, path, &err));
		bytes += (uint64_t)got;
	}
	if (got < 0) {
		perror(from);
		exit(1);
	}
	close(fd);
	close(to);
	return bytes;
}

static uint64_t take_pages(const struct capture_session *session, const char *out)
{
	uint64_t bytes = 0;
	char path[512];

	for (unsigned int cpu = 0; cpu < session->settings.cpu_count; cpu++) {
		struct readout readout;
		char name[32];
		snprintf(name, sizeof(name), "cpu%u.pages", cpu);
		int to = create(out, name, path, sizeof(path));
		check(readout_open(&readout, session->directory, cpu, session->page_size, &err));
		check(readout_rest(&readout, to, path, &bytes, &err));
		readout_close(&readout);
		close(to);
	}
	return bytes;
}

int main(int argc, char **argv)
{
	struct capture_session *session;
	struct capture_settings settings = {.buffer_size_kb = BUFFER_KB, .clock = "mono"};

	if (argc < 3) {
		fprintf(stderr, "Usage: readout OUT COMMAND...\n");
		return 2;
	}
	/* Every picknext removes the instances of others that are gone: it knows them by name. */
	prctl(PR_SET_NAME, "picknext-bench");
	settings.cpu_count = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
	check(capture_open(&settings, &session, &err));
	check(capture_start(session, &err));
	int status = run(argv + 2);
	check(capture_stop(session, &err));
	uint64_t events = capture_events_so_far(session);
	uint64_t begin = cpu_ns();
	uint64_t text_bytes = take_text(session, argv[1]);
	uint64_t between = cpu_ns();
	uint64_t pages_bytes = take_pages(session, argv[1]);
	uint64_t end = cpu_ns();
	check(capture_close(session, &err));
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", events, between - begin, text_bytes,
	       end - between, pages_bytes);
	return status;
}
