/* SPDX-License-Identifier: MIT
 *
 * Writes newc cpio archives in the kernel's form (Documentation/driver-api/early-userspace/buffer-format.rst),
 * reproducibly: entries in the order of addition, inode numbers counted from 1, time 0, owner root. Needs no privilege:
 * a device node is just an entry. */
#ifndef VM_FILES_CPIO_H
#define VM_FILES_CPIO_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/* Entries are appended to out, which is padded to 4 bytes after each entry, so that another archive can follow. Names
 * are relative ("dev/console"), without "." and ".." parts, at most 4095 bytes; parents must be added explicitly.
 * cpio_end() reports the first failure. */
struct cpio_writer {
	struct buffer *out;
	uint32_t entries;
	const char *failure; /* static text, or NULL */
};

void cpio_directory(struct cpio_writer *cpio, const char *name, unsigned int permissions);
void cpio_file(struct cpio_writer *cpio, const char *name, unsigned int permissions, const void *bytes, size_t length);
void cpio_link(struct cpio_writer *cpio, const char *name, const char *target);
void cpio_character_device(struct cpio_writer *cpio, const char *name, unsigned int permissions, unsigned int major,
			   unsigned int minor);
/* Ends the archive with its trailer. where names it in errors. */
enum status cpio_end(struct cpio_writer *cpio, const char *where, struct error *err);

#endif
