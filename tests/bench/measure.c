/* SPDX-License-Identifier: MIT
 *
 * measure REPORT COMMAND...: runs COMMAND and writes "WALL_NS USER_NS SYSTEM_NS KB_MAX STATUS" into the file REPORT. A
 * program of its own, because the kernel counts into a command's peak memory what its parent had when it forked. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t time_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 3) {
		fprintf(stderr, "Usage: measure REPORT COMMAND...\n");
		return 2;
	}
	uint64_t begin_ns = monotonic_ns();
	pid_t child = vfork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("measure");
		return 1;
	}
	uint64_t wall_ns = monotonic_ns() - begin_ns;
	FILE *report = fopen(argv[1], "w");
	if (!report) {
		perror(argv[1]);
		return 1;
	}
	fprintf(report, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %ld %d\n", wall_ns, time_ns(usage.ru_utime),
		time_ns(usage.ru_stime), usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	return fclose(report) != 0;
}
