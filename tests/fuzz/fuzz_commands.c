/* SPDX-License-Identifier: MIT
 *
 * Commands that read a trace, in this process, on a file of any kind. The last byte says which command; what they
 * print goes nowhere. They end with 0, or refuse the file (3) or what it lost (5); check finds it bad (1). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/commands.h"
#include "fuzz/tracedat_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
/* Where the sanitizers report to, once standard error is gone. */
void __sanitizer_set_report_fd(void *fd);

#define WORDS_MAX 6

static const struct {
	const struct command *command;
	const char *words[WORDS_MAX]; /* argv but for the file, with the name in front */
} lines[] = {
    {&command_stat, {"stat", "--top", "0"}},
    {&command_stat, {"stat", "--by", "comm", "--json", "--merge-kworkers"}},
    {&command_stat, {"stat", "--by", "cpu", "--csv"}},
    {&command_stat, {"stat", "--cpu", "1", "--to", "0.0001"}},
    {&command_timeline, {"timeline"}},
    {&command_timeline, {"timeline", "--map"}},
    {&command_timeline, {"timeline", "--json"}},
    {&command_timeline, {"timeline", "--csv"}},
    {&command_latency, {"latency", "--top", "0"}},
    {&command_latency, {"latency", "--by", "comm", "--json"}},
    {&command_affinity, {"affinity", "--top", "0"}},
    {&command_inversions, {"inversions", "--threshold", "0"}},
    {&command_idle_waiting, {"idle-waiting", "--json"}},
    {&command_migrations, {"migrations"}},
    {&command_migrations, {"migrations", "--list", "--csv"}},
    {&command_migrations, {"migrations", "--period", "1000", "--period-cpu-pair", "--cpu", "0-3"}},
    {&command_check, {"check"}},
    {&command_check, {"check", "--json"}},
    {&command_export, {"export", "--ns"}},
    {&command_export, {"export", "--format", "perfetto", "-o", "-"}},
    {&command_diff, {"diff", "--events", "all"}},
};
#define LINES (sizeof(lines) / sizeof(*lines))

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	if (size && seed % 8 == 7) {
		data[size - 1] = (uint8_t)(seed >> 8);
		return size;
	}
	if (size > TRACEDAT_MAGIC_SIZE && memcmp(data, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE) == 0)
		return tracedat_mutate(data, size, max_size, seed >> 3);
	return LLVMFuzzerMutate(data, size, max_size);
}

static int input = -1;
static int standard_error;

static void prepare(void)
{
	int nowhere = open("/dev/null", O_WRONLY);

	input = memfd_create("input", 0);
	standard_error = dup(STDERR_FILENO);
	if (nowhere < 0 || input < 0 || standard_error < 0)
		abort();
	dup2(nowhere, STDOUT_FILENO);
	close(nowhere);
	__sanitizer_set_report_fd((void *)(uintptr_t)standard_error);
}

static int run(size_t line, char *path)
{
	char words[WORDS_MAX][32];
	char *argv[WORDS_MAX + 3];
	int argc = 0;

	for (; argc < WORDS_MAX && lines[line].words[argc]; argc++) {
		snprintf(words[argc], sizeof(words[argc]), "%s", lines[line].words[argc]);
		argv[argc] = words[argc];
	}
	argv[argc++] = path;
	if (lines[line].command == &command_diff)
		argv[argc++] = path;
	argv[argc] = NULL;
	fflush(stderr);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	int status = command_run_arguments(NULL, lines[line].command, argc, argv);
	fflush(stdout);
	fflush(stderr);
	dup2(standard_error, STDERR_FILENO);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];

	if (input < 0)
		prepare();
	if (ftruncate(input, 0) < 0 || pwrite(input, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", input);
	size_t line = size ? data[size - 1] % LINES : 0;
	int status = run(line, path);
	/* Where a trace is so long that its periods would fill a disk, what is wrong is --period; and diff says so
	 * where nothing is there to be compared. */
	bool may_be =
	    status == 0 || status == 3 || status == 5 || (status == 1 && lines[line].command == &command_check) ||
	    (status == 2 && (lines[line].command == &command_migrations || lines[line].command == &command_diff));
	if (!may_be) {
		fprintf(stderr, "%s: exit code %d\n", lines[line].words[0], status);
		abort();
	}
	return 0;
}
