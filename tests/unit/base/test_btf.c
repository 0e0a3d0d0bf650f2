/* SPDX-License-Identifier: MIT */
#include "support/btf_recipe.h"
#include "support/unit.h"

/* From a copy of exactly that size, so that ASan sees a read past its end. */
static enum status open_copy(const struct btf_recipe *recipe, uint32_t length, struct btf *btf, uint8_t **copy)
{
	*copy = malloc(length ? length : 1);
	assert_non_null(*copy);
	memcpy(*copy, recipe->bytes, length);
	return btf_open(*copy, length, btf, NULL);
}

static enum status open_once(const struct btf_recipe *recipe, uint32_t length)
{
	struct btf btf;
	uint8_t *copy;
	enum status status = open_copy(recipe, length, &btf, &copy);

	btf_close(&btf);
	free(copy);
	return status;
}

TEST(test_names_are_found_after_every_kind)
{
	struct btf_recipe recipe;
	struct btf btf;
	struct btf_member member;
	uint8_t *copy;

	btf_every_kind(&recipe);
	assert_int_equal(open_copy(&recipe, recipe.length, &btf, &copy), STATUS_OK);
	assert_int_equal(btf.count, recipe.last_id + 1);
	uint32_t ops = btf_find(&btf, BTF_STRUCT, "ops");
	assert_int_equal(ops, recipe.last_id);
	assert_int_equal(btf_size(&btf, ops), 24);
	assert_int_equal(btf_find(&btf, BTF_FUNC, "call"), 11);
	assert_int_equal(btf_find(&btf, BTF_STRUCT, "call"), 0);
	assert_int_equal(btf_find(&btf, BTF_STRUCT, "op"), 0);
	assert_true(btf_find_member(&btf, ops, "last", &member));
	assert_int_equal(member.offset, 16);
	assert_int_equal(member.index, 2);
	assert_int_equal(member.type, 2);
	assert_true(btf_find_member(&btf, ops, "first", &member));
	assert_int_equal(member.offset, 0);
	assert_true(btf_find_member(&btf, ops, "flags", &member));
	assert_int_equal(member.offset, 8);
	assert_int_equal(member.bit, 1);
	assert_int_equal(member.bits, 1);
	assert_false(btf_find_member(&btf, ops, "none", &member));
	btf_close(&btf);
	free(copy);
}

TEST(test_types_that_are_no_structs_have_no_members)
{
	struct btf_recipe recipe;
	struct btf btf;
	struct btf_member member;
	uint8_t *copy;

	btf_every_kind(&recipe);
	assert_int_equal(open_copy(&recipe, recipe.length, &btf, &copy), STATUS_OK);
	const uint32_t ids[] = {0, 1, 11, recipe.last_id + 1, UINT32_MAX};
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		assert_int_equal(btf_size(&btf, ids[i]), 0);
		assert_false(btf_find_member(&btf, ids[i], "first", &member));
	}
	btf_close(&btf);
	free(copy);
}

TEST(test_every_cut_is_corrupt)
{
	struct btf_recipe recipe;

	btf_every_kind(&recipe);
	for (uint32_t length = 0; length < recipe.length; length++)
		assert_int_equal(open_once(&recipe, length), STATUS_CORRUPT);
	assert_int_equal(open_once(&recipe, recipe.length), STATUS_OK);
}

TEST(test_another_version_or_kind_is_unsupported)
{
	static const size_t places[] = {0, 1, 2};
	struct btf_recipe recipe;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		btf_every_kind(&recipe);
		recipe.bytes[places[i]] ^= 0xff;
		assert_int_equal(open_once(&recipe, recipe.length), STATUS_UNSUPPORTED);
	}
	btf_begin(&recipe);
	btf_type(&recipe, BTF_ENUM64 + 1, "new", 0, 0);
	btf_end(&recipe);
	assert_int_equal(open_once(&recipe, recipe.length), STATUS_UNSUPPORTED);
}

TEST(test_sections_have_to_be_inside)
{
	static const size_t words[] = {4, 8, 12, 16, 20}; /* of the header, from its own length on */
	struct btf_recipe recipe;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		btf_every_kind(&recipe);
		memset(recipe.bytes + words[i], 0xff, 4);
		assert_int_equal(open_once(&recipe, recipe.length), STATUS_CORRUPT);
	}
	btf_every_kind(&recipe);
	recipe.bytes[4] = 20; /* a header shorter than that of the first version */
	assert_int_equal(open_once(&recipe, recipe.length), STATUS_CORRUPT);
}
