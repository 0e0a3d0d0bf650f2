/* SPDX-License-Identifier: MIT
 *
 * The words of --count, and the copies of a function that /proc/kallsyms has. */
#include "base/buffer.h"
#include "record/tracefs/function_counts.h"
#include "support/unit.h"

TEST(reads_functions_and_instructions)
{
	struct function_counts counts;

	assert_int_equal(function_counts_parse(NULL, &counts, NULL), STATUS_OK);
	assert_int_equal(counts.count, 0);
	assert_int_equal(function_counts_parse("place_entity,update_curr+16,kernel/sched/fair.c:690@place_entity+0x43",
					       &counts, NULL),
			 STATUS_OK);
	assert_int_equal(counts.count, 3);
	assert_string_equal(counts.items[0].name, "place_entity");
	assert_string_equal(counts.items[0].symbol, "place_entity");
	assert_false(counts.items[0].is_instruction);
	assert_string_equal(counts.items[1].symbol, "update_curr+16");
	assert_true(counts.items[1].is_instruction);
	assert_string_equal(counts.items[2].name, "kernel/sched/fair.c:690");
	assert_string_equal(counts.items[2].symbol, "place_entity+0x43");
	function_counts_free(&counts);
}

/* Each becomes a line of dynamic_events, which must stay one. */
TEST(refuses_what_no_symbol_has)
{
	static const char *const texts[] = {
	    "",    "a,",  ",a", "a,,b", "a b",  "a\np:x y", "a/b",   "9a",     "+16",   "a+",
	    "a+z", "a:b", "@a", "x@",   "x@+1", "x y@a",    "a@b@c", "$stack", "-:g/e",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct function_counts counts;
		struct error err;
		assert_int_equal(function_counts_parse(texts[i], &counts, &err), STATUS_USAGE);
		assert_string_equal(err.where, "--count");
		assert_int_equal(counts.count, 0);
	}
}

TEST(refuses_what_is_too_long)
{
	struct function_counts counts;
	struct buffer text = {0};
	struct error err;

	for (int i = 0; i <= FUNCTION_COUNT_TEXT_MAX; i++)
		buffer_text(&text, "a");
	assert_int_equal(function_counts_parse(text.data, &counts, &err), STATUS_USAGE);
	assert_int_equal(function_counts_parse(text.data + 1, &counts, NULL), STATUS_OK);
	function_counts_free(&counts);
	buffer_clear(&text);
	for (int i = 0; i <= FUNCTION_COUNTS_MAX; i++)
		buffer_printf(&text, "%sf%d", i ? "," : "", i);
	assert_int_equal(function_counts_parse(text.data, &counts, &err), STATUS_USAGE);
	buffer_free(&text);
}

TEST(finds_the_copies_of_the_compiler)
{
	static const char *const lines[] = {
	    "ffffffff81001000 t place_entity\n",
	    "ffffffff81002000 t place_entity.constprop.0\n",
	    "ffffffff81002000 t place_entity.constprop.0\n",
	    "ffffffff81003000 t place_entity.cold\n",
	    "ffffffff81004000 t place_entity.isra.0.cold\n",
	    "ffffffff81005000 t place_entity_more\n",
	    "ffffffff81006000 t update_curr.isra.0\n",
	    "ffffffff81007000 d update_curr.isra.1\n",
	    "no line\n",
	};
	struct function_counts counts;

	assert_int_equal(function_counts_parse("place_entity,near@update_curr,x@place_entity+1", &counts, NULL),
			 STATUS_OK);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		function_counts_take_symbol(&counts, lines[i]);
	assert_int_equal(counts.count, 5);
	assert_true(counts.items[0].has_symbol);
	assert_false(counts.items[1].has_symbol);
	assert_true(counts.items[2].has_symbol);
	assert_string_equal(counts.items[3].symbol, "place_entity.constprop.0");
	assert_string_equal(counts.items[3].name, "place_entity");
	assert_string_equal(counts.items[4].symbol, "update_curr.isra.0");
	assert_string_equal(counts.items[4].name, "near");
	function_counts_free(&counts);
}
