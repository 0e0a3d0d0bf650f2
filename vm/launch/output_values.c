/* SPDX-License-Identifier: MIT */
#include "vm/launch/output_values.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/message.h"
#include "runs/metadata.h"

#define OUTPUT_BYTES_MAX (16u << 20)

struct rule {
	char name[RUN_VALUE_NAME_SIZE];
	regex_t regex;
	double value; /* of the output; NaN: none yet */
};

/* --- Rules --- */

static enum status compile(const char *text, struct rule *rule, struct error *err)
{
	const size_t length = strcspn(text, "=");
	char why[128];

	if (!text[length] || !run_value_is_name(text, length)) {
		error_set(err, STATUS_USAGE, "--value", "'%s' is not NAME=REGEX", text);
		return error_remedy(
		    err, "NAME has only lower-case letters, digits and _: --value 'latency_us=max ([0-9.]+)'");
	}
	snprintf(rule->name, sizeof(rule->name), "%.*s", (int)length, text);
	rule->value = (double)NAN;
	int reason = regcomp(&rule->regex, text + length + 1, REG_EXTENDED);
	if (reason == 0)
		return STATUS_OK;
	regerror(reason, &rule->regex, why, sizeof(why));
	return error_set(err, STATUS_USAGE, "--value", "'%s': %s", text + length + 1, why);
}

static void free_rules(struct rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++)
		regfree(&rules[i].regex);
}

/* *count rules are to be freed, after errors too. */
static enum status compile_all(const struct option_list *texts, struct rule *rules, size_t *count, struct error *err)
{
	*count = 0;
	if (texts->count > RUN_VALUES_MAX)
		return error_set(err, STATUS_USAGE, "--value", "more than %d", RUN_VALUES_MAX);
	for (size_t i = 0; i < texts->count; i++) {
		enum status status = compile(texts->items[i], &rules[i], err);
		if (status != STATUS_OK)
			return status;
		++*count;
		for (size_t before = 0; before < i; before++)
			if (strcmp(rules[before].name, rules[i].name) == 0)
				return error_set(err, STATUS_USAGE, "--value", "%s is given twice", rules[i].name);
	}
	return STATUS_OK;
}

enum status output_values_check(const struct option_list *texts, struct error *err)
{
	struct rule rules[RUN_VALUES_MAX];
	size_t count;
	enum status status = compile_all(texts, rules, &count, err);

	free_rules(rules, count);
	return status;
}

/* --- Output --- */

/* The first decimal number in length bytes; NaN: there is none. */
static double find_number(const char *text, size_t length)
{
	char number[64];

	for (size_t i = 0; i < length; i++) {
		const size_t sign = text[i] == '-' || text[i] == '+';
		const size_t point = text[i + sign] == '.';
		char *end;
		if (i + sign + point >= length || !isdigit((unsigned char)text[i + sign + point]))
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)(length - i < 63 ? length - i : 63), text + i);
		/* strtod() would also accept 0x10. */
		number[sign + point + strspn(number + sign + point, "0123456789.eE+-")] = '\0';
		double value = strtod(number, &end);
		return isfinite(value) ? value : (double)NAN;
	}
	return (double)NAN;
}

static void match_line(const char *line, struct rule *rule)
{
	regmatch_t found[2] = {{-1, -1}, {-1, -1}};

	if (regexec(&rule->regex, line, 2, found, 0) != 0)
		return;
	const regmatch_t *at = rule->regex.re_nsub && found[1].rm_so >= 0 ? &found[1] : &found[0];
	const double value = find_number(line + at->rm_so, (size_t)(at->rm_eo - at->rm_so));
	if (!isnan(value))
		rule->value = value;
}

static enum status find_values(const char *log, struct rule *rules, size_t count, struct error *err)
{
	struct buffer text = {0};
	enum status status = file_read(log, OUTPUT_BYTES_MAX, &text, err);

	for (size_t i = 0; i < count; i++)
		rules[i].value = (double)NAN;
	if (status == STATUS_UNSUPPORTED)
		error_remedy(err, "--value reads outputs of at most %u MB", OUTPUT_BYTES_MAX >> 20);
	for (size_t at = 0; status == STATUS_OK && at < text.length;) {
		char *line = text.data + at;
		const char *stop = memchr(line, '\n', text.length - at);
		const size_t length = stop ? (size_t)(stop - line) : text.length - at;
		line[length] = '\0'; /* the buffer ends in a NUL */
		for (size_t i = 0; i < count; i++)
			match_line(line, &rules[i]);
		at += length + 1;
	}
	buffer_free(&text);
	return status;
}

/* --- The JSON of the run --- */

static void write_values(const struct rule *rules, size_t count, struct json_writer *json)
{
	char text[64];

	json_object_begin(json, "values");
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%.15g", rules[i].value);
		if (isnan(rules[i].value))
			json_null(json, rules[i].name);
		else
			json_copy(json, rules[i].name, &(struct json_value){.kind = JSON_NUMBER, .text = text});
	}
	json_object_end(json);
}

static enum status write_document(const struct json_value *document, const struct rule *rules, size_t count,
				  const char *path, bool *changed, struct error *err)
{
	struct buffer text = {0}, before = {0};
	struct json_writer json = {.out = &text};

	json_object_begin(&json, NULL);
	for (const struct json_value *item = document->child; item; item = item->next)
		if (strcmp(item->key, "values") != 0)
			json_copy(&json, item->key, item);
	write_values(rules, count, &json);
	json_object_end(&json);
	buffer_text(&text, "\n");
	file_read(path, JSON_FILE_MAX, &before, NULL);
	const bool differs = before.length != text.length || memcmp(before.data, text.data, text.length) != 0;
	enum status status = differs ? file_replace(path, text.data, text.length, err) : STATUS_OK;
	*changed |= differs;
	buffer_free(&before);
	buffer_free(&text);
	return status;
}

static enum status add_to(const char *directory, const char *log, struct rule *rules, size_t count, bool *changed,
			  struct error *err)
{
	const int length = (int)strlen(log) - 4; /* without .log */
	char path[PATH_MAX], name[NAME_MAX + 8];
	struct json_value *document = NULL;
	enum status status = file_join(path, sizeof(path), directory, log, err);

	if (status == STATUS_OK)
		status = find_values(path, rules, count, err);
	snprintf(name, sizeof(name), "%.*s.json", length, log);
	if (status == STATUS_OK)
		status = file_join(path, sizeof(path), directory, name, err);
	if (status != STATUS_OK || json_read_file(path, &document, NULL) != STATUS_OK)
		return status;
	for (size_t i = 0; i < count; i++)
		if (isnan(rules[i].value))
			message_warning("%.*s: no line of its output has a number for --value %s", length, log,
					rules[i].name);
	if (document->kind == JSON_OBJECT)
		status = write_document(document, rules, count, path, changed, err);
	json_free(document);
	return status;
}

enum status output_values_add(const struct option_list *texts, const char *directory, bool *changed, struct error *err)
{
	struct rule rules[RUN_VALUES_MAX];
	struct dirent **list = NULL;
	size_t count;

	*changed = false;
	if (texts->count == 0)
		return STATUS_OK;
	enum status status = compile_all(texts, rules, &count, err);
	int files = status == STATUS_OK ? scandir(directory, &list, NULL, alphasort) : 0;
	if (files < 0)
		status = error_system(err, errno, directory, "cannot list");
	for (int i = 0; i < files; i++) {
		if (status == STATUS_OK && file_name_ends(list[i]->d_name, ".log"))
			status = add_to(directory, list[i]->d_name, rules, count, changed, err);
		free(list[i]);
	}
	free(list);
	free_rules(rules, count);
	return status;
}
