/* SPDX-License-Identifier: MIT
 *
 * What was asked for: the words of a command of picknext, kept as they were given with each run, and parsed again by
 * that command's own table of options wherever it is to be known or repeated. Nothing else carries a request.
 *
 * The words are the command's name, its options as --name or --name=value, and after "--" its operands. Left out is
 * what concerns the call only: which runs it made, where to, and how many at a time. */
#ifndef RUNS_RECIPE_H
#define RUNS_RECIPE_H

#include <stdbool.h>

#include "base/arguments.h"
#include "base/json.h"
#include "base/options.h"

/* Zeroed: none. */
struct recipe {
	struct arguments words;
	char *directory; /* that relative paths refer to; NULL: there are none */
	char **argv;     /* private: of recipe_parse() */
};

/* The recipe of a call in the working directory, without the options whose scope has a bit of omitted, or
 * OPTION_OF_CALL. Errors as of options_select(). */
enum status recipe_make(const struct command *command, char *const *words, unsigned int omitted, struct recipe *recipe,
			struct error *err);
/* If none of the words is a relative path. */
void recipe_forget_directory(struct recipe *recipe);
/* Adds "--name=value" as its last option. */
void recipe_add_option(struct recipe *recipe, const char *format, ...) __attribute__((format(printf, 2, 3)));
void recipe_copy(const struct recipe *from, struct recipe *to);
void recipe_free(struct recipe *recipe);

/* Fills values as the command does that was called with these words, which must outlive them. Errors as of
 * options_parse(). */
enum status recipe_parse(struct recipe *recipe, const struct command *command, void *values, struct operands *operands,
			 struct error *err);

#define RECIPE_MISSING "has no recipe: an earlier version of picknext made it"

/* The members "recipe" and "recipe_directory" of an object. Reading: false if there is none; the document is hostile.
 */
void recipe_write(const struct recipe *recipe, struct json_writer *json);
bool recipe_read(const struct json_value *object, struct recipe *recipe);

/* The line that repeats it, for a shell: "cd DIRECTORY && picknext vm ...". */
void recipe_quote(const struct recipe *recipe, struct buffer *out);

#endif
