/* SPDX-License-Identifier: MIT */
#include "vm/files/cpio.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#define CPIO_NAME_MAX 4095

struct entry {
	const char *name;
	unsigned int mode;
	const void *bytes;
	size_t length;
	unsigned int major, minor;
};

/* The kernel creates names relative to its root; names with ".." are refused all the same. */
static bool name_is_plain(const char *name)
{
	size_t length = strlen(name);

	if (length == 0 || length > CPIO_NAME_MAX || name[0] == '/' || name[length - 1] == '/')
		return false;
	for (const char *part = name;; part++) {
		size_t span = strcspn(part, "/");
		if (span == 0 || (span == 1 && part[0] == '.') || (span == 2 && part[0] == '.' && part[1] == '.'))
			return false;
		part += span;
		if (*part == '\0')
			return true;
	}
}

static void pad(struct buffer *out)
{
	buffer_add(out, "\0\0\0", (4 - out->length % 4) % 4);
}

static void add_entry(struct cpio_writer *cpio, const struct entry *entry)
{
	unsigned int links = S_ISDIR(entry->mode) ? 2 : 1;

	if (cpio->failure)
		return;
	if (entry->length > UINT32_MAX) {
		cpio->failure = "a file of 4 GiB or more does not fit into a cpio archive";
		return;
	}
	cpio->entries++;
	/* magic, inode, mode, uid, gid, links, time, size, device major and minor, rdev major and minor, name, check */
	buffer_printf(cpio->out, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", cpio->entries,
		      entry->mode, 0u, 0u, links, 0u, (unsigned int)entry->length, 0u, 0u, entry->major, entry->minor,
		      (unsigned int)strlen(entry->name) + 1, 0u);
	buffer_add(cpio->out, entry->name, strlen(entry->name) + 1);
	pad(cpio->out);
	buffer_add(cpio->out, entry->bytes, entry->length);
	pad(cpio->out);
}

static void add_named(struct cpio_writer *cpio, const struct entry *entry)
{
	if (!name_is_plain(entry->name) && !cpio->failure)
		cpio->failure = "a name in the archive must be relative, without '.' and '..' parts";
	add_entry(cpio, entry);
}

void cpio_directory(struct cpio_writer *cpio, const char *name, unsigned int permissions)
{
	add_named(cpio, &(struct entry){.name = name, .mode = S_IFDIR | (permissions & 07777)});
}

void cpio_file(struct cpio_writer *cpio, const char *name, unsigned int permissions, const void *bytes, size_t length)
{
	add_named(cpio, &(struct entry){
			    .name = name, .mode = S_IFREG | (permissions & 07777), .bytes = bytes, .length = length});
}

void cpio_link(struct cpio_writer *cpio, const char *name, const char *target)
{
	add_named(cpio,
		  &(struct entry){.name = name, .mode = S_IFLNK | 0777, .bytes = target, .length = strlen(target)});
}

void cpio_character_device(struct cpio_writer *cpio, const char *name, unsigned int permissions, unsigned int major,
			   unsigned int minor)
{
	add_named(cpio, &(struct entry){
			    .name = name, .mode = S_IFCHR | (permissions & 07777), .major = major, .minor = minor});
}

enum status cpio_end(struct cpio_writer *cpio, const char *where, struct error *err)
{
	add_entry(cpio, &(struct entry){.name = "TRAILER!!!"});
	if (cpio->failure)
		return error_set(err, STATUS_USAGE, where, "%s", cpio->failure);
	return STATUS_OK;
}
