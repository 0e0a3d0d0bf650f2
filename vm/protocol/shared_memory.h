/* SPDX-License-Identifier: MIT
 *
 * Memory shared by a guest and the host: a file on the host, and in the guest the second region of a PCI
 * device (QEMU's ivshmem-plain). Only the guest writes, and it waits for no answer, so the host's speed has no
 * influence. Numbers are u64, little-endian.
 *
 *   0  SHARED_MEMORY_MAGIC
 *   8  bytes of frames written so far
 *  16  bytes of lines written so far
 *
 * Frames (vm/protocol/transfer.h) follow each other from SHARED_MEMORY_FRAMES on. Lines (vm/protocol/guest_progress.h)
 * are in a ring: byte N is at SHARED_MEMORY_LINES + N % SHARED_MEMORY_RING_BYTES. The host polls, and misses lines only
 * if it falls behind by a whole ring. */
#ifndef VM_PROTOCOL_SHARED_MEMORY_H
#define VM_PROTOCOL_SHARED_MEMORY_H

#define SHARED_MEMORY_MAGIC      "pnmemory" /* 8 bytes */
#define SHARED_MEMORY_HEAD_BYTES 24
#define SHARED_MEMORY_FRAMES_AT  8 /* of the counts */
#define SHARED_MEMORY_LINES_AT   16
#define SHARED_MEMORY_LINES      4096
#define SHARED_MEMORY_FRAMES     (256 * 1024) /* a multiple of all page sizes, the units of mappings */
#define SHARED_MEMORY_RING_BYTES (SHARED_MEMORY_FRAMES - SHARED_MEMORY_LINES)

#endif
