/* SPDX-License-Identifier: MIT */
#include "vm/launch/host_wait.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/number.h"
#include "vm/launch/run_mark.h"
#include "vm/protocol/transfer.h"

#define RUNS_MOST 4000 /* as many as files are taken */

/* --- What the kernel counts --- */

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

/* "CPU 0/KVM", "CPU 1/TCG"; "ALL CPUs/TCG" where they share one. */
static bool is_vcpu(const char *name)
{
	return strncmp(name, "CPU ", 4) == 0 || strncmp(name, "ALL CPUs/", 9) == 0;
}

static bool read_of(const char *directory, const char *thread, const char *file, char *line, size_t size)
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
		if (entry->d_name[0] == '.' || !read_of(directory, entry->d_name, "comm", line, sizeof(line)) ||
		    !is_vcpu(line) || !read_of(directory, entry->d_name, "schedstat", line, sizeof(line)) ||
		    !vcpu_time_parse(line, &one))
			continue;
		time->run_ns += one.run_ns;
		time->wait_ns += one.wait_ns;
	}
	if (list)
		closedir(list);
	return time->run_ns > 0; /* all is 0 where the kernel does not count */
}

double vcpu_time_wait_share(const struct vcpu_time *time)
{
	double all = (double)time->run_ns + (double)time->wait_ns;

	return all > 0 ? (double)time->wait_ns / all : NAN;
}

/* --- What the guest says --- */

static bool read_engine(int connection, struct vcpu_time *time)
{
	struct ucred engine;
	socklen_t size = sizeof(engine);
	char directory[64];

	if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &engine, &size) < 0 || engine.pid <= 0)
		return false;
	snprintf(directory, sizeof(directory), "/proc/%d/task", engine.pid);
	return vcpu_time_read(directory, time);
}

void host_wait_begin(struct host_wait *wait, int connection, const char *name)
{
	struct host_wait_run *more = NULL;

	if (wait->count < RUNS_MOST)
		more = realloc(wait->runs, (wait->count + 1) * sizeof(*wait->runs));
	wait->is_open = more;
	if (!more)
		return;
	wait->runs = more;
	more[wait->count] = (struct host_wait_run){0};
	snprintf(more[wait->count].name, sizeof(more->name), "%s", name);
	wait->count++;
	wait->has_begin = read_engine(connection, &wait->begin);
}

void host_wait_end(struct host_wait *wait, int connection, const char *name)
{
	struct host_wait_run *run = wait->is_open ? &wait->runs[wait->count - 1] : NULL;
	struct vcpu_time end;

	if (!run || strcmp(run->name, name) != 0)
		return;
	wait->is_open = false;
	if (!wait->has_begin || !read_engine(connection, &end) || end.run_ns <= wait->begin.run_ns ||
	    end.wait_ns < wait->begin.wait_ns)
		return;
	run->is_known = true;
	run->time = (struct vcpu_time){end.run_ns - wait->begin.run_ns, end.wait_ns - wait->begin.wait_ns};
}

/* --- In the metadata of each run --- */

static void add_number(struct buffer *text, const char *key, bool is_known, uint64_t value)
{
	if (is_known)
		buffer_printf(text, "  \"%s\": %llu,\n", key, (unsigned long long)value);
	else
		buffer_printf(text, "  \"%s\": null,\n", key);
}

static enum status mark(const struct host_wait_run *run, const char *path, struct error *err)
{
	struct buffer text = {0};

	add_number(&text, "vcpu_run_ns", run->is_known, run->time.run_ns);
	add_number(&text, "vcpu_wait_ns", run->is_known, run->time.wait_ns);
	if (run->is_known)
		buffer_printf(&text, "  \"host_wait_share\": %.6f", vcpu_time_wait_share(&run->time));
	else
		buffer_text(&text, "  \"host_wait_share\": null");
	enum status status = run_mark(path, "host_wait_share", &text, err);
	buffer_free(&text);
	return status;
}

/* What lies there may also be of an earlier guest, where this one's did not come out. */
static bool is_new(const struct host_wait *wait, const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_mtime >= wait->started_at;
}

enum status host_wait_mark_runs(const struct host_wait *wait, const char *raw, struct vcpu_time *total,
				struct error *err)
{
	char name[sizeof(wait->runs->name) + 8], path[4096];
	enum status status = STATUS_OK;

	for (size_t i = 0; i < wait->count && status == STATUS_OK; i++) {
		const struct host_wait_run *run = &wait->runs[i];
		snprintf(name, sizeof(name), "%s.json", run->name);
		if (!transfer_name_is_safe(name, strlen(name)) ||
		    file_join(path, sizeof(path), raw, name, NULL) != STATUS_OK || !is_new(wait, path))
			continue;
		total->run_ns += run->time.run_ns;
		total->wait_ns += run->time.wait_ns;
		status = mark(run, path, err);
	}
	return status;
}

void host_wait_free(struct host_wait *wait)
{
	free(wait->runs);
	*wait = (struct host_wait){0};
}
