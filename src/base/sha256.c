/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <string.h>

#include "base/file.h"
#include "base/interrupt.h"

#define CHUNK_BYTES ((size_t)1 << 20) /* between two looks for a signal */

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t value, unsigned int by)
{
	return value >> by | value << (32 - by);
}

static void expand_block(const uint8_t *block, uint32_t *words)
{
	for (unsigned int i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned int i = 16; i < 64; i++) {
		uint32_t a = words[i - 15], b = words[i - 2];
		words[i] = words[i - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + words[i - 7] +
			   (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
	}
}

static void mix_block(uint32_t *state, const uint8_t *block)
{
	uint32_t words[64];
	uint32_t v[8];

	expand_block(block, words);
	memcpy(v, state, sizeof(v));
	for (unsigned int i = 0; i < 64; i++) {
		uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		uint32_t first = v[7] + (rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25)) +
				 choice + round_constants[i] + words[i];
		uint32_t second = (rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22)) + majority;
		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += first;
		v[0] = first + second;
	}
	for (unsigned int i = 0; i < 8; i++)
		state[i] += v[i];
}

void sha256_begin(struct sha256 *hash)
{
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(hash->state, start, sizeof(start));
	hash->length = 0;
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;

	while (length) {
		size_t used = hash->length % sizeof(hash->block);
		size_t taken = sizeof(hash->block) - used < length ? sizeof(hash->block) - used : length;
		if (taken == sizeof(hash->block)) {
			mix_block(hash->state, from);
		} else {
			memcpy(hash->block + used, from, taken);
			if (used + taken == sizeof(hash->block))
				mix_block(hash->state, hash->block);
		}
		hash->length += taken;
		from += taken;
		length -= taken;
	}
}

void sha256_end(struct sha256 *hash, char text[SHA256_TEXT_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	static const uint8_t padding[64] = {0x80};
	uint64_t bits = hash->length * 8;
	uint8_t length[8];

	for (unsigned int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(hash, padding, (119 - hash->length % 64) % 64 + 1);
	sha256_add(hash, length, sizeof(length));
	for (unsigned int i = 0; i < 64; i++)
		text[i] = digits[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
	text[64] = '\0';
}

enum status sha256_file(const char *path, char text[SHA256_TEXT_SIZE], struct error *err)
{
	struct mapping mapping;
	struct sha256 hash;
	enum status status = file_map(path, &mapping, err);

	text[0] = '\0';
	if (status != STATUS_OK)
		return status;
	sha256_begin(&hash);
	for (size_t at = 0; at < mapping.length && status == STATUS_OK; at += CHUNK_BYTES) {
		size_t left = mapping.length - at;
		sha256_add(&hash, mapping.bytes + at, left < CHUNK_BYTES ? left : CHUNK_BYTES);
		status = interrupt_check(err);
	}
	file_unmap(&mapping);
	if (status == STATUS_OK)
		sha256_end(&hash, text);
	return status;
}
