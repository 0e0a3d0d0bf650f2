/* SPDX-License-Identifier: MIT */
#include "vm/kernel/source_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool source_next_line(const char **rest, const char *end, struct source_line *line)
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

/* Empty lines and comments are no change of the code. */
bool source_is_code(const struct source_line *line)
{
	size_t at = 0;

	while (at < line->length && isspace((unsigned char)line->text[at]))
		at++;
	const size_t left = line->length - at;
	const char *text = line->text + at;
	return left > 0 && !(text[0] == '*' && (left == 1 || text[1] == ' ' || text[1] == '/')) &&
	       !(left > 1 && text[0] == '/' && (text[1] == '*' || text[1] == '/'));
}

bool source_has_call(const struct source_line *line, const char *function)
{
	const size_t length = strlen(function);
	const char *end = line->text + line->length;

	for (const char *at = line->text; (at = memmem(at, (size_t)(end - at), function, length)); at++)
		if (at + length < end && at[length] == '(' &&
		    (at == line->text || !strchr(SOURCE_NAME_CHARACTERS, at[-1])))
			return true;
	return false;
}

/* --- Functions --- */

bool source_is_name(const char *text, size_t length)
{
	return length > 0 && length <= SOURCE_NAME_MAX && !isdigit((unsigned char)text[0]) &&
	       strspn(text, SOURCE_NAME_CHARACTERS) >= length;
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
static bool read_system_call(const struct source_line *line, char function[SOURCE_NAME_MAX + 1])
{
	static const char macro[] = "SYSCALL_DEFINE";
	size_t at = sizeof(macro); /* and one digit */

	if (line->length <= at || memcmp(line->text, macro, sizeof(macro) - 1) != 0 || line->text[at] != '(')
		return false;
	const char *name = line->text + at + 1;
	size_t length = 0;
	while (at + 1 + length < line->length && strchr(SOURCE_NAME_CHARACTERS, name[length]) && name[length])
		length++;
	if (!source_is_name(name, length))
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
static bool read_header(const struct source_line *line, char function[SOURCE_NAME_MAX + 1])
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
		while (name > from && strchr(SOURCE_NAME_CHARACTERS, name[-1]))
			name--;
		if (!is_attribute(name, (size_t)(end - name)))
			break;
		from = skip_parentheses(open, text_end);
	}
	if (!open || !source_is_name(name, (size_t)(end - name)) || is_macro(name, (size_t)(end - name)) ||
	    memchr(line->text, '=', (size_t)(open - line->text)))
		return false;
	snprintf(function, SOURCE_NAME_MAX + 1, "%.*s", (int)(end - name), name);
	return true;
}

void source_scan_line(struct source_scan *scan, const struct source_line *line)
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
static bool is_whole(const struct source_line *line)
{
	return line->length > 1 && line->text[line->length - 1] == '}' && memchr(line->text, '{', line->length);
}

bool source_function_at(const char *text, size_t length, uint32_t number, char function[SOURCE_NAME_MAX + 1])
{
	struct source_scan scan = {.is_inside = false};
	const char *rest = text;
	struct source_line line;
	uint32_t at = 0;

	function[0] = '\0';
	while (source_next_line(&rest, text + length, &line)) {
		const bool was_inside = scan.is_inside;
		char last[sizeof(scan.function)];
		memcpy(last, scan.function, sizeof(last));
		source_scan_line(&scan, &line);
		if (++at == number) {
			/* The closing brace belongs to its function. */
			const bool closes = was_inside && line.length && line.text[0] == '}';
			snprintf(function, SOURCE_NAME_MAX + 1, "%s", closes ? last : scan.function);
			return function[0];
		}
		if (scan.is_inside && is_whole(&line) && line.text[0] != '}')
			scan = (struct source_scan){.is_inside = false};
	}
	return false;
}
