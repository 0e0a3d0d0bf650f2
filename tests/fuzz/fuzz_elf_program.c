/* SPDX-License-Identifier: MIT
 *
 * A program or library that somebody takes along with --add. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/elf_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *data, size_t size, const char *text)
{
	const uint8_t *at = (const uint8_t *)text;

	if (text && (at < data || at >= data + size || !memchr(at, '\0', size - (size_t)(at - data))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_program program;
	size_t at = 0, count = 0;

	if (elf_program_read(data, size, "fuzz", &program, NULL) != STATUS_OK)
		return 0;
	check(data, size, program.interpreter);
	check(data, size, program.rpath);
	check(data, size, program.runpath);
	for (const char *name = elf_program_needed(&program, &at); name; name = elf_program_needed(&program, &at)) {
		check(data, size, name);
		if (++count > size)
			abort();
	}
	return 0;
}
