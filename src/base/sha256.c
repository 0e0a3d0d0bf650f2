/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"

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

static uint32_t read_word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The message schedule, in a ring of 16 words: replaces word i by word i + 16. */
static inline uint32_t next_word(uint32_t *words, unsigned int i)
{
	uint32_t a = words[(i + 1) % 16], b = words[(i + 14) % 16];

	words[i] += (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + words[(i + 9) % 16] +
		    (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
	return words[i];
}

/* One round of FIPS 180-4, section 6.2.2. The eight variables are not moved; the caller rotates their order instead. d
 * becomes the new e of the standard, and h its new a. */
static inline void mix(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f, uint32_t g, uint32_t *h,
		       uint32_t input)
{
	uint32_t choice = g ^ (e & (f ^ g));
	uint32_t majority = (a & b) | (c & (a | b));
	uint32_t first = *h + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) + choice + input;

	*d += first;
	*h = first + (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) + majority;
}

/* Eight rounds, after which the variables are in their original order. */
#define MIX_EIGHT(v, word, i)                                                                                          \
	do {                                                                                                           \
		mix(v##0, v##1, v##2, &v##3, v##4, v##5, v##6, &v##7, word(i));                                        \
		mix(v##7, v##0, v##1, &v##2, v##3, v##4, v##5, &v##6, word((i) + 1));                                  \
		mix(v##6, v##7, v##0, &v##1, v##2, v##3, v##4, &v##5, word((i) + 2));                                  \
		mix(v##5, v##6, v##7, &v##0, v##1, v##2, v##3, &v##4, word((i) + 3));                                  \
		mix(v##4, v##5, v##6, &v##7, v##0, v##1, v##2, &v##3, word((i) + 4));                                  \
		mix(v##3, v##4, v##5, &v##6, v##7, v##0, v##1, &v##2, word((i) + 5));                                  \
		mix(v##2, v##3, v##4, &v##5, v##6, v##7, v##0, &v##1, word((i) + 6));                                  \
		mix(v##1, v##2, v##3, &v##4, v##5, v##6, v##7, &v##0, word((i) + 7));                                  \
	} while (0)
#define GIVEN_WORD(i) (words[i] + round_constants[i])
#define NEXT_WORD(i)  (next_word(words, i) + constants[i])

static void mix_block(uint32_t *state, const uint8_t *block)
{
	uint32_t v0 = state[0], v1 = state[1], v2 = state[2], v3 = state[3];
	uint32_t v4 = state[4], v5 = state[5], v6 = state[6], v7 = state[7];
	uint32_t words[16];

	for (unsigned int i = 0; i < 16; i++)
		words[i] = read_word(block + 4 * i);
	MIX_EIGHT(v, GIVEN_WORD, 0);
	MIX_EIGHT(v, GIVEN_WORD, 8);
	for (const uint32_t *constants = round_constants + 16; constants < round_constants + 64; constants += 16) {
		MIX_EIGHT(v, NEXT_WORD, 0);
		MIX_EIGHT(v, NEXT_WORD, 8);
	}
	state[0] += v0;
	state[1] += v1;
	state[2] += v2;
	state[3] += v3;
	state[4] += v4;
	state[5] += v5;
	state[6] += v6;
	state[7] += v7;
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
	uint8_t bytes[1 << 16];
	struct sha256 hash;
	struct stat found;
	ssize_t length = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum status status = STATUS_OK;

	text[0] = '\0';
	if (fd < 0)
		return error_system(err, errno, path, "cannot open");
	if (fstat(fd, &found) < 0 || !S_ISREG(found.st_mode))
		status = error_set(err, STATUS_UNSUPPORTED, path, "not a regular file");
	sha256_begin(&hash);
	while (status == STATUS_OK && length > 0) {
		status = interrupt_check(err);
		length = status == STATUS_OK ? read(fd, bytes, sizeof(bytes)) : 0;
		if (length > 0)
			sha256_add(&hash, bytes, (size_t)length);
		else if (length < 0)
			status = error_system(err, errno, path, "cannot read");
	}
	close(fd);
	if (status == STATUS_OK)
		sha256_end(&hash, text);
	return status;
}
