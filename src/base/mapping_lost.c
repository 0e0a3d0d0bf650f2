/* SPDX-License-Identifier: MIT */
#include "base/mapping_lost.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"

/* The next line of fd without its newline, cut at the size; false at the end. Reads by byte: stdio may be in use by
 * what was interrupted. */
static bool next_line(int fd, char *line, size_t size)
{
	size_t length = 0;
	char byte;

	while (read(fd, &byte, 1) == 1) {
		if (byte == '\n') {
			line[length] = 0;
			return true;
		}
		if (length < size - 1)
			line[length++] = byte;
	}
	return false;
}

/* The path of the file that is mapped at the address, from /proc/self/maps (proc_pid_maps(5)), in line; NULL if there
 * is none. */
static const char *mapped_path(uintptr_t address, char *line, size_t size)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const char *path = NULL;
	uintptr_t begin, end;

	while (!path && fd >= 0 && next_line(fd, line, size))
		if (sscanf(line, "%zx-%zx", &begin, &end) == 2 && address >= begin && address < end) {
			path = strchr(line, '/');
			break;
		}
	if (fd >= 0)
		close(fd);
	return path;
}

/* SIGBUS is raised by the access itself, in the code that reads the file: nothing that is used here is half done. */
static void name_the_file(int number, siginfo_t *info, void *context)
{
	char line[4096 + 256];
	const char *path = mapped_path((uintptr_t)info->si_addr, line, sizeof(line));
	struct error err;

	(void)context;
	if (!path) {
		signal(number, SIG_DFL); /* and the access is repeated */
		return;
	}
	error_set(&err, STATUS_SYSTEM, path, "cannot be read any further: another process cut it, or its disk failed");
	error_remedy(&err, "repeat when nothing writes to it");
	cleanups_run();
	_exit(message_error(&err));
}

void mapping_lost_catch(void)
{
	struct sigaction action = {.sa_sigaction = name_the_file, .sa_flags = SA_SIGINFO};

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
