/* SPDX-License-Identifier: MIT
 *
 * Memory shared by a guest and the host: a file on the host, and in the guest the second region of a PCI
 * device (QEMU's ivshmem-plain). Writes need no answer from the host, so the host's speed has no influence. The first
 * page holds SHARED_MEMORY_MAGIC and the number of bytes used after that page (u64, little-endian); those bytes are
 * frames of vm/protocol/transfer.h, one after the other. */
#ifndef VM_PROTOCOL_SHARED_MEMORY_H
#define VM_PROTOCOL_SHARED_MEMORY_H

#define SHARED_MEMORY_MAGIC      "pnmemory" /* 8 bytes */
#define SHARED_MEMORY_HEAD_BYTES 16         /* magic and length */
#define SHARED_MEMORY_PAGE_BYTES 4096       /* offset of the first frame: one page, the unit of mappings */

#endif
