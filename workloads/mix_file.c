/* SPDX-License-Identifier: MIT
 *
 * Mixes in files, and as names of workloads. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "workloads/mix.h"

#define FILE_MAX (1u << 20)

static void name_after_file(const char *path, struct mix *mix)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strcspn(name, ".");
	char text[MIX_LABEL_SIZE];

	snprintf(text, sizeof(text), "%.*s", (int)length, name);
	if (!mix->label[0] && length < sizeof(text))
		mix_read_label(text, mix);
}

static void blank_comments(char *text)
{
	for (char *at = text; (at = strchr(at, '#'));)
		for (; *at && *at != '\n'; at++)
			*at = ' ';
}

enum status mix_parse_file(const char *text, size_t length, const char *path, struct mix *mix, struct error *err)
{
	char words[MIX_TEXT_MAX + 1];
	size_t blank = 0;

	while (blank < length && isspace((unsigned char)text[blank]))
		blank++;
	if (blank < length && text[blank] == '{') {
		error_set(err, STATUS_UNSUPPORTED, path, "is JSON, not a mix");
		return error_remedy(err, "workloads/rt_app.py converts a file of rt-app to a mix");
	}
	if (length > MIX_TEXT_MAX || memchr(text, '\0', length))
		return error_set(err, STATUS_USAGE, path, "not a mix: expected at most %d characters of text",
				 MIX_TEXT_MAX);
	memcpy(words, text, length);
	words[length] = '\0';
	blank_comments(words);
	enum status status = mix_parse(words, path, mix, err);
	if (status == STATUS_OK)
		name_after_file(path, mix);
	return status;
}

static const char mix_prefix[] = "mix:";

bool mix_is_one(const char *name)
{
	return strncmp(name, mix_prefix, sizeof(mix_prefix) - 1) == 0;
}

enum status mix_parse_name(const char *name, struct mix *mix, struct error *err)
{
	const char *rest = name + sizeof(mix_prefix) - 1;
	struct buffer text = {0};

	if (*rest == '\0' || isspace((unsigned char)*rest))
		return mix_parse(rest, "mix", mix, err);
	enum status status = file_read(rest, FILE_MAX, &text, err);
	if (status == STATUS_SYSTEM)
		return error_remedy(err, "write 'mix: WORDS' with a space, or 'mix:FILE' without one");
	if (status == STATUS_OK)
		status = mix_parse_file(text.data ? text.data : "", text.length, rest, mix, err);
	buffer_free(&text);
	return status;
}
