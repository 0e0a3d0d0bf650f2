/* SPDX-License-Identifier: MIT
 *
 * Modules are untrusted input: every offset is checked. */
#include "vm/kernel/modinfo.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

struct span {
	const uint8_t *bytes;
	size_t length;
};

static bool read_section(struct span file, uint64_t table, uint64_t index, struct span *contents, uint32_t *name)
{
	Elf64_Shdr section;

	memcpy(&section, file.bytes + table + index * sizeof(section), sizeof(section));
	*name = section.sh_name;
	*contents = (struct span){file.bytes, 0};
	if (section.sh_type == SHT_NOBITS || section.sh_size == 0) /* SHT_NOBITS takes no room in the file */
		return true;
	if (section.sh_offset > file.length || section.sh_size > file.length - section.sh_offset)
		return false;
	*contents = (struct span){file.bytes + section.sh_offset, (size_t)section.sh_size};
	return true;
}

static bool is_named(struct span names, uint32_t at, const char *name)
{
	size_t length = strlen(name) + 1;

	return at < names.length && length <= names.length - at && memcmp(names.bytes + at, name, length) == 0;
}

static const char *find_key(struct span info, const char *key)
{
	size_t key_length = strlen(key);

	for (size_t at = 0; at < info.length;) {
		const uint8_t *entry = info.bytes + at;
		const uint8_t *end = memchr(entry, 0, info.length - at);
		if (!end)
			return NULL; /* truncated: a value without NUL is ignored */
		size_t length = (size_t)(end - entry);
		if (length > key_length && entry[key_length] == '=' && memcmp(entry, key, key_length) == 0)
			return (const char *)entry + key_length + 1;
		at += length + 1;
	}
	return NULL;
}

enum status modinfo_value(const uint8_t *bytes, size_t length, const char *key, const char **value, struct error *err)
{
	struct span file = {bytes, length}, names, contents;
	Elf64_Ehdr header;
	uint32_t name;

	*value = NULL;
	if (length < sizeof(header) || memcmp(bytes, ELFMAG "\2\1", 6) != 0)
		return error_set(err, STATUS_CORRUPT, NULL, "not a 64-bit ELF file");
	memcpy(&header, bytes, sizeof(header));
	const uint64_t table = header.e_shoff;
	if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 || header.e_shstrndx >= header.e_shnum)
		return error_set(err, STATUS_CORRUPT, NULL, "ELF file without usable sections");
	if (table > length || header.e_shnum * sizeof(Elf64_Shdr) > length - table)
		return error_set(err, STATUS_CORRUPT, NULL, "ELF file is truncated");
	if (!read_section(file, table, header.e_shstrndx, &names, &name))
		return error_set(err, STATUS_CORRUPT, NULL, "a section is outside of the ELF file");
	for (uint64_t i = 0; i < header.e_shnum; i++) {
		if (!read_section(file, table, i, &contents, &name))
			return error_set(err, STATUS_CORRUPT, NULL, "a section is outside of the ELF file");
		if (is_named(names, name, ".modinfo") && (*value = find_key(contents, key)))
			return STATUS_OK;
	}
	return STATUS_OK;
}
