/* SPDX-License-Identifier: MIT
 *
 * Makes an ELF-64 object with a .modinfo section, for tests. */
#ifndef TESTS_MODULE_MAKER_H
#define TESTS_MODULE_MAKER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MADE_MODULE_LENGTH 1024
#define MADE_INFO_AT       512
#define MADE_NAMES_AT      256
#define MADE_SECTIONS_AT   64

static inline void made_put(uint8_t *to, uint64_t value, unsigned int width)
{
	for (; width--; value >>= 8)
		*to++ = (uint8_t)value;
}

/* info: NUL-separated KEY=VALUE of length bytes (at most 400). Sections: none, .modinfo, .shstrtab. */
static inline void make_module(uint8_t *bytes, const char *info, size_t length)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	uint8_t *sections = bytes + MADE_SECTIONS_AT;

	memset(bytes, 0, MADE_MODULE_LENGTH);
	memcpy(bytes,
	       "\x7f"
	       "ELF\2\1\1",
	       7);
	made_put(bytes + 16, 1, 2);
	made_put(bytes + 18, 62, 2);
	made_put(bytes + 40, MADE_SECTIONS_AT, 8);
	made_put(bytes + 58, 64, 2);
	made_put(bytes + 60, 3, 2);
	made_put(bytes + 62, 2, 2);
	made_put(sections + 64, 1, 4);
	made_put(sections + 64 + 4, 1, 4);
	made_put(sections + 64 + 24, MADE_INFO_AT, 8);
	made_put(sections + 64 + 32, length, 8);
	made_put(sections + 128, 10, 4);
	made_put(sections + 128 + 4, 3, 4);
	made_put(sections + 128 + 24, MADE_NAMES_AT, 8);
	made_put(sections + 128 + 32, sizeof(names), 8);
	memcpy(bytes + MADE_NAMES_AT, names, sizeof(names));
	memcpy(bytes + MADE_INFO_AT, info, length);
}

#endif
