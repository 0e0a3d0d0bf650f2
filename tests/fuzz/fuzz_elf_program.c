/* SPDX-License-Identifier: MIT
 *
<<<<<<< HEAD
 * A program or library that somebody takes along with --add. */
=======
 * A program that somebody gives to --add: what it asks of the dynamic linker lies within the file. */
>>>>>>> main
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/elf_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

<<<<<<< HEAD
static void check(const uint8_t *data, size_t size, const char *text)
=======
static void check(const char *text, const uint8_t *data, size_t size)
>>>>>>> main
{
	const uint8_t *at = (const uint8_t *)text;

	if (text && (at < data || at >= data + size || !memchr(at, '\0', size - (size_t)(at - data))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_program program;
<<<<<<< HEAD
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
=======
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
>>>>>>> main
	return 0;
}
