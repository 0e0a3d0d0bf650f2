/* SPDX-License-Identifier: MIT
 *
 * A hash with a random key per process, so that hostile names and numbers cannot collide on purpose. No output may
 * depend on it. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

extern uint64_t hash_key[2];

/* Creates the key, once. Every table calls it before its first use. */
void hash_begin(void);

static inline uint64_t hash_words(uint64_t first, uint64_t second)
{
	uint64_t mixed = (first ^ hash_key[0]) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t other = second ^ hash_key[1];

	mixed = ((mixed ^ mixed >> 32) + (other ^ other >> 32)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 29) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 32;
}

/* The same for one small number, in less time: for tables that are read at every event. */
static inline uint32_t hash_number(uint32_t number)
{
	uint64_t mixed = (number ^ hash_key[0]) * (hash_key[1] | 1);

	return (uint32_t)((mixed ^ mixed >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

#endif
