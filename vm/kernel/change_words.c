/* SPDX-License-Identifier: MIT */
#include "vm/kernel/change_words.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "vm/kernel/patch.h"

#define PATCH_BYTES_MAX ((size_t)16 << 20)

static enum status add_patch(struct source_change *change, const char *path, const char *tree, struct error *err)
{
	struct buffer text = {0};
	const size_t before = change->count;

	if (access(path, F_OK) < 0) {
		error_set(err, STATUS_USAGE, "--reached", "'%s' is no function, no FILE:LINE and no file", path);
		return error_remedy(err, "give a patch file, functions such as place_entity,update_curr, or "
					 "kernel/sched/fair.c:690");
	}
	enum status status = file_refuse_special(path, err);
	if (status == STATUS_OK)
		status = file_read(path, PATCH_BYTES_MAX, &text, err);
	if (status == STATUS_OK && !patch_read(change, text.data ? text.data : "", text.length, tree)) {
		error_set(err, STATUS_USAGE, "--reached", "%s is no patch: it has no lines '@@ -N,N +N,N @@'", path);
		status = error_remedy(err, "make one with git diff, git show or git format-patch");
	}
	buffer_free(&text);
	if (status != STATUS_OK || change->count > before)
		return status;
	return error_set(err, STATUS_USAGE, "--reached", "%s changes no code: comments, empty lines or names only",
			 path);
}

/* The text of a line of the source; false after its end. */
static bool source_has_line(const struct buffer *source, uint32_t number, struct source_line *line)
{
	const char *rest = source->data;

	for (uint32_t at = 0; rest && source_next_line(&rest, source->data + source->length, line);)
		if (++at == number)
			return true;
	return false;
}

/* "kernel/sched/fair.c:690" */
static bool add_line(struct source_change *change, const char *word, const char *tree)
{
	const char *colon = strrchr(word, ':');
	char path[PATH_MAX], file[SOURCE_NAME_MAX + 1], function[SOURCE_NAME_MAX + 1] = "";
	struct buffer source = {0};
	struct source_line line;
	uint64_t number;

	if (!colon || colon == word || (size_t)(colon - word) > SOURCE_NAME_MAX ||
	    strspn(word, SOURCE_FILE_CHARACTERS) < (size_t)(colon - word) || !number_parse_u64(colon + 1, &number) ||
	    number == 0 || number >= SOURCE_LINE_MAX)
		return false;
	snprintf(file, sizeof(file), "%.*s", (int)(colon - word), word);
	if (tree && file_join(path, sizeof(path), tree, file, NULL) == STATUS_OK &&
	    file_refuse_special(path, NULL) == STATUS_OK &&
	    file_read(path, SOURCE_BYTES_MAX, &source, NULL) == STATUS_OK &&
	    source_has_line(&source, (uint32_t)number, &line))
		source_function_at(source.data, source.length, (uint32_t)number, function);
	buffer_free(&source);
	source_change_add_place(change, function, file, (uint32_t)number);
	return true;
}

static enum status add_word(struct source_change *change, const char *word, const char *tree, struct error *err)
{
	if (source_is_name(word, strlen(word)))
		source_change_add_place(change, word, "", 0);
	else if (!add_line(change, word, tree))
		return add_patch(change, word, tree, err);
	return STATUS_OK;
}

enum status change_words_add(struct source_change *change, const char *words, const char *tree, struct error *err)
{
	enum status status = STATUS_OK;

	/* The name of a patch may have commas. */
	if (access(words, F_OK) == 0)
		return add_word(change, words, tree, err);
	for (size_t length; words && status == STATUS_OK; words = words[length] ? words + length + 1 : NULL) {
		length = strcspn(words, ",");
		char *word = xasprintf("%.*s", (int)length, words);
		status = add_word(change, word, tree, err);
		free(word);
	}
	return status;
}
