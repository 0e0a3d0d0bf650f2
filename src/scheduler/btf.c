/* SPDX-License-Identifier: MIT
 *
 * The format is described in Documentation/bpf/btf.rst of the kernel. */
#include "scheduler/btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
	BTF_MAGIC = 0xeb9f,
	BTF_VERSION = 1,
	HEADER_LENGTH = 24, /* the kernel may append to it: its length is in the header */
	TYPE_LENGTH = 12,   /* struct btf_type, which more follows by kind */
	MEMBER_LENGTH = 12, /* struct btf_member */
};

static uint32_t read_u32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Linux 7.3 has 24 bits of vlen and 7 of kind; before that 16 and 5, and the others are 0. */
static uint32_t kind_of(const uint8_t *type)
{
	return read_u32(type + 4) >> 24 & 0x7f;
}

static uint32_t vlen_of(const uint8_t *type)
{
	return read_u32(type + 4) & 0xffffff;
}

/* The bytes that follow a struct btf_type, or SIZE_MAX for an unknown kind. */
static size_t extra_length(const uint8_t *type)
{
	size_t vlen = vlen_of(type);

	switch ((enum btf_kind)kind_of(type)) {
	case BTF_PTR:
	case BTF_FWD:
	case BTF_TYPEDEF:
	case BTF_VOLATILE:
	case BTF_CONST:
	case BTF_RESTRICT:
	case BTF_FUNC:
	case BTF_FLOAT:
	case BTF_TYPE_TAG:
		return 0;
	case BTF_INT:
	case BTF_VAR:
	case BTF_DECL_TAG:
		return 4;
	case BTF_ARRAY:
		return 12;
	case BTF_ENUM:
	case BTF_FUNC_PROTO:
		return vlen * 8;
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_DATASEC:
	case BTF_ENUM64:
		return vlen * 12;
	}
	return SIZE_MAX;
}

/* *count: types, void included. With offsets also where each is. */
static enum status walk_types(const struct btf *btf, uint32_t *offsets, uint32_t *count, struct error *err)
{
	size_t at = 0;

	for (*count = 1; at < btf->types_length; (*count)++) {
		if (btf->types_length - at < TYPE_LENGTH)
			return error_set(err, STATUS_CORRUPT, "BTF", "type %u is cut off", *count);
		size_t extra = extra_length(btf->types + at);
		if (extra == SIZE_MAX)
			return error_set(err, STATUS_UNSUPPORTED, "BTF", "type %u is of unknown kind %u", *count,
					 kind_of(btf->types + at));
		if (extra > btf->types_length - at - TYPE_LENGTH)
			return error_set(err, STATUS_CORRUPT, "BTF", "type %u is cut off", *count);
		if (offsets)
			offsets[*count] = (uint32_t)at;
		at += TYPE_LENGTH + extra;
	}
	return STATUS_OK;
}

/* One of the two sections, which the header names relative to its own end. */
static const uint8_t *find_section(const uint8_t *bytes, size_t length, size_t place, size_t *section_length)
{
	uint64_t begin = (uint64_t)read_u32(bytes + 4) + read_u32(bytes + place);

	*section_length = read_u32(bytes + place + 4);
	return begin + *section_length <= length ? bytes + begin : NULL;
}

static enum status find_sections(const uint8_t *bytes, size_t length, struct btf *btf, struct error *err)
{
	if (length < HEADER_LENGTH)
		return error_set(err, STATUS_CORRUPT, "BTF", "%zu bytes are no header", length);
	if ((bytes[0] | bytes[1] << 8) != BTF_MAGIC || bytes[2] != BTF_VERSION)
		return error_set(err, STATUS_UNSUPPORTED, "BTF", "not little-endian BTF of version 1");
	if (read_u32(bytes + 4) < HEADER_LENGTH)
		return error_set(err, STATUS_CORRUPT, "BTF", "the header has only %u bytes", read_u32(bytes + 4));
	btf->types = find_section(bytes, length, 8, &btf->types_length);
	btf->strings = (const char *)find_section(bytes, length, 16, &btf->strings_length);
	if (!btf->types || !btf->strings)
		return error_set(err, STATUS_CORRUPT, "BTF", "a section is outside of its %zu bytes", length);
	if (!btf->strings_length || btf->strings[btf->strings_length - 1] != '\0')
		return error_set(err, STATUS_CORRUPT, "BTF", "the strings do not end");
	return STATUS_OK;
}

enum status btf_open(const void *bytes, size_t length, struct btf *btf, struct error *err)
{
	*btf = (struct btf){0};
	enum status status = find_sections(bytes, length, btf, err);
	if (status == STATUS_OK)
		status = walk_types(btf, NULL, &btf->count, err);
	if (status != STATUS_OK)
		return status;
	btf->offsets = xcalloc(btf->count, sizeof(*btf->offsets));
	return walk_types(btf, btf->offsets, &btf->count, err);
}

void btf_close(struct btf *btf)
{
	free(btf->offsets);
	*btf = (struct btf){0};
}

static bool has_name(const struct btf *btf, const uint8_t *named, const char *name)
{
	uint32_t offset = read_u32(named);

	return offset < btf->strings_length && strcmp(btf->strings + offset, name) == 0;
}

uint32_t btf_find(const struct btf *btf, enum btf_kind kind, const char *name)
{
	for (uint32_t id = 1; id < btf->count; id++) {
		const uint8_t *type = btf->types + btf->offsets[id];
		if (kind_of(type) == (uint32_t)kind && has_name(btf, type, name))
			return id;
	}
	return 0;
}

/* The struct or union with this id, or NULL. */
static const uint8_t *find_composite(const struct btf *btf, uint32_t id)
{
	if (id == 0 || id >= btf->count)
		return NULL;
	const uint8_t *type = btf->types + btf->offsets[id];
	return kind_of(type) == BTF_STRUCT || kind_of(type) == BTF_UNION ? type : NULL;
}

uint32_t btf_size(const struct btf *btf, uint32_t id)
{
	const uint8_t *type = find_composite(btf, id);

	return type ? read_u32(type + 8) : 0;
}

bool btf_find_member(const struct btf *btf, uint32_t id, const char *name, struct btf_member *found)
{
	const uint8_t *type = find_composite(btf, id);

	for (uint32_t i = 0; type && i < vlen_of(type); i++) {
		const uint8_t *member = type + TYPE_LENGTH + (size_t)i * MEMBER_LENGTH;
		/* With the kind flag the upper byte is the width of a bit field. */
		bool has_widths = read_u32(type + 4) >> 31;
		uint32_t bits = has_widths ? read_u32(member + 8) & 0xffffff : read_u32(member + 8);
		if (bits % 8 == 0 && has_name(btf, member, name)) {
			*found = (struct btf_member){.index = i, .type = read_u32(member + 4), .offset = bits / 8};
			return true;
		}
	}
	return false;
}
