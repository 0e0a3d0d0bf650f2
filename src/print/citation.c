/* SPDX-License-Identifier: MIT */
#include "print/citation.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

#define FILE_MAX (1u << 20)

void citation_add_creators(struct citation *citation, const char *names)
{
	while (*(names += strspn(names, ", "))) {
		const size_t length = strcspn(names, ",");
		arguments_add(&citation->creators, "%.*s", (int)length, names);
		names += length;
	}
}

void citation_free(struct citation *citation)
{
	arguments_free(&citation->creators);
	free(citation->license);
	free(citation->url);
	free(citation->doi);
	*citation = (struct citation){0};
}

/* --- Reading --- */

/* Parts of the name of a person, in the order in which they are written; or the name of an entity. */
static const char *const name_keys[] = {"given-names", "name-particle", "family-names", "name-suffix", "name"};
enum { NAME_KEYS = sizeof(name_keys) / sizeof(*name_keys) };

struct reading {
	const char *path;
	size_t number; /* of the line */
	struct citation *citation;
	bool in_authors;
	char *names[NAME_KEYS]; /* of the author that is being read */
	char *type;
	struct {
		const char *at, *end; /* NULL: there is none */
		size_t number;
	} license; /* read if the file is of a dataset: that of a program can be a list */
	struct error *err;
};

struct yaml_line {
	const char *text, *end; /* without its indentation */
};

static enum status refuse(const struct reading *reading, enum status status, const char *what)
{
	return error_set(reading->err, status, reading->path, "line %zu: %s", reading->number, what);
}

/* The value after "key:", or NULL if the line has another key. */
static const char *value_of(const struct yaml_line *line, const char *key)
{
	const size_t length = strlen(key);
	const char *at = line->text + length;

	if ((size_t)(line->end - line->text) <= length || memcmp(line->text, key, length) != 0 || *at != ':')
		return NULL;
	for (at++; at < line->end && *at == ' ';)
		at++;
	return at;
}

/* The text in quotes of which the first is at at; NULL if the line ends before the last. */
static const char *add_quoted(const char *at, const char *end, struct buffer *out)
{
	const char quote = *at++;

	for (; at < end; at++) {
		if (*at == quote && (quote == '"' || at + 1 == end || at[1] != quote))
			return at + 1;
		/* In single quotes one is written twice, in double quotes after a backslash. */
		at += *at == quote || (quote == '"' && *at == '\\');
		if (at < end)
			buffer_add(out, at, 1);
	}
	return NULL;
}

static enum status read_text(const struct reading *reading, const char *at, const char *end, char **text)
{
	struct buffer out = {0};

	if (at == end || strchr("|>&*!{[%@`", *at))
		return refuse(reading, STATUS_UNSUPPORTED, "is not a text of one line");
	if (*at == '"' || *at == '\'') {
		at = add_quoted(at, end, &out);
	} else {
		for (; at < end && !(*at == ' ' && at + 1 < end && at[1] == '#'); at++)
			buffer_add(&out, at, 1);
		while (out.length && out.data[out.length - 1] == ' ')
			out.length--;
	}
	if (!at || out.length == 0 || memchr(out.data, 0, out.length)) {
		buffer_free(&out);
		return refuse(reading, STATUS_UNSUPPORTED, "is not a text of one line");
	}
	free(*text);
	*text = xstrndup(out.data, out.length);
	buffer_free(&out);
	return STATUS_OK;
}

static void end_author(struct reading *reading)
{
	struct buffer name = {0};

	for (size_t i = 0; i < NAME_KEYS; i++) {
		if (reading->names[i])
			buffer_printf(&name, "%s%s", name.length ? " " : "", reading->names[i]);
		free(reading->names[i]);
		reading->names[i] = NULL;
	}
	if (name.length)
		arguments_add(&reading->citation->creators, "%s", name.data);
	buffer_free(&name);
}

static enum status read_author_line(struct reading *reading, struct yaml_line *line)
{
	const char *value;

	if (*line->text == '-') {
		end_author(reading);
		for (line->text++; line->text < line->end && *line->text == ' ';)
			line->text++;
	}
	for (size_t i = 0; i < NAME_KEYS; i++)
		if ((value = value_of(line, name_keys[i])))
			return read_text(reading, value, line->end, &reading->names[i]);
	return STATUS_OK;
}

/* A key of the file itself. */
static enum status read_key(struct reading *reading, const struct yaml_line *line)
{
	static const char *const keys[] = {"url", "doi", "type"};
	char **const texts[] = {&reading->citation->url, &reading->citation->doi, &reading->type};
	const char *value;

	reading->in_authors = (value = value_of(line, "authors"));
	if (reading->in_authors && value < line->end && *value != '#')
		return refuse(reading, STATUS_UNSUPPORTED, "authors are not a list with a line for each");
	if ((value = value_of(line, "license")) || (value = value_of(line, "license-url"))) {
		reading->license.at = value;
		reading->license.end = line->end;
		reading->license.number = reading->number;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if ((value = value_of(line, keys[i])))
			return read_text(reading, value, line->end, texts[i]);
	return STATUS_OK;
}

static enum status read_line(struct reading *reading, const char *text, const char *end)
{
	struct yaml_line line = {text, end};

	reading->number++;
	while (end > text && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	line.end = end;
	while (line.text < end && *line.text == ' ')
		line.text++;
	if (line.text == end || *line.text == '#')
		return STATUS_OK;
	if (line.text > text || *line.text == '-')
		return reading->in_authors ? read_author_line(reading, &line) : STATUS_OK;
	return read_key(reading, &line);
}

static enum status end_file(struct reading *reading)
{
	end_author(reading);
	if (reading->citation->creators.count == 0)
		return error_set(reading->err, STATUS_CORRUPT, reading->path, "has no authors with a name");
	if (!reading->license.at || !reading->type || strcmp(reading->type, "dataset") != 0)
		return STATUS_OK;
	reading->number = reading->license.number;
	return read_text(reading, reading->license.at, reading->license.end, &reading->citation->license);
}

enum status citation_parse(const char *text, size_t length, const char *path, struct citation *citation,
			   struct error *err)
{
	struct reading reading = {.path = path, .citation = citation, .err = err};
	const char *const end = text + length;
	enum status status = STATUS_OK;

	*citation = (struct citation){0};
	while (text < end && status == STATUS_OK) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		status = read_line(&reading, text, newline ? newline : end);
		text = newline ? newline + 1 : end;
	}
	if (status == STATUS_OK)
		status = end_file(&reading);
	for (size_t i = 0; i < NAME_KEYS; i++)
		free(reading.names[i]);
	free(reading.type);
	return status;
}

enum status citation_read(const char *path, struct citation *citation, struct error *err)
{
	struct buffer text = {0};
	enum status status = file_read(path, FILE_MAX, &text, err);

	*citation = (struct citation){0};
	if (status == STATUS_OK)
		status = citation_parse(text.data ? text.data : "", text.length, path, citation, err);
	buffer_free(&text);
	return status;
}

/* --- Writing --- */

void yaml_add_text(const char *key, const char *text, struct buffer *out)
{
	buffer_printf(out, "%s: '", key);
	for (const char *at = text; *at; at++)
		buffer_add(out, *at == '\'' ? "''" : (unsigned char)*at < ' ' ? " " : at, *at == '\'' ? 2 : 1);
	buffer_text(out, "'\n");
}

void citation_add(const struct citation *citation, const char *title, const char *date, struct buffer *out)
{
	buffer_text(out, "cff-version: 1.2.0\nmessage: If you use this dataset, please cite it.\ntype: dataset\n");
	yaml_add_text("title", title, out);
	buffer_text(out, "authors:\n");
	for (size_t i = 0; i < citation->creators.count; i++)
		yaml_add_text("- name", citation->creators.items[i], out);
	yaml_add_text(strstr(citation->license, "://") ? "license-url" : "license", citation->license, out);
	if (citation->url)
		yaml_add_text("url", citation->url, out);
	if (citation->doi)
		yaml_add_text("doi", citation->doi, out);
	buffer_printf(out, "version: 1.0.0\ndate-released: %.10s\n", date);
}
