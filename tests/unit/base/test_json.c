/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json.h"
#include "support/unit.h"

TEST(writes_as_python_does_with_an_indentation_of_two)
{
	struct buffer out = {0};
	struct json_writer json = {.out = &out};

	json_object_begin(&json, NULL);
	json_text(&json, "text", "a\"\\\n\x01\x7f caf\xc3\xa9");
	json_bytes(&json, "bytes", "\xff\0x", 3);
	json_text(&json, "none", NULL);
	json_u64(&json, "u64", UINT64_MAX);
	json_i64(&json, "i64", INT64_MIN);
	json_real(&json, "real", 1.25, 3);
	json_real(&json, "nan", NAN, 3);
	json_bool(&json, "yes", true);
	json_array_begin(&json, "empty");
	json_array_end(&json);
	json_array_begin(&json, "list");
	json_u64(&json, NULL, 1);
	json_object_begin(&json, NULL);
	json_object_end(&json);
	json_array_end(&json);
	json_object_end(&json);
	assert_string_equal(out.data, "{\n"
				      "  \"text\": \"a\\\"\\\\\\n\\u0001\\u007f caf\xc3\xa9\",\n"
				      "  \"bytes\": \"\xef\xbf\xbd\\u0000x\",\n"
				      "  \"none\": null,\n"
				      "  \"u64\": 18446744073709551615,\n"
				      "  \"i64\": -9223372036854775808,\n"
				      "  \"real\": 1.250,\n"
				      "  \"nan\": null,\n"
				      "  \"yes\": true,\n"
				      "  \"empty\": [],\n"
				      "  \"list\": [\n"
				      "    1,\n"
				      "    {}\n"
				      "  ]\n"
				      "}\n");
	buffer_free(&out);
}

static struct json_value *parse(const char *text)
{
	struct error err = {0};
	struct json_value *value;

	assert_int_equal(json_parse(text, strlen(text), "x.json", &value, &err), STATUS_OK);
	assert_non_null(value);
	return value;
}

TEST(the_deepest_value_that_is_read_can_be_written_within_another)
{
	char text[2 * 65 + 1] = "";
	struct buffer out = {0};
	struct json_writer json = {.out = &out};

	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	struct json_value *value = parse(text);
	for (int i = 0; i < 16; i++)
		json_array_begin(&json, NULL);
	json_copy(&json, NULL, value);
	for (int i = 0; i < 16; i++)
		json_array_end(&json);
	assert_int_equal(json.depth, 0);
	json_free(value);
	buffer_free(&out);
}

TEST(reads_every_kind)
{
	struct json_value *value = parse(" {\"a\": [1, -2.5e3, 0, 1e-400], \"b\": null, \"c\": true, \"d\": false,\n"
					 "\"e\": \"\\u00e9\\ud83d\\ude00\\n\\/\\\"\", \"f\": {}, \"\": []} \r\n\t");
	uint64_t number;

	assert_int_equal(value->kind, JSON_OBJECT);
	const struct json_value *list = json_member(value, "a");
	assert_int_equal(list->kind, JSON_ARRAY);
	assert_true(list->child->number == 1 && list->child->next->number == -2500);
	assert_true(list->child->next->next->next->number == 0);
	assert_null(list->child->next->next->next->next);
	assert_int_equal(json_member(value, "b")->kind, JSON_NULL);
	assert_true(json_member(value, "c")->kind == JSON_BOOL && json_member(value, "c")->number == 1);
	assert_true(json_member(value, "d")->kind == JSON_BOOL && json_member(value, "d")->number == 0);
	assert_string_equal(json_member_text(value, "e", "?"), "\xc3\xa9\xf0\x9f\x98\x80\n/\"");
	assert_string_equal(json_member_text(value, "a", "?"), "?");
	assert_string_equal(json_member_text(value, "z", "?"), "?");
	assert_false(json_member_u64(value, "e", &number));
	assert_null(json_member(list, "a"));
	json_free(value);
	value = parse("{\"n\": 18446744073709551615, \"m\": -1, \"o\": 1.5}");
	assert_true(json_member_u64(value, "n", &number) && number == UINT64_MAX);
	assert_false(json_member_u64(value, "m", &number));
	assert_false(json_member_u64(value, "o", &number));
	json_free(value);
	json_free(NULL);
}

TEST(refuses_what_is_no_json_and_names_the_line)
{
	static const struct {
		const char *text;
		int line;
	} bad[] = {
	    {"", 1},
	    {"\n\n", 3},
	    {"{", 1},
	    {"{\"a\"}", 1},
	    {"{\"a\": 1,}", 1},
	    {"{\"a\": 1\n \"b\": 2}", 2},
	    {"{a: 1}", 1},
	    {"[1,]", 1},
	    {"[1\n,\n2", 3},
	    {"1 2", 1},
	    {"01", 1},
	    {"1.", 1},
	    {"+1", 1},
	    {".5", 1},
	    {"1e", 1},
	    {"1e999", 1},
	    {"NaN", 1},
	    {"Infinity", 1},
	    {"nul", 1},
	    {"truex", 1},
	    {"'a'", 1},
	    {"\"a", 1},
	    {"\"\t\"", 1},
	    {"\"\\x\"", 1},
	    {"\"\\u12g4\"", 1},
	    {"\"\\u0000\"", 1},
	    {"\"\\ud800\"", 1},
	    {"\"\\ud800\\u0041\"", 1},
	    {"\"\\udc00\"", 1},
	    {"\"\xff\"", 1},
	    {"\xef\xbb\xbf{}", 1},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error err = {0};
		struct json_value *value;
		char line[32];
		assert_int_equal(json_parse(bad[i].text, strlen(bad[i].text), "x.json", &value, &err), STATUS_CORRUPT);
		assert_null(value);
		assert_string_equal(err.where, "x.json");
		snprintf(line, sizeof(line), "line %d: ", bad[i].line);
		assert_memory_equal(err.what, line, strlen(line));
	}
}

TEST(depth_is_bounded)
{
	char text[200];
	struct json_value *value;
	struct error err = {0};

	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	assert_int_equal(json_parse(text, 128, "x", &value, &err), STATUS_OK);
	json_free(value);
	memset(text, '[', sizeof(text));
	assert_int_equal(json_parse(text, sizeof(text), "x", &value, &err), STATUS_CORRUPT);
	assert_non_null(strstr(err.what, "nested"));
}
