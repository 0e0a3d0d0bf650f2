/* SPDX-License-Identifier: MIT
 *
 * A short-lived directory of one guest: its sockets, its initramfs, and links to what lies elsewhere. Its path is short
 * (a socket's is at most 107 bytes) and free of spaces and other letters that vng's shell would take apart. */
#ifndef VM_ENGINE_PRIVATE_DIRECTORY_H
#define VM_ENGINE_PRIVATE_DIRECTORY_H

#include "base/error.h"

struct private_directory {
	char path[80]; /* "" where there is none */
	int lock;      /* held while the directory is in use */
};

/* Makes it (mode 0700) under $XDG_RUNTIME_DIR, $TMPDIR or /tmp, the first that is fit for it, and removes those that
 * dead processes of this user left there. */
enum status private_directory_make(struct private_directory *directory, struct error *err);
/* Fills the path as private_directory_make() would give it, but makes nothing. */
void private_directory_name_only(struct private_directory *directory);
/* Removes it and all that is in it. Does nothing where there is none. */
void private_directory_remove(struct private_directory *directory);

/* Removes a directory with all that is in it; links are removed, not followed. */
void directory_remove_all(const char *path);

#endif
