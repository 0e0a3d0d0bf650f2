/* SPDX-License-Identifier: MIT
 *
 * What gzip packs comes out again; what is damaged is refused or comes out wrong, but nothing is touched outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/inflate.h"

#define MOST   300000u
#define HEADER 10
#define FOOTER 8

static uint8_t plain[MOST], packed[2 * MOST];
static char directory[64];

/* Packs the first length bytes of plain; returns how many bytes that gives. */
static size_t pack(size_t length, int level)
{
	char path[128];
	char command[256];

	snprintf(path, sizeof(path), "%s/plain", directory);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(plain, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	snprintf(command, sizeof(command), "gzip -%dnc %s", level, path);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	size_t got = fread(packed, 1, sizeof(packed), pipe);
	assert_int_equal(pclose(pipe), 0);
	assert_true(got > HEADER + FOOTER);
	return got - HEADER - FOOTER;
}

/* From buffers of exactly the sizes, so that ASan sees every step too far. */
static bool unpack(size_t packed_length, size_t length, uint8_t **to)
{
	uint8_t *from = malloc(packed_length + !packed_length);

	*to = malloc(length + !length);
	assert_true(from && *to);
	memcpy(from, packed + HEADER, packed_length);
	bool good = inflate(from, packed_length, *to, length);
	free(from);
	return good;
}

static void check(size_t length)
{
	for (int level = 1; level <= 9; level += 4) {
		uint8_t *to;
		size_t packed_length = pack(length, level);
		assert_true(unpack(packed_length, length, &to));
		assert_memory_equal(to, plain, length);
		free(to);
		assert_false(unpack(packed_length, length + 1, &to));
		free(to);
		if (length) {
			assert_false(unpack(packed_length, length - 1, &to));
			free(to);
		}
	}
}

static void fill(size_t length, unsigned int letters)
{
	uint32_t random = 1;

	for (size_t i = 0; i < length; i++) {
		random = random * 1103515245u + 12345u;
		plain[i] = (uint8_t)(random >> 16) % (uint8_t)letters;
	}
}

/* Few letters give dynamic codes, none repeated a stored block, little text a fixed code, much of one long runs. */
static void comes_out_again(void **state)
{
	(void)state;
	fill(MOST, 255);
	check(0);
	check(1);
	check(70000);
	fill(MOST, 7);
	check(5);
	check(MOST);
	memset(plain, 'x', MOST);
	check(MOST);
	for (size_t i = 0; i < MOST; i++)
		plain[i] = (uint8_t) "a sentence, again, and once more "[i * i / 7 % 33];
	check(40000);
}

static void damaged(void **state)
{
	uint8_t *to;

	(void)state;
	fill(3000, 20);
	memcpy(plain + 1500, plain, 1000);
	size_t packed_length = pack(3000, 9);
	for (size_t cut = 0; cut < packed_length; cut++) {
		assert_false(unpack(cut, 3000, &to));
		free(to);
	}
	for (size_t bit = 0; bit < 8 * packed_length; bit++) {
		packed[HEADER + bit / 8] ^= (uint8_t)(1u << bit % 8);
		(void)unpack(packed_length, 3000, &to);
		free(to);
		packed[HEADER + bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void noise(void **state)
{
	uint32_t random = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint8_t *to;
		for (size_t i = 0; i < 200; i++) {
			random = random * 1103515245u + 12345u;
			packed[HEADER + i] = (uint8_t)(random >> 16);
		}
		(void)unpack(200, 1000, &to);
		free(to);
	}
}

static int enter(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/picknext-test-XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int leave(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/plain", directory);
	remove(path);
	return remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(comes_out_again),
	    cmocka_unit_test(damaged),
	    cmocka_unit_test(noise),
	};

	return cmocka_run_group_tests_name("base_inflate", tests, enter, leave);
}
