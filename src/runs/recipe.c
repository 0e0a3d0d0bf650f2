/* SPDX-License-Identifier: MIT */
#include "runs/recipe.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum status recipe_make(const struct command *command, char *const *words, unsigned int omitted, struct recipe *recipe,
			struct error *err)
{
	char directory[PATH_MAX];

	if (getcwd(directory, sizeof(directory)))
		recipe->directory = xstrdup(directory);
	return options_select(command, words, omitted | OPTION_OF_CALL, &recipe->words, err);
}

void recipe_forget_directory(struct recipe *recipe)
{
	free(recipe->directory);
	recipe->directory = NULL;
}

void recipe_free(struct recipe *recipe)
{
	arguments_free(&recipe->words);
	free(recipe->directory);
	free(recipe->argv);
	*recipe = (struct recipe){0};
}

void recipe_copy(const struct recipe *from, struct recipe *to)
{
	for (size_t i = 0; i < from->words.count; i++)
		arguments_add(&to->words, "%s", from->words.items[i]);
	to->directory = from->directory ? xstrdup(from->directory) : NULL;
}

static size_t find_dashes(const struct arguments *words)
{
	size_t at = 0;

	while (at < words->count && strcmp(words->items[at], "--") != 0)
		at++;
	return at;
}

void recipe_add_option(struct recipe *recipe, const char *format, ...)
{
	struct arguments *words = &recipe->words;
	const size_t at = find_dashes(words);
	char *option;
	va_list args;

	va_start(args, format);
	if (vasprintf(&option, format, args) < 0)
		memory_exhausted();
	va_end(args);
	arguments_add(words, "%s", option);
	free(option);
	char *last = words->items[words->count - 1];
	memmove(&words->items[at + 1], &words->items[at], (words->count - 1 - at) * sizeof(*words->items));
	words->items[at] = last;
}

enum status recipe_parse(struct recipe *recipe, const struct command *command, void *values, struct operands *operands,
			 struct error *err)
{
	const struct arguments *words = &recipe->words;

	recipe->argv = xreallocarray(recipe->argv, words->count + 1, sizeof(*recipe->argv));
	memcpy(recipe->argv, words->items, words->count * sizeof(*recipe->argv));
	recipe->argv[words->count] = NULL;
	return options_parse(command, values, (int)words->count, recipe->argv, operands, err);
}

void recipe_write(const struct recipe *recipe, struct json_writer *json)
{
	if (recipe->words.count == 0)
		return;
	json_array_begin(json, "recipe");
	for (size_t i = 0; i < recipe->words.count; i++)
		json_text(json, NULL, recipe->words.items[i]);
	json_array_end(json);
	if (recipe->directory)
		json_text(json, "recipe_directory", recipe->directory);
}

bool recipe_read(const struct json_value *object, struct recipe *recipe)
{
	const struct json_value *words = json_member(object, "recipe");
	const char *directory = json_member_text(object, "recipe_directory", NULL);
	bool is_recipe = words && words->kind == JSON_ARRAY && words->child;

	*recipe = (struct recipe){0};
	for (const struct json_value *word = is_recipe ? words->child : NULL; word && is_recipe; word = word->next) {
		is_recipe = word->kind == JSON_TEXT;
		if (is_recipe)
			arguments_add(&recipe->words, "%s", word->text);
	}
	recipe->directory = is_recipe && directory ? xstrdup(directory) : NULL;
	if (!is_recipe)
		recipe_free(recipe);
	return is_recipe;
}

void recipe_quote(const struct recipe *recipe, struct buffer *out)
{
	struct arguments place = {0};

	if (recipe->directory) {
		arguments_option(&place, "cd", "%s", recipe->directory);
		arguments_quote(&place, " ", out);
		buffer_text(out, " && ");
	}
	buffer_text(out, "picknext ");
	arguments_quote(&recipe->words, " ", out);
	arguments_free(&place);
}
