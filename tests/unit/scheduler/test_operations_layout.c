/* SPDX-License-Identifier: MIT */
#include "scheduler/bpf_resolve.h"
#include "support/btf_recipe.h"
#include "support/unit.h"

/* A kernel whose value of this size holds sched_ext_ops at byte 64, with the name and one operation at these bytes. */
static enum status find(uint32_t value_size, uint32_t name_offset, uint32_t operation_offset,
			struct operations_layout *layout, struct btf_member *operation, bool *found)
{
	struct btf_recipe recipe;
	struct btf btf;

	btf_sched_ext(&recipe, value_size, name_offset, operation_offset);
	assert_int_equal(btf_open(recipe.bytes, recipe.length, &btf, NULL), STATUS_OK);
	enum status status = operations_layout_find(&btf, layout, NULL);
	*found = status == STATUS_OK && operations_layout_find_operation(layout, &btf, "enqueue", operation);
	if (status == STATUS_OK)
		assert_false(operations_layout_find_operation(layout, &btf, "no_such_operation", operation));
	btf_close(&btf);
	return status;
}

TEST(test_name_and_operations_have_their_place_in_the_value)
{
	struct operations_layout layout;
	struct btf_member operation;
	bool found;

	assert_int_equal(find(512, 200, 8, &layout, &operation, &found), STATUS_OK);
	assert_int_equal(layout.value_size, 512);
	assert_int_equal(layout.name_offset, 264);
	assert_true(found);
	assert_int_equal(operation.offset, 72);
	assert_int_equal(operation.index, 0);
}

TEST(test_what_is_outside_of_the_value_is_refused)
{
	struct operations_layout layout;
	struct btf_member operation;
	bool found;

	/* The name ends at byte 64 + 200 + 128 = 392. */
	assert_int_equal(find(392, 200, 8, &layout, &operation, &found), STATUS_OK);
	assert_int_equal(find(391, 200, 8, &layout, &operation, &found), STATUS_CORRUPT);
	assert_int_equal(find(512, UINT32_MAX / 8, 8, &layout, &operation, &found), STATUS_CORRUPT);
	assert_int_equal(find(512, 200, 440, &layout, &operation, &found), STATUS_OK);
	assert_true(found);
	assert_int_equal(find(512, 200, 441, &layout, &operation, &found), STATUS_OK);
	assert_false(found);
	assert_int_equal(find(512, 200, UINT32_MAX / 8, &layout, &operation, &found), STATUS_OK);
	assert_false(found);
}

TEST(test_a_value_of_any_size_is_not_believed)
{
	struct operations_layout layout;
	struct btf_member operation;
	bool found;

	assert_int_equal(find(OPERATIONS_VALUE_MAX, 200, 8, &layout, &operation, &found), STATUS_OK);
	assert_int_equal(find(OPERATIONS_VALUE_MAX + 1, 200, 8, &layout, &operation, &found), STATUS_CORRUPT);
	assert_int_equal(find(UINT32_MAX, 200, 8, &layout, &operation, &found), STATUS_CORRUPT);
}

TEST(test_a_kernel_without_sched_ext_is_told)
{
	struct operations_layout layout;
	struct error err = {0};
	struct btf_recipe recipe;
	struct btf btf;

	btf_every_kind(&recipe);
	assert_int_equal(btf_open(recipe.bytes, recipe.length, &btf, NULL), STATUS_OK);
	assert_int_equal(operations_layout_find(&btf, &layout, &err), STATUS_UNSUPPORTED);
	btf_close(&btf);
}
