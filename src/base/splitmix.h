/* SPDX-License-Identifier: MIT
 *
 * Reproducible random numbers: splitmix64 (Steele, Lea and Flood, 2014). Any seed is valid. */
#ifndef BASE_SPLITMIX_H
#define BASE_SPLITMIX_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* From 0 to below - 1; below is at most 2^32. */
static inline size_t splitmix_below(uint64_t *state, size_t below)
{
	return (size_t)((splitmix64(state) >> 32) * below >> 32);
}

#endif
