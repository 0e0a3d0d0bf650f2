/* SPDX-License-Identifier: MIT */
#include "vm/kernel/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "vm/kernel/modinfo.h"
#include "vm/kernel/unpack.h"

#define MODULE_BYTES_MAX  (64u << 20)
#define BUILTIN_BYTES_MAX (8u << 20)
#define DEPTH_MAX         16
#define MODULES_MAX       256 /* in one guest; a feature needs at most ten */
#define FEATURE_NAMES     2

static const struct feature {
	unsigned int bit;
	const char *name;
	const char *modules[FEATURE_NAMES + 1];
	const char *options[FEATURE_NAMES + 1]; /* configuration options, for kernels without modules.builtin */
} features[] = {
    {FEATURE_PCI, "virtio-pci", {"virtio_pci"}, {"VIRTIO_PCI"}},
    {FEATURE_PORT, "virtio-serial", {"virtio_console"}, {"VIRTIO_CONSOLE"}},
    {FEATURE_9P, "9p", {"9pnet_virtio", "9p"}, {"NET_9P_VIRTIO", "9P_FS"}},
    {FEATURE_VIRTIOFS, "virtiofs", {"virtiofs"}, {"VIRTIO_FS"}},
    {FEATURE_NULL_BLOCK, "null-blk", {"null_blk"}, {"BLK_DEV_NULL_BLK"}},
    {FEATURE_VIRTIO_BLOCK, "virtio-blk", {"virtio_blk"}, {"VIRTIO_BLK"}},
    {FEATURE_CPU_FREQUENCY, "cpufreq-dt", {"cpufreq_dt"}, {"CPUFREQ_DT"}},
};

struct module_file {
	char name[64];
	char *path;
};

/* The contents of a modules directory. */
struct catalogue {
	struct module_file *files;
	size_t count, capacity;
	struct buffer builtin;
	bool has_builtin;
};

/* "foo-bar.ko.xz" is module foo_bar. False if name is not a module. */
static bool module_name(const char *name, size_t length, char *to, size_t size)
{
	const char *end = memmem(name, length, ".ko", 3);

	if (!end || end == name || (size_t)(end - name) >= size)
		return false;
	size_t rest = length - (size_t)(end - name) - 3;
	if (rest && end[3] != '.')
		return false;
	for (const char *from = name; from < end; from++)
		*to++ = *from == '-' ? '_' : *from;
	*to = '\0';
	return true;
}

static enum status add_file(struct catalogue *catalogue, const char *directory, const char *base, struct error *err)
{
	char name[64], path[PATH_MAX];

	if (!module_name(base, strlen(base), name, sizeof(name)))
		return STATUS_OK;
	if (file_join(path, sizeof(path), directory, base, err) != STATUS_OK)
		return STATUS_USAGE;
	catalogue->files =
	    array_grow(catalogue->files, &catalogue->capacity, catalogue->count + 1, sizeof(*catalogue->files));
	struct module_file *file = &catalogue->files[catalogue->count++];
	file->path = xstrdup(path);
	memcpy(file->name, name, sizeof(name));
	return STATUS_OK;
}

/* Skips links: build and source point to a whole kernel tree. */
static enum status list_files(struct catalogue *catalogue, const char *directory, int depth, struct error *err)
{
	enum status status = STATUS_OK;
	char path[PATH_MAX];
	DIR *list = opendir(directory);

	if (!list)
		return error_system(err, errno, directory, "cannot list modules");
	for (struct dirent *entry; status == STATUS_OK && (entry = readdir(list));) {
		struct stat info;
		if (entry->d_name[0] == '.' || fstatat(dirfd(list), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(info.st_mode))
			status = add_file(catalogue, directory, entry->d_name, err);
		else if (S_ISDIR(info.st_mode) && depth < DEPTH_MAX) {
			status = file_join(path, sizeof(path), directory, entry->d_name, err);
			if (status == STATUS_OK)
				status = list_files(catalogue, path, depth + 1, err);
		}
	}
	closedir(list);
	return status;
}

static enum status catalogue_open(struct catalogue *catalogue, const char *directory, struct error *err)
{
	char path[PATH_MAX];

	if (!directory[0])
		return STATUS_OK;
	if (file_join(path, sizeof(path), directory, "modules.builtin", err) != STATUS_OK)
		return STATUS_USAGE;
	struct error reason = {0};
	enum status status = file_read(path, BUILTIN_BYTES_MAX, &catalogue->builtin, &reason);
	catalogue->has_builtin = status == STATUS_OK;
	if (status != STATUS_OK && reason.errnum != ENOENT) {
		if (err)
			*err = reason;
		return status;
	}
	return list_files(catalogue, directory, 0, err);
}

static void catalogue_close(struct catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->count; i++)
		free(catalogue->files[i].path);
	free(catalogue->files);
	buffer_free(&catalogue->builtin);
}

static const char *catalogue_find(const struct catalogue *catalogue, const char *name)
{
	for (size_t i = 0; i < catalogue->count; i++)
		if (strcmp(catalogue->files[i].name, name) == 0)
			return catalogue->files[i].path;
	return NULL;
}

static bool is_builtin(const struct catalogue *catalogue, const char *name)
{
	const char *at = catalogue->builtin.data;
	const char *end = at ? at + catalogue->builtin.length : NULL;

	while (at && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		const char *slash = memrchr(at, '/', (size_t)(line_end - at));
		const char *base = slash ? slash + 1 : at;
		char found[64];
		if (module_name(base, (size_t)(line_end - base), found, sizeof(found)) && strcmp(found, name) == 0)
			return true;
		at = line_end + 1;
	}
	return false;
}

struct collection {
	const struct catalogue *catalogue;
	struct module_set *set;
	unsigned int feature; /* the current one */
	char missing[64];     /* the module that made it fail */
};

static enum status read_module(const char *path, const char *name, struct module *module, struct error *err)
{
	struct mapping mapping;
	enum status status = file_map(path, &mapping, err);

	*module = (struct module){0};
	if (status != STATUS_OK)
		return status;
	snprintf(module->name, sizeof(module->name), "%s", name);
	status = unpack(mapping.bytes, mapping.length, MODULE_BYTES_MAX, &module->bytes, path, err);
	file_unmap(&mapping);
	return status;
}

static enum status collect_module(struct collection *collection, const char *name, int depth, struct error *err);

/* depends is a list of names separated by commas. */
static enum status collect_list(struct collection *collection, const char *depends, int depth, struct error *err)
{
	while (*depends) {
		char name[64];
		size_t length = strcspn(depends, ",");
		if (length > 0 && length < sizeof(name)) {
			for (size_t i = 0; i < length; i++)
				name[i] = depends[i] == '-' ? '_' : depends[i];
			name[length] = '\0';
			enum status status = collect_module(collection, name, depth + 1, err);
			if (status != STATUS_OK)
				return status;
		}
		depends += length + (depends[length] == ',');
	}
	return STATUS_OK;
}

static struct module *find_collected(const struct module_set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->modules[i].name, name) == 0)
			return &set->modules[i];
	return NULL;
}

static enum status collect_dependencies(struct collection *collection, const struct module *module, const char *where,
					int depth, struct error *err)
{
	const char *depends;
	enum status status =
	    modinfo_value((const uint8_t *)module->bytes.data, module->bytes.length, "depends", &depends, err);

	if (status != STATUS_OK && err)
		snprintf(err->where, sizeof(err->where), "%s", where);
	return status == STATUS_OK && depends ? collect_list(collection, depends, depth, err) : status;
}

static enum status collect_new(struct collection *collection, const char *name, int depth, struct error *err)
{
	struct module_set *set = collection->set;
	const char *path = catalogue_find(collection->catalogue, name);
	struct module module;

	if (!path) {
		snprintf(collection->missing, sizeof(collection->missing), "%s", name);
		return STATUS_END;
	}
	if (depth > DEPTH_MAX || set->count >= MODULES_MAX)
		return error_set(err, STATUS_CORRUPT, path, "modules have circular dependencies");
	enum status status = read_module(path, name, &module, err);
	module.features = collection->feature;
	if (status == STATUS_OK)
		status = collect_dependencies(collection, &module, path, depth, err);
	if (status == STATUS_OK && set->count < MODULES_MAX)
		set->modules[set->count++] = module;
	else
		buffer_free(&module.bytes);
	return status;
}

/* Adds name after everything it depends on. STATUS_END: it, or a module that it needs, does not exist. */
static enum status collect_module(struct collection *collection, const char *name, int depth, struct error *err)
{
	struct module *module = find_collected(collection->set, name);

	if (!module)
		return is_builtin(collection->catalogue, name) ? STATUS_OK : collect_new(collection, name, depth, err);
	if (module->features & collection->feature)
		return STATUS_OK;
	module->features |= collection->feature;
	return collect_dependencies(collection, module, name, depth, err);
}

static void add_missing(struct module_set *set, const char *feature, const char *module)
{
	size_t length = strlen(set->missing);

	snprintf(set->missing + length, sizeof(set->missing) - length, "%s%s (%s)", length ? ", " : "", feature,
		 module);
}

void modules_keep(struct module_set *set, unsigned int wanted)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		struct module *module = &set->modules[i];
		module->features &= wanted;
		if (!module->features)
			buffer_free(&module->bytes);
		else if (kept++ != i)
			set->modules[kept - 1] = *module;
	}
	set->count = kept;
	set->available &= wanted;
	set->assumed &= wanted;
}

/* Used for a module without file if there is no modules.builtin. Without a configuration the module is assumed to be
 * built in. */
static bool is_configured_in(const struct kernel_files *files, const struct feature *feature, size_t module,
			     struct module_set *set)
{
	char state = kernel_config(files, feature->options[module]);

	if (state == 0)
		set->assumed |= feature->bit;
	return state == 'y' || state == 0;
}

static enum status collect_feature(struct collection *collection, const struct kernel_files *files,
				   const struct feature *feature, struct error *err)
{
	struct module_set *set = collection->set;

	collection->feature = feature->bit;
	for (size_t i = 0; feature->modules[i]; i++) {
		enum status status = collect_module(collection, feature->modules[i], 0, err);
		if (status == STATUS_END && !collection->catalogue->has_builtin &&
		    is_configured_in(files, feature, i, set))
			continue;
		if (status == STATUS_END) {
			add_missing(set, feature->name, collection->missing);
			modules_keep(set, ~feature->bit);
			return STATUS_OK;
		}
		if (status != STATUS_OK)
			return status;
	}
	set->available |= feature->bit;
	return STATUS_OK;
}

enum status modules_collect(const struct kernel_files *files, unsigned int wanted, struct module_set *set,
			    struct error *err)
{
	struct catalogue catalogue = {0};
	struct collection collection = {.catalogue = &catalogue, .set = set};

	*set = (struct module_set){.modules = xcalloc(MODULES_MAX, sizeof(struct module))};
	enum status status = catalogue_open(&catalogue, files->modules, err);
	for (size_t i = 0; status == STATUS_OK && i < sizeof(features) / sizeof(features[0]); i++)
		if (wanted & features[i].bit)
			status = collect_feature(&collection, files, &features[i], err);
	catalogue_close(&catalogue);
	return status;
}

void modules_free(struct module_set *set)
{
	modules_keep(set, 0);
	free(set->modules);
	*set = (struct module_set){0};
}
