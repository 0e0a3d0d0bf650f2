/* SPDX-License-Identifier: MIT
 *
 * One file on its way through a port: "pnfile1\n", name length (u32), name, size (u64), the bytes, CRC-32C (u32),
 * "end\n". Little-endian. */
#ifndef VM_PROTOCOL_TRANSFER_FRAME_H
#define VM_PROTOCOL_TRANSFER_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/launch/transfer.h"

#define DELIVERY_FRAME_MAGIC     "pnfile1\n"
#define DELIVERY_FRAME_END       "end\n"
#define DELIVERY_FRAME_FIXED     12 /* magic and name length */
#define DELIVERY_FRAME_HEAD_MOST (DELIVERY_FRAME_FIXED + DELIVERY_NAME_MOST + 8)
#define DELIVERY_FRAME_TAIL      8

bool delivery_is_trace(const char *name, size_t length); /* NAME.dat */

/* Each writes its part of a frame and returns its length; length is that of the name, at most DELIVERY_NAME_MOST. */
size_t delivery_frame_head(uint8_t *to, const char *name, size_t length, uint64_t size);
size_t delivery_frame_tail(uint8_t *to, uint32_t checksum);

/* Writes and reads width bytes, little-endian. */
void delivery_put(uint8_t *to, uint64_t value, unsigned int width);
uint64_t delivery_get(const uint8_t *from, unsigned int width);

#endif
