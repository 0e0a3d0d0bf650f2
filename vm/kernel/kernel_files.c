/* SPDX-License-Identifier: MIT */
#include "vm/kernel/kernel_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "vm/kernel/unpack.h"

#define CONFIG_MAX (4u << 20)

static bool is_modules_directory(const char *path)
{
	static const char *const signs[] = {"modules.builtin", "modules.order", "modules.dep", "kernel"};
	char sign[PATH_MAX];

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (file_join(sign, sizeof(sign), path, signs[i], NULL) == STATUS_OK && access(sign, F_OK) == 0)
			return true;
	return false;
}

/* Tries DIRECTORY + below + release. */
static bool try_modules(struct kernel_files *files, const char *directory, const char *below, const char *release)
{
	char path[PATH_MAX + 96];
	int needed = snprintf(path, sizeof(path), "%s%s%s", directory, below, release);

	if (needed < 0 || needed >= PATH_MAX || !is_modules_directory(path))
		return false;
	memcpy(files->modules, path, (size_t)needed + 1);
	return true;
}

static bool try_config(struct kernel_files *files, const char *directory, const char *name, const char *release)
{
	char path[PATH_MAX + 96];
	int needed = snprintf(path, sizeof(path), "%s%s%s", directory, name, release);

	if (needed < 0 || needed >= PATH_MAX || access(path, R_OK) < 0)
		return false;
	if (file_read(path, CONFIG_MAX, &files->config, NULL) != STATUS_OK) {
		buffer_free(&files->config);
		return false;
	}
	memcpy(files->config_path, path, (size_t)needed + 1);
	return true;
}

/* For an image without release: the only release in DIRECTORY/below; "" if there is none or more than one. */
static void only_release(const char *directory, const char *below, char *release, size_t size)
{
	char path[PATH_MAX];
	unsigned int seen = 0;

	release[0] = '\0';
	int needed = snprintf(path, sizeof(path), "%s%s", directory, below);
	DIR *list = needed < 0 || (size_t)needed >= sizeof(path) ? NULL : opendir(path);
	if (!list)
		return;
	for (struct dirent *entry; (entry = readdir(list));) {
		if (!kernel_release_is_safe(entry->d_name))
			continue;
		snprintf(release, size, "%.64s", entry->d_name);
		seen++;
	}
	closedir(list);
	if (seen != 1)
		release[0] = '\0';
}

static enum status given_modules(struct kernel_files *files, const char *argument, struct error *err)
{
	static const char *const below[] = {"/lib/modules/", "/usr/lib/modules/", "/"};
	const char *release = files->image.release;
	char other[65], given[PATH_MAX];
	size_t length = strlen(argument);

	if (length >= sizeof(given))
		return error_set(err, STATUS_USAGE, "--guest modules", "the path is too long");
	memcpy(given, argument, length + 1);
	while (length > 1 && given[length - 1] == '/')
		given[--length] = '\0';
	if (is_modules_directory(given)) {
		const char *slash = strrchr(given, '/');
		const char *base = slash ? slash + 1 : given;
		/* A directory whose name is not a release is accepted; the name of another release is an error. */
		if (release[0] && base[0] >= '0' && base[0] <= '9' && strcmp(base, release) != 0) {
			error_set(err, STATUS_USAGE, given, "these modules belong to kernel %s, the image is %s", base,
				  release);
			return error_remedy(err, "give the modules of the same kernel with --guest modules=DIR");
		}
		memcpy(files->modules, given, length + 1);
		return STATUS_OK;
	}
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		if (release[0] && try_modules(files, given, below[i], release))
			return STATUS_OK;
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		only_release(given, below[i], other, sizeof(other));
		if (!release[0] && other[0] && try_modules(files, given, below[i], other))
			return STATUS_OK;
		if (other[0] && i < 2) {
			error_set(err, STATUS_USAGE, given, "holds modules of kernel %s, but the image is %s", other,
				  release[0] ? release : "of an unknown release");
			return error_remedy(err, "give the modules of the same kernel with --guest modules=DIR");
		}
	}
	error_set(err, STATUS_USAGE, given, "holds no kernel modules%s%s", release[0] ? " of " : "", release);
	return error_remedy(err, "give the directory that holds lib/modules, or lib/modules/%s itself",
			    release[0] ? release : "RELEASE");
}

/* Removes the last part of path; "" is the root directory. */
static void parent(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

/* In a kernel tree all drivers are assumed to be built in, unless its .config denies it. */
static bool in_kernel_tree(const char *image, char *tree)
{
	char config[PATH_MAX + 16];

	if (kernel_tree_above(image, tree))
		return true;
	if (!file_name_ends(image, "/vmlinux"))
		return false;
	snprintf(tree, PATH_MAX, "%.*s", (int)(strlen(image) - strlen("/vmlinux")), image);
	snprintf(config, sizeof(config), "%s/.config", tree);
	return access(config, F_OK) == 0;
}

static void resolve_boot_inputs(struct kernel_files *files, const char *image, bool modules_given)
{
	const char *release = files->image.release;
	char beside[PATH_MAX], above[PATH_MAX];

	if (in_kernel_tree(image, above)) {
		try_config(files, above, "/.config", "");
		return;
	}
	snprintf(beside, sizeof(beside), "%s", image);
	parent(beside);
	snprintf(above, sizeof(above), "%s", beside);
	parent(above);
	if (!modules_given) {
		bool found = is_modules_directory(beside) && try_modules(files, beside, "", "");
		if (!found && release[0])
			found = try_modules(files, above, "/lib/modules/", release) ||
				try_modules(files, above, "/usr/lib/modules/", release) ||
				try_modules(files, beside, "/lib/modules/", release) ||
				try_modules(files, beside, "/usr/lib/modules/", release) ||
				try_modules(files, "", "/lib/modules/", release);
	}
	if (release[0] && try_config(files, beside, "/config-", release))
		return;
	if (files->modules[0] && try_config(files, files->modules, "/config", ""))
		return;
	if (!try_config(files, beside, "/config", "") && release[0])
		try_config(files, "/boot", "/config-", release);
}

enum status kernel_files_find(const char *path, const char *modules, struct kernel_files *files, struct error *err)
{
	char real[PATH_MAX];

	*files = (struct kernel_files){0};
	if (strlen(path) >= sizeof(files->path))
		return error_set(err, STATUS_USAGE, NULL, "path of the kernel is too long");
	strcpy(files->path, path);
	enum status status = kernel_image_read(path, &files->image, err);
	strcpy(files->boot, path);
	if (status == STATUS_OK && files->image.kind == KERNEL_PACKED) {
		status = kernel_image_unpack_once(path, &files->image, files->boot, err);
		if (status == STATUS_OK)
			status = kernel_image_read(files->boot, &files->image, err);
		if (status == STATUS_OK && files->image.kind == KERNEL_PACKED)
			status = error_set(err, STATUS_UNSUPPORTED, path, "not a kernel: it is compressed twice");
	}
	if (status == STATUS_OK && modules)
		status = given_modules(files, modules, err);
	if (status != STATUS_OK)
		return status;
	resolve_boot_inputs(files, realpath(path, real) ? real : path, modules != NULL);
	return STATUS_OK;
}

void kernel_files_free(struct kernel_files *files)
{
	buffer_free(&files->config);
}

char kernel_config(const struct kernel_files *files, const char *name)
{
	char line[128];
	size_t from = 0;

	if (!files->config.length)
		return 0;
	int length = snprintf(line, sizeof(line), "CONFIG_%s=", name);
	if (length < 0 || (size_t)length >= sizeof(line))
		return 0;
	while (from < files->config.length) {
		const char *at = files->config.data + from;
		const char *end = memchr(at, '\n', files->config.length - from);
		size_t span = end ? (size_t)(end - at) : files->config.length - from;
		if (span > (size_t)length && memcmp(at, line, (size_t)length) == 0)
			return at[length] == 'y' || at[length] == 'm' ? at[length] : 'n';
		from += span + 1;
	}
	return 'n';
}
