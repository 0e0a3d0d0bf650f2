/* SPDX-License-Identifier: MIT */
#include "data/python_random.h"

#define WORDS  PYTHON_RANDOM_WORDS
#define OFFSET 397

/* One step of seeding with a key of several words: mixes word i with the previous word. */
static uint32_t mixed(const uint32_t *state, size_t i, uint32_t factor)
{
	uint32_t last = state[i - 1];

	return state[i] ^ (last ^ last >> 30) * factor;
}

static size_t following(uint32_t *state, size_t i)
{
	if (++i < WORDS)
		return i;
	state[0] = state[WORDS - 1];
	return 1;
}

void python_random_seed(struct python_random *random, int64_t seed)
{
	uint64_t size = seed < 0 ? 0 - (uint64_t)seed : (uint64_t)seed;
	const uint32_t key[2] = {(uint32_t)size, (uint32_t)(size >> 32)};
	const size_t key_length = key[1] ? 2 : 1;
	uint32_t *state = random->state;
	size_t i = 1;
	size_t j = 0;

	state[0] = 19650218u;
	for (uint32_t word = 1; word < WORDS; word++)
		state[word] = 1812433253u * (state[word - 1] ^ state[word - 1] >> 30) + word;
	for (size_t step = 0; step < WORDS; step++) {
		state[i] = mixed(state, i, 1664525u) + key[j] + (uint32_t)j;
		i = following(state, i);
		j = (j + 1) % key_length;
	}
	for (size_t step = 0; step < WORDS - 1; step++) {
		state[i] = mixed(state, i, 1566083941u) - (uint32_t)i;
		i = following(state, i);
	}
	state[0] = 0x80000000u;
	random->next = WORDS;
}

static void renew(uint32_t *state)
{
	for (size_t i = 0; i < WORDS; i++) {
		uint32_t joined = (state[i] & 0x80000000u) | (state[(i + 1) % WORDS] & 0x7fffffffu);
		uint32_t twist = joined & 1 ? 0x9908b0dfu : 0;
		state[i] = state[(i + OFFSET) % WORDS] ^ joined >> 1 ^ twist;
	}
}

uint32_t python_random_word(struct python_random *random)
{
	if (random->next >= WORDS) {
		renew(random->state);
		random->next = 0;
	}
	uint32_t word = random->state[random->next++];
	word ^= word >> 11;
	word ^= word << 7 & 0x9d2c5680u;
	word ^= word << 15 & 0xefc60000u;
	return word ^ word >> 18;
}

/* random.getrandbits(bits), 1 to 64: the first word supplies the low bits; the last word supplies its own high bits. */
static uint64_t take_bits(struct python_random *random, unsigned int bits)
{
	if (bits <= 32)
		return python_random_word(random) >> (32 - bits);
	uint64_t low = python_random_word(random);
	return low | (uint64_t)(python_random_word(random) >> (64 - bits)) << 32;
}

size_t python_random_below(struct python_random *random, size_t below)
{
	unsigned int bits = 0;
	uint64_t drawn;

	for (uint64_t left = below; left; left >>= 1)
		bits++;
	do
		drawn = take_bits(random, bits);
	while (drawn >= below);
	return (size_t)drawn;
}

void python_random_shuffle(struct python_random *random, size_t *items, size_t count)
{
	for (size_t i = count; i-- > 1;) {
		size_t j = python_random_below(random, i + 1);
		size_t kept = items[i];
		items[i] = items[j];
		items[j] = kept;
	}
}
