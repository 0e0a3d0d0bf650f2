/* SPDX-License-Identifier: MIT */
#include "record/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"

/* Source: linux/magic.h */
static const struct {
	unsigned long magic;
	const char *name;
} file_systems[] = {
    {0xef53, "ext4"},      {0x58465342, "xfs"},     {0x9123683e, "btrfs"}, {0x01021994, "tmpfs"},
    {0x858458f6, "ramfs"}, {0x794c7630, "overlay"}, {0x01021997, "9p"},    {0x65735546, "fuse"},
    {0x6969, "nfs"},       {0xf2f52010, "f2fs"},    {0x2fc12fc1, "zfs"},   {0xca451a4e, "bcachefs"},
};

static void name_file_system(const char *path, char *name, size_t size)
{
	struct statfs info;

	name[0] = '\0';
	if (statfs(path, &info) < 0)
		return;
	unsigned long magic = (unsigned long)info.f_type & 0xffffffff;
	snprintf(name, size, "0x%lx", magic);
	for (size_t i = 0; i < sizeof(file_systems) / sizeof(file_systems[0]); i++)
		if (file_systems[i].magic == magic)
			snprintf(name, size, "%s", file_systems[i].name);
}

static const char *device_kind(const char *device)
{
	const char *slash = strrchr(device, '/');
	const char *name = slash ? slash + 1 : device;

	if (strncmp(name, "nullb", 5) == 0)
		return "null_blk";
	if (strncmp(name, "vd", 2) == 0)
		return "virtio-blk";
	return "device";
}

/* Also removes the files of a killed workload. Does not use opendir(), which allocates memory. */
static void remove_scratch(void *context)
{
	const struct scratch *scratch = context;
	int directory = open(scratch->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(struct dirent) char entries[4096];
	long length;

	while (directory >= 0 && (length = syscall(SYS_getdents64, directory, entries, sizeof(entries))) > 0)
		for (long at = 0; at < length;) {
			const struct dirent *entry = (const void *)(entries + at);
			unlinkat(directory, entry->d_name, 0);
			at += entry->d_reclen;
		}
	if (directory >= 0)
		close(directory);
	rmdir(scratch->path);
}

static enum status make_temporary(const char *parent, struct scratch *scratch, struct error *err)
{
	enum status status = file_join(scratch->path, sizeof(scratch->path), parent, ".scratch-XXXXXX", err);

	if (status != STATUS_OK)
		return status;
	if (!mkdtemp(scratch->path))
		return error_system(err, errno, scratch->path, "cannot create the scratch directory of the workload");
	cleanup_add(&scratch->cleanup, remove_scratch, scratch);
	return STATUS_OK;
}

enum status scratch_check(const char *path, struct error *err)
{
	struct stat info;

	if (!path)
		return STATUS_OK;
	if (stat(path, &info) < 0)
		return error_system(err, errno, path, "cannot be used with --scratch");
	if (S_ISDIR(info.st_mode) || (S_ISBLK(info.st_mode) && strncmp(path, "/dev/nullb", 10) == 0))
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, "--scratch", "expected a directory or /dev/nullbN, not '%s'", path);
}

enum status scratch_open(const char *path, const char *parent, struct scratch *scratch, struct error *err)
{
	struct stat info;

	*scratch = (struct scratch){0};
	if (!path) {
		enum status status = make_temporary(parent, scratch, err);
		if (status != STATUS_OK)
			return status;
	} else if (snprintf(scratch->path, sizeof(scratch->path), "%s", path) >= (int)sizeof(scratch->path)) {
		return error_set(err, STATUS_USAGE, path, "path is too long");
	}
	bool is_device = stat(scratch->path, &info) == 0 && S_ISBLK(info.st_mode);
	snprintf(scratch->kind, sizeof(scratch->kind), "%s", is_device ? device_kind(path) : "file");
	if (!is_device)
		name_file_system(scratch->path, scratch->file_system, sizeof(scratch->file_system));
	return STATUS_OK;
}

void scratch_close(struct scratch *scratch)
{
	cleanup_finish(&scratch->cleanup);
}
