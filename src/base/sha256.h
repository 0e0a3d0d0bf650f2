/* SPDX-License-Identifier: MIT
 *
 * SHA-256 (FIPS 180-4): identifies files and runs. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SHA256_TEXT_SIZE 65 /* 64 hexadecimal digits and the NUL */

struct sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
void sha256_end(struct sha256 *hash, char text[SHA256_TEXT_SIZE]);

/* Hashes a whole regular file. */
enum status sha256_file(const char *path, char text[SHA256_TEXT_SIZE], struct error *err);

#endif
