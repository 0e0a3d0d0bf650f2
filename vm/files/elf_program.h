/* SPDX-License-Identifier: MIT
 *
 * Reads the requirements of an ELF program or shared library (machine, interpreter, libraries) without running it. */
#ifndef VM_FILES_ELF_PROGRAM_H
#define VM_FILES_ELF_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "vm/kernel/kernel_image.h"

/* Texts point into the file's bytes and are NUL-terminated there. */
struct elf_program {
	unsigned int machine;    /* EM_X86_64 ... of <elf.h> */
	const char *interpreter; /* "/lib64/ld-linux-x86-64.so.2"; NULL: static, or a library */
	const char *rpath;       /* DT_RPATH and DT_RUNPATH: directories separated by ':', or NULL */
	const char *runpath;

	/* for elf_program_needed() */
	const uint8_t *dynamic;
	size_t dynamic_count;
	const char *names;
	size_t names_length;
};

/* STATUS_UNSUPPORTED if it is not a 64-bit little-endian program or library, STATUS_CORRUPT if a part is outside the
 * file. where names the file in errors. */
enum status elf_program_read(const uint8_t *bytes, size_t length, const char *where, struct elf_program *program,
			     struct error *err);

/* STATUS_UNSUPPORTED if the program is for another machine. */
enum status elf_program_check(const struct elf_program *program, unsigned int machine, const char *where,
			      struct error *err);

/* The next library (DT_NEEDED) from *at on, which starts at 0 and is advanced; NULL after the last. elf_program_read()
 * has checked the names. */
const char *elf_program_needed(const struct elf_program *program, size_t *at);

#endif
