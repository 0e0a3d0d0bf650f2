/* SPDX-License-Identifier: MIT */
#include "vm/kernel/patch.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

#define HUNKS_MAX 4096

struct hunk {
	uint32_t line;               /* of the new file, the next one */
	uint32_t old_left, new_left; /* lines that follow */
};

struct patch {
	struct source_change *change;
	const char *tree;
	char file[SOURCE_NAME_MAX + 1]; /* "": none, or one without a place */
	struct buffer source;           /* of the file in the tree, once it is needed; length 0: not there */
	bool is_source_read;
	size_t hunks;
};

/* "+++ b/kernel/sched/fair.c<tab>date": the name without its first directory, as patch -p1 reads it. */
static void read_file_name(struct patch *patch, const char *text, size_t length)
{
	const char *tab = memchr(text, '\t', length);

	length = tab ? (size_t)(tab - text) : length;
	const char *slash = memchr(text, '/', length);
	patch->file[0] = '\0';
	patch->is_source_read = false;
	if (!slash || text[0] == '/')
		return;
	length -= (size_t)(slash + 1 - text);
	text = slash + 1;
	if (length == 0 || length > SOURCE_NAME_MAX || text[0] == '/' ||
	    strspn(text, SOURCE_FILE_CHARACTERS) < length || memmem(text, length, "..", 2))
		return;
	snprintf(patch->file, sizeof(patch->file), "%.*s", (int)length, text);
}

static void read_source(struct patch *patch)
{
	char path[PATH_MAX];

	if (patch->is_source_read)
		return;
	patch->is_source_read = true;
	buffer_clear(&patch->source);
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
		while (*text < end && isdigit((unsigned char)**text) && numbers[i] < SOURCE_LINE_MAX)
			numbers[i] = numbers[i] * 10 + (uint64_t)(*(*text)++ - '0');
		if (*text == begin || numbers[i] >= SOURCE_LINE_MAX)
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
static bool read_hunk(const struct source_line *line, struct hunk *hunk, struct source_scan *scan)
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
	*scan = (struct source_scan){.is_inside = false};
	source_scan_line(scan, &(struct source_line){text, (size_t)(end - text)});
	return true;
}

/* The lines of a hunk that the new file has. */
struct hunk_lines {
	struct source_line *lines;
	bool *is_changed;
	size_t count;
};

static void add_hunk_line(struct hunk_lines *lines, const struct source_line *line, bool is_changed)
{
	lines->lines = xreallocarray(lines->lines, lines->count + 1, sizeof(*lines->lines));
	lines->is_changed = xreallocarray(lines->is_changed, lines->count + 1, sizeof(*lines->is_changed));
	lines->lines[lines->count] = *line;
	lines->is_changed[lines->count++] = is_changed;
}

static bool same_line(const struct source_line *one, const struct source_line *other)
{
	return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

static bool is_there(const struct hunk_lines *lines, const char *rest, const char *end)
{
	struct source_line line;

	for (size_t i = 0; i < lines->count; i++)
		if (!source_next_line(&rest, end, &line) || !same_line(&line, &lines->lines[i]))
			return false;
	return true;
}

/* The line at which the source has the lines of the hunk: the nearest to the one that it names; 0: nowhere. */
static uint32_t find_lines(const struct hunk_lines *lines, const struct buffer *source, uint32_t named)
{
	uint32_t number = 1, found = 0;
	struct source_line line;

	if (source->length == 0)
		return 0;
	const char *rest = source->data, *end = source->data + source->length;
	for (const char *at = rest; source_next_line(&rest, end, &line); at = rest, number++) {
		const uint32_t before = found > named ? found - named : named - found;
		const uint32_t now = number > named ? number - named : named - number;
		if ((!found || now < before) && is_there(lines, at, end))
			found = number;
	}
	return found;
}

static bool has_changed_code(const struct hunk_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		if (lines->is_changed[i] && source_is_code(&lines->lines[i]))
			return true;
	return false;
}

static void add_changed(struct patch *patch, const struct hunk_lines *lines, uint32_t first, struct source_scan *scan)
{
	read_source(patch);
	const uint32_t found = find_lines(lines, &patch->source, first);
	if (patch->tree && !found)
		snprintf(patch->change->absent, sizeof(patch->change->absent), "%s", patch->file);
	for (size_t i = 0; i < lines->count && !patch->change->is_cut; i++) {
		const uint32_t number = (found ? found : first) + (uint32_t)i;
		char function[SOURCE_NAME_MAX + 1];
		char before[SOURCE_NAME_MAX + 1];
		snprintf(before, sizeof(before), "%s", scan->function);
		source_scan_line(scan, &lines->lines[i]);
		if (!lines->is_changed[i] || !source_is_code(&lines->lines[i]))
			continue;
		snprintf(function, sizeof(function), "%s", scan->function[0] ? scan->function : before);
		if (found)
			source_function_at(patch->source.data, patch->source.length, number, function);
		source_change_add_place(patch->change, function, patch->file, number);
	}
}

/* The hunk's lines, until it has all that its header announces. A removed line changes the line that follows. */
static void read_lines(struct patch *patch, const char **rest, const char *end, struct hunk *hunk,
		       struct source_scan *scan)
{
	struct hunk_lines lines = {0};
	const uint32_t first = hunk->line;
	bool is_removed = false;
	struct source_line line;

	while ((hunk->old_left || hunk->new_left) && source_next_line(rest, end, &line)) {
		const char kind = line.length ? line.text[0] : ' ';
		const struct source_line text = {line.text + (line.length > 0), line.length - (line.length > 0)};
		if (kind == '\\')
			continue;
		if ((kind != ' ' && kind != '+' && kind != '-') || (kind != '+' && !hunk->old_left) ||
		    (kind != '-' && !hunk->new_left))
			break;
		hunk->old_left -= kind != '+';
		hunk->new_left -= kind != '-';
		if (kind == '-') {
			is_removed = is_removed || source_is_code(&text);
			continue;
		}
		add_hunk_line(&lines, &text, kind == '+' || is_removed);
		is_removed = is_removed && !source_is_code(&text);
	}
	/* The rest of a patch with too many places adds none, and hunks without code have none. */
	if (patch->file[0] && has_changed_code(&lines) && !patch->change->is_cut)
		add_changed(patch, &lines, first, scan);
	free(lines.lines);
	free(lines.is_changed);
}

bool patch_read(struct source_change *change, const char *text, size_t length, const char *tree)
{
	struct patch patch = {.change = change, .tree = tree};
	const char *rest = text;
	struct source_line line;

	while (source_next_line(&rest, text + length, &line)) {
		struct hunk hunk;
		struct source_scan scan;
		if (line.length > 4 && memcmp(line.text, "+++ ", 4) == 0) {
			read_file_name(&patch, line.text + 4, line.length - 4);
		} else if (read_hunk(&line, &hunk, &scan)) {
			change->is_cut |= ++patch.hunks > HUNKS_MAX;
			read_lines(&patch, &rest, text + length, &hunk, &scan);
		}
	}
	buffer_free(&patch.source);
	change->is_patched = true;
	return patch.hunks > 0;
}
