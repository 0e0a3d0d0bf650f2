/* SPDX-License-Identifier: MIT
 *
 * Inputs that a hash without a key lets fall on one place are spread. */
#include "base/hash.h"
#include "support/unit.h"

enum { COUNT = 4096, PLACES = 65536, KEYS = 512 };

/* So many of PLACES that no place gets many of COUNT. */
static void assert_spread(uint64_t (*first)(uint64_t i), uint64_t (*second)(uint64_t i))
{
	static uint8_t taken[PLACES];
	unsigned int places = 0;

	memset(taken, 0, sizeof(taken));
	for (uint64_t i = 0; i < COUNT; i++) {
		uint8_t *place = &taken[hash_words(first(i), second(i)) % PLACES];
		places += *place == 0;
		*place = 1;
	}
	assert_in_range(places, COUNT * 9 / 10, COUNT);
}

static uint64_t number(uint64_t i)
{
	return i;
}

static uint64_t multiple(uint64_t i)
{
	return i << 40;
}

static uint64_t rotated(uint64_t i)
{
	uint64_t word = i * UINT64_C(0x9e3779b97f4a7c15);

	return word << 29 | word >> 35;
}

static uint64_t word(uint64_t i)
{
	return i * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t zero(uint64_t i)
{
	(void)i;
	return 0;
}

/* PIDs that follow each other, or that are a power of two apart, in a table of twice as many places. */
TEST(numbers_are_spread)
{
	static uint8_t taken[2 * COUNT];

	hash_key[0] = UINT64_C(0x243f6a8885a308d3);
	hash_key[1] = UINT64_C(0x13198a2e03707344);
	for (unsigned int shift = 0; shift < 20; shift++) {
		unsigned int places = 0;
		memset(taken, 0, sizeof(taken));
		for (uint32_t i = 0; i < COUNT; i++) {
			uint8_t *place = &taken[hash_number(i << shift) % (2 * COUNT)];
			places += *place == 0;
			*place = 1;
		}
		/* 3223 of 4096 balls in 8192 places are expected to be alone or the first. */
		assert_in_range(places, 2800, COUNT);
	}
	memset(hash_key, 0, sizeof(hash_key));
}

/* Under each of KEYS keys, which are the same in every run: chance decides nothing here. */
TEST(made_up_inputs_are_spread)
{
	unsigned short numbers[3] = {1, 2, 3};

	for (unsigned int i = 0; i < KEYS; i++) {
		for (unsigned int k = 0; k < 2; k++)
			hash_key[k] = (uint64_t)jrand48(numbers) << 32 | (uint32_t)jrand48(numbers);
		assert_spread(number, zero);
		assert_spread(multiple, zero);
		assert_spread(zero, number);
		assert_spread(zero, multiple);
		/* Two words whose halves cancel each other. */
		assert_spread(rotated, word);
		assert_spread(number, number);
	}
	memset(hash_key, 0, sizeof(hash_key));
}

TEST(the_key_is_the_process_s_own)
{
	uint64_t key[2];

	hash_begin();
	memcpy(key, hash_key, sizeof(key));
	assert_true(key[0] != 0 || key[1] != 0);
	uint64_t before = hash_words(1, 2);
	hash_begin();
	assert_true(hash_words(1, 2) == before);
	hash_key[0]++;
	assert_true(hash_words(1, 2) != before);
	hash_key[0]--;
	hash_key[1]++;
	assert_true(hash_words(1, 2) != before);
	hash_key[1]--;
}
