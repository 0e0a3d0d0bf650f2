/* SPDX-License-Identifier: MIT
 *
 * picknext diff of two text traces, in this process: those in front of and behind a line "===" of the input. The last
 * byte chooses options. It ends with 0 or 1, or refuses a trace (3), options that do not go together or traces without
 * anything to compare (2); with itself, a trace has no difference. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Where the sanitizers report to, once standard error is gone. */
void __sanitizer_set_report_fd(void *fd);

static int traces[2] = {-1, -1};
static int standard_error;

static void prepare(void)
{
	int nowhere = open("/dev/null", O_WRONLY);

	traces[0] = memfd_create("a", 0);
	traces[1] = memfd_create("b", 0);
	standard_error = dup(STDERR_FILENO);
	if (nowhere < 0 || traces[0] < 0 || traces[1] < 0 || standard_error < 0)
		abort();
	dup2(nowhere, STDOUT_FILENO);
	close(nowhere);
	__sanitizer_set_report_fd((void *)(uintptr_t)standard_error);
}

static void fill(int trace, const uint8_t *data, size_t size)
{
	if (ftruncate(trace, 0) < 0 || pwrite(trace, data, size, 0) != (ssize_t)size)
		abort();
}

static int diff(unsigned int choice, int a, int b)
{
	char words[12][32] = {"diff", "-n", "3"};
	char *argv[13];
	int argc = 3;

	if (choice & 1)
		snprintf(words[argc++], 32, "--events=all");
	if (choice & 2)
		snprintf(words[argc++], 32, "--by=comm");
	if (choice & 4)
		snprintf(words[argc++], 32, "--exact");
	if (choice & 8)
		snprintf(words[argc++], 32, "--json");
	if (choice & 16)
		snprintf(words[argc++], 32, "--tasks");
	snprintf(words[argc++], 32, "/proc/self/fd/%d", a);
	snprintf(words[argc++], 32, "/proc/self/fd/%d", b);
	for (int i = 0; i < argc; i++)
		argv[i] = words[i];
	argv[argc] = NULL;
	fflush(stderr);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	int status = command_run_arguments(NULL, &command_diff, argc, argv);
	fflush(stdout);
	fflush(stderr);
	dup2(standard_error, STDERR_FILENO);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char line[] = "\n===\n";
	const uint8_t *middle = size ? memmem(data, size, line, sizeof(line) - 1) : NULL;
	size_t first = middle ? (size_t)(middle - data) + 1 : size;
	size_t second = middle ? first + sizeof(line) - 2 : size;
	unsigned int choice = size ? data[size - 1] : 0;

	if (traces[0] < 0)
		prepare();
	fill(traces[0], data, first);
	fill(traces[1], data + second, size - second);
	int other = diff(choice, traces[0], traces[1]);
	int self = diff(choice, traces[0], traces[0]);
	if (other < 0 || other > 3 || self < 0 || self == 1 || self > 3) {
		fprintf(stderr, "exit codes %d and, of a trace with itself, %d\n", other, self);
		abort();
	}
	return 0;
}
