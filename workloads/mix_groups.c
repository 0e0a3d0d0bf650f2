/* SPDX-License-Identifier: MIT */
#include "workloads/mix_groups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

/* Returns 0 or errno. */
static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	int reason = write(fd, text, strlen(text)) < 0 ? errno : 0;
	close(fd);
	return reason;
}

static bool has_word(const char *directory, const char *file, const char *word)
{
	char path[PATH_MAX], line[512];
	char *rest;

	if (file_join(path, sizeof(path), directory, file, NULL) != STATUS_OK ||
	    !file_read_line(path, line, sizeof(line)))
		return false;
	for (char *at = strtok_r(line, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
		if (strcmp(at, word) == 0)
			return true;
	return false;
}

/* The directory at which cgroup v2 is mounted. */
static bool find_mount(char *mount, size_t size)
{
	struct buffer text = {0};
	char *lines, *words;
	bool is_found = false;

	if (file_read("/proc/self/mounts", 1u << 20, &text, NULL) != STATUS_OK || !text.data) {
		buffer_free(&text);
		return false;
	}
	for (char *line = strtok_r(text.data, "\n", &lines); line && !is_found; line = strtok_r(NULL, "\n", &lines)) {
		strtok_r(line, " ", &words);
		const char *point = strtok_r(NULL, " ", &words);
		const char *type = strtok_r(NULL, " ", &words);
		is_found = point && type && strcmp(type, "cgroup2") == 0 && strlen(point) < size;
		if (is_found)
			snprintf(mount, size, "%s", point);
	}
	buffer_free(&text);
	return is_found;
}

/* The group of this process: the last line of /proc/self/cgroup is "0::/PATH". */
static bool find_own_group(const char *mount, char *path, size_t size)
{
	struct buffer text = {0};
	const char *line = NULL;

	if (file_read("/proc/self/cgroup", 1u << 20, &text, NULL) == STATUS_OK && text.data)
		line = strncmp(text.data, "0::/", 4) == 0 ? text.data : strstr(text.data, "\n0::/");
	line = line ? strchr(line, '/') : NULL;
	bool fits = line && (size_t)snprintf(path, size, "%s%.*s", mount, (int)strcspn(line, "\n"), line) < size;
	buffer_free(&text);
	return fits;
}

static enum status find_parent(char *path, size_t size, const char *where, struct error *err)
{
	char mount[PATH_MAX / 2];

	if (!find_mount(mount, sizeof(mount)) || !find_own_group(mount, path, size)) {
		error_set(err, STATUS_UNSUPPORTED, where, "cgroup v2 is not mounted");
		return error_remedy(err, "as root: mount -t cgroup2 none /sys/fs/cgroup");
	}
	while (!has_word(path, "cgroup.subtree_control", "cpu")) {
		char *slash = strrchr(path, '/');
		if (strlen(path) <= strlen(mount) || !slash) {
			error_set(err, STATUS_UNSUPPORTED, where, "no cgroup above picknext enables %s",
				  has_word(mount, "cgroup.controllers", "cpu")
				      ? "the cpu controller for its children"
				      : "a cpu controller: the kernel has none, or cgroup v1 uses it");
			return error_remedy(err, "as root: echo +cpu >%s/cgroup.subtree_control", mount);
		}
		*slash = '\0';
	}
	return STATUS_OK;
}

static enum status make_directory(const char *path, struct error *err)
{
	if (mkdir(path, 0755) == 0)
		return STATUS_OK;
	const int reason = errno;
	error_system(err, reason, path, "cannot make this cgroup");
	return reason == EACCES || reason == EPERM ? error_remedy(err, "run it as root") : STATUS_SYSTEM;
}

/* needs: the option that a kernel without this file lacks. */
static enum status set_value(const char *group, const char *file, const char *value, const char *needs,
			     struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), group, file, err);
	int reason = status == STATUS_OK ? write_text(path, value) : 0;

	if (reason == ENOENT)
		return error_set(err, STATUS_UNSUPPORTED, path, "the kernel has no such file: it lacks %s", needs);
	return reason ? error_system(err, reason, path, "cannot write %s", value) : status;
}

static bool has_groups(const struct mix *mix, unsigned int number)
{
	for (unsigned int i = number + 1; i < mix->group_count; i++)
		if (mix->groups[i].parent == (int)number)
			return true;
	return false;
}

static enum status set_up_group(const struct mix *mix, unsigned int number, const char *path, struct error *err)
{
	const struct mix_group *group = &mix->groups[number];
	char value[64];

	snprintf(value, sizeof(value), "%u", group->weight);
	enum status status = set_value(path, "cpu.weight", value, "CONFIG_FAIR_GROUP_SCHED", err);
	/* Before the quota, which must not change it. */
	snprintf(value, sizeof(value), "%" PRIu64, group->burst_ns / 1000);
	if (status == STATUS_OK && group->burst_ns)
		status = set_value(path, "cpu.max.burst", value, "CONFIG_CFS_BANDWIDTH", err);
	snprintf(value, sizeof(value), "%" PRIu64 " %" PRIu64, group->quota_ns / 1000, group->period_ns / 1000);
	if (status == STATUS_OK && group->quota_ns)
		status = set_value(path, "cpu.max", value, "CONFIG_CFS_BANDWIDTH", err);
	if (status == STATUS_OK && has_groups(mix, number))
		status = set_value(path, "cgroup.subtree_control", "+cpu", "CONFIG_CGROUP_SCHED", err);
	return status;
}

enum status mix_groups_make(struct mix_groups *groups, const struct mix *mix, const char *where, struct error *err)
{
	char parent[PATH_MAX], name[32], path[PATH_MAX];

	*groups = (struct mix_groups){.mix = mix};
	enum status status = find_parent(parent, sizeof(parent), where, err);
	snprintf(name, sizeof(name), "picknext-%ld", (long)getpid());
	if (status == STATUS_OK)
		status = file_join(path, sizeof(path), parent, name, err);
	if (status == STATUS_OK)
		status = make_directory(path, err);
	if (status != STATUS_OK)
		return status;
	snprintf(groups->base, sizeof(groups->base), "%s", path);
	status = set_value(groups->base, "cgroup.subtree_control", "+cpu", "CONFIG_CGROUP_SCHED", err);
	for (unsigned int i = 0; i < mix->group_count && status == STATUS_OK; i++) {
		status = file_join(path, sizeof(path), groups->base, mix->groups[i].path, err);
		if (status == STATUS_OK)
			status = make_directory(path, err);
		groups->made += status == STATUS_OK;
		if (status == STATUS_OK)
			status = set_up_group(mix, i, path, err);
	}
	return status;
}

int mix_groups_write(const struct mix_groups *groups, const char *group, const char *file, const char *text)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", groups->base, group, file);
	return write_text(path, text);
}

int mix_groups_enter(const struct mix_groups *groups, int number)
{
	return mix_groups_write(groups, groups->mix->groups[number].path, "cgroup.procs", "0");
}

/* A task that has just been reaped may keep its group busy for a moment. */
static void remove_group(const char *path)
{
	for (unsigned int tries = 0; tries < 100 && rmdir(path) < 0 && errno == EBUSY; tries++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

void mix_groups_remove(struct mix_groups *groups)
{
	char path[2 * PATH_MAX];

	while (groups->made > 0) {
		snprintf(path, sizeof(path), "%s/%s", groups->base, groups->mix->groups[--groups->made].path);
		remove_group(path);
	}
	if (groups->base[0])
		remove_group(groups->base);
	groups->base[0] = '\0';
}
