/* SPDX-License-Identifier: MIT
 *
 * Feeds each file that is named to the fuzz target that it is linked with: the committed corpus, without libFuzzer. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Targets with a mutator of their own name it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	(void)data;
	return size < max_size ? size : max_size;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct buffer input = {0};
		struct error err = {0};
		if (file_read(argv[i], (size_t)64 << 20, &input, &err) != STATUS_OK) {
			fprintf(stderr, "%s: %s\n", err.where, err.what);
			return 2;
		}
		/* A copy of exactly this size, so that ASan sees a read past its end. */
		uint8_t *bytes = malloc(input.length ? input.length : 1);
		if (!bytes)
			return 2;
		for (size_t b = 0; b < input.length; b++)
			bytes[b] = (uint8_t)input.data[b];
		LLVMFuzzerTestOneInput(bytes, input.length);
		free(bytes);
		buffer_free(&input);
	}
	return 0;
}
