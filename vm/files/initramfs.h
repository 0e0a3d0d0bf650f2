/* SPDX-License-Identifier: MIT
 *
 * Builds the base initramfs from a manifest (initramfs/manifest describes the format). */
#ifndef VM_FILES_INITRAMFS_H
#define VM_FILES_INITRAMFS_H

#include "base/error.h"

struct initramfs_request {
	const char *manifest;
	const char *busybox; /* static BusyBox, for @busybox */
	const char *guest;   /* static picknext-guest, for @guest; NULL: the one beside picknext */
	const char *output;  /* "-" is standard output */
};

/* Writes the compressed archive, padded to a multiple of 4 bytes. The same input gives the same bytes.
 * STATUS_UNSUPPORTED if a program is linked dynamically or for another machine than the others, or the archive is
 * too large. */
enum status initramfs_make(const struct initramfs_request *request, struct error *err);

#endif
