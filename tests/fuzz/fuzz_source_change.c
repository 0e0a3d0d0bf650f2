/* SPDX-License-Identifier: MIT
 *
 * A patch, its source, and what gdb says of it: whatever is found can be counted (--count), and names only files below
 * the tree. */
#include <stdlib.h>
#include <string.h>

#include "record/tracefs/function_counts.h"
#include "vm/kernel/debug_places.h"
#include "vm/kernel/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const struct source_place *place)
{
	if (strlen(place->function) > SOURCE_NAME_MAX || strlen(place->file) > SOURCE_NAME_MAX)
		abort();
	if (place->file[0] == '/' || strstr(place->file, "..") || (place->file[0] != '\0') != (place->line != 0))
		abort();
}

/* The text is also the kernel's list of symbols. */
static void check_words(const char *words, const char *text)
{
	struct function_counts counts;

	if (function_counts_parse(words, &counts, NULL) != STATUS_OK)
		abort();
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		function_counts_take_symbol(&counts, line);
	if (counts.count > FUNCTION_COUNTS_MAX)
		abort();
	function_counts_free(&counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_change change = {0};
	struct debug_places places = {.lines = 0};
	char function[SOURCE_NAME_MAX + 1];
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	patch_read(&change, text, size, NULL);
	if (change.count > SOURCE_PLACES_MAX)
		abort();
	for (size_t i = 0; i < change.count; i++)
		check_place(&change.places[i]);
	for (uint32_t line = 1; line < 20; line++)
		source_function_at(text, size, line, function);
	debug_places_read(&change, text, size, &places);
	debug_places_read_symbols(&change, text, size, &places);
	if (places.words.length)
		check_words(places.words.data, text);
	debug_places_free(&places);
	source_change_free(&change);
	free(text);
	return 0;
}
