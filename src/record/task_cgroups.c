/* SPDX-License-Identifier: MIT */
#include "record/task_cgroups.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "record/host_facts.h"

enum { CGROUP_FILE_MAX = 1 << 16 };

struct task_cgroup {
	char *path;
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

static struct task_cgroup *find_group(struct task_cgroups *cgroups, struct text_span path)
{
	/* Threads of a process follow each other, and mostly have one cgroup. */
	for (size_t i = cgroups->count; i-- > 0;)
		if (strlen(cgroups->groups[i].path) == path.length &&
		    memcmp(cgroups->groups[i].path, path.text, path.length) == 0)
			return &cgroups->groups[i];
	cgroups->groups = array_grow(cgroups->groups, &cgroups->capacity, cgroups->count + 1, sizeof(*cgroups->groups));
	struct task_cgroup *group = &cgroups->groups[cgroups->count++];
	*group = (struct task_cgroup){.path = xstrndup(path.text, path.length)};
	return group;
}

static void end_range(struct task_cgroup *group)
{
	if (group->last > group->range_begin)
		buffer_printf(&group->pids, "-%" PRIu64, group->last);
}

static void add_pid(struct task_cgroup *group, uint64_t pid)
{
	if (!group->last || pid != group->last + 1) {
		end_range(group);
		buffer_printf(&group->pids, "%s%" PRIu64, group->last ? "," : "", pid);
		group->range_begin = pid;
	}
	group->last = pid;
}

static void read_task(struct task_cgroups *cgroups, const char *tasks, uint64_t pid)
{
	char path[PATH_MAX];
	struct buffer text = {0};

	snprintf(path, sizeof(path), "%s/%" PRIu64 "/cgroup", tasks, pid);
	if (file_read(path, CGROUP_FILE_MAX, &text, NULL) == STATUS_OK && text.data) {
		const struct text_span found = task_cgroup_path(text.data);
		if (found.length)
			add_pid(find_group(cgroups, found), pid);
	}
	buffer_free(&text);
}

/* Calls take() with the entries of a directory that are numbers; a task may have ended meanwhile. */
static void list_numbers(struct task_cgroups *cgroups, const char *path,
			 void (*take)(struct task_cgroups *cgroups, const char *path, uint64_t number))
{
	DIR *list = opendir(path);
	uint64_t number;

	for (const struct dirent *entry; list && (entry = readdir(list));)
		if (number_parse_u64(entry->d_name, &number))
			take(cgroups, path, number);
	if (list)
		closedir(list);
}

static void read_process(struct task_cgroups *cgroups, const char *proc, uint64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%" PRIu64 "/task", proc, pid);
	list_numbers(cgroups, path, read_task);
}

void task_cgroups_read(struct task_cgroups *cgroups)
{
	task_cgroups_free(cgroups);
	if (has_kernel_pids())
		list_numbers(cgroups, "/proc", read_process);
	cgroups->items = xcalloc(cgroups->count + 1, sizeof(*cgroups->items));
	for (size_t i = 0; i < cgroups->count; i++) {
		end_range(&cgroups->groups[i]);
		cgroups->items[i] = (struct run_tunable){cgroups->groups[i].path, cgroups->groups[i].pids.data};
	}
}

void task_cgroups_free(struct task_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++) {
		free(cgroups->groups[i].path);
		buffer_free(&cgroups->groups[i].pids);
	}
	free(cgroups->groups);
	free(cgroups->items);
	*cgroups = (struct task_cgroups){0};
}
