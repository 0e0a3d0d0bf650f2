/* SPDX-License-Identifier: MIT
 *
 * Reads only program headers and the dynamic section, like the dynamic linker; section headers may be missing. */
#include "vm/files/elf_program.h"

#include <elf.h>
#include <string.h>

struct file {
	const uint8_t *bytes;
	size_t length;
	const char *where;
	Elf64_Ehdr header;
};

static enum status outside(const struct file *file, const char *part, struct error *err)
{
	return error_set(err, STATUS_CORRUPT, file->where, "ELF file is truncated or damaged: its %s", part);
}

static enum status read_header(struct file *file, struct error *err)
{
	Elf64_Ehdr *header = &file->header;

	if (!elf_is(file->bytes, file->length))
		return error_set(err, STATUS_UNSUPPORTED, file->where, "is not an ELF program");
	if (file->length < sizeof(*header))
		return outside(file, "header", err);
	memcpy(header, file->bytes, sizeof(*header));
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return error_set(err, STATUS_UNSUPPORTED, file->where, "is not a 64-bit little-endian program");
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return error_set(err, STATUS_UNSUPPORTED, file->where, "is an ELF file, but not a program or library");
	if (header->e_phnum && header->e_phentsize != sizeof(Elf64_Phdr))
		return outside(file, "program headers", err);
	if (header->e_phoff > file->length || header->e_phnum > (file->length - header->e_phoff) / sizeof(Elf64_Phdr))
		return outside(file, "program headers", err);
	return STATUS_OK;
}

static Elf64_Phdr program_header(const struct file *file, unsigned int index)
{
	Elf64_Phdr header;

	memcpy(&header, file->bytes + file->header.e_phoff + index * sizeof(header), sizeof(header));
	return header;
}

static bool lies_within(const struct file *file, const Elf64_Phdr *part)
{
	return part->p_offset <= file->length && part->p_filesz <= file->length - part->p_offset;
}

/* The bytes of the file that are loaded at address; *length: how many bytes follow. */
static const char *at_address(const struct file *file, uint64_t address, uint64_t *length)
{
	for (unsigned int i = 0; i < file->header.e_phnum; i++) {
		Elf64_Phdr part = program_header(file, i);
		if (part.p_type != PT_LOAD || !lies_within(file, &part) || address < part.p_vaddr ||
		    address - part.p_vaddr >= part.p_filesz)
			continue;
		*length = part.p_filesz - (address - part.p_vaddr);
		return (const char *)file->bytes + part.p_offset + (address - part.p_vaddr);
	}
	return NULL;
}

static Elf64_Dyn dynamic_entry(const struct elf_program *program, size_t index)
{
	Elf64_Dyn entry;

	memcpy(&entry, program->dynamic + index * sizeof(entry), sizeof(entry));
	return entry;
}

static const char *name_at(const struct elf_program *program, uint64_t offset)
{
	return offset < program->names_length ? program->names + offset : NULL;
}

static enum status find_names(const struct file *file, struct elf_program *program, struct error *err)
{
	uint64_t address = 0, length = 0, max = 0;

	for (size_t i = 0; i < program->dynamic_count; i++) {
		Elf64_Dyn entry = dynamic_entry(program, i);
		if (entry.d_tag == DT_NULL)
			program->dynamic_count = i;
		else if (entry.d_tag == DT_STRTAB)
			address = entry.d_un.d_ptr;
		else if (entry.d_tag == DT_STRSZ)
			length = entry.d_un.d_val;
	}
	if (length == 0)
		return STATUS_OK;
	program->names = at_address(file, address, &max);
	if (!program->names || length > max)
		return outside(file, "table of names", err);
	/* Up to the last NUL, so that every name in it is terminated. */
	const char *last = memrchr(program->names, '\0', (size_t)length);
	program->names_length = last ? (size_t)(last - program->names) + 1 : 0;
	return STATUS_OK;
}

static enum status read_dynamic(const struct file *file, const Elf64_Phdr *part, struct elf_program *program,
				struct error *err)
{
	program->dynamic = file->bytes + part->p_offset;
	program->dynamic_count = (size_t)(part->p_filesz / sizeof(Elf64_Dyn));
	enum status status = find_names(file, program, err);
	for (size_t i = 0; status == STATUS_OK && i < program->dynamic_count; i++) {
		Elf64_Dyn entry = dynamic_entry(program, i);
		if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH)
			continue;
		const char *name = name_at(program, entry.d_un.d_val);
		if (!name)
			return outside(file, "names of libraries", err);
		if (entry.d_tag == DT_RPATH)
			program->rpath = name;
		else if (entry.d_tag == DT_RUNPATH)
			program->runpath = name;
	}
	return status;
}

enum status elf_program_check(const struct elf_program *program, unsigned int machine, const char *where,
			      struct error *err)
{
	return program->machine == machine
		   ? STATUS_OK
		   : error_set(err, STATUS_UNSUPPORTED, where, "is a program for another architecture than the others");
}

enum status elf_program_read(const uint8_t *bytes, size_t length, const char *where, struct elf_program *program,
			     struct error *err)
{
	struct file file = {.bytes = bytes, .length = length, .where = where};
	enum status status = read_header(&file, err);

	*program = (struct elf_program){.machine = file.header.e_machine};
	for (unsigned int i = 0; status == STATUS_OK && i < file.header.e_phnum; i++) {
		Elf64_Phdr part = program_header(&file, i);
		if (part.p_type != PT_INTERP && part.p_type != PT_DYNAMIC)
			continue;
		if (!lies_within(&file, &part))
			return outside(&file, "dynamic part", err);
		const char *text = (const char *)bytes + part.p_offset;
		if (part.p_type == PT_DYNAMIC)
			status = read_dynamic(&file, &part, program, err);
		else if (memchr(text, '\0', (size_t)part.p_filesz))
			program->interpreter = text;
		else
			return outside(&file, "interpreter's name", err);
	}
	return status;
}

const char *elf_program_needed(const struct elf_program *program, size_t *at)
{
	while (*at < program->dynamic_count) {
		Elf64_Dyn entry = dynamic_entry(program, (*at)++);
		if (entry.d_tag == DT_NEEDED)
			return name_at(program, entry.d_un.d_val);
	}
	return NULL;
}
