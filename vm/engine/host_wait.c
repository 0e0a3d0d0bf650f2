/* SPDX-License-Identifier: MIT */
#include "vm/engine/host_wait.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"

bool vcpu_time_parse(const char *text, struct vcpu_time *time)
{
	uint64_t *const values[] = {&time->run_ns, &time->wait_ns};
	char word[24];

	for (size_t i = 0; i < 2; i++) {
		size_t length = strcspn(text, " ");
		snprintf(word, sizeof(word), "%.*s", length < sizeof(word) ? (int)length : 0, text);
		if (!number_parse_u64(word, values[i]))
			return false;
		text += length + (text[length] == ' ');
	}
	return true;
}

/* "CPU 0/KVM", "CPU 1/TCG"; "ALL CPUs/TCG" if they share one. */
static bool is_vcpu(const char *name)
{
	return strncmp(name, "CPU ", 4) == 0 || strncmp(name, "ALL CPUs/", 9) == 0;
}

static bool read_thread_file(const char *directory, const char *thread, const char *file, char *line, size_t size)
{
	char path[300];

	return snprintf(path, sizeof(path), "%s/%s/%s", directory, thread, file) < (int)sizeof(path) &&
	       file_read_line(path, line, size);
}

bool vcpu_time_read(const char *directory, struct vcpu_time *time)
{
	struct vcpu_time one;
	char line[80];
	DIR *list = opendir(directory);

	*time = (struct vcpu_time){0};
	for (struct dirent *entry; list && (entry = readdir(list));) {
		if (entry->d_name[0] == '.' ||
		    !read_thread_file(directory, entry->d_name, "comm", line, sizeof(line)) || !is_vcpu(line) ||
		    !read_thread_file(directory, entry->d_name, "schedstat", line, sizeof(line)) ||
		    !vcpu_time_parse(line, &one))
			continue;
		time->run_ns += one.run_ns;
		time->wait_ns += one.wait_ns;
	}
	if (list)
		closedir(list);
	return time->run_ns > 0; /* 0 if the kernel does not count */
}

/* The directory of its threads: /proc/PID/task. False if QEMU has ended, or its PID is not known yet. */
static bool find_threads(const struct host_wait *wait, char *directory, size_t size)
{
	char line[32];
	uint64_t process;

	if (!file_read_line(wait->pid_file, line, sizeof(line)) || !number_parse_u64(line, &process))
		return false;
	snprintf(directory, size, "/proc/%llu/task", (unsigned long long)process);
	return true;
}

void host_wait_look(struct host_wait *wait)
{
	char directory[64];
	struct vcpu_time now;

	if (!find_threads(wait, directory, sizeof(directory)) || !vcpu_time_read(directory, &now))
		return;
	if (!wait->has_begin) {
		wait->has_begin = true;
		wait->begin = now;
	}
	if (now.run_ns <= wait->begin.run_ns || now.wait_ns < wait->begin.wait_ns)
		return;
	wait->is_known = true;
	wait->time = (struct vcpu_time){now.run_ns - wait->begin.run_ns, now.wait_ns - wait->begin.wait_ns};
}
