/* SPDX-License-Identifier: MIT
 *
 * The draws of Python's random module (3.2 to 3.13: choice and shuffle of a list), so that a dataset is
 * split the same way by picknext and by Python. Source: the Mersenne Twister MT19937 of Matsumoto and
 * Nishimura (2002), and what Python's documentation and behaviour say of seed(int). */
#ifndef DATASET_PYTHON_RANDOM_H
#define DATASET_PYTHON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#define PYTHON_RANDOM_WORDS 624

struct python_random {
	uint32_t state[PYTHON_RANDOM_WORDS];
	size_t next; /* index of the next word of state to hand out */
};

/* random.seed(seed): the sign does not count. */
void python_random_seed(struct python_random *random, int64_t seed);
/* 32 random bits: random.getrandbits(32). */
uint32_t python_random_word(struct python_random *random);
/* An index from 0 to below - 1, as random.choice draws it; below is at least 1. */
size_t python_random_below(struct python_random *random, size_t below);
/* random.shuffle() of count indices. */
void python_random_shuffle(struct python_random *random, size_t *items, size_t count);

#endif
