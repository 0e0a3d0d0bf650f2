/* SPDX-License-Identifier: MIT */
#include "record/host_tasks.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "record/host_facts.h"

enum { TASK_FILE_MAX = 1 << 16 };

struct host_task_row {
	char *text;
	struct buffer pids;
	uint64_t last, range_begin; /* the latest PID, and the first one of its range */
};

static bool has_cpu_controller(const char *controllers, size_t length)
{
	for (size_t i = 0, name; i < length; i += name + 1) {
		name = strcspn(controllers + i, ",:");
		if (name == 3 && memcmp(controllers + i, "cpu", 3) == 0)
			return true;
	}
	return false;
}

struct text_span task_cgroup_path(const char *text)
{
	struct text_span found = {.length = 0};

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			break;
		const size_t length = (size_t)(path - ++controllers);
		const bool is_cpu = has_cpu_controller(controllers, length);
		if (is_cpu || (length == 0 && !found.length))
			found = (struct text_span){path + 1, strcspn(path + 1, "\n")};
		if (is_cpu)
			break;
	}
	return found;
}

static struct host_task_row *find_row(struct host_task_list *list, const char *text, size_t length)
{
	/* Threads of a process follow each other, and mostly have one cgroup. */
	for (size_t i = list->count; i-- > 0;)
		if (strlen(list->rows[i].text) == length && memcmp(list->rows[i].text, text, length) == 0)
			return &list->rows[i];
	list->rows = array_grow(list->rows, &list->capacity, list->count + 1, sizeof(*list->rows));
	struct host_task_row *row = &list->rows[list->count++];
	*row = (struct host_task_row){.text = xstrndup(text, length)};
	return row;
}

static void end_range(struct host_task_row *row)
{
	if (row->last > row->range_begin)
		buffer_printf(&row->pids, "-%" PRIu64, row->last);
}

static void add_pid(struct host_task_row *row, uint64_t pid)
{
	if (!row->last || pid != row->last + 1) {
		end_range(row);
		buffer_printf(&row->pids, "%s%" PRIu64, row->last ? "," : "", pid);
		row->range_begin = pid;
	}
	row->last = pid;
}

/* Reads a file of a task, /proc/PID/NAME; it may have ended meanwhile. */
static bool read_file(uint64_t pid, const char *name, struct buffer *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/%s", pid, name);
	return file_read(path, TASK_FILE_MAX, text, NULL) == STATUS_OK && text->data;
}

/* The numbers that name entries of a directory, to be freed. */
static uint64_t *list_numbers(const char *path, size_t *count)
{
	DIR *list = opendir(path);
	uint64_t *numbers = NULL, number;
	size_t capacity = 0;

	*count = 0;
	for (const struct dirent *entry; list && (entry = readdir(list));) {
		if (!number_parse_u64(entry->d_name, &number))
			continue;
		numbers = array_grow(numbers, &capacity, *count + 1, sizeof(*numbers));
		numbers[(*count)++] = number;
	}
	if (list)
		closedir(list);
	return numbers;
}

static void add_cgroup(struct host_task_list *cgroups, uint64_t pid)
{
	struct buffer text = {0};

	if (read_file(pid, "cgroup", &text)) {
		const struct text_span path = task_cgroup_path(text.data);
		if (path.length)
			add_pid(find_row(cgroups, path.text, path.length), pid);
	}
	buffer_free(&text);
}

static void add_process(struct host_task_list *processes, uint64_t pid, const uint64_t *threads, size_t count)
{
	struct buffer text = {0}, name = {0};

	if (count == 1)
		buffer_text(&text, RUN_SINGLE_THREADED);
	else if (count && read_file(pid, "comm", &name))
		buffer_printf(&text, "%" PRIu64 " %.*s", pid, (int)name.length - 1, name.data);
	for (size_t i = 0; text.length && i < count; i++)
		add_pid(find_row(processes, text.data, text.length), threads[i]);
	buffer_free(&text);
	buffer_free(&name);
}

static void finish_list(struct host_task_list *list)
{
	list->items = xcalloc(list->count + 1, sizeof(*list->items));
	for (size_t i = 0; i < list->count; i++) {
		end_range(&list->rows[i]);
		list->items[i] = (struct run_tunable){list->rows[i].text, list->rows[i].pids.data};
	}
}

static void free_list(struct host_task_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->rows[i].text);
		buffer_free(&list->rows[i].pids);
	}
	free(list->rows);
	free(list->items);
	*list = (struct host_task_list){0};
}

void host_tasks_read(struct host_tasks *tasks)
{
	size_t count = 0, thread_count;

	host_tasks_free(tasks);
	uint64_t *pids = has_kernel_pids() ? list_numbers("/proc", &count) : NULL;
	for (size_t i = 0; i < count; i++) {
		char path[64];
		snprintf(path, sizeof(path), "/proc/%" PRIu64 "/task", pids[i]);
		uint64_t *threads = list_numbers(path, &thread_count);
		for (size_t j = 0; j < thread_count; j++)
			add_cgroup(&tasks->cgroups, threads[j]);
		add_process(&tasks->processes, pids[i], threads, thread_count);
		free(threads);
	}
	free(pids);
	finish_list(&tasks->cgroups);
	finish_list(&tasks->processes);
}

void host_tasks_free(struct host_tasks *tasks)
{
	free_list(&tasks->cgroups);
	free_list(&tasks->processes);
}
