/* SPDX-License-Identifier: MIT */
#include "compare/earlier_workloads.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/shorten.h"

#define NONE      "none"
#define SEPARATOR ", "

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* The value of --workload, of which the last one counts. A command without it is the only workload. */
static const char *find_names(const struct arguments *words)
{
	static const char option[] = "--workload=";
	const char *names = NULL;

	if (words->count == 0 || strcmp(words->items[0], "vm") != 0)
		return NULL;
	for (size_t i = 1; i < words->count; i++) {
		if (strcmp(words->items[i], "--") == 0)
			return names ? names : "";
		if (begins_with(words->items[i], option))
			names = words->items[i] + strlen(option);
	}
	return names;
}

/* The workload that a word runs: "a" of "a", of "exec:a:CATEGORY", and of "mix: name a; 4 burn". */
static const char *name_in(const char *word, size_t *length)
{
	static const char command[] = "exec:", mix[] = "mix:", label[] = "name ", unlabelled[] = "mix";
	const char *name = word;

	*length = strcspn(word, ",");
	if (begins_with(word, command)) {
		name += strlen(command);
		*length = strcspn(name, ":,");
	} else if (begins_with(word, mix)) {
		name += strlen(mix) + strspn(name + strlen(mix), " ");
		const bool is_labelled = begins_with(name, label);
		name = is_labelled ? name + strlen(label) : unlabelled;
		*length = strcspn(name, "; ,");
	}
	return name;
}

char *earlier_workloads(const struct run *run)
{
	const char *word = find_names(&run->metadata.recipe.words);
	struct buffer earlier = {0};

	if (word && !*word)
		return xstrdup(NONE);
	for (size_t length; word; word = word[length] ? word + length + 1 : NULL) {
		const char *name = name_in(word, &length);
		if (strncmp(name, run->workload, length) == 0 && !run->workload[length])
			return earlier.length ? earlier.data : xstrdup(NONE);
		length = strcspn(word, ",");
		buffer_text(&earlier, earlier.length ? SEPARATOR : "");
		buffer_add(&earlier, word, length);
	}
	buffer_free(&earlier);
	return NULL;
}

/* Cuts the first word off a list; false after the last one. */
static bool next_word(const char **list, const char **word, size_t *length)
{
	const char *end = *list ? strstr(*list, SEPARATOR) : NULL;

	*word = *list;
	if (!*list)
		return false;
	*length = end ? (size_t)(end - *list) : strlen(*list);
	*list = end ? end + strlen(SEPARATOR) : NULL;
	return true;
}

size_t earlier_workloads_common(const char *a, const char *b)
{
	const char *word, *other;
	size_t count = 0, length, other_length;

	if (strcmp(a, NONE) == 0 || strcmp(b, NONE) == 0)
		return 0;
	while (next_word(&a, &word, &length) && next_word(&b, &other, &other_length) && length == other_length &&
	       memcmp(word, other, length) == 0)
		count++;
	return count;
}

static void add_word(const char *word, size_t length, struct buffer *out)
{
	const struct shortening by = {.width = 32, .head = 28};
	char text[SHORTEN_SIZE], shown[SHORTEN_SIZE];

	snprintf(text, sizeof(text), "%.*s", (int)length, word);
	shorten(text, by, shown);
	buffer_text(out, shown);
}

void earlier_workloads_add_place(const char *workloads, size_t common, struct buffer *out)
{
	enum { NAMED = 3 };
	const size_t counted = common > 1 ? common : 0;
	const char *word;
	size_t length, number = 0, unnamed = 0;

	if (strcmp(workloads, NONE) == 0) {
		buffer_text(out, "first");
		return;
	}
	buffer_text(out, "after ");
	if (counted)
		buffer_printf(out, "the same %zu", counted);
	for (; next_word(&workloads, &word, &length); number++) {
		if (number >= counted + NAMED)
			unnamed++;
		if (number < counted || unnamed)
			continue;
		buffer_text(out, number > counted ? SEPARATOR : counted ? ", then " : "");
		add_word(word, length, out);
	}
	if (unnamed)
		buffer_printf(out, ", %zu more", unnamed);
}
