/* SPDX-License-Identifier: MIT
 *
 * A short-lived directory of one guest: sockets, initramfs, and links to other files. Its path is short (a socket
 * address has at most 107 bytes) and has no spaces or other characters that vng's shell interprets. */
#ifndef VM_ENGINE_PRIVATE_DIRECTORY_H
#define VM_ENGINE_PRIVATE_DIRECTORY_H

#include "base/error.h"
#include "base/memory.h"

struct private_directory {
	char path[80];          /* "": none */
	int lock;               /* held while the directory is in use */
	struct cleanup cleanup; /* private */
};

/* Makes it (mode 0700) under $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removes directories there that killed processes of
 * this user left. Takes the first one that is suitable: other users can neither write to it nor, if it is sticky,
 * rename what is in it. */
enum status private_directory_make(struct private_directory *directory, struct error *err);
/* Fills in the path that private_directory_make() would use; creates nothing. */
void private_directory_name_only(struct private_directory *directory);
/* Removes it with its contents. Does nothing if there is none. */
void private_directory_remove(struct private_directory *directory);

/* Removes a directory with its contents of any depth; links are removed, not followed. Allocates no memory. */
void directory_remove_all(const char *path);

#endif
