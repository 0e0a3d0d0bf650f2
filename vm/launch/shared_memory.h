/* SPDX-License-Identifier: MIT
 *
 * The window: memory that the host's file is, and that the guest finds as the second region of a PCI device (QEMU's
 * ivshmem-plain). What the guest writes there costs it no wait of any kind, so that nothing of the host's speed gets
 * into it: the way out of a deterministic guest. The first page holds "pnwindow" and how many bytes are used (u64,
 * little-endian) behind it; those are frames of vm/launch/transfer.h, one behind the other. */
#ifndef VM_LAUNCH_SHARED_MEMORY_H
#define VM_LAUNCH_SHARED_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/launch/transfer.h"

/* --- The guest's side --- */

struct window {
	int device; /* -1: none */
	uint64_t size, used;
	char path[64];
};

/* STATUS_SYSTEM where this machine has no such device, or keeps it for itself. */
enum status window_open(struct window *window, struct error *err);
/* errnum ENOSPC: the window is full. */
enum status window_put(struct window *window, const void *bytes, size_t length, struct error *err);
void window_close(struct window *window);

/* --- The host's side --- */

/* Makes the file, sparse. */
enum status window_make(const char *path, uint64_t size, struct error *err);
/* Hands what a guest that is gone left in the file to receiver. Errors are the host's own alone. */
enum status window_take(const char *path, struct delivery_receiver *receiver, struct error *err);

#endif
