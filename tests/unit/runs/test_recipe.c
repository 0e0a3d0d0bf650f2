/* SPDX-License-Identifier: MIT
 *
 * A recipe: the words that were given, what is left out of them, and that they give the same values again. */
#include "runs/recipe.h"
#include "support/unit.h"

struct values {
	struct option_list names;
	const char *text, *output;
	uint64_t size;
	double real;
	bool flag;
};

static const struct option rows[] = {
    OPTION(struct values, names, "name", .letter = 'n', .scope = OPTION_OF_SET, .help = "names"),
    OPTION(struct values, text, "text", .scope = OPTION_OF_HOST, .help = "text"),
    OPTION(struct values, output, "output", .letter = 'o', .scope = OPTION_OF_CALL, .help = "output"),
    OPTION(struct values, size, "size", .unit = "MB", .fallback = "1024", .help = "size"),
    OPTION(struct values, real, "real", .help = "real"),
    OPTION(struct values, flag, "flag", .letter = 'f', .help = "flag"),
    {.name = NULL},
};

static const struct command command = {.name = "x",
				       .summary = "x",
				       .operands = "[-- COMMAND...]",
				       .operands_max = SIZE_MAX,
				       .options = rows,
				       .values_size = sizeof(struct values)};

static char *words[] = {"x",  "-n",     "a b", "--name=c",   "--text", "t",  "-fo", "out",
			"-q", "--size", "2G",  "--real=0.1", "--",     "sh", "-n",  NULL};

static void assert_words(const struct recipe *recipe, const char *expected)
{
	struct buffer text = {0};

	arguments_quote(&recipe->words, " ", &text);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

TEST(only_the_call_is_left_out)
{
	struct recipe recipe = {0};

	assert_int_equal(recipe_make(&command, words, 0, &recipe, NULL), STATUS_OK);
	assert_words(&recipe, "x '--name=a b' --name=c --text=t --flag --size=2G --real=0.1 -- sh -n");
	assert_non_null(recipe.directory);
	assert_string_equal(words[2], "a b");
	recipe_free(&recipe);
	assert_int_equal(recipe_make(&command, words, OPTION_OF_SET | OPTION_OF_HOST, &recipe, NULL), STATUS_OK);
	recipe_add_option(&recipe, "--name=%s", "d e");
	assert_words(&recipe, "x --flag --size=2G --real=0.1 '--name=d e' -- sh -n");
	recipe_free(&recipe);
}

TEST(parsed_again_the_values_are_the_same)
{
	struct recipe recipe = {0}, read, copy = {0};
	struct operands operands;
	struct values values = {0};
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	struct json_value *document;

	assert_int_equal(recipe_make(&command, words, 0, &recipe, NULL), STATUS_OK);
	json_object_begin(&json, NULL);
	recipe_write(&recipe, &json);
	json_object_end(&json);
	assert_int_equal(json_parse(text.data, text.length, "x", &document, NULL), STATUS_OK);
	assert_true(recipe_read(document, &read));
	assert_string_equal(read.directory, recipe.directory);
	recipe_copy(&read, &copy);
	for (int i = 0; i < 2; i++) {
		values = (struct values){0};
		assert_int_equal(recipe_parse(&copy, &command, &values, &operands, NULL), STATUS_OK);
		assert_int_equal(values.names.count, 2);
		assert_string_equal(values.names.items[0], "a b");
		assert_string_equal(values.text, "t");
		assert_null(values.output);
		assert_true(values.flag && values.size == 2048 && values.real == 0.1);
		assert_int_equal(operands.count, 2);
		assert_true(operands.after_dashes);
	}
	buffer_clear(&text);
	recipe_quote(&copy, &text);
	assert_non_null(strstr(text.data, " && picknext x '--name=a b' "));
	buffer_free(&text);
	json_free(document);
	recipe_free(&recipe);
	recipe_free(&read);
	recipe_free(&copy);
}

TEST(no_recipe_is_recognized)
{
	static const char *const bad[] = {
	    "{}", "[]", "{\"recipe\": \"vm\"}", "{\"recipe\": []}", "{\"recipe\": [\"vm\", 1]}", "{\"recipe\": [[]]}"};
	static char *unknown[] = {"x", "--none", NULL};
	struct recipe recipe = {0};
	struct error err;

	assert_int_equal(recipe_make(&command, unknown, 0, &recipe, &err), STATUS_USAGE);
	recipe_free(&recipe);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct json_value *document;
		assert_int_equal(json_parse(bad[i], strlen(bad[i]), "x", &document, NULL), STATUS_OK);
		assert_false(recipe_read(document, &recipe));
		assert_null(recipe.words.items);
		json_free(document);
	}
}
