/* SPDX-License-Identifier: MIT
 *
 * CRC-32C (Castagnoli; RFC 3720 appendix B.4), the checksum of transferred files. */
#ifndef VM_PROTOCOL_CRC32C_H
#define VM_PROTOCOL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues from crc (0 for the first part). */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t length);

#endif
