/* SPDX-License-Identifier: MIT
 *
 * The types of a kernel in BTF: their ids, sizes and members. Pure; the bytes may be anything. */
#ifndef BASE_BTF_H
#define BASE_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* include/uapi/linux/btf.h: BTF_KIND_... */
enum btf_kind {
	BTF_INT = 1,
	BTF_PTR,
	BTF_ARRAY,
	BTF_STRUCT,
	BTF_UNION,
	BTF_ENUM,
	BTF_FWD,
	BTF_TYPEDEF,
	BTF_VOLATILE,
	BTF_CONST,
	BTF_RESTRICT,
	BTF_FUNC,
	BTF_FUNC_PROTO,
	BTF_VAR,
	BTF_DATASEC,
	BTF_FLOAT,
	BTF_DECL_TAG,
	BTF_TYPE_TAG,
	BTF_ENUM64,
};

struct btf {
	const uint8_t *types;
	const char *strings; /* the last byte is NUL */
	size_t types_length, strings_length;
	uint32_t *offsets; /* in types, by type id; 0 is void */
	uint32_t count;    /* ids are below it */
};

/* index: position among the members; type: id of its type; offset: in bytes. For a bit field, bits is its width and bit
 * its first bit in the byte at offset; else bits is 0. */
struct btf_member {
	uint32_t index, type, offset;
	uint8_t bit, bits;
};

/* Finds where each type is. The bytes belong to the caller and must stay valid until btf_close(). STATUS_CORRUPT if
 * they are inconsistent, STATUS_UNSUPPORTED for another version, byte order or an unknown kind. */
enum status btf_open(const void *bytes, size_t length, struct btf *btf, struct error *err);
void btf_close(struct btf *btf);

/* The id of the first type of this kind and name, or 0. */
uint32_t btf_find(const struct btf *btf, enum btf_kind kind, const char *name);
/* A type to find. */
struct btf_name {
	enum btf_kind kind;
	const char *name;
	uint32_t id;
};
/* Sets each id as btf_find() does, in one pass over the types. */
void btf_find_all(const struct btf *btf, struct btf_name *names, size_t count);
/* The size of a struct or union, else 0. */
uint32_t btf_size(const struct btf *btf, uint32_t id);
/* A member of a struct or union; false if it has none of that name, or one that starts within a byte and whose width is
 * not known. Members of nameless members are not searched. */
bool btf_find_member(const struct btf *btf, uint32_t id, const char *name, struct btf_member *found);
/* A member of a struct, or of a struct inside it: "se.load.weight". path has length bytes. Members of nameless members
 * are searched. offset is within the struct id; index is that of the last member. */
bool btf_find_path(const struct btf *btf, uint32_t id, const char *path, size_t length, struct btf_member *found);
/* The struct or union that a pointer points to; 0 for other types. */
uint32_t btf_find_pointed(const struct btf *btf, uint32_t id);

struct btf_parameter {
	const char *name; /* may be "" */
	uint32_t type;
};
/* Parameter number index (from 0) of a function, or of the function type that a typedef'd pointer points to. False
 * after the last one. */
bool btf_find_parameter(const struct btf *btf, uint32_t id, uint32_t index, struct btf_parameter *found);

#endif
