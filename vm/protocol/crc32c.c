/* SPDX-License-Identifier: MIT */
#include "vm/protocol/crc32c.h"

#include <stdbool.h>

/* table[k][b]: the effect of byte b on the checksum if k more bytes follow, so that one step handles eight bytes. Under
 * emulation a bytewise checksum would take longer than the transfer of the trace. */
static uint32_t table[8][256];
static bool made;

static void make_table(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
		table[0][byte] = crc;
	}
	for (int following = 1; following < 8; following++)
		for (uint32_t byte = 0; byte < 256; byte++) {
			uint32_t crc = table[following - 1][byte];
			table[following][byte] = crc >> 8 ^ table[0][crc & 0xff];
		}
	made = true;
}

uint32_t crc32c(uint32_t crc, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;

	if (!made)
		make_table();
	crc = ~crc;
	for (; length >= 8; length -= 8, from += 8) {
		crc ^= (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
		crc = table[7][crc & 0xff] ^ table[6][crc >> 8 & 0xff] ^ table[5][crc >> 16 & 0xff] ^
		      table[4][crc >> 24] ^ table[3][from[4]] ^ table[2][from[5]] ^ table[1][from[6]] ^
		      table[0][from[7]];
	}
	while (length--)
		crc = crc >> 8 ^ table[0][(crc ^ *from++) & 0xff];
	return ~crc;
}
