/* SPDX-License-Identifier: MIT
 *
 * BTF made type by type: the parts of a kernel's that the room scheduler reads, and others. */
#ifndef SUPPORT_BTF_RECIPE_H
#define SUPPORT_BTF_RECIPE_H

#include <stdint.h>
#include <string.h>

#include "base/btf.h"

struct btf_recipe {
	uint8_t types[4096], bytes[8192];
	char strings[2048];
	uint32_t types_length, strings_length, length, last_id;
};

static inline void btf_begin(struct btf_recipe *recipe)
{
	memset(recipe, 0, sizeof(*recipe));
	recipe->strings_length = 1;
}

static inline uint32_t btf_string(struct btf_recipe *recipe, const char *text)
{
	uint32_t offset = recipe->strings_length;

	if (!*text)
		return 0;
	memcpy(recipe->strings + offset, text, strlen(text) + 1);
	recipe->strings_length += (uint32_t)strlen(text) + 1;
	return offset;
}

static inline void btf_word(struct btf_recipe *recipe, uint32_t value)
{
	memcpy(recipe->types + recipe->types_length, &value, sizeof(value));
	recipe->types_length += (uint32_t)sizeof(value);
}

/* The beginning of a type; its words after that follow with btf_word(). Returns its id. */
static inline uint32_t btf_type(struct btf_recipe *recipe, enum btf_kind kind, const char *name, uint32_t vlen,
				uint32_t size)
{
	btf_word(recipe, btf_string(recipe, name));
	btf_word(recipe, (uint32_t)kind << 24 | vlen);
	btf_word(recipe, size);
	return ++recipe->last_id;
}

static inline void btf_add_member(struct btf_recipe *recipe, const char *name, uint32_t type, uint32_t bits)
{
	btf_word(recipe, btf_string(recipe, name));
	btf_word(recipe, type);
	btf_word(recipe, bits);
}

static inline void btf_end(struct btf_recipe *recipe)
{
	const uint32_t header[] = {
	    0x0001eb9f, 24, 0, recipe->types_length, recipe->types_length, recipe->strings_length};

	memcpy(recipe->bytes, header, sizeof(header));
	memcpy(recipe->bytes + 24, recipe->types, recipe->types_length);
	memcpy(recipe->bytes + 24 + recipe->types_length, recipe->strings, recipe->strings_length);
	recipe->length = 24 + recipe->types_length + recipe->strings_length;
}

/* One type of each kind before the struct that is looked for: "ops" with the members first, flags (a bit field of one
 * bit, after one bit) and last. */
static inline void btf_every_kind(struct btf_recipe *recipe)
{
	static const struct {
		enum btf_kind kind;
		uint32_t vlen, words;
	} kinds[] = {
	    {BTF_INT, 0, 1},      {BTF_PTR, 0, 0},      {BTF_ARRAY, 0, 3},   {BTF_UNION, 1, 3},
	    {BTF_ENUM, 2, 4},     {BTF_FWD, 0, 0},      {BTF_TYPEDEF, 0, 0}, {BTF_VOLATILE, 0, 0},
	    {BTF_CONST, 0, 0},    {BTF_RESTRICT, 0, 0}, {BTF_FUNC, 1, 0},    {BTF_FUNC_PROTO, 2, 4},
	    {BTF_VAR, 0, 1},      {BTF_DATASEC, 1, 3},  {BTF_FLOAT, 0, 0},   {BTF_DECL_TAG, 0, 1},
	    {BTF_TYPE_TAG, 0, 0}, {BTF_ENUM64, 2, 6},
	};

	btf_begin(recipe);
	for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		btf_type(recipe, kinds[i].kind, kinds[i].kind == BTF_FUNC ? "call" : "other", kinds[i].vlen, 4);
		for (uint32_t word = 0; word < kinds[i].words; word++)
			btf_word(recipe, 1);
	}
	btf_type(recipe, BTF_STRUCT, "ops", 3 | UINT32_C(1) << 31, 24);
	btf_add_member(recipe, "first", 1, 0);
	btf_add_member(recipe, "flags", 1, 1 << 24 | 65);
	btf_add_member(recipe, "last", 2, 128);
	btf_end(recipe);
}

/* A kernel with sched_ext: in a value of this size sched_ext_ops at byte 64, in it the name and an operation at these.
 */
static inline void btf_sched_ext(struct btf_recipe *recipe, uint32_t value_size, uint32_t name_offset,
				 uint32_t operation_offset)
{
	btf_begin(recipe);
	btf_type(recipe, BTF_INT, "long", 0, 8);
	btf_word(recipe, 64);
	uint32_t ops = btf_type(recipe, BTF_STRUCT, "sched_ext_ops", 2, 328);
	btf_add_member(recipe, "enqueue", 1, 8 * operation_offset);
	btf_add_member(recipe, "name", 1, 8 * name_offset);
	btf_type(recipe, BTF_STRUCT, "bpf_struct_ops_sched_ext_ops", 1, value_size);
	btf_add_member(recipe, "data", ops, 8 * 64);
	btf_end(recipe);
}

#endif
