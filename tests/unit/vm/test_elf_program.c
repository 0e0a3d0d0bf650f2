/* SPDX-License-Identifier: MIT
 *
 * A program is read, and nothing outside of its file. */
#include "base/file.h"
#include "support/elf_recipe.h"
#include "support/unit.h"
#include "vm/files/elf_program.h"

static const struct elf_recipe recipe = {.interpreter = "/lib64/ld-test.so",
					 .rpath = "/opt/a",
					 .runpath = "$ORIGIN/../lib:/opt/b",
					 .needed = {"libone.so.1", "libtwo.so"}};

TEST(reads_what_a_program_asks_for)
{
	unsigned char bytes[RECIPE_ELF_LENGTH];
	struct elf_program program;
	size_t at = 0;

	recipe_elf(&recipe, bytes);
	assert_true(elf_is(bytes, sizeof(bytes)));
	assert_int_equal(elf_program_read(bytes, sizeof(bytes), "x", &program, NULL), STATUS_OK);
	assert_string_equal(program.interpreter, "/lib64/ld-test.so");
	assert_string_equal(program.rpath, "/opt/a");
	assert_string_equal(program.runpath, "$ORIGIN/../lib:/opt/b");
	assert_string_equal(elf_program_needed(&program, &at), "libone.so.1");
	assert_string_equal(elf_program_needed(&program, &at), "libtwo.so");
	assert_null(elf_program_needed(&program, &at));
}

/* This test is a program of the machine's own compiler and linker. */
TEST(reads_a_real_program)
{
	struct mapping mapping;
	struct elf_program program;
	size_t at = 0;
	unsigned int found = 0;

	assert_int_equal(file_map("/proc/self/exe", &mapping, NULL), STATUS_OK);
	assert_int_equal(elf_program_read(mapping.bytes, mapping.length, "self", &program, NULL), STATUS_OK);
	assert_non_null(program.interpreter);
	assert_non_null(strstr(program.interpreter, "/ld-"));
	for (const char *name = elf_program_needed(&program, &at); name; name = elf_program_needed(&program, &at))
		found += strncmp(name, "libcmocka.so", 12) == 0 || strncmp(name, "libc.so", 7) == 0;
	assert_int_equal(found, 2);
	file_unmap(&mapping);
}

TEST(tells_the_machine)
{
	unsigned char bytes[RECIPE_ELF_LENGTH];
	struct elf_program program;
	struct error err = {0};

	recipe_elf(&recipe, bytes);
	bytes[18] = EM_AARCH64;
	assert_int_equal(elf_program_read(bytes, sizeof(bytes), "x", &program, NULL), STATUS_OK);
	assert_int_equal(program.machine, EM_AARCH64);
	assert_int_equal(elf_program_check(&program, EM_AARCH64, "x", &err), STATUS_OK);
	assert_int_equal(elf_program_check(&program, EM_X86_64, "x", &err), STATUS_UNSUPPORTED);
	assert_non_null(strstr(err.what, "another architecture"));
}

TEST(tells_what_it_is_not)
{
	static const struct {
		size_t at;
		unsigned char value;
	} changes[] = {{EI_CLASS, ELFCLASS32}, {EI_DATA, ELFDATA2MSB}, {16, ET_REL}, {16, ET_CORE}};
	unsigned char bytes[RECIPE_ELF_LENGTH];
	struct elf_program program;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		recipe_elf(&recipe, bytes);
		bytes[changes[i].at] = changes[i].value;
		assert_int_equal(elf_program_read(bytes, sizeof(bytes), "x", &program, NULL), STATUS_UNSUPPORTED);
	}
	assert_int_equal(elf_program_read((const uint8_t *)"#!/bin/sh\n", 10, "x", &program, NULL), STATUS_UNSUPPORTED);
	assert_int_equal(elf_program_read(NULL, 0, "x", &program, NULL), STATUS_UNSUPPORTED);
	assert_false(elf_is((const uint8_t *)"\x7f"
					     "EL",
			    3));
}

static void put(unsigned char *bytes, size_t at, uint64_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

TEST(every_offset_is_checked)
{
	const size_t phdrs = sizeof(Elf64_Ehdr), interp = phdrs + sizeof(Elf64_Phdr),
		     dynamic = interp + sizeof(Elf64_Phdr);
	const struct {
		size_t at;
		uint64_t value;
	} changes[] = {
	    {offsetof(Elf64_Ehdr, e_phoff), RECIPE_ELF_LENGTH - 8},
	    {offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 8},
	    {interp + offsetof(Elf64_Phdr, p_offset), UINT64_MAX},
	    {interp + offsetof(Elf64_Phdr, p_filesz), RECIPE_ELF_LENGTH},
	    {interp + offsetof(Elf64_Phdr, p_filesz), 3},
	    {dynamic + offsetof(Elf64_Phdr, p_offset), RECIPE_ELF_LENGTH + 1},
	    {dynamic + offsetof(Elf64_Phdr, p_filesz), UINT64_MAX - 15},
	    {phdrs + offsetof(Elf64_Phdr, p_vaddr), 0},
	    {phdrs + offsetof(Elf64_Phdr, p_filesz), UINT64_MAX},
	    {phdrs + offsetof(Elf64_Phdr, p_filesz), RECIPE_NAMES_AT + 4},
	    {RECIPE_DYNAMIC_AT + 8, 5000},                       /* the first name */
	    {RECIPE_DYNAMIC_AT + 5 * 16 + 8, RECIPE_ELF_LENGTH}, /* DT_STRSZ */
	    {RECIPE_DYNAMIC_AT + 5 * 16 + 8, 4},
	};
	struct elf_program program;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		/* of its own, so that the address sanitizer sees a byte too many */
		unsigned char *bytes = malloc(RECIPE_ELF_LENGTH);
		recipe_elf(&recipe, bytes);
		put(bytes, changes[i].at, changes[i].value);
		assert_int_equal(elf_program_read(bytes, RECIPE_ELF_LENGTH, "x", &program, NULL), STATUS_CORRUPT);
		free(bytes);
	}
}

TEST(a_file_cut_anywhere_is_no_trap)
{
	unsigned char whole[RECIPE_ELF_LENGTH];
	struct elf_program program;

	recipe_elf(&recipe, whole);
	for (size_t length = 0; length < RECIPE_NAMES_AT + 40; length++) {
		unsigned char *bytes = malloc(length ? length : 1);
		memcpy(bytes, whole, length);
		assert_int_not_equal(elf_program_read(bytes, length, "x", &program, NULL), STATUS_OK);
		free(bytes);
	}
}
