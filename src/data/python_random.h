/* SPDX-License-Identifier: MIT
 *
 * Python's random module (3.2 to 3.13): seed, choice and shuffle of a list, so that picknext and Python split a dataset
 * identically. Source: the Mersenne Twister MT19937 of Matsumoto and Nishimura (2002); documentation and behaviour of
 * Python's seed(int). */
#ifndef DATA_PYTHON_RANDOM_H
#define DATA_PYTHON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#define PYTHON_RANDOM_WORDS 624

struct python_random {
	uint32_t state[PYTHON_RANDOM_WORDS];
	size_t next; /* index of the next word of state to use */
};

/* random.seed(seed): the sign is ignored. */
void python_random_seed(struct python_random *random, int64_t seed);
/* 32 random bits: random.getrandbits(32). */
uint32_t python_random_word(struct python_random *random);
/* An index from 0 to below - 1, drawn like random.choice(); below is at least 1. */
size_t python_random_below(struct python_random *random, size_t below);
/* random.shuffle() of count indices. */
void python_random_shuffle(struct python_random *random, size_t *items, size_t count);

#endif
