/* SPDX-License-Identifier: MIT
 *
 * The format is described in Documentation/bpf/btf.rst of the kernel. */
#include "base/btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
	BTF_MAGIC = 0xeb9f,
	BTF_VERSION = 1,
	HEADER_LENGTH = 24, /* the kernel may append to it: its length is in the header */
	TYPE_LENGTH = 12,   /* struct btf_type; the kind decides what follows it */
	MEMBER_LENGTH = 12, /* struct btf_member */
	PARAMETER_LENGTH = 8,
	/* Types may refer to each other in circles. */
	NESTING_MAX = 8,    /* typedefs and qualifiers of a type */
	NAMELESS_MAX = 256, /* nameless members that are searched for a name */
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

/* *count: number of types, including void. offsets (may be NULL) gets the offset of each. */
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

/* One of the two sections. Its offset in the header counts from the end of the header. */
static const uint8_t *find_section(const uint8_t *bytes, size_t length, size_t place, size_t *section_length)
{
	uint64_t begin = (uint64_t)read_u32(bytes + 4) + read_u32(bytes + place);

	*section_length = read_u32(bytes + place + 4);
	return begin + *section_length <= length ? bytes + begin : NULL;
}

static enum status find_sections(const uint8_t *bytes, size_t length, struct btf *btf, struct error *err)
{
	if (length < HEADER_LENGTH)
		return error_set(err, STATUS_CORRUPT, "BTF", "%zu bytes are too few for a header", length);
	if ((bytes[0] | bytes[1] << 8) != BTF_MAGIC || bytes[2] != BTF_VERSION)
		return error_set(err, STATUS_UNSUPPORTED, "BTF", "not little-endian BTF of version 1");
	if (read_u32(bytes + 4) < HEADER_LENGTH)
		return error_set(err, STATUS_CORRUPT, "BTF", "the header has only %u bytes", read_u32(bytes + 4));
	btf->types = find_section(bytes, length, 8, &btf->types_length);
	btf->strings = (const char *)find_section(bytes, length, 16, &btf->strings_length);
	if (!btf->types || !btf->strings)
		return error_set(err, STATUS_CORRUPT, "BTF", "a section is outside of its %zu bytes", length);
	if (!btf->strings_length || btf->strings[btf->strings_length - 1] != '\0')
		return error_set(err, STATUS_CORRUPT, "BTF", "the strings do not end with NUL");
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

void btf_find_all(const struct btf *btf, struct btf_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		names[i].id = 0;
	for (uint32_t id = 1; id < btf->count; id++) {
		const uint8_t *type = btf->types + btf->offsets[id];
		for (size_t i = 0; i < count; i++)
			if (kind_of(type) == (uint32_t)names[i].kind && !names[i].id &&
			    has_name(btf, type, names[i].name))
				names[i].id = id;
	}
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

/* True if the kind flag is set: the upper byte of each member's offset is then the width of a bit field. */
static bool has_widths(const uint8_t *type)
{
	return read_u32(type + 4) >> 31;
}

static uint32_t member_bits(const uint8_t *type, const uint8_t *member)
{
	return has_widths(type) ? read_u32(member + 8) & 0xffffff : read_u32(member + 8);
}

static uint32_t bit_field_width(const uint8_t *type, const uint8_t *member)
{
	return has_widths(type) ? read_u32(member + 8) >> 24 : 0;
}

bool btf_find_member(const struct btf *btf, uint32_t id, const char *name, struct btf_member *found)
{
	const uint8_t *type = find_composite(btf, id);

	for (uint32_t i = 0; type && i < vlen_of(type); i++) {
		const uint8_t *member = type + TYPE_LENGTH + (size_t)i * MEMBER_LENGTH;
		const uint32_t at = member_bits(type, member), width = bit_field_width(type, member);
		if ((at % 8 == 0 || width) && has_name(btf, member, name)) {
			*found = (struct btf_member){.index = i,
						     .type = read_u32(member + 4),
						     .offset = at / 8,
						     .bit = width ? at % 8 : 0,
						     .bits = (uint8_t)width};
			return true;
		}
	}
	return false;
}

/* The type without its typedefs and qualifiers; 0 is void. */
static uint32_t strip_names(const struct btf *btf, uint32_t id)
{
	for (int depth = 0; id && id < btf->count; depth++) {
		const uint8_t *type = btf->types + btf->offsets[id];
		switch ((enum btf_kind)kind_of(type)) {
		case BTF_TYPEDEF:
		case BTF_VOLATILE:
		case BTF_CONST:
		case BTF_RESTRICT:
		case BTF_TYPE_TAG:
			id = depth < NESTING_MAX ? read_u32(type + 8) : 0;
			continue;
		default:
			return id;
		}
	}
	return 0;
}

/* The type that a pointer or a function refers to; 0 for other types. */
static uint32_t follow(const struct btf *btf, uint32_t id, enum btf_kind kind)
{
	id = strip_names(btf, id);
	if (!id || kind_of(btf->types + btf->offsets[id]) != (uint32_t)kind)
		return 0;
	return strip_names(btf, read_u32(btf->types + btf->offsets[id] + 8));
}

uint32_t btf_find_pointed(const struct btf *btf, uint32_t id)
{
	uint32_t pointed = follow(btf, id, BTF_PTR);

	return find_composite(btf, pointed) ? pointed : 0;
}

/* Like btf_find_member(), but also searches nameless members, at most *left of them. */
static bool find_nested(const struct btf *btf, uint32_t id, const char *name, unsigned int *left,
			struct btf_member *found)
{
	const uint8_t *type = find_composite(btf, id);

	if (btf_find_member(btf, id, name, found))
		return true;
	for (uint32_t i = 0; type && i < vlen_of(type) && *left; i++) {
		const uint8_t *member = type + TYPE_LENGTH + (size_t)i * MEMBER_LENGTH;
		uint32_t bits = member_bits(type, member);
		if (bits % 8 || !has_name(btf, member, ""))
			continue;
		(*left)--;
		if (!find_nested(btf, strip_names(btf, read_u32(member + 4)), name, left, found))
			continue;
		found->offset += bits / 8;
		return true;
	}
	return false;
}

bool btf_find_path(const struct btf *btf, uint32_t id, const char *path, size_t length, struct btf_member *found)
{
	uint64_t offset = 0;
	char name[64];

	for (size_t at = 0, part; at <= length; at += part + 1) {
		const char *dot = memchr(path + at, '.', length - at);
		unsigned int left = NAMELESS_MAX;
		part = dot ? (size_t)(dot - path) - at : length - at;
		if (part >= sizeof(name))
			return false;
		memcpy(name, path + at, part);
		name[part] = '\0';
		if (!find_nested(btf, id, name, &left, found))
			return false;
		offset += found->offset;
		id = strip_names(btf, found->type);
	}
	found->offset = (uint32_t)offset;
	return offset <= INT32_MAX;
}

bool btf_find_parameter(const struct btf *btf, uint32_t id, uint32_t index, struct btf_parameter *found)
{
	uint32_t prototype = follow(btf, id, BTF_FUNC);
	if (!prototype)
		prototype = follow(btf, id, BTF_PTR);
	const uint8_t *type = prototype ? btf->types + btf->offsets[prototype] : NULL;

	if (!type || kind_of(type) != BTF_FUNC_PROTO || index >= vlen_of(type))
		return false;
	const uint8_t *parameter = type + TYPE_LENGTH + (size_t)index * PARAMETER_LENGTH;
	uint32_t name = read_u32(parameter);
	found->name = name < btf->strings_length ? btf->strings + name : "";
	found->type = read_u32(parameter + 4);
	return true;
}
