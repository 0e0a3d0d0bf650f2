/* SPDX-License-Identifier: MIT
 *
 * A request: the words of a picknext command, stored unchanged with each run. To read or repeat the request, the
 * command's own option table parses them again; there is no other form of a request.
 *
 * The words are the command's name, its options as --name or --name=value, and after "--" its operands. Options that
 * concern only the call are left out: which runs, where to, how many at a time. */
#ifndef RUNS_RECIPE_H
#define RUNS_RECIPE_H

#include <stdbool.h>

#include "base/arguments.h"
#include "base/json.h"
#include "base/options.h"

/* Zeroed: none. */
struct recipe {
	struct arguments words;
	char *directory; /* base of relative paths; NULL: there are none */
	char **argv;     /* private: of recipe_parse() */
};

/* The recipe of a call in the working directory, without the options whose scope has a bit of omitted, or
 * OPTION_OF_CALL. Errors: see options_select(). */
enum status recipe_make(const struct command *command, char *const *words, unsigned int omitted, struct recipe *recipe,
			struct error *err);
/* Call it if none of the words is a relative path. */
void recipe_forget_directory(struct recipe *recipe);
/* Adds "--name=value" as its last option. */
void recipe_add_option(struct recipe *recipe, const char *format, ...) __attribute__((format(printf, 2, 3)));
void recipe_copy(const struct recipe *from, struct recipe *to);
void recipe_free(struct recipe *recipe);

/* Parses the words into values, as a call of command with them does. The words must outlive values. Errors: see
 * options_parse(). */
enum status recipe_parse(struct recipe *recipe, const struct command *command, void *values, struct operands *operands,
			 struct error *err);

#define RECIPE_MISSING "has no recipe: an earlier version of picknext made it"

/* The members "recipe" and "recipe_directory" of an object. recipe_read() returns false if there is none; the document
 * is untrusted. */
void recipe_write(const struct recipe *recipe, struct json_writer *json);
bool recipe_read(const struct json_value *object, struct recipe *recipe);

/* Adds the shell command that repeats it: "cd DIRECTORY && picknext vm ...". */
void recipe_quote(const struct recipe *recipe, struct buffer *out);

#endif
