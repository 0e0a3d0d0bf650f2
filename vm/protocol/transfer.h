/* SPDX-License-Identifier: MIT
 *
 * How finished traces leave the guest: definitions shared by both sides. src/guest/transfer_send.h sends,
 * vm/launch/shared_memory_receive.h and vm/launch/share.h receive.
 *
 * Transport share: the guest copies each file into the shared directory in blocks of TRANSFER_BLOCK bytes, then appends
 * a line "SIZE CRC32C NAME" to TRANSFER_MANIFEST. After the guest's end the host checks each file and moves it to the
 * output directory.
 *
 * Transport shared memory: frames in memory (vm/protocol/shared_memory.h). A frame is "pnfile1\n", name length (u32),
 * name, size (u64), the file's bytes, CRC-32C (u32), "end\n"; little-endian.
 *
 * A guest cannot write outside the receiver's directory: names are [A-Za-z0-9_.+-]+ of at most TRANSFER_NAME_MAX bytes
 * without leading dot and end in .dat, .dat.partial (the part of a trace before a fault), .json or .log; links are not
 * followed; only regular files with one link are accepted from a share. An incomplete file is kept as NAME.incomplete.
 */
#ifndef VM_PROTOCOL_TRANSFER_H
#define VM_PROTOCOL_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRANSFER_MANIFEST "manifest"
#define TRANSFER_NAME_MAX 200
#define TRANSFER_BLOCK    (1024 * 1024)

bool transfer_name_is_safe(const char *name, size_t length);
bool transfer_is_trace(const char *name, size_t length); /* NAME.dat */

#define TRANSFER_FRAME_MAGIC    "pnfile1\n"
#define TRANSFER_FRAME_END      "end\n"
#define TRANSFER_FRAME_FIXED    12 /* magic and name length */
#define TRANSFER_FRAME_HEAD_MAX (TRANSFER_FRAME_FIXED + TRANSFER_NAME_MAX + 8)
#define TRANSFER_FRAME_TAIL     8

/* Each writes its part of a frame and returns its length; length is the length of the name, at most
 * TRANSFER_NAME_MAX. */
size_t transfer_frame_head(uint8_t *to, const char *name, size_t length, uint64_t size);
size_t transfer_frame_tail(uint8_t *to, uint32_t checksum);

/* Write and read width bytes, little-endian. */
void transfer_put_number(uint8_t *to, uint64_t value, unsigned int width);
uint64_t transfer_get_number(const uint8_t *from, unsigned int width);

#endif
