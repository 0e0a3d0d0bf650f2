/* SPDX-License-Identifier: MIT
 *
 * A program that somebody gives to --add: what it asks of the dynamic linker lies within the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/files/elf_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, const uint8_t *data, size_t size)
{
	const uint8_t *at = (const uint8_t *)text;

	if (text && (at < data || at >= data + size || !memchr(at, '\0', size - (size_t)(at - data))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_program program;
	struct error err = {0};
	const char *name;
	size_t at = 0;

	if (elf_program_read(data, size, "fuzz", &program, &err) != STATUS_OK) {
		if (strcmp(err.where, "fuzz") != 0 || err.what[0] == '\0')
			abort();
		return 0;
	}
	check(program.interpreter, data, size);
	check(program.rpath, data, size);
	check(program.runpath, data, size);
	while ((name = elf_program_needed(&program, &at)))
		check(name, data, size);
	return 0;
}
