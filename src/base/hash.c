/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <string.h>
#include <sys/auxv.h>

uint64_t hash_key[2];

void hash_begin(void)
{
	/* 16 random bytes that the kernel gives every process (AT_RANDOM, getauxval(3)). */
	const void *random = (const void *)getauxval(AT_RANDOM);

	/* Threads that begin later only read it. */
	if (random && memcmp(hash_key, random, sizeof(hash_key)) != 0)
		memcpy(hash_key, random, sizeof(hash_key));
}
