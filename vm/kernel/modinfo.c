/* SPDX-License-Identifier: MIT
 *
 * Modules are untrusted input: every offset is checked. */
#include "vm/kernel/modinfo.h"

#include <stdbool.h>
#include <string.h>

#define ELF_HEADER_LENGTH     64
#define SECTION_HEADER_LENGTH 64

struct span {
	const uint8_t *bytes;
	size_t length;
};

static uint64_t get_number(const uint8_t *bytes, unsigned int width)
{
	uint64_t value = 0;

	while (width--)
		value = value << 8 | bytes[width];
	return value;
}

static bool read_section(struct span file, uint64_t table, uint64_t index, struct span *contents, uint32_t *name)
{
	const uint8_t *header = file.bytes + table + index * SECTION_HEADER_LENGTH;
	uint64_t offset = get_number(header + 24, 8), length = get_number(header + 32, 8);

	*name = (uint32_t)get_number(header, 4);
	if (get_number(header + 4, 4) == 8) /* SHT_NOBITS takes no room in the file */
		length = 0;
	if (length == 0)
		offset = 0;
	if (offset > file.length || length > file.length - offset)
		return false;
	*contents = (struct span){file.bytes + offset, (size_t)length};
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
	uint32_t name;

	*value = NULL;
	if (length < ELF_HEADER_LENGTH || memcmp(bytes,
						 "\x7f"
						 "ELF\2\1",
						 6) != 0)
		return error_set(err, STATUS_CORRUPT, NULL, "not a 64-bit ELF file");
	uint64_t table = get_number(bytes + 40, 8), count = get_number(bytes + 60, 2),
		 names_index = get_number(bytes + 62, 2);
	if (get_number(bytes + 58, 2) != SECTION_HEADER_LENGTH || count == 0 || names_index >= count)
		return error_set(err, STATUS_CORRUPT, NULL, "ELF file without usable sections");
	if (table > length || count * SECTION_HEADER_LENGTH > length - table)
		return error_set(err, STATUS_CORRUPT, NULL, "ELF file is truncated");
	if (!read_section(file, table, names_index, &names, &name))
		return error_set(err, STATUS_CORRUPT, NULL, "a section is outside of the ELF file");
	for (uint64_t i = 0; i < count; i++) {
		if (!read_section(file, table, i, &contents, &name))
			return error_set(err, STATUS_CORRUPT, NULL, "a section is outside of the ELF file");
		if (is_named(names, name, ".modinfo") && (*value = find_key(contents, key)))
			return STATUS_OK;
	}
	return STATUS_OK;
}
