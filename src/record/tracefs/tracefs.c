/* SPDX-License-Identifier: MIT */
#include "record/tracefs/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static const char *const mount_points[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

enum status tracefs_refused(struct error *err, int errnum, const char *path, const char *action)
{
	if (errnum == EACCES || errnum == EPERM) {
		error_system(err, errnum, path, "Permission denied %s tracefs", action);
		return error_remedy(err, "even for root, a security module (SELinux, AppArmor) or kernel lockdown may "
					 "block it: look for denials in dmesg and at /sys/kernel/security/lockdown");
	}
	if (errnum == EROFS) {
		error_system(err, errnum, path, "Permission denied %s tracefs", action);
		return error_remedy(err, "tracefs is mounted read-only here (a container?): mount -o remount,rw it, or "
					 "run picknext outside");
	}
	return error_system(err, errnum, path, "failed %s tracefs", action);
}

enum status tracefs_find(char *path, size_t size, struct error *err)
{
	if (geteuid() != 0) {
		error_set(err, STATUS_SYSTEM, NULL, "Root privileges required");
		return error_remedy(err, "ftrace needs root: run picknext with sudo, or in a guest with picknext vm");
	}
	for (size_t i = 0; i < sizeof(mount_points) / sizeof(mount_points[0]); i++) {
		char probe[TRACEFS_PATH_SIZE];
		snprintf(probe, sizeof(probe), "%s/tracing_on", mount_points[i]);
		if (access(probe, F_OK) == 0) {
			snprintf(path, size, "%s", mount_points[i]);
			return STATUS_OK;
		}
		if (errno == EACCES || errno == EPERM)
			return tracefs_refused(err, errno, mount_points[i], "entering");
	}
	error_set(err, STATUS_SYSTEM, NULL, "Cannot find tracefs");
	return error_remedy(err, "mount it: sudo mount -t tracefs tracefs /sys/kernel/tracing (if that fails, the "
				 "kernel was built without ftrace; if it stays empty, the kernel is locked down to "
				 "confidentiality: cat /sys/kernel/security/lockdown)");
}

static enum status join_path(char *path, const char *directory, const char *file, struct error *err)
{
	return file_join(path, PATH_MAX, directory, file, err);
}

enum status tracefs_write(const char *directory, const char *file, const char *text, struct error *err)
{
	char path[PATH_MAX];
	size_t length = strlen(text);
	enum status status = join_path(path, directory, file, err);

	if (status != STATUS_OK)
		return status;
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return tracefs_refused(err, errno, path, "writing to");
	ssize_t put;
	do
		put = write(fd, text, length);
	while (put < 0 && errno == EINTR);
	int reason = put < 0 ? errno : EIO;
	close(fd);
	if (put == (ssize_t)length)
		return STATUS_OK;
	return tracefs_refused(err, reason, path, "writing to");
}

enum status tracefs_clear(const char *directory, const char *file, struct error *err)
{
	char path[PATH_MAX];
	enum status status = join_path(path, directory, file, err);

	if (status != STATUS_OK)
		return status;
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return tracefs_refused(err, errno, path, "writing to");
	close(fd);
	return STATUS_OK;
}

enum status tracefs_read(const char *directory, const char *file, struct buffer *text, struct error *err)
{
	char path[PATH_MAX];
	enum status status = join_path(path, directory, file, err);

	if (status != STATUS_OK)
		return status;
	status = file_read(path, 1 << 20, text, err);
	if (status == STATUS_SYSTEM && err && (err->errnum == EACCES || err->errnum == EPERM))
		return tracefs_refused(err, err->errnum, path, "reading from");
	return status;
}

enum status tracefs_read_line(const char *directory, const char *file, char *line, size_t size, struct error *err)
{
	struct buffer text = {0};
	enum status status = tracefs_read(directory, file, &text, err);

	if (status == STATUS_OK) {
		text.data[strcspn(text.data, "\n")] = '\0';
		if (snprintf(line, size, "%s", text.data) >= (int)size)
			status = error_set(err, STATUS_UNSUPPORTED, file, "its first line is too long");
	}
	buffer_free(&text);
	return status;
}

bool tracefs_has(const char *directory, const char *file)
{
	char path[PATH_MAX];

	return join_path(path, directory, file, NULL) == STATUS_OK && access(path, F_OK) == 0;
}
