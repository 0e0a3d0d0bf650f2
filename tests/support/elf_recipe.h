/* SPDX-License-Identifier: MIT
 *
 * Makes small x86-64 programs and libraries, for tests: one loaded part that is the whole file, an interpreter and a
 * dynamic section. They ask the dynamic linker for what they are told to, and hold no code. */
#ifndef TESTS_ELF_RECIPE_H
#define TESTS_ELF_RECIPE_H

#include <elf.h>
#include <string.h>

#define RECIPE_ELF_LENGTH 2048
#define RECIPE_DYNAMIC_AT 512
#define RECIPE_NAMES_AT   1024
#define RECIPE_ADDRESS    0x400000
#define RECIPE_NEEDED_MAX 8

struct elf_recipe {
	const char *interpreter; /* or NULL */
	const char *rpath, *runpath;
	const char *needed[RECIPE_NEEDED_MAX + 1];
};

static inline Elf64_Xword recipe_name(unsigned char *bytes, size_t *used, const char *name)
{
	size_t at = *used;

	memcpy(bytes + RECIPE_NAMES_AT + at, name, strlen(name) + 1);
	*used += strlen(name) + 1;
	return at;
}

/* bytes: RECIPE_ELF_LENGTH of them. */
static inline void recipe_elf(const struct elf_recipe *recipe, unsigned char *bytes)
{
	Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			     .e_type = ET_DYN,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_phoff = sizeof(Elf64_Ehdr),
			     .e_ehsize = sizeof(Elf64_Ehdr),
			     .e_phentsize = sizeof(Elf64_Phdr)};
	Elf64_Phdr parts[3] = {{.p_type = PT_LOAD, .p_vaddr = RECIPE_ADDRESS, .p_filesz = RECIPE_ELF_LENGTH}};
	Elf64_Dyn dynamic[RECIPE_NEEDED_MAX + 5] = {{0}};
	size_t used = 1, count = 0;
	unsigned int part = 1;

	memset(bytes, 0, RECIPE_ELF_LENGTH);
	for (size_t i = 0; recipe->needed[i]; i++)
		dynamic[count++] =
		    (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = recipe_name(bytes, &used, recipe->needed[i])};
	if (recipe->rpath)
		dynamic[count++] =
		    (Elf64_Dyn){.d_tag = DT_RPATH, .d_un.d_val = recipe_name(bytes, &used, recipe->rpath)};
	if (recipe->runpath)
		dynamic[count++] =
		    (Elf64_Dyn){.d_tag = DT_RUNPATH, .d_un.d_val = recipe_name(bytes, &used, recipe->runpath)};
	if (recipe->interpreter) {
		size_t at = (size_t)recipe_name(bytes, &used, recipe->interpreter);
		parts[part++] = (Elf64_Phdr){
		    .p_type = PT_INTERP, .p_offset = RECIPE_NAMES_AT + at, .p_filesz = strlen(recipe->interpreter) + 1};
	}
	dynamic[count++] = (Elf64_Dyn){.d_tag = DT_STRTAB, .d_un.d_ptr = RECIPE_ADDRESS + RECIPE_NAMES_AT};
	dynamic[count++] = (Elf64_Dyn){.d_tag = DT_STRSZ, .d_un.d_val = used};
	parts[part++] = (Elf64_Phdr){
	    .p_type = PT_DYNAMIC, .p_offset = RECIPE_DYNAMIC_AT, .p_filesz = (count + 1) * sizeof(Elf64_Dyn)};
	header.e_phnum = (Elf64_Half)part;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), parts, sizeof(parts));
	memcpy(bytes + RECIPE_DYNAMIC_AT, dynamic, sizeof(dynamic));
}

#endif
