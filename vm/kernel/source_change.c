/* SPDX-License-Identifier: MIT */
#include "vm/kernel/source_change.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"

#define PATCH_BYTES_MAX  ((size_t)16 << 20)
#define SOURCE_BYTES_MAX ((size_t)16 << 20)
#define LINE_MAX_NUMBER  10000000u

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define FILE_CHARACTERS NAME_CHARACTERS "./-+"

struct line {
	const char *text;
	size_t length;
};

static bool next_line(const char **rest, const char *end, struct line *line)
{
	if (*rest == end)
		return false;
	const char *newline = memchr(*rest, '\n', (size_t)(end - *rest));
	line->text = *rest;
	line->length = (size_t)((newline ? newline : end) - *rest);
	*rest = newline ? newline + 1 : end;
	if (line->length && line->text[line->length - 1] == '\r')
		line->length--;
	return true;
}

/* --- Functions of a text --- */

/* The function whose lines come next. */
struct scan {
	char function[SOURCE_NAME_MAX + 1]; /* named last */
	bool is_inside;
};

static bool is_name(const char *text, size_t length)
{
	return length > 0 && length <= SOURCE_NAME_MAX && !isdigit((unsigned char)text[0]) &&
	       strspn(text, NAME_CHARACTERS) >= length;
}

/* Macros that define something else than a function have names in capitals. */
static bool is_macro(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (islower((unsigned char)text[i]))
			return false;
	return true;
}

/* SYSCALL_DEFINE3(sched_setattr, ...: the name of its entry in the kernel's symbols. */
static bool read_system_call(const struct line *line, char function[SOURCE_NAME_MAX + 1])
{
	static const char macro[] = "SYSCALL_DEFINE";
	size_t at = sizeof(macro); /* and one digit */

	if (line->length <= at || memcmp(line->text, macro, sizeof(macro) - 1) != 0 || line->text[at] != '(')
		return false;
	const char *name = line->text + at + 1;
	size_t length = 0;
	while (at + 1 + length < line->length && strchr(NAME_CHARACTERS, name[length]) && name[length])
		length++;
	if (!is_name(name, length))
		return false;
	return snprintf(function, SOURCE_NAME_MAX + 1, "__x64_sys_%.*s", (int)length, name) <= SOURCE_NAME_MAX;
}

/* __attribute__((...)), __printf(1, 2): before the name of a function. */
static bool is_attribute(const char *text, size_t length)
{
	static const char *const names[] = {"__attribute__", "__printf",     "__scanf",       "__aligned",
					    "__section",     "__alloc_size", "__no_sanitize", "__assume_aligned"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
			return true;
	return false;
}

/* The text after the parenthesis that closes this one. */
static const char *skip_parentheses(const char *open, const char *end)
{
	unsigned int depth = 0;

	for (; open < end; open++) {
		depth += *open == '(';
		depth -= *open == ')';
		if (depth == 0)
			return open + 1;
	}
	return end;
}

/* The name before the first parenthesis that is not an attribute's: "static void place_entity(struct cfs_rq *cfs_rq,
 * ...". */
static bool read_header(const struct line *line, char function[SOURCE_NAME_MAX + 1])
{
	const char *text_end = line->text + line->length, *name = NULL;
	const char *open, *end = NULL;

	if (line->length == 0 || !(isalpha((unsigned char)line->text[0]) || line->text[0] == '_') ||
	    text_end[-1] == ';')
		return false;
	if (read_system_call(line, function))
		return true;
	for (const char *from = line->text; (open = memchr(from, '(', (size_t)(text_end - from)));) {
		end = open;
		while (end > from && end[-1] == ' ')
			end--;
		name = end;
		while (name > from && strchr(NAME_CHARACTERS, name[-1]))
			name--;
		if (!is_attribute(name, (size_t)(end - name)))
			break;
		from = skip_parentheses(open, text_end);
	}
	if (!open || !is_name(name, (size_t)(end - name)) || is_macro(name, (size_t)(end - name)) ||
	    memchr(line->text, '=', (size_t)(open - line->text)))
		return false;
	snprintf(function, SOURCE_NAME_MAX + 1, "%.*s", (int)(end - name), name);
	return true;
}

static void scan_line(struct scan *scan, const struct line *line)
{
	char function[SOURCE_NAME_MAX + 1];

	if (line->length && line->text[0] == '}') {
		scan->is_inside = false;
		scan->function[0] = '\0';
	} else if (read_header(line, function)) {
		memcpy(scan->function, function, sizeof(function));
		scan->is_inside = true;
	} else if (!(line->length && (line->text[0] == '{' || isspace((unsigned char)line->text[0]))) && line->length &&
		   line->text[0] != '#' && line->text[line->length - 1] == ';') {
		/* A declaration in the first column is outside. */
		scan->is_inside = false;
		scan->function[0] = '\0';
	}
}

/* A function that ends on the line of its name. */
static bool is_whole(const struct line *line)
{
	return line->length > 1 && line->text[line->length - 1] == '}' && memchr(line->text, '{', line->length);
}

bool source_function_at(const char *text, size_t length, uint32_t number, char function[SOURCE_NAME_MAX + 1])
{
	struct scan scan = {.is_inside = false};
	const char *rest = text;
	struct line line;
	uint32_t at = 0;

	function[0] = '\0';
	while (next_line(&rest, text + length, &line)) {
		const bool was_inside = scan.is_inside;
		char last[sizeof(scan.function)];
		memcpy(last, scan.function, sizeof(last));
		scan_line(&scan, &line);
		if (++at == number) {
			/* The closing brace belongs to its function. */
			const bool closes = was_inside && line.length && line.text[0] == '}';
			snprintf(function, SOURCE_NAME_MAX + 1, "%s", closes ? last : scan.function);
			return function[0];
		}
		if (scan.is_inside && is_whole(&line) && line.text[0] != '}')
			scan = (struct scan){.is_inside = false};
	}
	return false;
}

/* --- Places --- */

static void add_place(struct source_change *change, const char *function, const char *file, uint32_t line)
{
	for (size_t i = 0; i < change->count; i++)
		if (strcmp(change->places[i].function, function) == 0 && strcmp(change->places[i].file, file) == 0 &&
		    change->places[i].line == line)
			return;
	if (change->count == SOURCE_PLACES_MAX) {
		change->is_cut = true;
		return;
	}
	change->places = xreallocarray(change->places, change->count + 1, sizeof(*change->places));
	struct source_place *place = &change->places[change->count++];
	*place = (struct source_place){.line = line};
	snprintf(place->function, sizeof(place->function), "%s", function);
	snprintf(place->file, sizeof(place->file), "%s", file);
}

void source_change_free(struct source_change *change)
{
	free(change->places);
	*change = (struct source_change){0};
}

/* Empty lines and comments are no change of the code. */
static bool is_code(const struct line *line)
{
	size_t at = 0;

	while (at < line->length && isspace((unsigned char)line->text[at]))
		at++;
	const size_t left = line->length - at;
	const char *text = line->text + at;
	return left > 0 && !(text[0] == '*' && (left == 1 || text[1] == ' ' || text[1] == '/')) &&
	       !(left > 1 && text[0] == '/' && (text[1] == '*' || text[1] == '/'));
}

/* Whether a place before this one has the same function. */
static bool is_repeated(const struct source_change *change, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(change->places[i].function, change->places[at].function) == 0)
			return true;
	return false;
}

bool source_change_names(const struct source_change *change, size_t place)
{
	return change->places[place].function[0] && !is_repeated(change, place);
}

/* --- Callers --- */

struct callers {
	const char *function;
	struct arguments *list;
	size_t count;
};

/* Whether the line has "function(". */
static bool has_call(const struct line *line, const char *function)
{
	const size_t length = strlen(function);
	const char *end = line->text + line->length;

	for (const char *at = line->text; (at = memmem(at, (size_t)(end - at), function, length)); at++)
		if (at + length < end && at[length] == '(' && (at == line->text || !strchr(NAME_CHARACTERS, at[-1])))
			return true;
	return false;
}

static void add_caller(struct callers *callers, const char *caller)
{
	char *word = xasprintf("%s/%s", callers->function, caller);
	bool is_new = callers->count < SOURCE_CALLERS_MAX && strcmp(callers->function, caller) != 0;

	for (size_t i = 0; i < callers->list->count && is_new; i++)
		is_new = strcmp(callers->list->items[i], word) != 0;
	if (is_new) {
		arguments_add(callers->list, "%s", word);
		callers->count++;
	}
	free(word);
}

static void find_callers(const char *path, struct callers *callers)
{
	struct buffer source = {0};
	struct scan scan = {.is_inside = false};
	struct line line;

	if (file_refuse_special(path, NULL) == STATUS_OK &&
	    file_read(path, SOURCE_BYTES_MAX, &source, NULL) == STATUS_OK && source.data)
		for (const char *rest = source.data; next_line(&rest, source.data + source.length, &line);) {
			scan_line(&scan, &line);
			/* A comment before a function is outside. */
			if (scan.is_inside && is_code(&line) && has_call(&line, callers->function))
				add_caller(callers, scan.function);
		}
	buffer_free(&source);
}

static void find_callers_in(const char *directory, struct callers *callers)
{
	char path[PATH_MAX];
	struct dirent **list = NULL;
	const int count = scandir(directory, &list, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		if (file_name_ends(list[i]->d_name, ".c") &&
		    file_join(path, sizeof(path), directory, list[i]->d_name, NULL) == STATUS_OK)
			find_callers(path, callers);
		free(list[i]);
	}
	free(list);
}

void source_change_callers(const struct source_change *change, const char *tree, struct arguments *callers)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < change->count; i++) {
		const struct source_place *place = &change->places[i];
		struct callers found = {place->function, callers, 0};
		if (!source_change_names(change, i))
			continue;
		if (file_join(path, sizeof(path), tree, place->file[0] ? place->file : "kernel/sched", NULL) !=
		    STATUS_OK)
			continue;
		if (place->file[0])
			find_callers(path, &found);
		else
			find_callers_in(path, &found);
	}
}

/* --- Patches --- */

struct hunk {
	uint32_t line;               /* of the new file, the next one */
	uint32_t old_left, new_left; /* lines that follow */
};

struct patch {
	struct source_change *change;
	const char *tree;
	char file[SOURCE_NAME_MAX + 1]; /* "": none, or one without a place */
	struct buffer source;           /* of the file in the tree; length 0: not there */
	size_t hunks;
};

/* "+++ b/kernel/sched/fair.c<tab>date": the name without its first directory, as patch -p1 reads it. */
static void read_file_name(struct patch *patch, const char *text, size_t length)
{
	char path[PATH_MAX];
	const char *tab = memchr(text, '\t', length);

	length = tab ? (size_t)(tab - text) : length;
	const char *slash = memchr(text, '/', length);
	patch->file[0] = '\0';
	buffer_clear(&patch->source);
	if (!slash || text[0] == '/')
		return;
	length -= (size_t)(slash + 1 - text);
	text = slash + 1;
	if (length == 0 || length > SOURCE_NAME_MAX || text[0] == '/' || strspn(text, FILE_CHARACTERS) < length ||
	    memmem(text, length, "..", 2))
		return;
	snprintf(patch->file, sizeof(patch->file), "%.*s", (int)length, text);
	if (!patch->tree || file_join(path, sizeof(path), patch->tree, patch->file, NULL) != STATUS_OK ||
	    file_refuse_special(path, NULL) != STATUS_OK ||
	    file_read(path, SOURCE_BYTES_MAX, &patch->source, NULL) != STATUS_OK)
		buffer_clear(&patch->source);
}

static bool read_range(const char **text, const char *end, uint32_t *first, uint32_t *count)
{
	uint64_t numbers[2] = {0, 1};

	for (int i = 0; i < 2; i++) {
		const char *begin = *text;
		numbers[i] = 0;
		while (*text < end && isdigit((unsigned char)**text) && numbers[i] < LINE_MAX_NUMBER)
			numbers[i] = numbers[i] * 10 + (uint64_t)(*(*text)++ - '0');
		if (*text == begin || numbers[i] >= LINE_MAX_NUMBER)
			return false;
		if (i == 0 && (*text == end || **text != ',')) {
			numbers[1] = 1;
			break;
		}
		*text += i == 0;
	}
	*first = (uint32_t)numbers[0];
	*count = (uint32_t)numbers[1];
	return true;
}

/* "@@ -690,7 +690,7 @@ static void update_entity_lag(..." */
static bool read_hunk(const struct line *line, struct hunk *hunk, struct scan *scan)
{
	const char *text = line->text + 4, *end = line->text + line->length;
	uint32_t ignored;

	if (line->length < 10 || memcmp(line->text, "@@ -", 4) != 0 ||
	    !read_range(&text, end, &ignored, &hunk->old_left) || end - text < 2 || memcmp(text, " +", 2) != 0)
		return false;
	text += 2;
	if (!read_range(&text, end, &hunk->line, &hunk->new_left) || end - text < 3 || memcmp(text, " @@", 3) != 0 ||
	    (hunk->line == 0 && hunk->new_left))
		return false;
	text += 3;
	text += text < end && *text == ' ';
	*scan = (struct scan){.is_inside = false};
	scan_line(scan, &(struct line){text, (size_t)(end - text)});
	return true;
}

/* The text of a line of the source; false after its end. */
static bool source_line(const struct buffer *source, uint32_t number, struct line *line)
{
	const char *rest = source->data;

	for (uint32_t at = 0; rest && next_line(&rest, source->data + source->length, line);)
		if (++at == number)
			return true;
	return false;
}

/* The lines of a hunk that the new file has. */
struct hunk_lines {
	struct line *lines;
	bool *is_changed;
	size_t count;
};

static void add_hunk_line(struct hunk_lines *lines, const struct line *line, bool is_changed)
{
	lines->lines = xreallocarray(lines->lines, lines->count + 1, sizeof(*lines->lines));
	lines->is_changed = xreallocarray(lines->is_changed, lines->count + 1, sizeof(*lines->is_changed));
	lines->lines[lines->count] = *line;
	lines->is_changed[lines->count++] = is_changed;
}

static bool same_line(const struct line *one, const struct line *other)
{
	return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

static bool is_there(const struct hunk_lines *lines, const char *rest, const char *end)
{
	struct line line;

	for (size_t i = 0; i < lines->count; i++)
		if (!next_line(&rest, end, &line) || !same_line(&line, &lines->lines[i]))
			return false;
	return true;
}

/* The line at which the source has the lines of the hunk: the nearest to the one that it names; 0: nowhere. */
static uint32_t find_lines(const struct hunk_lines *lines, const struct buffer *source, uint32_t named)
{
	uint32_t number = 1, found = 0;
	struct line line;

	if (source->length == 0)
		return 0;
	const char *rest = source->data, *end = source->data + source->length;
	for (const char *at = rest; next_line(&rest, end, &line); at = rest, number++) {
		const uint32_t before = found > named ? found - named : named - found;
		const uint32_t now = number > named ? number - named : named - number;
		if ((!found || now < before) && is_there(lines, at, end))
			found = number;
	}
	return found;
}

static void add_changed(struct patch *patch, const struct hunk_lines *lines, uint32_t first, struct scan *scan)
{
	const uint32_t found = find_lines(lines, &patch->source, first);

	if (patch->tree && !found)
		snprintf(patch->change->absent, sizeof(patch->change->absent), "%s", patch->file);
	for (size_t i = 0; i < lines->count; i++) {
		const uint32_t number = (found ? found : first) + (uint32_t)i;
		char function[SOURCE_NAME_MAX + 1];
		char before[SOURCE_NAME_MAX + 1];
		snprintf(before, sizeof(before), "%s", scan->function);
		scan_line(scan, &lines->lines[i]);
		if (!lines->is_changed[i] || !is_code(&lines->lines[i]))
			continue;
		snprintf(function, sizeof(function), "%s", scan->function[0] ? scan->function : before);
		if (found)
			source_function_at(patch->source.data, patch->source.length, number, function);
		add_place(patch->change, function, patch->file, number);
	}
}

/* The hunk's lines, until it has all that its header announces. A removed line changes the line that follows. */
static void read_lines(struct patch *patch, const char **rest, const char *end, struct hunk *hunk, struct scan *scan)
{
	struct hunk_lines lines = {0};
	const uint32_t first = hunk->line;
	bool is_removed = false;
	struct line line;

	while ((hunk->old_left || hunk->new_left) && next_line(rest, end, &line)) {
		const char kind = line.length ? line.text[0] : ' ';
		const struct line text = {line.text + (line.length > 0), line.length - (line.length > 0)};
		if (kind == '\\')
			continue;
		if ((kind != ' ' && kind != '+' && kind != '-') || (kind != '+' && !hunk->old_left) ||
		    (kind != '-' && !hunk->new_left))
			break;
		hunk->old_left -= kind != '+';
		hunk->new_left -= kind != '-';
		if (kind == '-') {
			is_removed = is_removed || is_code(&text);
			continue;
		}
		add_hunk_line(&lines, &text, kind == '+' || is_removed);
		is_removed = is_removed && !is_code(&text);
	}
	if (patch->file[0])
		add_changed(patch, &lines, first, scan);
	free(lines.lines);
	free(lines.is_changed);
}

bool source_change_parse(struct source_change *change, const char *text, size_t length, const char *tree)
{
	struct patch patch = {.change = change, .tree = tree};
	const char *rest = text;
	struct line line;

	while (next_line(&rest, text + length, &line)) {
		struct hunk hunk;
		struct scan scan;
		if (line.length > 4 && memcmp(line.text, "+++ ", 4) == 0) {
			read_file_name(&patch, line.text + 4, line.length - 4);
		} else if (read_hunk(&line, &hunk, &scan)) {
			patch.hunks++;
			read_lines(&patch, &rest, text + length, &hunk, &scan);
		}
	}
	buffer_free(&patch.source);
	change->is_patched = true;
	return patch.hunks > 0;
}

/* --- Words --- */

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
	if (status == STATUS_OK && !source_change_parse(change, text.data ? text.data : "", text.length, tree)) {
		error_set(err, STATUS_USAGE, "--reached", "%s is no patch: it has no lines '@@ -N,N +N,N @@'", path);
		status = error_remedy(err, "make one with git diff, git show or git format-patch");
	}
	buffer_free(&text);
	if (status != STATUS_OK || change->count > before)
		return status;
	return error_set(err, STATUS_USAGE, "--reached", "%s changes no code: comments, empty lines or names only",
			 path);
}

/* "kernel/sched/fair.c:690" */
static bool add_line(struct source_change *change, const char *word, const char *tree)
{
	const char *colon = strrchr(word, ':');
	char path[PATH_MAX], file[SOURCE_NAME_MAX + 1], function[SOURCE_NAME_MAX + 1] = "";
	struct buffer source = {0};
	struct line line;
	uint64_t number;

	if (!colon || colon == word || (size_t)(colon - word) > SOURCE_NAME_MAX ||
	    strspn(word, FILE_CHARACTERS) < (size_t)(colon - word) || !number_parse_u64(colon + 1, &number) ||
	    number == 0 || number >= LINE_MAX_NUMBER)
		return false;
	snprintf(file, sizeof(file), "%.*s", (int)(colon - word), word);
	if (tree && file_join(path, sizeof(path), tree, file, NULL) == STATUS_OK &&
	    file_refuse_special(path, NULL) == STATUS_OK &&
	    file_read(path, SOURCE_BYTES_MAX, &source, NULL) == STATUS_OK &&
	    source_line(&source, (uint32_t)number, &line))
		source_function_at(source.data, source.length, (uint32_t)number, function);
	buffer_free(&source);
	add_place(change, function, file, (uint32_t)number);
	return true;
}

static enum status add_word(struct source_change *change, const char *word, const char *tree, struct error *err)
{
	if (is_name(word, strlen(word)))
		add_place(change, word, "", 0);
	else if (!add_line(change, word, tree))
		return add_patch(change, word, tree, err);
	return STATUS_OK;
}

enum status source_change_add(struct source_change *change, const char *words, const char *tree, struct error *err)
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
